import { Button } from '../../components/button.tsx'
import { Frame } from './frame.tsx'
import { texts } from './texts.ts'

export type DeadReason = (typeof DEAD)[number]
const DEAD = ['link_used', 'link_expired', 'link_withdrawn', 'unknown_link'] as const

/** Whether a refusal means that the link leads nowhere any more. */
export const isDead = (code: string): code is DeadReason => (DEAD as readonly string[]).includes(code)

/** Says what to do with a link that leads nowhere any more. */
export function DeadLink({ why }: { why: DeadReason }) {
  const [title, body] = {
    link_used: [texts().linkUsed, texts().linkUsedBody],
    link_expired: [texts().linkExpired, texts().linkExpiredBody],
    link_withdrawn: [texts().linkWithdrawn, texts().linkWithdrawnBody],
    unknown_link: [texts().linkUnknown, texts().linkUnknownBody],
  }[why]
  const kind = { '/setup': 'setup', '/join': 'invite' }[location.pathname.replace(/\/$/, '')] ?? 'sign_in'
  return (
    <Frame>
      <div class="narrow">
        <h1>{title}</h1>
        <p class="sub">{body}</p>
        <p class="sub">{texts().linkNew[kind as 'setup' | 'invite' | 'sign_in']}</p>
        <Button onClick={() => location.assign('/')}>{texts().toSignIn}</Button>
      </div>
    </Frame>
  )
}
