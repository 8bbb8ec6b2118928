import assert from 'node:assert/strict'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import type { MailIn, MailOut } from '../../src/lib/mail/mail.ts'
import { readMail } from '../../src/lib/mail/parse/read.ts'
import { type ImportedMail, incomingStore } from '../../src/mail/incoming.ts'
import { outgoingMails } from '../../src/mail/mail-out.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { inboxOf } from './inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from './mailbox.ts'
import type { Row } from './records.ts'
import type { TestServer } from './server.ts'

export const person = (name: string, host = 'firm.example') => ({
  email: `${name.toLowerCase().replace(/\W+/g, '.')}@${host}`,
  name,
})

/** Two mailboxes, support@ and sales@acme.example, that take in parsed mails. */
export function deskOf(server: TestServer, more: Record<string, unknown> = {}) {
  const inbox = inboxOf(server)
  const SALES = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }
  const boxes = setMailboxes(server, [{ ...SUPPORT, ...more }, SALES]) as { support: Mailbox; sales: Mailbox }
  const { db } = server.store

  const take = (
    mail: MailIn,
    mailbox = boxes.support,
    arrivedAt = server.now(),
    isHistory = false,
  ): Promise<ImportedMail> =>
    server.store.write(() => incomingStore(server.deps).take(server.a.org, mailbox, mail, arrivedAt, isHistory))

  const stored = async (messageId: string | null): Promise<Row | undefined> => {
    const id = db
      .prepare('SELECT id FROM messages WHERE org_id = ? AND external_id = ?')
      .pluck()
      .get(server.a.org, messageId)
    return id ? inbox.get(`/messages/${id}`) : undefined
  }

  /** Takes a mail in, and gives its message with its conversation. */
  async function arrive(given: Partial<MailIn> = {}, mailbox = boxes.support): Promise<Row> {
    const mail = mailIn(given)
    const { outcome } = await take(mail, mailbox)
    assert.equal(outcome, 'imported')
    const message = (await stored(mail.messageId)) as Row
    return { ...message, conversation: await inbox.conversation(message.conversation_id) }
  }

  const reply = (conversation_id: string, given: Row = {}): Promise<Row> =>
    inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here is the answer.', ...given })

  const messagesOf = async (conversation: string): Promise<Row[]> =>
    (await inbox.get(`/conversations/${conversation}/messages?sort=created_at`)).data

  const { waiting, sent, failed } = sendingStore(server.deps)
  const { mailOut } = outgoingMails(server.deps)

  /** What is sent of a queued message. */
  function out({ id }: Row): MailOut {
    const queued = waiting(server.a.org, id)
    assert.ok(queued?.mailbox)
    return mailOut(server.a.org, queued, queued.mailbox)
  }

  /** A mail as it is on the wire, parsed. */
  const parsed = (lines: readonly string[]): Promise<MailIn> => readMail(Buffer.from(lines.join('\r\n')))

  return {
    ...{ ...inbox, boxes, take, stored, arrive, reply, messagesOf, parsed, out },
    sent: ({ id }: Row) => server.store.write(() => void sent(server.a.org, id)),
    failed: ({ id }: Row) => server.store.write(() => void failed(server.a.org, id, 'refused', false)),
  }
}
