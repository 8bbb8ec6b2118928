import type { TestContext } from 'node:test'
import { mailKinds } from '../../src/mail/jobs.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { inboxOf } from '../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import type { TestServer } from '../support/server.ts'

/** People who ask, and an office that answers them when the test says so. */
export function officeOf(server: TestServer) {
  const inbox = inboxOf(server)

  /** An office with a mailbox that sends by the server at this port. */
  function office(t: TestContext, port: number, more: Row = {}) {
    const { imap, ...sending } = SUPPORT
    const apply = () => setMailboxes(server, [{ ...sending, smtp: { ...SUPPORT.smtp, port }, ...more }])
    apply()
    const outcomes: string[] = []
    const count = (outcome: string) => void outcomes.push(outcome)
    const warnings: Row[] = []
    const warn = (line: Row) => void warnings.push(line)
    const { close, ...post } = outboundMail({
      deps: server.deps,
      write: server.store.write,
      count,
      log: { warn },
    })
    const scheduler = schedulerHarness(server, { kinds: mailKinds(post) })
    t.after(async () => {
      await scheduler.stop()
      close()
      server.store.db.exec('DELETE FROM jobs; UPDATE mailbox_states SET send_pauses = 0, send_paused_until = NULL')
    })
    const later = (ms: number): Promise<void> => {
      server.advance(ms)
      return scheduler.tick()
    }
    return { ...scheduler, later, outcomes, warnings, apply }
  }

  const asked = (email = `eva${server.lastSeq()}@firm.example`): Promise<Row> =>
    inbox.make('/messages', {
      direction: 'inbound',
      channel: 'email',
      from: { email, name: 'Eva Ruiz' },
      subject: 'Invoice 1042',
      body_text: 'Where is it?',
      external_id: `<q${server.lastSeq()}@firm.example>`,
    })

  const answer = ({ conversation_id }: Row, given: Row = {}): Promise<Row> =>
    inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here it is.', ...given })

  const now = ({ id }: Row): Promise<Row> => inbox.get(`/messages/${id}`)

  return { inbox, office, asked, answer, now }
}
