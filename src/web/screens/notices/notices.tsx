import { Bar } from '../../shell/bar.tsx'
import { Notices } from '../../shell/notices.tsx'
import { texts } from '../../shell/texts.ts'
import './notices.css'

/** The notices as a page: on a phone there is no bell. */
export default function NoticesScreen() {
  return (
    <>
      <Bar title={texts().notices} />
      <div class="notices-page notices" data-scroll="notices-page">
        <Notices close={() => undefined} />
      </div>
    </>
  )
}
