import { ImapFlow } from 'imapflow'
import { createTransport, type SendMailOptions } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { inboxKinds } from '../../src/inbox/conversations/jobs.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { mailKinds } from '../../src/mail/jobs.ts'
import { type Receiver, startReceiver } from '../../src/mail/mailbox-sync.ts'
import { outboundMail } from '../../src/mail/outbound-mail.ts'
import { schedulerHarness } from '../store/jobs/scheduler-harness.ts'
import { type Person, startApp } from '../support/app-data.ts'
import { startDovecot } from '../support/dovecot.ts'
import { setMailboxes } from '../support/mailbox.ts'
import { startPostfix } from '../support/postfix.ts'
import type { Given, Row } from '../support/records.ts'
import type { Ends } from '../support/smtp.ts'
import { until } from '../support/until.ts'

// A team whose mailbox, and the mailboxes of those who write to it, are on real servers: a Postfix between them, and a Dovecot that
// each of them reads by IMAP.

const DAY = 86_400_000

/** A mail as its reader has it: parsed, and as it came. */
export type Got = Email & { raw: string }

export async function startMailServers(t: Ends, people: readonly string[], bouncing: readonly string[]) {
  const dovecot = await startDovecot(t)
  const { mailDir: dir, owner } = dovecot
  const maildirs = { dir, owner: owner as NonNullable<typeof owner>, folder: (email: string) => email } // Postfix runs as root
  const postfix = await startPostfix(t, people, 50, maildirs, bouncing)
  const { host, port } = postfix.server
  const transport = createTransport({ host, port, secure: false, ignoreTLS: true })

  /** As the mail program of a person sends it. `machine` is one that wants no answer, such as an out-of-office. */
  async function write(mail: SendMailOptions & { from: string; to: string }, isMachine = false): Promise<string> {
    const to = [mail.to, mail.cc ?? []].flat() as string[]
    const envelope = { from: isMachine ? '' : mail.from, to }
    const { messageId } = await transport.sendMail({ subject: 'Question', text: 'Where is it?', ...mail, envelope })
    return messageId
  }

  /** What a person has in their folder, the oldest first, once nothing is on its way any more. */
  async function mailsOf(user: string): Promise<Got[]> {
    await until(postfix.isEmpty)
    const auth = { user, pass: dovecot.password }
    const program = new ImapFlow({ host, port: dovecot.port, secure: false, doSTARTTLS: false, auth, logger: false })
    await program.connect()
    try {
      await program.mailboxOpen('INBOX', { readOnly: true })
      const found = program.mailbox && program.mailbox.exists > 0 ? await program.fetchAll('1:*', { source: true }) : []
      const sources = found.map(({ source }) => source as Buffer)
      return await Promise.all(
        sources.map(async (source) => ({ ...(await PostalMime.parse(source)), raw: source.toString('latin1') })),
      )
    } finally {
      await program.logout()
    }
  }

  return { dovecot, postfix, write, mailsOf }
}

export type MailServers = Awaited<ReturnType<typeof startMailServers>>
export type Team = Awaited<ReturnType<typeof startTeam>>

/**
 * A team with a mailbox of its own. Its clock stands a week before that of the servers for mail, and moves only when a story says
 * so: each mail arrives at the moment that the story has come to.
 */
export async function startTeam(t: Ends, { dovecot, postfix }: MailServers, address: string, settings: Given = {}) {
  const app = await startApp()
  app.advance(Date.now() - 7 * DAY - app.now())
  await app.pass(0)
  process.env.DEALBOX_TEST_IMAP = dovecot.password
  const { host, port } = dovecot
  const { support } = setMailboxes(app, [
    {
      ...{ key: 'support', name: 'Acme Support', address, is_default: true },
      smtp: { host: postfix.server.host, port: postfix.server.port, tls: 'none' },
      imap: { host, port, tls: 'none', user: address, password_env: 'DEALBOX_TEST_IMAP' },
      ...settings,
    },
  ])
  const { deps, store, a } = app
  const { write, health, committed } = store
  const office = outboundMail({ deps, write })
  const scheduler = schedulerHarness(app, { kinds: [...inboxKinds(deps), ...mailKinds(office)] })
  const listen = (): Receiver => startReceiver({ deps, write, health, committed, log: silentLog, random: () => 0 })
  let receiver = listen()
  t.after(async () => {
    await receiver.stop()
    await scheduler.stop()
    office.close()
    await app.stop()
  })
  await until(() => mailboxStore(deps).state(a.org, support?.id as string).checked_at !== null)

  const find = store.db.prepare('SELECT id FROM messages WHERE org_id = ? AND external_id = ?').pluck()

  /** Asks the public API as a member who is signed in. */
  async function api(person: Person, method: string, path: string, body?: unknown): Promise<Row> {
    const answer = await app.people[person].call(method, `/api/v1${path}`, body)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** What was to be done by now is done. */
  const work = (): Promise<void> => scheduler.tick()

  return {
    ...app,
    address,
    api,
    work,
    /** The message of a mail, once it has come in. */
    arrives: async (messageId: string): Promise<Row> =>
      api('member', 'GET', `/messages/${await until(() => find.get(a.org, messageId) as string | undefined)}`),
    message: (id: string): Promise<Row> => api('member', 'GET', `/messages/${id}`),
    conversation: (id: string): Promise<Row> => api('member', 'GET', `/conversations/${id}`),
    messagesOf: async (id: string): Promise<Row[]> =>
      (await api('member', 'GET', `/conversations/${id}/messages?sort=created_at`)).data,
    later: async (ms: number): Promise<void> => {
      app.advance(ms)
      await work()
    },
    /** Nothing comes in meanwhile. */
    unheard: async (doing: () => Promise<void>): Promise<void> => {
      await receiver.stop()
      await doing()
      receiver = listen()
    },
    /** In some milliseconds, in wire form. */
    at: (ms = 0): string => new Date(app.now() + ms).toISOString(),
    /** Whether a view of the inbox has a conversation. */
    isIn: async (view: string, id: string): Promise<boolean> =>
      (await app.ok('viewer', 'GET', `/rows/conversations?view=${view}&limit=100`)).data.some(
        (row: Row) => row.id === id,
      ),
    /** What the bell of a member says: of what kind, and about what. */
    bell: async (person: Person): Promise<string[]> =>
      (await app.ok(person, 'GET', '/notifications')).data.map(({ kind, record }: Row) => `${kind} ${record.id}`),
    recipients: async (id: string): Promise<Record<'to' | 'cc', string[]>> => {
      const { to, cc } = await app.ok('member', 'GET', `/inbox/${id}/recipients`)
      return { to: emails(to), cc: emails(cc) }
    },
  }
}

const emails = (list: Row[]): string[] => list.map(({ email }) => email)
