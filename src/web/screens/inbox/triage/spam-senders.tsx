import { Button } from '../../../components/button.tsx'
import { memberName } from '../../../data/boot.ts'
import { hasRole } from '../../../data/may.ts'
import { format } from '../../../lib/locale.ts'
import { now } from '../../../lib/now.ts'
import { release, type Spam } from './spam.ts'
import { texts } from './texts.ts'

/** Whose mails are held here: who listed them and when, how many came since, and the way back. */
export function SpamSenders({ asked }: { asked: Spam | undefined }) {
  if (!asked || asked.senders.length === 0) return null
  const words = texts().spam
  const when = (time: string) => format.value.when(time, now.value)
  return (
    <section class="spam" aria-label={words.senders}>
      <h2 class="small">{words.senders}</h2>
      <ul>
        {asked.senders.map(({ email, listed_by, listed_at, held, last_at }) => (
          <li key={email} class="row">
            <span class="grow">
              <b class="cut" dir="auto">
                {email}
              </b>
              <span class="small mute">
                {words.listed(when(listed_at), (listed_by && memberName(listed_by)) || '')}
                {', '}
                {words.held(held, format.value.number(held), last_at ? when(last_at) : '')}
              </span>
            </span>
            {hasRole('member') && (
              <Button plain onClick={() => void release(email)} aria-label={words.releaseOne(email)}>
                {words.release}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
