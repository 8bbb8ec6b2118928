import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { silentLog } from '../../src/lib/log.ts'
import type { MailIn } from '../../src/lib/mail/mail.ts'
import { outgoingMails } from '../../src/mail/mail-out.ts'
import { startReceiver } from '../../src/mail/mailbox-sync.ts'
import { sendingStore } from '../../src/mail/sending.ts'
import { sentCopyStore } from '../../src/mail/sent-copies.ts'
import { deskOf, person } from '../support/desk.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { mailIn, SUPPORT, setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { startTalker } from '../support/smtp.ts'
import { officeOf } from './office.ts'

// The id on the wire is the id that counts: providers replace the Message-ID of what we send.

let server: TestServer
let desk: ReturnType<typeof deskOf>
before(async () => {
  server = await startServer()
  desk = deskOf(server)
})
after(() => server.stop())

let count = 0
const isTogether = (one: Row, other: Row): boolean => one.conversation_id === other.conversation_id

/** A mail that names only an id in In-Reply-To, as many mail programs on telephones do. */
const naming = (id: string, given: Partial<MailIn>): MailIn => mailIn({ inReplyTo: [id], references: [id], ...given })

describe('the reply of the server', () => {
  const SES = '0100019a0b1c2d3e-4f5a6b7c-8d9e-4f0a-b1c2'
  const replies: [string, (n: number) => string, (n: number) => string][] = [
    ['Amazon SES', (n) => `250 Ok ${SES}-${n}`, (n) => `<${SES}-${n}@eu-central-1.amazonses.com>`],
    ['Amazon SES in its first region', (n) => `250 Ok ${SES}-${n}`, (n) => `<${SES}-${n}@email.amazonses.com>`],
    [
      'Exchange Online',
      (n) => `250 2.0.0 OK <PR${n}@PR.eurprd.prod.outlook.com> [Hostname=PR.eurprd.prod.outlook.com]`,
      (n) => `<PR${n}@PR.eurprd.prod.outlook.com>`,
    ],
    [
      'Brevo',
      (n) => `250 2.0.0 OK: queued as <2026.${n}@smtp-relay.mailin.fr>`,
      (n) => `<2026.${n}@smtp-relay.mailin.fr>`,
    ],
  ]
  for (const [provider, reply, idOf] of replies)
    test(`of ${provider} leads an answer to its conversation`, async (t) => {
      const n = ++count
      const smtp = await startTalker(t, { open: '220 hi', DATA: '354 go', END: reply(n), else: '250 ok' })
      const question = await desk.arrive({ from: person(`Ines ${n}`) })
      const { tick } = officeOf(server).office(t, smtp.port)
      const answer = await desk.reply(question.conversation_id)
      await tick()
      assert.equal((await desk.get(`/messages/${answer.id}`)).external_id, answer.external_id)
      // From another address, so that nothing but the id leads there.
      const next = naming(idOf(n), { from: person(`Home ${n}`, 'home.example') })
      assert.deepEqual(await desk.take(next), { outcome: 'imported' })
      assert.equal(isTogether(question, (await desk.stored(next.messageId)) as Row), true)
      const own = naming(answer.external_id, { from: person(`Third ${n}`, 'home.example') })
      await desk.take(own)
      assert.equal(isTogether(question, (await desk.stored(own.messageId)) as Row), true, 'both ids count')
    })

  test('with the id of a queue leads nothing anywhere', async (t) => {
    const smtp = await startTalker(t, {
      open: '220 hi',
      DATA: '354 go',
      END: '250 2.0.0 Ok: queued as 4F3A2C1B0D',
      else: '250 ok',
    })
    const question = await desk.arrive({ from: person('Queue Person') })
    const { tick } = officeOf(server).office(t, smtp.port)
    await desk.reply(question.conversation_id)
    const aliases = server.store.db.prepare('SELECT count(*) FROM message_aliases').pluck()
    const before = aliases.get()
    await tick()
    assert.equal(aliases.get(), before)
  })
})

/** A mail that was sent, and its copy with another id, as in the folder of its provider. */
async function sent(email: string) {
  const question = await desk.arrive({ from: { email, name: null } })
  server.advance(60_000)
  const answer = await desk.reply(question.conversation_id)
  const { org } = server.a
  const { waiting } = sendingStore(server.deps)
  const mail = outgoingMails(server.deps).mailOut(org, waiting(org, answer.id) as never, desk.boxes.support)
  await server.store.write(() => void sendingStore(server.deps).sent(org, answer.id))
  const messageId = `<given${++count}@provider.example>`
  const copy = { messageId, references: [...mail.references], date: mail.date }
  return { question, answer, copy }
}

describe('the copy in the folder for sent mail', () => {
  /** A folder that notes what is searched in it. */
  function folderOf(copies: Awaited<ReturnType<typeof sent>>['copy'][]) {
    const searched: string[] = []
    const sentCopies = async (header: string, id: string) => {
      searched.push(id)
      return copies.filter(({ messageId, references }) =>
        header === 'references' ? references.includes(id) : messageId === id,
      )
    }
    return { searched, sentCopies }
  }
  const learn = (mail: MailIn, folder: ReturnType<typeof folderOf>) =>
    sentCopyStore(server.deps).learn(server.a.org, mail, folder, server.store.write)

  test('leads an answer to the mail, and is looked for once', async () => {
    const { question, answer, copy } = await sent('lea@one.example')
    const folder = folderOf([copy])
    for (const name of ['first', 'second']) {
      const mail = naming(copy.messageId, { from: { email: 'lea@one.example', name } })
      await learn(mail, folder)
      await desk.take(mail)
      assert.equal(isTogether(question, (await desk.stored(mail.messageId)) as Row), true)
    }
    assert.deepEqual(folder.searched, [copy.messageId])
    const alias = server.store.db.prepare('SELECT message_id FROM message_aliases WHERE external_id = ?').pluck()
    assert.equal(alias.get(copy.messageId), answer.id)
  })

  test('tells which mail of several in a conversation came back', async () => {
    const { question, answer, copy } = await sent('rita@one.example')
    server.advance(60_000)
    const later = await desk.reply(question.conversation_id)
    await server.store.write(() => void sendingStore(server.deps).sent(server.a.org, later.id))
    const report = {
      isStandard: true,
      messageId: copy.messageId,
      recipients: [{ email: 'rita@one.example', action: 'failed' as const, status: '5.1.1', why: 'No such user' }],
    }
    const from = { email: 'mailer-daemon@acme.example', name: null }
    const mail = mailIn({ from, report, isFromServer: true, hasNoSender: true } as Partial<MailIn>)
    await learn(mail, folderOf([copy]))
    await desk.take(mail)
    assert.equal((await desk.get(`/messages/${answer.id}`)).status, 'failed')
    assert.equal((await desk.get(`/messages/${later.id}`)).status, 'sent')
  })

  test('is not looked for where it could not be: the id is known, signed, or the writer got nothing from us', async () => {
    const { answer, copy } = await sent('uma@one.example')
    const folder = folderOf([])
    const from = { email: 'uma@one.example', name: null }
    await learn(naming(answer.external_id, { from }), folder)
    await learn(mailIn({ from, inReplyTo: ['<x@y.example>'], references: copy.references }), folder)
    await learn(mailIn({ from }), folder)
    await learn(naming('<unknown@y.example>', { from: person('A Stranger') }), folder)
    assert.deepEqual(folder.searched, [])
    for (let times = 0; times < 3; times++) await learn(naming('<unknown@y.example>', { from }), folder)
    assert.deepEqual(folder.searched, ['<unknown@y.example>'], 'not found: not looked for again')
  })

  test('without what we have signed is not ours', async () => {
    const { copy } = await sent('otto@one.example')
    const forged = { ...copy, references: ['<thread+c1-0123456789ab@acme.example>'] }
    const mail = naming(copy.messageId, { from: { email: 'otto@one.example', name: null } })
    await learn(mail, folderOf([forged]))
    assert.equal(
      server.store.db.prepare('SELECT 1 FROM message_aliases WHERE external_id = ?').get(copy.messageId),
      undefined,
    )
  })

  const deliver = (
    dovecot: Awaited<ReturnType<typeof startDovecot>>,
    copy: { messageId: string; references: string[]; date: number },
  ) =>
    dovecot.deliver(
      `Message-ID: ${copy.messageId}\r\nDate: ${new Date(copy.date).toUTCString()}\r\nReferences: ${copy.references.join('\r\n ')}\r\nSubject: x\r\n\r\nx\r\n`,
      { folder: 'Sent' },
    )

  test('is found in the folder of a real server when an answer comes in', { skip: noDovecot }, async (t) => {
    const dovecot = await startDovecot(t)
    server.advance(Date.now() - server.now())
    const { question, copy } = await sent('real@one.example')
    deliver(dovecot, copy)
    const { host, port, user, password } = dovecot.server()
    process.env.DEALBOX_TEST_IMAP = password as string
    const imap = { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP', import_since: '2020-01-01' }
    dovecot.deliver(
      `Message-ID: <real-answer@one.example>\r\nFrom: real@one.example\r\nTo: ${SUPPORT.address}\r\nIn-Reply-To: ${copy.messageId}\r\n\r\nYes\r\n`,
    )
    const { deps, store } = server
    const { promise, resolve } = Promise.withResolvers<void>()
    const receiver = startReceiver({
      ...{ deps, write: store.write, health: store.health, committed: store.committed },
      ...{ log: silentLog, random: () => 0, count: () => resolve() },
    })
    t.after(receiver.stop)
    setMailboxes(server, [{ ...SUPPORT, key: 'real', imap }])
    receiver.wake()
    await promise
    assert.equal(isTogether(question, (await desk.stored('<real-answer@one.example>')) as Row), true)
  })

  test('tells of a try whose end nobody knows that it had succeeded, also with another id', {
    skip: noDovecot,
  }, async (t: TestContext) => {
    const smtp = await startTalker(t, { open: '220 hi', else: '250 ok' })
    const dovecot = await startDovecot(t)
    const { host, port, user, password } = dovecot.server()
    process.env.DEALBOX_TEST_IMAP = password as string
    const imap = { host, port, tls: 'tls', user, password_env: 'DEALBOX_TEST_IMAP' }
    const office = officeOf(server).office(t, smtp.port, { imap })
    const question = await desk.arrive()
    const answer = await desk.reply(question.conversation_id)
    const waiting = sendingStore(server.deps).waiting(server.a.org, answer.id)
    const { references, date } = outgoingMails(server.deps).mailOut(server.a.org, waiting as never, desk.boxes.support)
    deliver(dovecot, { messageId: '<other@provider.example>', references: [...references], date })
    server.store.db.prepare('UPDATE message_headers SET attempted_at = 1 WHERE message_id = ?').run(answer.id)
    await office.tick()
    const { status, error } = await desk.get(`/messages/${answer.id}`)
    assert.deepEqual([status, error, smtp.heard], ['sent', null, []])
    const next = naming('<other@provider.example>', { from: person('Somebody Else', 'home.example') })
    await desk.take(next)
    assert.equal(isTogether(question, (await desk.stored(next.messageId)) as Row), true)
  })
})
