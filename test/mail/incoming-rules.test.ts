import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { replyTags } from '../../src/inbox/mailboxes/reply-tags.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { type ImportedMail, incomingStore } from '../../src/mail/incoming.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { enrollmentEngine } from '../../src/sequences/enrollments/engine.ts'
import { unsubscribing } from '../../src/sequences/enrollments/unsubscribe.ts'
import { EMAIL_STEP, enroll, makeSequence } from '../support/enrolled.ts'
import { inboxOf } from '../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
let support: Mailbox
let sales: Mailbox

const SALES = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }

before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
  const boxes = setMailboxes(server, [SUPPORT, SALES])
  support = boxes.support as Mailbox
  sales = boxes.sales as Mailbox
})
after(() => server.stop())

const take = (mail: MailIn, mailbox = support): Promise<ImportedMail> =>
  server.store.write(() => incomingStore(server.deps).take(server.a.org, mailbox, mail, server.now()))

async function arrive(given: Partial<MailIn> = {}, mailbox = support): Promise<Row> {
  const mail = mailIn(given)
  assert.deepEqual(await take(mail, mailbox), { outcome: 'imported' })
  const { id } = server.store.db.prepare('SELECT id FROM messages WHERE external_id = ?').get(mail.messageId) as Row
  return inbox.get(`/messages/${id}`)
}

const reply = (conversation_id: string, given: Row = {}): Promise<Row> =>
  inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here is the answer.', ...given })

const left = ({ id }: Row): Promise<null> =>
  server.store.write(() => {
    sendingStore(server.deps).sent(server.a.org, id)
    return null
  })

const mailOf = ({ id }: Row): Row =>
  server.store.db.prepare('SELECT * FROM message_headers WHERE message_id = ?').get(id)
const now = ({ id }: Row): Promise<Row> => inbox.get(`/messages/${id}`)

const failed = (email: string, messageId: string | null): Partial<MailIn> => ({
  from: { email: 'mailer-daemon@mx.firm.example', name: null },
  isFromServer: true,
  report: { isStandard: true, messageId, recipients: [{ email, action: 'failed', status: '5.1.1', why: null }] },
})

describe('an answer', () => {
  test('leaves by the default mailbox where the one that it came in by is no more', async () => {
    const first = await arrive({}, sales)
    setMailboxes(server, [SUPPORT])
    const answer = await reply(first.conversation_id)
    setMailboxes(server, [SUPPORT, SALES])
    assert.deepEqual([answer.status, mailOf(answer).mailbox_id], ['queued', support.id])
  })

  test('goes to the person, not to the machine that answered in between', async () => {
    const first = await arrive()
    await arrive({ inReplyTo: [first.external_id], automatic: 'reply' })
    assert.equal((await reply(first.conversation_id)).to[0].email, first.author.email)
  })

  test('answers the mail that it says it does', async () => {
    const first = await arrive()
    await arrive({ inReplyTo: [first.external_id] })
    const answer = await reply(first.conversation_id, { in_reply_to: first.external_id })
    assert.equal(answer.in_reply_to, first.external_id)
  })
})

describe('a mail', () => {
  test('belongs to the conversation of the nearest of those that it names', async () => {
    const [far, near] = [await arrive(), await arrive()]
    const mail = await arrive({ references: [far.external_id, near.external_id] })
    assert.equal(mail.conversation_id, near.conversation_id)
  })

  test('does not find its conversation by what another organisation has signed', async () => {
    const first = await arrive()
    const { number } = await inbox.conversation(first.conversation_id)
    const theirs = replyTags(server.deps).addressOf(server.b.org, support, number)
    assert.notEqual((await arrive({ to: [{ email: theirs, name: null }] })).conversation_id, first.conversation_id)
  })

  test('that is a copy of what was sent from here, or stored by a request, is no second message', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    await left(answer)
    const stored = await inbox.make('/messages', {
      ...{ direction: 'inbound', channel: 'email', body_text: 'By hand', from: { email: 'by.hand@firm.example' } },
      external_id: '<by-hand@firm.example>',
    })
    const { digest } = mailOf(answer)
    assert.deepEqual([digest, mailOf(stored)?.digest ?? null], [null, null], 'nobody has their bytes')
    const seq = server.lastSeq()
    const own = { email: SUPPORT.address, name: null }
    const copy = { messageId: answer.external_id, from: own, to: answer.to, inReplyTo: [first.external_id] }
    assert.deepEqual(await take(mailIn(copy)), { outcome: 'skipped' })
    const again = { messageId: stored.external_id, from: { email: 'by.hand@firm.example', name: null } }
    assert.deepEqual(await take(mailIn(again)), { outcome: 'skipped' })
    assert.equal(server.lastSeq(), seq)
    const { body } = await server.call('GET', `/conversations/${first.conversation_id}/messages`)
    assert.equal(body.data.length, 2)
  })

  test('of the same Message-ID and other words as one that came in is a second message', async () => {
    const first = await arrive()
    assert.deepEqual(await take(mailIn({ messageId: first.external_id })), { outcome: 'imported' })
  })

  test('by an own machine answers nobody', async () => {
    const first = await arrive()
    const from = { email: 'support@acme.example', name: null }
    await arrive({ from, inReplyTo: [first.external_id], automatic: 'reply' })
    assert.equal((await inbox.conversation(first.conversation_id)).waiting_since, first.sent_at)
  })

  describe('whose subject says so', () => {
    async function asking() {
      const first = await arrive()
      const { contact_id } = await inbox.conversation(first.conversation_id)
      const id = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id })
      const headers = unsubscribing(server.deps).headers(server.a.org, support, { id })
      const link = /subject=([^>]+)>/.exec(headers['List-Unsubscribe'] as string)?.[1] as string
      const [, token] = decodeURIComponent(link).split(' ') as [string, string]
      const isAsked = async () => (await inbox.get(`/contacts/${contact_id}`)).unsubscribed_at !== null
      return { token, isAsked }
    }
    const forms: Record<string, (token: string) => string> = {
      'as the link has it': (token) => `unsubscribe ${token}`,
      'with the escape of the link': (token) => `unsubscribe%20${token}`,
      'escaped twice': (token) => `unsubscribe%2520${token}`,
      'with a plus for the space': (token) => `unsubscribe+${token}`,
      'with all signs escaped': (token) => `unsubscribe%20${token.replaceAll('-', '%2D').replaceAll('_', '%5f')}`,
      'as an answer': (token) => `Re: AW: unsubscribe ${token}`,
      'with a tag of a gateway before it': (token) => `[EXTERNAL]unsubscribe ${token}`,
      'with a tag before the token': (token) => `Unsubscribe [EXT] ${token}`,
      'with a tag behind it': (token) => `unsubscribe ${token} [SPAM?]`,
      'with a tag at it': (token) => `unsubscribe ${token}***SPAM***`,
      'folded within the token': (token) =>
        `unsubscribe ${token.slice(0, 20)} ${token.slice(20, 50)} ${token.slice(50)} [EXT]`,
      'in brackets': (token) => `<UNSUBSCRIBE: ${token}>`,
    }
    for (const [name, subjectOf] of Object.entries(forms))
      test(`${name} ends the mailings, and is no message`, async () => {
        const { token, isAsked } = await asking()
        assert.deepEqual(await take(mailIn({ subject: subjectOf(token) })), { outcome: 'skipped' })
        assert.equal(await isAsked(), true)
      })

    test('with another token, or without the word, changes nothing', async () => {
      const { token, isAsked } = await asking()
      const other = (token.startsWith('A') ? 'B' : 'A') + token.slice(1)
      for (const subject of [
        `unsubscribe ${other}`,
        `unsubscribe ${token}x`,
        `order ${token}`,
        'unsubscribe',
        'How do I unsubscribe?',
      ])
        assert.equal((await take(mailIn({ subject }))).outcome, 'imported', subject)
      assert.equal(await isAsked(), false)
    })
  })

  test('ends an enrollment where a person wrote it, and not where a machine did', async () => {
    const first = await arrive()
    const { contact_id } = await inbox.conversation(first.conversation_id)
    const { conversation_id } = first
    const id = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id, conversation_id })
    const status = (): unknown => server.store.db.prepare('SELECT status FROM enrollments WHERE id = ?').pluck().get(id)
    await arrive({ inReplyTo: [first.external_id], from: first.author, automatic: 'reply' })
    assert.equal(status(), 'active')
    await arrive({ inReplyTo: [first.external_id], from: first.author })
    assert.equal(status(), 'stopped')
  })
  test('that is history ends an enrollment only if it came after its first mail', async () => {
    const first = await arrive()
    const { conversation_id } = first
    const { contact_id } = await inbox.conversation(conversation_id)
    server.advance(60_000)
    const sequence = makeSequence(server, server.a, { steps: [EMAIL_STEP, { ...EMAIL_STEP, delay_s: 86_400 }] })
    const id = enroll(server, server.a, sequence.id, { contact_id, conversation_id })
    await server.store.write(() => void enrollmentEngine(server.deps).doStep(server.a.org, id, {}))
    const began = server.now()
    server.advance(5 * 86_400_000)
    const status = (): unknown => server.store.db.prepare('SELECT status FROM enrollments WHERE id = ?').pluck().get(id)
    const found = (at: number) =>
      server.store.write(() => {
        const mail = mailIn({ from: first.author, inReplyTo: [first.external_id] })
        return incomingStore(server.deps).take(server.a.org, support, mail, at, true)
      })
    await found(began - 1000)
    assert.equal(status(), 'active')
    await found(began + 1000)
    assert.equal(status(), 'stopped')
  })
})

describe('the report of a delivery', () => {
  test('that comes twice is told once', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    await left(answer)
    await arrive(failed(first.author.email, answer.external_id))
    const { version, error } = await now(answer)
    const seq = server.lastSeq()
    await arrive(failed('somebody.else@firm.example', answer.external_id))
    assert.deepEqual([(await now(answer)).version, (await now(answer)).error], [version, error])
    assert.deepEqual(inbox.told(seq, answer.id), [])
  })

  test('of a mail that came in makes none of that', async () => {
    const first = await arrive()
    await arrive(failed(first.author.email, first.external_id))
    assert.equal((await now(first)).status, 'received')
  })

  test('that names no mail is about none of more than two weeks ago', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    await left(answer)
    server.advance(14 * 86_400_000 + 1)
    assert.equal((await take(mailIn(failed(first.author.email, null)))).outcome, 'rejected')
    assert.equal((await now(answer)).status, 'sent')
  })
})
