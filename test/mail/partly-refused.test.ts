import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import type { Mailbox } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { openFolder } from '../../src/lib/mail/transport/imap.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { enroll, insertRow, makeSequence } from '../support/enrolled.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import { noPostfix, startPostfix } from '../support/postfix.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Script, startSmtp, startTalker } from '../support/smtp.ts'
import { officeOf } from './office.ts'

// A server that takes a mail for some of its recipients. Who has it gets it once; who is put off gets it as soon as they may; and
// who never gets it is named.

let server: TestServer
let desk: ReturnType<typeof officeOf>
before(async () => {
  server = await startServer()
  desk = officeOf(server)
})
after(() => server.stop())

const EVA = 'eva@firm.example'
const BOB = 'bob@firm.example'
const IDA = 'ida@firm.example'
const cc = [{ email: BOB }]
const GONE = '550 5.1.1 There is nobody of that name'
const GREY = '451 4.7.1 Greylisted, come back later'

const answers =
  (replies: Record<string, string>) =>
  (address: string): string | undefined =>
    replies[address]

type Desk = Awaited<ReturnType<typeof start>>

async function start(t: TestContext, script: Script, more: Row = {}) {
  const smtp = await startSmtp(t, script)
  return { ...desk.office(t, smtp.server.port, more), smtp }
}

const got = ({ smtp }: Pick<Desk, 'smtp'>, who: string) => smtp.mails.filter(({ to }) => to.includes(who)).length
const asked = () => desk.asked(EVA)
const waits = async ({ conversation_id }: Row) =>
  (await desk.inbox.conversation(conversation_id)).waiting_since !== null
const mailbox = () => {
  const { active, state } = mailboxStore(server.deps)
  const { org, mailbox } = active()[0] as { org: number; mailbox: Mailbox }
  return state(org, mailbox.id)
}

describe('one who is refused for good', () => {
  test('whom the mail is to: it has failed by their name, and they still wait; who read along has it once', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GONE }) })
    const question = await asked()
    const message = await desk.answer(question, { cc })
    const seq = server.lastSeq()
    await office.tick()
    const { status, error } = await desk.now(message)
    assert.equal(status, 'failed')
    assert.match(
      error,
      /^It was not sent to eva@firm\.example: The server \S+ rejected the recipient: 550 5\.1\.1 There is nobody of that name\. It was sent to everybody else\.$/,
    )
    assert.equal(await waits(question), true)
    assert.deepEqual(desk.inbox.told(seq), [
      'message.failed status error',
      'conversation.updated waiting_since first_response_at',
    ])
    await office.later(3_600_000)
    assert.deepEqual([got(office, EVA), got(office, BOB), office.smtp.mails.length], [0, 1, 1])
    assert.equal(mailbox().send_error, null, 'it is no error of the mailbox')
  })

  test('who reads along: it was sent, and says who did not get it', async (t) => {
    const office = await start(t, { rcpt: answers({ [BOB]: GONE, [IDA]: GONE }) })
    const question = await asked()
    const message = await desk.answer(question, { cc, bcc: [{ email: IDA }] })
    await office.tick()
    const { status, error } = await desk.now(message)
    assert.equal(status, 'sent')
    assert.match(error, /It was not sent to bob@firm\.example: .*nobody of that name\. It was not sent to ida@/)
    assert.doesNotMatch(error, /everybody else/)
    assert.equal(await waits(question), false)
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[EVA]],
    )
  })

  test('all of them are named', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GONE, [BOB]: '550 5.1.1 He has left' }) })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    const { status, error } = await desk.now(message)
    assert.equal(status, 'failed')
    assert.match(
      error,
      /to eva@firm\.example: .*nobody of that name\. It was not sent to bob@firm\.example: .*He has left/,
    )
    assert.doesNotMatch(error, /everybody else/)
    assert.equal(mailbox().send_error, null)
  })

  test('a step of a sequence ends its enrollment', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GONE }) })
    const message = await desk.answer(await asked(), { cc })
    const { contact_id } = await desk.inbox.conversation(message.conversation_id)
    const id = enroll(server, server.a, makeSequence(server, server.a).id, { contact_id })
    const { db } = server.store
    db.prepare('UPDATE message_headers SET enrollment_id = ? WHERE message_id = ?').run(id, message.id)
    const step = { org_id: server.a.org, enrollment_id: id, position: 0, step_id: id, type: 'email', at: 0 }
    insertRow(server.store, 'enrollment_steps', { ...step, message_id: message.id })
    await office.tick()
    assert.equal((await desk.now(message)).status, 'failed')
    assert.equal(db.prepare('SELECT status FROM enrollments WHERE id = ?').pluck().get(id), 'failed')
  })
})

describe('one who is put off', () => {
  test('gets it as soon as their server takes it, and nobody gets it twice', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GREY }) })
    const question = await asked()
    const message = await desk.answer(question, { cc })
    await office.tick()
    const waiting = await desk.now(message)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.error, /^It is still to be sent to eva@firm\.example: .*451 4\.7\.1 Greylisted/)
    assert.doesNotMatch(waiting.error, /bob@/)
    await office.later(1000)
    await office.later(60_000)
    assert.match((await desk.now(message)).error, /^It is still to be sent to eva@firm\.example: /)
    office.smtp.answer({})
    await office.later(3_600_000)
    const sent = await desk.now(message)
    assert.deepEqual([sent.status, sent.error], ['sent', null])
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[BOB], [EVA]],
    )
    const ids = office.smtp.mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(String(source))?.[1]?.trim())
    assert.deepEqual(ids, [message.external_id, message.external_id])
    assert.equal(mailbox().send_error, null)
  })

  test('and never taken is named after the last attempt', async (t) => {
    const office = await start(t, { rcpt: answers({ [BOB]: GREY }) })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    for (let tries = 0; tries < 19; tries++) await office.later(3_600_000)
    assert.equal((await desk.now(message)).status, 'queued')
    await office.later(3_600_000)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'sent')
    assert.match(error, /^It was not sent to bob@firm\.example: .*Greylisted/)
    assert.equal(got(office, EVA), 1)
  })

  test('is tried again without one who was refused meanwhile', async (t) => {
    const tried: string[] = []
    const office = await start(t, {
      rcpt: (address) => {
        tried.push(address)
        return answers({ [EVA]: GREY, [BOB]: GONE })(address)
      },
    })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    assert.equal((await desk.now(message)).status, 'queued')
    await office.later(2000)
    assert.deepEqual(tried, [EVA, BOB, EVA])
    office.smtp.answer({})
    await office.later(3_600_000)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'sent')
    assert.match(error, /^It was not sent to bob@firm\.example: .*nobody of that name\.$/)
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[EVA]],
    )
  })

  test('because a mail has too many recipients, gets it at once in the next one', async (t) => {
    let taken = 0
    const rcpt = () => (taken++ % 10 < 9 ? undefined : '452 4.5.3 Error: too many recipients')
    const office = await start(t, { rcpt })
    const many = Array.from({ length: 39 }, (_, n) => ({ email: `p${n}@firm.example` }))
    const message = await desk.answer(await asked(), { cc: many })
    await office.tick()
    for (let round = 0; round < 5; round++) await office.later(1000)
    const { status, error } = await desk.now(message)
    assert.deepEqual([status, error], ['sent', null])
    const all = office.smtp.mails.flatMap(({ to }) => to)
    assert.deepEqual([all.length, new Set(all).size], [40, 40])
  })

  test('does not get it once its mailbox is gone, and says who has it', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GREY }) })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    setMailboxes(server, [])
    await office.later(3_600_000)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'failed')
    assert.match(error, /^It was not sent to eva@\S+ The mailbox .* was deleted\. It was sent to everybody else\.$/)
  })

  test('alone is sent it when an operator has the mail sent again', async (t) => {
    const office = await start(t, { rcpt: answers({ [EVA]: GONE }) })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    office.smtp.answer({})
    const { again } = sendingStore(server.deps)
    assert.equal(await server.store.write(() => again(server.a.org, message.id)), true)
    await office.later(1000)
    const { status, error } = await desk.now(message)
    assert.deepEqual([status, error], ['sent', null])
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[BOB], [EVA]],
    )
  })
})

describe('an attempt that some were refused in, and whose end nobody knows', () => {
  const YES = { open: '220 hi', EHLO: '250 hi', DATA: '354 go', else: '250 ok' }

  test('says before the content is sent who does not get it', async (t) => {
    let known = ''
    let message: Row | undefined
    const office = await start(t, {
      rcpt: answers({ [BOB]: GONE, [IDA]: GREY }),
      data: () => {
        known = server.store.db
          .prepare('SELECT outcomes FROM message_headers WHERE message_id = ?')
          .pluck()
          .get(message?.id) as string
        return undefined
      },
    })
    message = await desk.answer(await asked(), { cc: [...cc, { email: IDA }] })
    await office.tick()
    assert.deepEqual(
      JSON.parse(known).map(({ email, state }: Row) => [email, state]),
      [
        [BOB, 'refused'],
        [IDA, 'deferred'],
      ],
    )
  })

  test('is made again for whom it was for, and for those who were put off', async (t) => {
    const ends = await startTalker(t, {
      ...YES,
      RCPT: (socket) => void socket.write(`${refusing.shift() ?? '250 ok'}\r\n`),
      END: (socket) => void socket.destroy(),
    })
    const refusing = ['250 ok', GONE, GREY]
    const { tick, later } = desk.office(t, ends.port)
    const message = await desk.answer(await asked(), { cc: [...cc, { email: IDA }] })
    await tick()
    assert.equal((await desk.now(message)).status, 'queued')
    const smtp = await startSmtp(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(server, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    await later(2000)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'sent')
    assert.match(error, /^It may have arrived twice: .* It was not sent to bob@firm\.example: .*nobody of that name/)
    assert.deepEqual(
      smtp.mails.map(({ to }) => to),
      [[EVA, IDA]],
    )
  })

  const listening = (dovecot: Awaited<ReturnType<typeof startDovecot>>, more: Row = {}): Row => {
    const { host, port, user, password } = dovecot.server()
    process.env.DEALBOX_TEST_IMAP = password as string
    return { imap: { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP', ...more } }
  }
  const set = (message: Row, outcomes: Row[]) =>
    server.store.db
      .prepare('UPDATE message_headers SET attempted_at = 1, outcomes = ? WHERE message_id = ?')
      .run(JSON.stringify(outcomes), message.id)

  test('and whose copy is in the folder: those it was for have it, and who was put off gets it', {
    skip: noDovecot,
  }, async (t) => {
    const [smtp, dovecot] = [await startSmtp(t), await startDovecot(t)]
    const { tick, later } = desk.office(t, smtp.server.port, listening(dovecot))
    const message = await desk.answer(await asked(), { cc })
    dovecot.deliver(`Message-ID: ${message.external_id}\r\nSubject: x\r\n\r\nx\r\n`, { folder: 'Sent' })
    set(message, [{ email: BOB, state: 'deferred', error: 'The server put it off.' }])
    await tick()
    assert.equal((await desk.now(message)).error, 'It is still to be sent to bob@firm.example: The server put it off.')
    await later(1000)
    const { status, error } = await desk.now(message)
    assert.deepEqual([status, error, smtp.mails.map(({ to }) => to)], ['sent', null, [[BOB]]])
  })

  test('of those who were left: a copy of the first one says nothing of them', { skip: noDovecot }, async (t) => {
    const [smtp, dovecot] = [await startSmtp(t), await startDovecot(t)]
    const { tick } = desk.office(t, smtp.server.port, listening(dovecot))
    const message = await desk.answer(await asked(), { cc })
    dovecot.deliver(`Message-ID: ${message.external_id}\r\nSubject: x\r\n\r\nx\r\n`, { folder: 'Sent' })
    set(message, [{ email: EVA, state: 'accepted', error: null }])
    await tick()
    const { status, error } = await desk.now(message)
    assert.deepEqual([status, smtp.mails.map(({ to }) => to)], ['sent', [[BOB]]])
    assert.match(error, /may have arrived twice/)
  })

  test('one copy is saved, whatever the rounds', { skip: noDovecot }, async (t) => {
    const [smtp, dovecot] = [await startSmtp(t, { rcpt: answers({ [BOB]: GREY }) }), await startDovecot(t)]
    const { tick, later } = desk.office(t, smtp.server.port, listening(dovecot, { save_sent: true }))
    const message = await desk.answer(await asked(), { cc })
    await tick()
    smtp.answer({})
    await later(3_600_000)
    assert.equal((await desk.now(message)).status, 'sent')
    const folder = await openFolder({ ...dovecot.server(), folder: 'Sent' })
    t.after(() => folder.close())
    const all = await folder.listFrom(1)
    assert.deepEqual([all.map(({ messageId }) => messageId), smtp.mails.length], [[message.external_id], 2])
  })
})

describe('a bounce that comes later', () => {
  const bounce = (message: Row, email: string) => {
    const { bounced } = sendingStore(server.deps)
    return server.store.write(() => void bounced(server.a.org, message.id, `${email}: mailbox full`, [email]))
  }

  test('of one who has it, while another one waits: they get it, and then it has failed', async (t) => {
    const office = await start(t, { rcpt: answers({ [BOB]: GREY }) })
    const question = await asked()
    const message = await desk.answer(question, { cc })
    await office.tick()
    await bounce(message, EVA)
    const waiting = await desk.now(message)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.error, /It bounced: eva@firm\.example: mailbox full/)
    office.smtp.answer({})
    await office.later(3_600_000)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'failed')
    assert.equal(error, 'It bounced: eva@firm.example: mailbox full. It was sent to everybody else.')
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[EVA], [BOB]],
    )
    assert.equal(await waits(question), true)
  })

  test('of one whom it is to leaves the note about the copy', async (t) => {
    const office = await start(t, { rcpt: answers({ [BOB]: GONE }) })
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    await bounce(message, EVA)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'failed')
    assert.match(error, /^It bounced: eva@\S+ mailbox full. It was not sent to bob@/)
  })

  test('is all that is sent again', async (t) => {
    const office = await start(t, {})
    const message = await desk.answer(await asked(), { cc })
    await office.tick()
    await bounce(message, EVA)
    const { again } = sendingStore(server.deps)
    await server.store.write(() => again(server.a.org, message.id))
    await office.later(1000)
    assert.deepEqual(
      office.smtp.mails.map(({ to }) => to),
      [[EVA, BOB], [EVA]],
    )
  })
})

describe('at a real Postfix', { skip: noPostfix }, () => {
  test('whoever is unknown is named, who is put off gets it later, and of too many all get it, each once', async (t) => {
    const many = Array.from({ length: 7 }, (_, n) => `p${n}@firm.example`)
    const postfix = await startPostfix(t, [EVA, BOB, ...many], 3)
    postfix.answer({ [BOB]: '450 4.7.1 Greylisted, come back later' })
    const { tick, later } = desk.office(t, postfix.server.port)
    const copies = [BOB, IDA, ...many].map((email) => ({ email }))
    const message = await desk.answer(await asked(), { cc: copies })
    await tick()
    for (let round = 0; round < 4; round++) await later(1000)
    await postfix.came(8)
    const waiting = await desk.now(message)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.error, /not sent to ida@firm\.example: .*550 5\.1\.1 .*still to be sent to bob@.*450 4\.7\.1/)
    postfix.answer({})
    await later(3_600_000)
    await postfix.came(9)
    const { status, error } = await desk.now(message)
    assert.equal(status, 'sent')
    assert.match(
      error,
      /^It was not sent to ida@firm\.example: The server \S+ rejected the recipient: 550 5\.1\.1 .*unknown/,
    )
    assert.deepEqual(
      [EVA, BOB, ...many].map(postfix.got),
      Array.from({ length: 9 }, () => 1),
    )
    const lost = await desk.answer(await desk.asked('nobody@firm.example'), { cc })
    await tick()
    assert.equal((await desk.now(lost)).status, 'failed')
    await postfix.came(10)
    assert.equal(postfix.got(BOB), 2)
  })
})
