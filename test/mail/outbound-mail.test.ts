import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import PostalMime from 'postal-mime'
import { applySettings } from '../../src/app/settings/document.ts'
import { openFolder } from '../../src/lib/mail/transport/imap.ts'
import { smtpClient } from '../../src/lib/mail/transport/smtp.ts'
import { mailKinds } from '../../src/mail/jobs.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startSmtp, startTalker } from '../support/smtp.ts'
import { officeOf } from './office.ts'

let server: TestServer
let desk: Desk
let inbox: Desk['inbox']
before(async () => {
  server = await startServer()
  desk = officeOf(server)
  inbox = desk.inbox
})
after(() => server.stop())

const TWICE = 'It may have arrived twice: it could not be determined whether an earlier attempt had succeeded.'

type Desk = ReturnType<typeof officeOf>
const office: Desk['office'] = (...given) => desk.office(...given)
const asked: Desk['asked'] = () => desk.asked()
const answer: Desk['answer'] = (...given) => desk.answer(...given)
const now: Desk['now'] = (message) => desk.now(message)

const removeMailbox = () => applySettings(server.store, server.a.org, { mailboxes: [] })
const GONE = 'The mailbox that should have sent it was deleted.'

describe('a message that is queued', () => {
  test('is sent, with all that a mail program puts it in its place by', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port)
    const question = await asked()
    const data = Buffer.from('%PDF-1.7').toString('base64')
    const queued = await answer(question, {
      body_text: 'Grüße, hier ist sie.',
      body_html: '<p>Grüße, <b>hier</b> ist sie.</p>',
      attachments: [{ name: 'Rechnung ä.pdf', content_type: 'application/pdf', data }],
    })
    const seq = server.lastSeq()
    await tick()
    const [mail] = smtp.mails
    assert.deepEqual([mail?.from, mail?.to, smtp.mails.length], ['support@acme.example', [question.author.email], 1])
    const read = await PostalMime.parse(mail?.source as Buffer)
    assert.equal(read.messageId, queued.external_id)
    assert.equal(read.inReplyTo, question.external_id)
    assert.deepEqual(read.references?.split(' ').slice(1), [question.external_id])
    assert.match(read.references ?? '', /^<thread\+c\d+-[0-9a-f]{12}@acme\.example> /)
    assert.equal(read.subject, 'Re: Invoice 1042')
    assert.deepEqual(read.from, { address: 'support@acme.example', name: 'Acme Support' })
    assert.deepEqual(read.to, [{ address: question.author.email, name: 'Eva Ruiz' }])
    assert.equal(read.text?.trim(), 'Grüße, hier ist sie.')
    assert.match(read.html ?? '', /<b>hier<\/b>/)
    assert.equal(read.attachments[0]?.filename, 'Rechnung ä.pdf')
    assert.equal(Buffer.from(read.attachments[0]?.content as ArrayBuffer).toString(), '%PDF-1.7')
    assert.ok(!/x-mailer/i.test(String(mail?.source)))
    const sent = await now(queued)
    assert.deepEqual([sent.status, sent.error, sent.version], ['sent', null, 2])
    assert.deepEqual(inbox.told(seq), ['message.sent status'])
    await tick()
    assert.equal(smtp.mails.length, 1)
  })

  test('goes to everybody by the envelope, and names in no header who is in bcc', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port, { aliases: ['help@acme.example'] })
    const question = await asked()
    const cc = [{ email: 'bob@firm.example', name: 'Bob, "B"' }, { email: 'ida@firm.example' }]
    const bcc = [{ email: 'hidden@firm.example', name: 'Mr Hidden' }]
    await answer(question, { cc, bcc, from: { email: 'help@acme.example' } })
    await tick()
    const [mail] = smtp.mails
    assert.deepEqual(mail?.to, [question.author.email, 'bob@firm.example', 'ida@firm.example', 'hidden@firm.example'])
    assert.equal(mail?.from, 'support@acme.example')
    assert.doesNotMatch(String(mail?.source), /hidden|^bcc/im)
    const read = await PostalMime.parse(mail?.source as Buffer)
    assert.deepEqual(read.from, { address: 'help@acme.example', name: 'Acme Support' })
    assert.deepEqual(read.cc, [
      { address: 'bob@firm.example', name: 'Bob, "B"' },
      { address: 'ida@firm.example', name: '' },
    ])
    await answer(question, { to: [], bcc })
    await tick()
    assert.deepEqual(smtp.mails[1]?.to, ['hidden@firm.example'])
    assert.doesNotMatch(String(smtp.mails[1]?.source), /hidden|^(?:to|b?cc):/im)
  })

  test('takes as many files along as a mail that comes in', async (t) => {
    const smtp = await startSmtp(t, { more: { size: 60_000_000 } })
    const { tick } = office(t, smtp.server.port)
    const question = await asked()
    const bytes = Buffer.alloc(36 * 1_048_576, 'Lorem ipsum dolor sit amet')
    const attachments = [{ name: 'plan.dwg', data: bytes.toString('base64') }]
    const queued = await answer(question, { attachments })
    await tick()
    assert.equal((await now(queued)).status, 'sent')
    const source = smtp.mails[0]?.source as Buffer
    const [, body] = source.subarray(source.indexOf('filename=')).toString('latin1').split('\r\n\r\n')
    assert.ok(Buffer.from((body as string).replace(/\r\n--.*/s, ''), 'base64').equals(bytes))
  })

  test('with files that are too large for the server has failed, with that reason', async (t) => {
    const smtp = await startSmtp(t, { more: { size: 30_000_000 } })
    const { tick } = office(t, smtp.server.port)
    const data = Buffer.alloc(36 * 1_048_576).toString('base64')
    const other = await answer(await asked(), { attachments: [{ name: 'plan.dwg', data }] })
    await tick()
    const { status, error } = await now(other)
    assert.equal(status, 'failed')
    assert.match(error, /^The mail is larger than the server \S+ accepts/)
  })

  test('goes on with the thread that it is in', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port)
    const question = await asked()
    const first = await answer(question)
    server.advance(1000)
    const second = await answer(question)
    await tick()
    const mails = await Promise.all(smtp.mails.map(({ source }) => PostalMime.parse(source)))
    const last = mails.find(({ messageId }) => messageId === second.external_id)
    assert.equal(last?.inReplyTo, first.external_id)
    assert.deepEqual(last?.references?.split(' ').slice(1), [question.external_id, first.external_id])
  })

  test('asks for answers to a signed address where the mailbox has such', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port, { has_reply_tags: true })
    const question = await asked()
    const { number } = await inbox.conversation(question.conversation_id)
    await answer(question)
    await tick()
    const { replyTo } = await PostalMime.parse(smtp.mails[0]?.source as Buffer)
    assert.match(replyTo?.[0]?.address ?? '', new RegExp(`^support\\+c${number}-[0-9a-f]{12}@acme\\.example$`))
  })

  test('that is refused has failed, and whoever waits still does', async (t) => {
    const smtp = await startSmtp(t, { rcpt: () => '550 5.1.1 There is nobody of that name' })
    const { tick, outcomes } = office(t, smtp.server.port)
    const question = await asked()
    const queued = await answer(question)
    assert.equal((await inbox.conversation(question.conversation_id)).waiting_since, null)
    const seq = server.lastSeq()
    await tick()
    const failed = await now(queued)
    assert.equal(failed.status, 'failed')
    assert.match(failed.error, /nobody of that name/)
    assert.deepEqual(outcomes, ['refused'])
    assert.deepEqual(inbox.told(seq), [
      'message.failed status error',
      'conversation.updated waiting_since first_response_at',
    ])
    assert.equal((await inbox.conversation(question.conversation_id)).waiting_since, question.sent_at)
  })

  test('that a closed conversation waits for leaves it closed when it fails', async (t) => {
    const smtp = await startSmtp(t, { rcpt: () => '550 No' })
    const { tick } = office(t, smtp.server.port)
    const question = await asked()
    await answer(question)
    await inbox.patch(question.conversation_id, { status: 'closed' })
    await tick()
    const { status, waiting_since } = await inbox.conversation(question.conversation_id)
    assert.deepEqual([status, waiting_since], ['closed', null])
  })

  test('is tried again while the server puts it off, and says so', async (t) => {
    const smtp = await startSmtp(t, { rcpt: () => '451 4.7.1 Come back later' })
    const { tick, later, outcomes } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    const seq = server.lastSeq()
    await tick()
    const waiting = await now(queued)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.error, /Come back later/)
    smtp.answer({})
    await later(1000)
    const sent = await now(queued)
    assert.deepEqual([sent.status, sent.error], ['sent', null])
    assert.deepEqual(outcomes, ['later', 'sent'])
    assert.deepEqual(inbox.told(seq), ['message.sent status error'])
  })

  test('has failed after 20 tries', async (t) => {
    const smtp = await startSmtp(t, { rcpt: () => '451 4.7.1 Come back later' })
    const { tick, later } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    await tick()
    for (let tries = 1; tries < 19; tries++) await later(3_600_000)
    assert.equal((await now(queued)).status, 'queued')
    await later(3_600_000)
    const failed = await now(queued)
    assert.equal(failed.status, 'failed')
    assert.match(failed.error, /Come back later/)
  })

  test('is not tried while its server fails, so that others do not wait for it', async (t) => {
    let asks = 0
    const smtp = await startSmtp(t, {
      mail: () => {
        asks++
        return '421 4.3.2 Closed for today'
      },
    })
    const { tick, later } = office(t, smtp.server.port)
    const all = [await answer(await asked()), await answer(await asked()), await answer(await asked())]
    await tick()
    const before = asks
    await later(5000)
    assert.equal(asks, before)
    for (const one of all) assert.match((await now(one)).error, /Closed for today/)
    smtp.answer({})
    await later(60_000) // one finds out
    await later(60_000)
    for (const one of all) assert.equal((await now(one)).status, 'sent')
  })

  test('waits for a server that is down', async (t) => {
    const smtp = await startSmtp(t)
    await smtp.stop()
    const { tick } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    await tick()
    assert.equal((await now(queued)).status, 'queued')
    assert.match((await now(queued)).error, /127\.0\.0\.1/)
  })

  test('fails where its mailbox is gone', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    applySettings(server.store, server.a.org, { mailboxes: [] })
    await tick()
    const failed = await now(queued)
    assert.equal(failed.status, 'failed')
    assert.equal(failed.error, GONE)
    assert.equal(smtp.mails.length, 0)
  })

  test('is not sent where its mailbox is removed before the server has greeted', async (t) => {
    const smtp = await startSmtp(t, {
      more: {
        onConnect: (_session, done) => {
          removeMailbox()
          done()
        },
      },
    })
    const { tick, outcomes } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    await tick()
    const { status, error } = await now(queued)
    assert.deepEqual([status, error, smtp.mails.length, outcomes], ['failed', GONE, 0, []])
    assert.equal(smtp.counts().connections, 1)
  })

  test('is sent where its mailbox is removed while the server takes it, and says so', async (t) => {
    const smtp = await startSmtp(t, { mail: () => void removeMailbox() })
    const { tick } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    await tick()
    const { status, error } = await now(queued)
    assert.deepEqual([status, error, smtp.mails.length], ['sent', null, 1])
  })

  test('leaves its connection to the next mail where it is not sent', async (t) => {
    const smtp = await startSmtp(t)
    const client = smtpClient(smtp.server)
    t.after(client.close)
    const mail = { from: 'a@acme.example', to: ['b@firm.example'], source: Buffer.from('Subject: x\r\n\r\nx\r\n') }
    const outcomes = [false, true, false].map(async (isWanted) => client.send({ ...mail, isWanted: () => isWanted }))
    assert.deepEqual(
      (await Promise.all(outcomes)).map(({ outcome }) => outcome),
      ['withdrawn', 'sent', 'withdrawn'],
    )
    assert.deepEqual([smtp.mails.length, smtp.counts().connections], [1, 2])
  })
})

describe('a try whose end nobody knows', () => {
  test('is made again under the same Message-ID, and what comes of it is marked', async (t) => {
    const talker = await startTalker(t, {
      open: '220 hi',
      EHLO: '250 hi',
      MAIL: '250 ok',
      RCPT: '250 ok',
      DATA: '354 go',
      END: (socket) => socket.destroy(),
      else: '250 ok',
    })
    const { tick, later, outcomes } = office(t, talker.port)
    const queued = await answer(await asked())
    await tick()
    assert.equal((await now(queued)).status, 'queued')
    const smtp = await startSmtp(t)
    const { imap, ...sending } = SUPPORT
    setMailboxes(server, [{ ...sending, smtp: { ...SUPPORT.smtp, port: smtp.server.port } }])
    await later(1000)
    const sent = await now(queued)
    assert.equal(sent.status, 'sent')
    assert.match(sent.error, /may have arrived twice/)
    assert.deepEqual(outcomes, ['doubtful', 'sent'])
    assert.equal((await PostalMime.parse(smtp.mails[0]?.source as Buffer)).messageId, queued.external_id)
  })

  test('is told of where the mailbox is removed before the next one, and still counts when the mail is sent again', async (t) => {
    const talker = await startTalker(t, { open: '220 hi', DATA: '354 go', END: (s) => s.destroy(), else: '250 ok' })
    const { tick, later } = office(t, talker.port)
    const queued = await answer(await asked())
    await tick()
    removeMailbox()
    await later(1000)
    const failed = await now(queued)
    assert.equal(failed.status, 'failed')
    assert.equal(failed.error, `${GONE} An earlier attempt did not complete; it may have arrived.`)
    assert.equal(await sentAgain(t, queued), TWICE)
  })

  test('still counts when the mail is sent again after its job was given up', async (t) => {
    const talker = await startTalker(t, { open: '220 hi', DATA: '354 go', END: (s) => s.destroy(), else: '250 ok' })
    const { tick } = office(t, talker.port)
    const queued = await answer(await asked())
    await tick()
    const { deps, store, a } = server
    const { giveUp } = outboundMail({ deps, write: store.write })
    await store.write(() => giveUp(a.org, queued.id))
    assert.match((await now(queued)).error, /did not complete; it may have arrived/)
    assert.equal(await sentAgain(t, queued), TWICE)
  })

  /** Queues a failed mail again, with a server that takes it; returns what its message says then. */
  async function sentAgain(t: TestContext, queued: Row): Promise<string> {
    const smtp = await startSmtp(t)
    const { later } = office(t, smtp.server.port)
    const { again } = sendingStore(server.deps)
    assert.equal(await server.store.write(() => again(server.a.org, queued.id)), true)
    await later(1000)
    const { status, error } = await now(queued)
    assert.deepEqual([status, smtp.mails.length], ['sent', 1])
    return error
  }

  test('is not made for ever', async (t) => {
    const talker = await startTalker(t, {
      open: '220 hi',
      EHLO: '250 hi',
      DATA: '354 go',
      END: (socket) => socket.destroy(),
      else: '250 ok',
    })
    const { tick, later } = office(t, talker.port)
    const queued = await answer(await asked())
    await tick()
    for (let n = 0; n < 4; n++) await later(3_600_000)
    const failed = await now(queued)
    assert.equal(failed.status, 'failed')
    assert.match(failed.error, /may have arrived/)
    assert.equal(talker.heard.filter((line) => line.startsWith('DATA')).length, 3)
  })

  test('stays on record while its mailbox is not tried', async (t) => {
    const smtp = await startSmtp(t, { mail: () => '421 4.3.2 Closed for today' })
    const { tick, later } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    server.store.db.prepare("UPDATE jobs SET due_at = due_at + 2000 WHERE kind = 'message.send'").run()
    for (let n = 0; n < 2; n++) await answer(await asked())
    await tick() // two that fail: the mailbox rests
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(queued.id)
    await later(2000)
    assert.match((await now(queued)).error, /Closed for today/)
    smtp.answer({})
    for (let n = 0; n < 8; n++) await later(30_000)
    const sent = await now(queued)
    assert.equal(sent.status, 'sent')
    assert.match(sent.error, /may have arrived twice/)
  })

  test('is known of after the server ended in the middle of it', async (t) => {
    const smtp = await startSmtp(t)
    const { tick } = office(t, smtp.server.port)
    const queued = await answer(await asked())
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(queued.id)
    await tick()
    assert.match((await now(queued)).error, /may have arrived twice/)
    assert.equal(smtp.mails.length, 1)
  })
})

describe('the folder of sent mails', { skip: noDovecot }, () => {
  const listening = (dovecot: Awaited<ReturnType<typeof startDovecot>>, more: Row = {}): Row => {
    const { host, port, user, password } = dovecot.server()
    process.env.DEALBOX_TEST_IMAP = password as string
    return { imap: { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP', ...more } }
  }

  test('tells of a try whose end nobody knows that it had succeeded', async (t) => {
    const [smtp, dovecot] = [await startSmtp(t), await startDovecot(t)]
    const { tick } = office(t, smtp.server.port, listening(dovecot))
    const queued = await answer(await asked())
    dovecot.deliver(`Message-ID: ${queued.external_id}\r\nSubject: x\r\n\r\nx\r\n`, { folder: 'Sent' })
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(queued.id)
    await tick()
    const sent = await now(queued)
    assert.deepEqual([sent.status, sent.error, smtp.mails.length], ['sent', null, 0])
  })

  test('has it not: then it is sent again, and marked', async (t) => {
    const [smtp, dovecot] = [await startSmtp(t), await startDovecot(t)]
    const { tick } = office(t, smtp.server.port, listening(dovecot))
    const queued = await answer(await asked())
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(queued.id)
    await tick()
    const sent = await now(queued)
    assert.deepEqual([sent.status, smtp.mails.length], ['sent', 1])
    assert.match(sent.error, /may have arrived twice/)
  })

  test('gets a copy where the settings say so', async (t) => {
    const [smtp, dovecot] = [await startSmtp(t), await startDovecot(t)]
    const { tick } = office(t, smtp.server.port, listening(dovecot, { save_sent: true }))
    const queued = await answer(await asked())
    await tick()
    const folder = await openFolder({ ...dovecot.server(), folder: 'Sent' })
    t.after(() => folder.close())
    const all = await folder.listFrom(1)
    assert.deepEqual(
      all.map(({ messageId }) => messageId),
      [queued.external_id],
    )
  })
})

test('a server that never answers holds two places, and other mailboxes send by the rest', {
  timeout: 120_000,
}, async (t) => {
  const mute = await startTalker(t, {})
  const smtp = await startSmtp(t)
  const { imap, ...first } = SUPPORT
  const slow = { ...first, key: 'slow', address: 'slow@acme.example', smtp: { ...first.smtp, port: mute.port } }
  const quick = { ...first, is_default: false, smtp: { ...first.smtp, port: smtp.server.port } }
  const boxes = setMailboxes(server, [slow, quick])
  const { close, ...post } = outboundMail({ deps: server.deps, write: server.store.write })
  const { wake, stop } = schedulerHarness(server, { kinds: mailKinds(post) })
  t.after(async () => {
    await mute.stop()
    await stop()
    close()
    server.store.db.prepare('DELETE FROM jobs').run()
  })
  for (let count = 0; count < 9; count++) await answer(await asked())
  setMailboxes(server, [
    { ...slow, is_default: false },
    { ...quick, is_default: true },
  ])
  server.advance(1)
  await answer(await asked())
  wake()
  await smtp.came(1)
  const leased = server.store.db.prepare('SELECT lane FROM jobs WHERE leased_until IS NOT NULL AND lane = ?').pluck()
  assert.equal(leased.all(boxes.slow?.id).length, 2)
})
