import type { SessionInfo } from '../../../auth/sessions.ts'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { deviceOf } from './device.ts'
import { texts } from './texts.ts'
import './sessions.css'

export type Session = Omit<SessionInfo, 'member_id'> & { is_current: boolean }

/** One place where somebody is signed in: device, address, when it was last used. */
export function SessionRow({ session, action }: { session: Session; action: (() => void) | undefined }) {
  const { icon, name } = deviceOf(session.user_agent)
  const seen = format.value.when(session.seen_at, now.value)
  return (
    <li class="ss">
      <Icon class="mute" name={icon} />
      <div class="cut" dir="auto">
        {name ?? texts().unknownDevice} {session.is_current && <span class="mute">{texts().thisOne}</span>}
        <small class="cut" dir="auto">
          {[session.address, seen].filter(Boolean).join(' · ')}
        </small>
      </div>
      {action && (
        <Button plain aria-label={`${words().signOut}, ${name ?? texts().unknownDevice}`} onClick={action}>
          {words().signOut}
        </Button>
      )}
    </li>
  )
}
