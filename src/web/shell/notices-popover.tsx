import { Popover } from '../components/popover.tsx'
import type { Anchor } from '../lib/place.ts'
import { Notices } from './notices.tsx'
import { texts } from './texts.ts'

/** The notices at the bell. */
export function NoticesPopover({ anchor, close }: { anchor: Anchor; close: () => void }) {
  return (
    <Popover anchor={anchor} onClose={close} class="notices" role="dialog" aria-label={texts().notices}>
      <Notices close={close} />
    </Popover>
  )
}
