import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ImapFlow } from 'imapflow'
import { createTransport } from 'nodemailer'
import PostalMime from 'postal-mime'
import type { State } from '../../src/inbox/mailboxes/mailbox.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { mailKinds } from '../../src/mail/jobs.ts'
import { type Receiver, startReceiver } from '../../src/mail/mailbox-sync.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { startScheduler } from '../../src/store/jobs/scheduler.ts'
import { noDovecot, startDovecot } from '../support/dovecot.ts'
import { inboxOf } from '../support/inbox.ts'
import { calendarLines, eventLines } from '../support/invitation.ts'
import { setMailboxes } from '../support/mailbox.ts'
import type { Row } from '../support/records.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Ends, startSmtp } from '../support/smtp.ts'
import { until } from '../support/until.ts'

// A team and a customer, each with a mailbox on a Dovecot of their own, and a server for mail between them.

const EVA = 'eva@customer.example'
const TEAM = 'support@acme.example'
/** Less than the five minutes after which Dealbox looks by itself although the mail server tells what arrives. */

describe('between real servers for mail', { skip: noDovecot }, () => {
  const ends: (() => unknown)[] = []
  const own: Ends = { after: (end) => void ends.push(end) }
  let server: TestServer
  let inbox: ReturnType<typeof inboxOf>
  let team: Awaited<ReturnType<typeof startDovecot>>
  let customer: typeof team
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let receiver: Receiver
  let mailboxId: string

  before(async () => {
    team = await startDovecot(own)
    customer = await startDovecot(own)
    const data = (source: Buffer) => {
      const to = /^to: .*?([^\s<>,]+@[^\s<>,]+)/im.exec(String(source))?.[1]
      void (to === EVA ? customer : team).deliver(source)
      return undefined
    }
    smtp = await startSmtp(own, { tls: 'starttls', user: 'team', password: 'correct horse', data })
    server = await startServer()
    ends.push(() => server.stop())
    inbox = inboxOf(server)
    process.env.DEALBOX_TEST_IMAP = team.password
    process.env.DEALBOX_TEST_SMTP = 'correct horse'
    const boxes = setMailboxes(server, [
      {
        key: 'support',
        name: 'Acme Support',
        address: TEAM,
        is_default: true,
        smtp: { ...place(smtp.server), tls: 'starttls', user: 'team', password_env: 'DEALBOX_TEST_SMTP' },
        imap: { ...place(team.server()), tls: 'tls', user: team.user, password_env: 'DEALBOX_TEST_IMAP' },
      },
    ])
    mailboxId = boxes.support?.id as string
    server.advance(Date.now() - server.now()) // servers for mail have the time of the day
    const { store, deps } = server
    const office = outboundMail({ deps, write: store.write })
    const scheduler = startScheduler({ store, log: silentLog, kinds: mailKinds(office), recurring: [], afterJump: [] })
    const options = {
      deps,
      write: store.write,
      health: store.health,
      committed: store.committed,
      log: silentLog,
      random: () => 0,
    }
    receiver = startReceiver(options)
    ends.push(
      () => receiver.stop(),
      office.close,
      () => scheduler.stop(),
    )
    await until(() => state().checked_at !== null)
  })
  after(async () => {
    for (const end of ends.reverse()) await end()
  })

  const place = ({ host, port }: { host: string; port: number }) => ({ host, port })
  const state = (): State => mailboxStore(server.deps).state(server.a.org, mailboxId)

  const rowOf = (externalId: string) =>
    server.store.db
      .prepare('SELECT id, conversation_id FROM messages WHERE org_id = ? AND external_id = ?')
      .get(server.a.org, externalId) as Row | undefined

  const count = (): number =>
    server.store.db
      .prepare("SELECT count(*) FROM messages WHERE org_id = ? AND direction = 'inbound'")
      .pluck()
      .get(server.a.org) as number

  /** As the customer's mail program sends it. */
  async function write(given: Row): Promise<string> {
    const transport = createTransport({
      ...place(smtp.server),
      auth: { user: 'team', pass: 'correct horse' },
      tls: { ca: team.ca },
    })
    const { messageId, message } = await transport
      .sendMail({ from: `Eva Ruiz <${EVA}>`, to: TEAM, subject: 'Invoice', text: 'Where is it?', ...given })
      .then((info) => ({ messageId: info.messageId, message: info }))
    assert.ok(message.accepted.length === 1)
    transport.close()
    return messageId
  }

  const arrives = (messageId: string): Promise<Row> => until(() => rowOf(messageId))

  test('a mail is a conversation as soon as the mail server tells of it', async () => {
    const found = await arrives(await write({ subject: 'How fast?' }))
    assert.equal((await inbox.conversation(found.conversation_id)).subject, 'How fast?')
  })

  test('an answer arrives in its thread, and what comes back goes on in the same conversation', async (t) => {
    const asked = await write({ subject: 'Invoice 1042' })
    const { conversation_id } = await arrives(asked)
    // What she wrote lies in her own folders, too.
    customer.deliver(
      `From: ${EVA}\r\nTo: ${TEAM}\r\nMessage-ID: ${asked}\r\nSubject: Invoice 1042\r\n\r\nWhere is it?\r\n`,
    )
    const before = smtp.mails.length
    const answer = await inbox.make('/messages', { conversation_id, direction: 'outbound', body_text: 'Hier, Grüße.' })
    const mails = await smtp.came(before + 1)
    const read = await PostalMime.parse(mails.at(-1)?.source as Buffer)
    assert.equal(read.references?.split(' ').at(-1), asked)
    await until(() => {
      const status = server.store.db.prepare('SELECT status FROM messages WHERE id = ?').pluck().get(answer.id)
      return status === 'sent'
    })
    const program = await openFolder(customer)
    t.after(() => program.logout())
    assert.deepEqual(await threadsOf(program), [[1, 2]])

    await inbox.patch(conversation_id, { status: 'closed' })
    const thanks = await write({
      subject: 'Re: Invoice 1042',
      text: 'Thank you!',
      inReplyTo: read.messageId,
      references: `${read.references} ${read.messageId}`,
    })
    assert.equal((await arrives(thanks)).conversation_id, conversation_id)
    assert.equal((await inbox.conversation(conversation_id)).status, 'open')
  })

  test('an invitation becomes a meeting, which its organizer moves and cancels', async () => {
    const uid = 'real@calendar.example'
    const send = async (method: string, sequence: number, hour: number): Promise<Row> => {
      const starts = `:20270301T${hour}0000Z`
      const event = eventLines({
        uid,
        sequence,
        starts,
        ends: `:20270301T${hour + 1}0000Z`,
        organizer: `:mailto:${EVA}`,
      })
      const content = `${calendarLines(method, [event]).join('\r\n')}\r\n`
      return arrives(await write({ subject: 'Kick-off', icalEvent: { method, content } }))
    }
    const meetings = async (): Promise<Row[]> => (await inbox.get('/meetings')).data
    const { conversation_id } = await send('REQUEST', 0, 10)
    const [made] = await meetings()
    assert.deepEqual([made?.starts_at, made?.conversation_id], ['2027-03-01T10:00:00.000Z', conversation_id])
    await send('REQUEST', 1, 14)
    assert.equal((await meetings())[0]?.starts_at, '2027-03-01T14:00:00.000Z')
    await send('CANCEL', 2, 14)
    assert.deepEqual(
      (await meetings()).map(({ id, status }) => [id, status]),
      [[made?.id, 'canceled']],
    )
  })

  test('what comes while the server for mail is away comes in when it is back', async () => {
    await team.stop()
    await until(() => state().failing_since !== null)
    assert.match(state().last_error as string, /127\.0\.0\.1/)
    const [one, two] = [await write({ subject: 'Away 1' }), await write({ subject: 'Away 2' })]
    await team.start()
    await Promise.all([arrives(one), arrives(two)])
    await until(() => state().failing_since === null)
    assert.equal(state().last_error, null)
  })

  test('a connection that is cut is made again', async () => {
    team.cutConnections()
    await arrives(await write({ subject: 'After the cut' }))
  })

  test('a folder that numbers its mails anew brings nothing twice, and loses nothing', async () => {
    await arrives(await write({ subject: 'Before' }))
    const before = count()
    const { uid_validity, imported } = state()
    await team.resetUidValidity()
    const after = await write({ subject: 'Behind it' })
    await arrives(after)
    await until(() => state().pending === 0 && state().uid_validity !== uid_validity)
    assert.equal(count(), before + 1)
    assert.equal(state().imported, imported + 1)
  })

  test('what came while nobody listened comes in with the next start', async () => {
    await receiver.stop()
    const message = await write({ subject: 'Asleep' })
    const { deps, store } = server
    const options = {
      deps,
      write: store.write,
      health: store.health,
      committed: store.committed,
      log: silentLog,
      random: () => 0,
    }
    receiver = startReceiver(options)
    await arrives(message)
  })

  test('nothing in the folder was marked as read', async (t) => {
    const program = await openFolder(team)
    t.after(() => program.logout())
    assert.equal(await program.search({ seen: true }).then((found) => (found as number[]).length), 0)
  })

  async function openFolder(dovecot: typeof team): Promise<ImapFlow> {
    const { host, port, user, password } = dovecot.server()
    const options = { host, port, secure: true, auth: { user: user as string, pass: password as string } }
    const program = new ImapFlow({ ...options, tls: { ca: dovecot.ca }, logger: false })
    await program.connect()
    await program.mailboxOpen('INBOX', { readOnly: true })
    return program
  }

  /** As the server for mail puts them together by their headers (RFC 5256). */
  async function threadsOf(program: ImapFlow): Promise<number[][]> {
    let line = ''
    const { exec } = program as unknown as { exec: (...given: unknown[]) => Promise<{ next: () => void }> }
    const answer = await exec.call(
      program,
      'THREAD',
      ['REFERENCES', 'UTF-8', 'ALL'].map((value) => ({ type: 'ATOM', value })),
      {
        untagged: {
          THREAD: async (untagged: { attributes: unknown[] }) => {
            line = JSON.stringify(untagged.attributes, (key, value) => (key === 'type' ? undefined : value))
          },
        },
      },
    )
    answer.next()
    return (JSON.parse(line) as { value: string }[][]).map((thread) => thread.map(({ value }) => Number(value)))
  }
})
