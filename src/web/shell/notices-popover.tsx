import { Popover } from '../components/popover.tsx'
import { Notices } from './notices.tsx'
import { texts } from './texts.ts'

const EDGE = 12
const GAP = 6

/** The notices at the bell, beside the side bar, of which they cover nothing. */
export function NoticesPopover({ anchor, close }: { anchor: HTMLElement; close: () => void }) {
  const beside = {
    get x() {
      return (anchor.closest('nav') ?? anchor).getBoundingClientRect().right + GAP
    },
    get y() {
      return document.documentElement.clientHeight - EDGE
    },
  }
  return (
    <Popover anchor={beside} onClose={close} class="notices" role="dialog" aria-label={texts().notices}>
      <Notices close={close} />
    </Popover>
  )
}
