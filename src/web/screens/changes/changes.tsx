import { Empty } from '../../components/empty.tsx'
import { mayWrite } from '../../data/may.ts'
import { texts } from '../../shell/settings/texts.ts'
import { SettingsFrame } from '../../shell/settings-frame.tsx'
import { MyChanges } from '../../shell/steps/my-changes.tsx'
import { texts as stepTexts } from '../../shell/steps/texts.ts'
import './changes.css'

/** What I did in the last 30 days, with the way back: the list of the bell as a page. */
export default function ChangesScreen() {
  return (
    <SettingsFrame
      title={texts().changes}
      summary={stepTexts().days}
      actions={
        <a class="btn" href="/settings/bin">
          {texts().bin}
        </a>
      }
    >
      {!mayWrite() ? (
        <Empty icon="undo" title={stepTexts().viewer} />
      ) : (
        <div class="changes-page">
          <MyChanges />
        </div>
      )}
    </SettingsFrame>
  )
}
