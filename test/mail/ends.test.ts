import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { mailKinds } from '../../src/mail/jobs.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { startImapTalker } from '../support/imap-talker.ts'
import { inboxOf } from '../support/inbox.ts'
import { SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startSmtp, startTalker } from '../support/smtp.ts'

// How messages that wait to be sent come to an end, whatever becomes of their tries.

let server: TestServer
let inbox: ReturnType<typeof inboxOf>
before(async () => {
  server = await startServer()
  inbox = inboxOf(server)
})
after(() => server.stop())

function office(t: TestContext, port: number, more: Row = {}) {
  const { imap, ...sending } = SUPPORT
  setMailboxes(server, [{ ...sending, smtp: { ...SUPPORT.smtp, port }, ...more }])
  const post = outboundMail({ deps: server.deps, write: server.store.write })
  t.after(() => {
    post.close()
    server.store.db.prepare('DELETE FROM jobs').run()
  })
  return post
}

async function queued(given: Row = {}): Promise<Row> {
  const seq = server.lastSeq()
  const from = { email: `eva${seq}@firm.example` }
  const question = {
    direction: 'inbound',
    channel: 'email',
    from,
    body_text: 'Where?',
    external_id: `<q${seq}@x.example>`,
  }
  const { conversation_id } = await inbox.make('/messages', question)
  return inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Here.', ...given })
}

const now = ({ id }: Row): Promise<Row> => inbox.get(`/messages/${id}`)
const mailOf = ({ id }: Row): Row =>
  server.store.db.prepare('SELECT * FROM message_headers WHERE message_id = ?').get(id)
const setTries = (tries: number): unknown => server.store.db.prepare('UPDATE jobs SET tries = ?').run(tries)

const dropping = (t: TestContext) =>
  startTalker(t, { open: '220 hi', EHLO: '250 hi', DATA: '354 go', END: (socket) => socket.destroy(), else: '250 ok' })

describe('a message whose job is given up has failed', () => {
  test('where nobody knows how its last try ended', async (t) => {
    const talker = await dropping(t)
    const kinds = mailKinds(office(t, talker.port))
    const message = await queued()
    setTries(20)
    const scheduler = schedulerHarness(server, { kinds })
    t.after(scheduler.stop)
    const seq = server.lastSeq()
    await scheduler.tick()
    const { status, error } = await now(message)
    assert.equal(status, 'failed')
    assert.match(error, /may have arrived/)
    assert.deepEqual(inbox.told(seq, message.id), ['message.failed status error'])
  })

  test('where the server ended in the middle of its last try', async (t) => {
    const smtp = await startSmtp(t)
    const kinds = mailKinds(office(t, smtp.server.port))
    const message = await queued()
    const { db } = server.store
    db.prepare('UPDATE jobs SET tries = 21, leased_until = ?').run(server.now() - 1)
    db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(message.id)
    const scheduler = schedulerHarness(server, { kinds })
    t.after(scheduler.stop)
    await scheduler.tick()
    const { status, error } = await now(message)
    assert.deepEqual([status, smtp.mails.length], ['failed', 0])
    assert.match(error, /may have arrived/)
  })

  test('where it cannot be made a mail, which its error tells meanwhile', async (t) => {
    const smtp = await startSmtp(t)
    const kinds = mailKinds(office(t, smtp.server.port))
    const message = await queued()
    server.store.db.prepare(`UPDATE message_headers SET refs = '{}' WHERE message_id = ?`).run(message.id)
    const scheduler = schedulerHarness(server, { kinds })
    t.after(scheduler.stop)
    await scheduler.tick()
    const waiting = await now(message)
    assert.equal(waiting.status, 'queued')
    assert.match(waiting.error, /could not be composed as a mail/)
    setTries(20)
    server.advance(3_600_000)
    await scheduler.tick()
    assert.equal((await now(message)).status, 'failed')
  })
})

test('a message with an id that no head can have goes out under one of ours', async (t) => {
  const smtp = await startSmtp(t)
  const { send } = office(t, smtp.server.port)
  for (const external_id of ['<für@acme.example>', `<${'a'.repeat(960)}@acme.example>`, 'erp-42']) {
    const message = await queued({ external_id })
    await send(server.a.org, message.id, false, new AbortController().signal)
    assert.match(String(smtp.mails.at(-1)?.source), new RegExp(`^Message-ID: <${message.id}@acme.example>\\r$`, 'm'))
    assert.equal((await now(message)).external_id, external_id)
  }
})

describe('a server that stops', () => {
  test('while it looks whether a mail was sent has not found that it was not', async (t) => {
    const smtp = await startSmtp(t)
    const asked = Promise.withResolvers<void>()
    const imap = await startImapTalker(t, { LIST: () => asked.resolve() })
    process.env.DEALBOX_TEST_PASSWORD ??= 'secret'
    const { send } = office(t, smtp.server.port, { imap: { ...SUPPORT.imap, port: imap.port } })
    const message = await queued()
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(message.id)
    const cut = new AbortController()
    const end = send(server.a.org, message.id, false, cut.signal)
    await asked.promise
    cut.abort(new Error('stopping'))
    await assert.rejects(end)
    const { attempted_at, unconfirmed_tries } = mailOf(message)
    assert.deepEqual([attempted_at, unconfirmed_tries, smtp.mails.length], [1, 0, 0])
  })

  test('in the middle of a last try leaves it for the next one', async (t) => {
    const asked = Promise.withResolvers<void>()
    const talker = await startTalker(t, { open: '220 hi', EHLO: '250 hi', MAIL: () => asked.resolve(), else: '250 ok' })
    const { send } = office(t, talker.port)
    const message = await queued()
    const cut = new AbortController()
    const end = send(server.a.org, message.id, true, cut.signal)
    await asked.promise
    cut.abort(new Error('stopping'))
    await assert.rejects(end)
    assert.equal((await now(message)).status, 'queued')
  })
})

describe('a mailbox whose server fails', () => {
  test('is tried by one mail after its rest, and the others wait for what comes of it', async (t) => {
    let asks = 0
    const smtp = await startSmtp(t, {
      mail: () => {
        asks++
        return '421 4.3.2 Closed for today'
      },
    })
    const { send } = office(t, smtp.server.port)
    const all = [await queued(), await queued(), await queued(), await queued()]
    const tryAll = () =>
      Promise.allSettled(all.map(({ id }) => send(server.a.org, id, false, new AbortController().signal)))
    await tryAll()
    server.advance(31_000)
    asks = 0
    await tryAll()
    assert.equal(asks, 1)
    smtp.answer({})
    server.advance(31_000)
    await tryAll()
    await tryAll()
    assert.equal(smtp.mails.length, 4)
  })
})
