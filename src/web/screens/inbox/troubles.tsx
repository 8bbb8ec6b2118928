import { useEffect } from 'preact/hooks'
import type { InboxMailbox } from '../../../site/app/inbox-mailboxes.ts'
import { Banner } from '../../components/banner.tsx'
import { mailboxes } from '../../data/mailboxes.ts'
import { format } from '../../lib/locale.ts'
import { now } from '../../lib/now.ts'
import { useAsk } from '../../shell/pages/ask.ts'
import { texts } from './texts.ts'

const MINUTE_MS = 60_000

/** Reads the mailboxes for all of the inbox, and shows those that do not work, since when, and what waits: a customer whose mail does not come in is missed by nobody. */
export function Troubles() {
  const asked = useAsk<{ data: InboxMailbox[] }>('/app/inbox/mailboxes', ['messages'])
  const found = asked.value?.data
  useEffect(() => {
    if (found) mailboxes.value = found
  }, [found])
  const minute = Math.floor(now.value / MINUTE_MS)
  // A mailbox that fails has no event.
  useEffect(() => void asked.again(), [minute])
  const words = texts().trouble
  return mailboxes.value.map(({ id, address, trouble }) => {
    if (!trouble) return null
    const { receiving, sending, since, error, waiting } = trouble
    const what =
      receiving && sending ? words.both(address) : receiving ? words.receiving(address) : words.sending(address)
    return (
      <Banner key={id} icon="alert" late>
        <b>{what}</b> {since === null ? words.never : words.since(format.value.when(since, now.value))}
        {waiting > 0 && ` ${words.waiting(waiting)}`}
        {error && (
          <span class="mute small" dir="auto">
            {' '}
            {error}
          </span>
        )}{' '}
        {words.todo}
      </Banner>
    )
  })
}
