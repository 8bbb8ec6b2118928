import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { replyTags } from '../../src/inbox/mailboxes/reply-tags.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { type ImportedMail, incomingStore } from '../../src/mail/incoming.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { inboxOf } from '../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { setLevels } from '../support/settings.ts'

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
let support: Mailbox
let sales: Mailbox

before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
  const boxes = setMailboxes(server, [
    SUPPORT,
    { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false },
  ])
  support = boxes.support as Mailbox
  sales = boxes.sales as Mailbox
})
after(() => server.stop())

const take = (mail: MailIn, mailbox = support): Promise<ImportedMail> =>
  server.store.write(() => incomingStore(server.deps).take(server.a.org, mailbox, mail, server.now()))

const stored = async (mail: MailIn): Promise<Row | undefined> => {
  const id = server.store.db
    .prepare('SELECT id FROM messages WHERE org_id = ? AND external_id = ?')
    .pluck()
    .get(server.a.org, mail.messageId)
  return id ? (await server.call('GET', `/messages/${id}`)).body : undefined
}

/** Takes it in, and gives its message. */
async function arrive(given: Partial<MailIn> = {}, mailbox = support): Promise<Row> {
  const mail = mailIn(given)
  assert.deepEqual(await take(mail, mailbox), { outcome: 'imported' })
  return stored(mail)
}

const reply = (conversation_id: string, given: Row = {}): Promise<Row> =>
  inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here is the answer.', ...given })

describe('a mail that comes in', () => {
  test('opens a conversation with its sender, who becomes a contact', async () => {
    const seq = server.lastSeq()
    const bytes = Buffer.from('%PDF')
    const file = { name: 'offer.pdf', content_type: 'application/pdf', cid: null, bytes, sha256: hash('sha256', bytes) }
    const cc = [{ email: 'eva@firm.example', name: 'Eva' }]
    const message = await arrive({ html: '<p>Hi<script>x</script></p>', files: [file], cc, subject: 'An offer' })
    assert.equal(message.status, 'received')
    assert.equal(message.direction, 'inbound')
    assert.equal(message.channel, 'email')
    assert.equal(message.body_html, '<p>Hi</p>')
    assert.deepEqual(message.to, [{ email: 'support@acme.example', name: null }])
    assert.deepEqual(message.cc, cc)
    assert.equal(message.attachments[0].size_bytes, 4)
    const conversation = await inbox.conversation(message.conversation_id)
    assert.equal(conversation.subject, 'An offer')
    assert.equal(conversation.status, 'open')
    assert.equal(conversation.waiting_since, message.sent_at)
    const contact = await inbox.get(`/contacts/${conversation.contact_id}`)
    assert.equal(contact.emails[0].email, message.author.email)
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['contact.created', 'conversation.created', 'message.received'],
    )
  })

  test('is taken in once, whichever of the mailboxes it comes by', async () => {
    const mail = mailIn()
    assert.deepEqual(await take(mail), { outcome: 'imported' })
    const seq = server.lastSeq()
    assert.deepEqual(await take(mail), { outcome: 'skipped' })
    assert.equal(server.lastSeq(), seq)
    // That it stands in a second one is told, once.
    for (const _ of [1, 2]) assert.deepEqual(await take(mail, sales), { outcome: 'skipped' })
    assert.equal(server.lastSeq(), seq + 1)
  })

  test('is told from another one with the same Message-ID', async () => {
    const mail = mailIn()
    await take(mail)
    const other = mailIn({ messageId: mail.messageId })
    assert.deepEqual(await take(other), { outcome: 'imported' })
    assert.deepEqual(await take(other), { outcome: 'skipped' })
  })

  test('without a Message-ID is taken in once', async () => {
    const mail = mailIn({ messageId: null })
    assert.deepEqual(await take(mail), { outcome: 'imported' })
    assert.deepEqual(await take(mail), { outcome: 'skipped' })
  })

  test('counts from when it arrived, whatever the clock of its writer says, which is shown', async () => {
    const hour = 3_600_000
    for (const date of [server.now() - hour, server.now() + hour, server.now() - 48 * hour, null]) {
      const message = await arrive({ date })
      assert.deepEqual([Date.parse(message.sent_at), message.date && Date.parse(message.date)], [server.now(), date])
    }
  })

  test('is never older than what it answers', async () => {
    const first = await arrive()
    server.advance(60_000)
    const answer = await reply(first.conversation_id)
    const mail = mailIn({ inReplyTo: [answer.external_id], from: first.author, date: server.now() - 7_200_000 })
    await server.store.write(() =>
      incomingStore(server.deps).take(server.a.org, support, mail, server.now() - 3_600_000),
    )
    const message = (await stored(mail)) as Row
    assert.equal(message.sent_at, answer.sent_at)
    const conversation = await inbox.conversation(first.conversation_id)
    assert.deepEqual([conversation.waiting_since, conversation.last_message_at], [answer.sent_at, answer.sent_at])
    assert.equal(conversation.preview, message.body_text)
  })

  test('without a sender is shown all the same', async () => {
    const message = await arrive({ from: null })
    assert.deepEqual(message.author, { type: 'system', id: null, name: null, email: null, phone: null })
    assert.equal((await inbox.conversation(message.conversation_id)).contact_id, null)
  })

  test('says what was left out of it', async () => {
    const message = await arrive({ notes: ['"film.mov" was left out.', 'Its text was cut.'] })
    assert.equal(message.error, '"film.mov" was left out. Its text was cut.')
    assert.equal(message.status, 'received')
  })

  test('with nothing in it is taken in', async () => {
    assert.equal((await arrive({ text: '', subject: null })).body_text, '')
  })
})

/** As the job does that has sent it. */
const left = ({ id }: Row): Promise<null> =>
  server.store.write(() => {
    sendingStore(server.deps).sent(server.a.org, id)
    return null
  })

describe('a mail finds its conversation', () => {
  const cases: Record<string, (first: Row, answer: Row) => Partial<MailIn>> = {
    'by what it answers': (_, answer) => ({ inReplyTo: [answer.external_id] }),
    'by any of its references': (first) => ({
      references: ['<gone@x.example>', first.external_id, '<lost@x.example>'],
    }),
    'by our own id, also where the domain was changed on the way': (_, answer) => ({
      inReplyTo: [`<${answer.id}@relay.example>`],
    }),
  }
  for (const [name, headers] of Object.entries(cases)) {
    test(name, async () => {
      const first = await arrive()
      const answer = await reply(first.conversation_id)
      const next = await arrive({ ...headers(first, answer), from: { email: 'colleague@other.example', name: null } })
      assert.equal(next.conversation_id, first.conversation_id)
    })
  }

  test('of another one of the same person that answers the same mail, which is not known', async () => {
    const first = await arrive({ inReplyTo: ['<unseen@firm.example>'] })
    const second = await arrive({ inReplyTo: ['<unseen@firm.example>'], from: first.author })
    assert.equal(second.conversation_id, first.conversation_id)
  })

  test('of an answer to it that came before it', async () => {
    const answer = await arrive({ inReplyTo: ['<late@firm.example>'] })
    const late = await arrive({ messageId: '<late@firm.example>', from: answer.author })
    assert.equal(late.conversation_id, answer.conversation_id)
  })

  test('by the address that it was sent to, when that is signed', async () => {
    const first = await arrive()
    const { number } = await inbox.conversation(first.conversation_id)
    const address = replyTags(server.deps).addressOf(server.a.org, support, number)
    assert.match(address, /^support\+c\d+-[0-9a-f]{12}@acme\.example$/)
    const next = await arrive({ to: [{ email: address.toUpperCase(), name: null }] })
    assert.equal(next.conversation_id, first.conversation_id)
    assert.equal((await arrive({ to: [], deliveredTo: [address] })).conversation_id, first.conversation_id)
    const forged = address.replace(/-[0-9a-f]{2}/, '-ff')
    const other = await arrive({ to: [{ email: forged === address ? `x${address}` : forged, name: null }] })
    assert.notEqual(other.conversation_id, first.conversation_id)
  })

  test('and never that of another organisation', async () => {
    const elsewhere = await server.call(
      'POST',
      '/messages',
      {
        direction: 'inbound',
        channel: 'email',
        from: { email: 'x@y.example' },
        body_text: 'Hi',
        external_id: '<b@b.example>',
      },
      { token: server.b.token },
    )
    const here = await arrive({ inReplyTo: ['<b@b.example>'] })
    assert.notEqual(here.conversation_id, elsewhere.body.conversation_id)
  })

  test('and opens it again', async () => {
    const first = await arrive()
    await inbox.patch(first.conversation_id, { status: 'closed' })
    await arrive({ inReplyTo: [first.external_id] })
    assert.equal((await inbox.conversation(first.conversation_id)).status, 'open')
  })
})

describe('what a machine wrote', () => {
  test('neither opens its conversation again, nor is waited on', async () => {
    const first = await arrive()
    await reply(first.conversation_id)
    await inbox.patch(first.conversation_id, { status: 'closed' })
    const message = await arrive({ inReplyTo: [first.external_id], automatic: 'reply' })
    assert.equal(message.is_automatic, true)
    const conversation = await inbox.conversation(first.conversation_id)
    assert.equal(conversation.status, 'closed')
    assert.equal(conversation.waiting_since, null)
    assert.equal(conversation.unread_count, 2)
  })

  test('opens one that nobody is waited for in', async () => {
    const message = await arrive({ automatic: 'bulk' })
    const conversation = await inbox.conversation(message.conversation_id)
    assert.equal(conversation.waiting_since, null)
    assert.equal(conversation.status, 'open')
  })

  test('is noticed by how often it writes', async () => {
    const from = { email: 'loop@machine.example', name: null }
    for (let n = 0; n < 60; n++) assert.equal((await arrive({ from })).is_automatic, false)
    const message = await arrive({ from })
    assert.equal(message.is_automatic, true)
    assert.match(message.error, /More than 60 mails/)
    server.advance(3_600_001)
    assert.equal((await arrive({ from })).is_automatic, false)
  })
})

test('a person whose old mails come in at once is no machine, nor one who writes in a chat', async () => {
  const hour = 3_600_000
  const from = { email: 'regular@firm.example', name: 'Regular' }
  for (let n = 0; n <= 61; n++) {
    const mail = mailIn({ from })
    await server.store.write(() =>
      incomingStore(server.deps).take(server.a.org, support, mail, server.now() - (100 - n) * hour),
    )
    assert.equal((await stored(mail))?.is_automatic, false)
  }
  assert.equal((await arrive({ from })).is_automatic, false)
  const chatter = { email: 'chatter@firm.example', name: null }
  const said = { direction: 'inbound', channel: 'chat', from: { email: chatter.email }, body_text: 'Hello' }
  for (let n = 0; n < 61; n++) await inbox.make('/messages', said)
  assert.equal((await arrive({ from: chatter })).is_automatic, false)
})

describe('the report of a delivery', () => {
  const failed = (email: string, messageId: string | null) => ({
    from: { email: 'mailer-daemon@mx.firm.example', name: 'Mail Delivery System' },
    isFromServer: true,
    report: {
      isStandard: true,
      messageId,
      recipients: [{ email, action: 'failed' as const, status: '5.1.1', why: '550 5.1.1 no such user' }],
    },
  })

  test('makes the mail that it gives back one that has failed, and its reader one who still waits', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    assert.equal((await inbox.conversation(first.conversation_id)).waiting_since, null)
    const seq = server.lastSeq()
    const report = await arrive(failed(first.author.email, answer.external_id))
    assert.equal(report.conversation_id, first.conversation_id)
    assert.deepEqual([report.is_automatic, report.author.type], [true, 'system'])
    const after = await inbox.get(`/messages/${answer.id}`)
    assert.equal(after.status, 'failed')
    assert.match(after.error, /bounced: .*550 5\.1\.1 no such user/)
    assert.equal(after.version, 2)
    const conversation = await inbox.conversation(first.conversation_id)
    assert.equal(conversation.waiting_since, first.sent_at)
    assert.equal(conversation.first_response_at, null)
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['message.failed', 'conversation.updated', 'message.received', 'conversation.updated'],
    )
  })

  test('has promises go on as if nobody had answered', async () => {
    const targets = { low: {}, normal: { first_response_s: 3600, next_response_s: 1800 }, high: {}, urgent: {} }
    setLevels(server.store, server.a.org, { sla: [{ key: 'p', name: 'P', hours: null, is_default: true, targets }] })
    const first = await arrive()
    const sla = async (): Promise<Row> => (await inbox.conversation(first.conversation_id)).sla
    const promised = await sla()
    server.advance(60_000)
    const answer = await reply(first.conversation_id)
    assert.equal((await sla()).status, 'met')
    await arrive(failed(first.author.email, answer.external_id))
    assert.deepEqual(await sla(), promised)
    const second = await reply(first.conversation_id)
    server.advance(1000)
    const next = await arrive({ inReplyTo: [second.external_id] })
    const waits = await sla()
    assert.equal(waits.next_response_due_at, new Date(Date.parse(next.sent_at) + 1_800_000).toISOString())
    const third = await reply(first.conversation_id)
    await arrive(failed(first.author.email, third.external_id))
    assert.deepEqual(await sla(), waits)
    setLevels(server.store, server.a.org, { sla: [] })
  })

  test('that names no mail is about the last one to that address', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    await left(answer)
    await arrive(failed(first.author.email.toUpperCase(), null))
    assert.equal((await inbox.get(`/messages/${answer.id}`)).status, 'failed')
  })

  test('that names no mail is about none that has not left', async () => {
    const first = await arrive()
    const gone = await reply(first.conversation_id)
    await left(gone)
    server.advance(1000)
    const waiting = await reply(first.conversation_id)
    await arrive(failed(first.author.email, null))
    assert.equal((await inbox.get(`/messages/${gone.id}`)).status, 'failed')
    assert.equal((await inbox.get(`/messages/${waiting.id}`)).status, 'queued')
  })

  test('leaves the answers that count as they are, also those by another program', async () => {
    const first = await arrive()
    server.advance(1000)
    const own = { email: 'sales@acme.example', name: 'Acme Sales' }
    const answer = await arrive({ from: own, to: [first.author], inReplyTo: [first.external_id] })
    server.advance(1000)
    const second = await arrive({ inReplyTo: [first.external_id] })
    server.advance(1000)
    const bad = await reply(first.conversation_id)
    await arrive(failed(first.author.email, bad.external_id))
    const { first_response_at, waiting_since } = await inbox.conversation(first.conversation_id)
    assert.deepEqual([first_response_at, waiting_since], [answer.sent_at, second.sent_at])
  })

  test('of a delay changes nothing of the mail', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    const given = failed(first.author.email, answer.external_id)
    const [recipient] = given.report.recipients
    const report = { ...given.report, recipients: [{ ...(recipient as object), action: 'delayed' }] }
    await arrive({ ...given, report } as Partial<MailIn>)
    assert.equal((await inbox.get(`/messages/${answer.id}`)).status, 'queued')
  })

  test('of a mail that nobody knows is no message', async () => {
    const seq = server.lastSeq()
    const taken = await take(mailIn(failed('nobody@nowhere.example', '<unknown@elsewhere.example>')))
    assert.equal(taken.outcome, 'rejected')
    assert.equal(server.lastSeq(), seq)
  })
})

describe('a mail of the organisation itself', () => {
  const own = { email: 'Sales@acme.example', name: 'Acme Sales' }

  test('that a machine wrote, and that belongs to no conversation, is left alone', async () => {
    const seq = server.lastSeq()
    const mail = mailIn({ from: own, to: [{ email: 'eva@firm.example', name: null }], automatic: 'generated' })
    assert.deepEqual(await take(mail), { outcome: 'skipped' })
    assert.equal(server.lastSeq(), seq)
  })

  test('that was sent with another program answers its conversation', async () => {
    const first = await arrive()
    server.advance(1000)
    const message = await arrive({ from: own, to: [first.author], inReplyTo: [first.external_id] })
    assert.deepEqual([message.direction, message.status], ['outbound', 'sent'])
    assert.equal(message.conversation_id, first.conversation_id)
    assert.equal((await inbox.conversation(first.conversation_id)).waiting_since, null)
  })

  test('that Dealbox sent, and that comes in again, is known', async () => {
    const first = await arrive()
    const answer = await reply(first.conversation_id)
    assert.deepEqual(await take(mailIn({ from: own, messageId: answer.external_id })), { outcome: 'skipped' })
  })

  test('with somebody else to answer to is theirs: forms of websites write so', async () => {
    const mail = mailIn({ from: own, replyTo: { email: 'visitor@web.example', name: 'Vi' } })
    assert.deepEqual(await take(mail), { outcome: 'imported', by: 'reply_to' })
    const message = (await stored(mail)) as Row
    assert.equal(message.direction, 'inbound')
    assert.equal(message.author.email, 'visitor@web.example')
  })
})

describe('a mail that goes out', () => {
  const jobs = () =>
    server.store.db.prepare("SELECT key FROM jobs WHERE kind = 'message.send' AND org_id = ?").pluck().all(server.a.org)

  test('is queued, and says what it answers', async () => {
    const first = await arrive({ references: ['<start@firm.example>'], subject: 'Invoice' })
    const seq = server.lastSeq()
    const answer = await reply(first.conversation_id)
    assert.deepEqual([answer.status, answer.error, answer.enrollment_id], ['queued', null, null])
    assert.deepEqual(answer.to, [{ email: first.author.email, name: first.author.name }])
    assert.equal(answer.in_reply_to, first.external_id)
    assert.equal(answer.external_id, `<${answer.id}@acme.example>`)
    assert.ok(jobs().includes(answer.id))
    const mail = server.store.db.prepare('SELECT * FROM message_headers WHERE message_id = ?').get(answer.id) as Row
    assert.equal(mail.subject, 'Re: Invoice')
    assert.deepEqual(JSON.parse(mail.refs), ['<start@firm.example>', first.external_id])
    assert.deepEqual(
      server.events(seq).map(({ type }) => type),
      ['conversation.updated'],
    )
  })

  test('leaves by the mailbox that the conversation came in by', async () => {
    const first = await arrive({}, sales)
    const answer = await reply(first.conversation_id)
    const mail = server.store.db
      .prepare('SELECT mailbox_id FROM message_headers WHERE message_id = ?')
      .pluck()
      .get(answer.id)
    assert.equal(mail, sales.id)
  })

  test('goes where the one that it answers wants it to', async () => {
    const first = await arrive({ replyTo: { email: 'office@firm.example', name: null } })
    assert.equal((await reply(first.conversation_id)).to[0].email, 'office@firm.example')
  })

  test('does not go to the organisation itself, whom a list has as the one to answer', async () => {
    const first = await arrive({ replyTo: { email: 'Support@acme.example', name: null } })
    assert.equal((await reply(first.conversation_id)).to[0].email, first.author.email)
  })

  test('to nobody with an address fails, and answers nobody', async () => {
    const contact = await inbox.make('/contacts', { first_name: 'Ida' })
    const given = { contact_id: contact.id, channel: 'email', body_text: 'Hello' }
    const first = await inbox.make('/messages', { ...given, direction: 'inbound' })
    const answer = await reply(first.conversation_id)
    assert.equal(answer.status, 'failed')
    assert.match(answer.error, /no email address/)
    assert.equal((await inbox.conversation(first.conversation_id)).waiting_since, first.sent_at)
  })

  test('opens a conversation with a contact', async () => {
    const contact = await inbox.make('/contacts', { first_name: 'Ida', emails: [{ email: 'ida@one.example' }] })
    const message = await inbox.make('/messages', {
      contact_id: contact.id,
      channel: 'email',
      direction: 'outbound',
      subject: 'News',
      body_text: 'Hello',
    })
    assert.deepEqual(message.to, [{ email: 'ida@one.example', name: 'Ida' }])
    const mail = server.store.db.prepare('SELECT * FROM message_headers WHERE message_id = ?').get(message.id) as Row
    assert.deepEqual([mail.subject, mail.refs], ['News', '[]'])
  })
})
