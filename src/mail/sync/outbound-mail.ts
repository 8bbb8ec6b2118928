import type { Deps } from '../../deps.ts'
import { type Logins, mailLogins } from '../../inbox/mailboxes/access-tokens.ts'
import { isNotConnected } from '../../inbox/mailboxes/grants.ts'
import type { Mailbox } from '../../inbox/mailboxes/mailboxes.ts'
import { mailIdOf } from '../../inbox/messages/outgoing.ts'
import { Problem } from '../../lib/problem.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Write } from '../../store/commit.ts'
import { composeMail } from '../transport/compose.ts'
import { openFolder } from '../transport/imap.ts'
import type { MailServer, Trust } from '../transport/server.ts'
import { type Sent, smtpClient } from '../transport/smtp.ts'
import { sendingStore, type Waiting } from './sending.ts'

type Client = { version: string; client: ReturnType<typeof smtpClient> }

/** For a mailbox whose attempts fail: how many in a row, the reason, and until when to skip further attempts. */
type Backoff = { count: number; error: string; until: number }

/** Attempts with an unknown result; after that many the mail is not sent again. */
const MAX_UNCONFIRMED_TRIES = 3
const LOOK_MS = 30_000
/**
 * From this many failures on, mails of the mailbox are put off: attempts at an unreachable server take long, and must
 * not delay other mailboxes.
 */
const MAX_TROUBLES = 2
const REST_MS = 30_000
/** How long a mail waits for somebody to sign in before it looks again; a sign-in makes it look at once. */
const HELD_MS = HOUR_MS

const NEVER_TRIED = 'It could not be sent.'
const ABANDONED = 'The last attempt did not complete; it may have arrived.'
const UNCONFIRMED = `It may have arrived: ${MAX_UNCONFIRMED_TRIES} times the connection ended before the server had said so.`

/** What an attempt came to. */
export type Tried = Exclude<Sent['outcome'], 'withdrawn'>

type OutboundOptions = {
  deps: Deps
  write: Write
  trust: Trust
  logins?: Logins
  /** Called after each attempt. */
  count?: ((outcome: Tried) => void) | undefined
}

/** Sends messages through their mailboxes. Keeps the SMTP client of each mailbox for reuse. */
export function outboundMail({
  deps,
  write,
  trust,
  logins = mailLogins({ deps, write, trust }),
  count = () => undefined,
}: OutboundOptions) {
  const sending = sendingStore(deps)
  const clients = new Map<string, Client>()
  const backoffs = new Map<string, Backoff>()

  function clientOf(org: number, mailbox: Mailbox, server: MailServer): Client['client'] {
    const key = `${org} ${mailbox.id}`
    const version = JSON.stringify(server)
    const cached = clients.get(key)
    if (cached?.version === version) return cached.client
    cached?.client.close()
    const client = smtpClient(server, trust)
    clients.set(key, { version, client })
    return client
  }

  /**
   * Makes one attempt to send a message; does nothing if the message is no longer queued. The attempt is recorded
   * before it starts: if the process ends in the middle, the next attempt sees that the mail may have been sent. Throws
   * one sentence if the job should be retried.
   */
  async function send(org: number, id: string, isLast: boolean, signal: AbortSignal): Promise<void> {
    const waiting = sending.waiting(org, id)
    if (!waiting) return
    const { mailbox } = waiting
    if (!mailbox) return write(() => void sending.gone(org, id))
    const backoff = backoffs.get(mailbox.id)
    if (!isLast && backoff && backoff.count >= MAX_TROUBLES) {
      const restMs = backoff.until - deps.clock.now()
      if (restMs > 0 && restMs <= REST_MS) return putOff(org, id, backoff.error)
      backoff.until = deps.clock.now() + REST_MS // this attempt tests the server; further mails do not wait with it
    }
    const server = await serverOf(org, mailbox)
    if (isNotConnected(server)) return write(() => void sending.held(org, id, server.message, HELD_MS))
    if (await isSettled(org, waiting, mailbox, signal)) return
    const source = await written(org, waiting, mailbox)
    if (!(await write(() => sending.begin(org, id)))) return
    const to = waiting.message.to.map(({ email }) => email)
    const mail = { from: mailbox.address, to, source, isWanted: () => sending.isWanted(org, id) }
    const result: Sent =
      server instanceof Error
        ? { outcome: 'later', error: server.message } // no password yet, or no access token at the moment
        : await clientOf(org, mailbox, server).send(mail, signal)
    if (result.outcome === 'withdrawn') {
      await write(() => void sending.ended(org, id))
      return send(org, id, isLast, signal) // finds out why
    }
    noteFailure(mailbox, result)
    count(result.outcome)
    if (result.outcome === 'sent') {
      await write(() => void sending.sent(org, id))
      await keepCopy(org, mailbox, source)
    } else if (result.outcome === 'refused' || (result.outcome === 'later' && isLast && !signal.aborted)) {
      await write(() => void sending.failed(org, id, result.error, result.outcome === 'later'))
    } else if (result.outcome === 'later') {
      await write(() => void sending.ended(org, id))
      await putOff(org, id, result.error)
    } else throw new Error(result.error) // the attempt stays recorded as unconfirmed
  }

  async function written(org: number, waiting: Waiting, mailbox: Mailbox): Promise<Buffer> {
    try {
      return await composeMail(sending.mailOut(org, waiting, mailbox))
    } catch (error) {
      return putOff(org, waiting.message.id, `It could not be composed as a mail: ${(error as Error).message}`)
    }
  }

  /** Runs in the transaction that gives up the job: no attempt follows, so the message must not stay queued. */
  function giveUp(org: number, id: string): undefined {
    const waiting = sending.waiting(org, id)
    const isDoubtful = waiting !== undefined && waiting.mail.attempted_at !== null
    if (isDoubtful) sending.unknown(org, id)
    sending.failed(org, id, isDoubtful ? ABANDONED : (waiting?.message.error ?? NEVER_TRIED), true)
  }

  async function putOff(org: number, id: string, error: string): Promise<never> {
    await write(() => void sending.delayed(org, id, error))
    throw new Error(error)
  }

  function noteFailure({ id }: Mailbox, result: Sent): void {
    if (result.outcome !== 'later') backoffs.delete(id)
    else {
      const count = (backoffs.get(id)?.count ?? 0) + 1
      backoffs.set(id, { count, error: result.error, until: deps.clock.now() + REST_MS })
    }
  }

  /** The server with the login, or why there is no login. */
  async function serverOf(org: number, mailbox: Mailbox): Promise<MailServer | Error> {
    try {
      return await logins.smtpServer(org, mailbox)
    } catch (error) {
      if (error instanceof Problem && error.status === 503) throw error // this server cannot write, or is stopping
      return error as Error
    }
  }

  /**
   * Handles an earlier attempt with an unknown result. Returns true if the message needs no attempt: it was sent, or
   * there were too many such attempts.
   */
  async function isSettled(org: number, { message, mail }: Waiting, mailbox: Mailbox, signal: AbortSignal) {
    if (mail.attempted_at === null) return false
    if (await wasSent(org, mailbox, mailIdOf(message.id, message.external_id, mailbox), signal)) {
      await write(() => void sending.sent(org, message.id))
      return true
    }
    signal.throwIfAborted() // the search was cut short
    const isOver = mail.unconfirmed_tries + 1 >= MAX_UNCONFIRMED_TRIES
    await write(() => {
      sending.unknown(org, message.id)
      if (isOver) sending.failed(org, message.id, UNCONFIRMED, true)
      return isOver
    })
    return isOver
  }

  /** Whether a copy of the mail is in the folder for sent mail; false also if the folder cannot be searched. */
  async function wasSent(org: number, mailbox: Mailbox, mailId: string, signal: AbortSignal): Promise<boolean> {
    return inFolder(org, mailbox, signal, (folder) => folder.findSent(mailId))
  }

  /** Saves a copy if the settings ask for it; many servers save one themselves. */
  async function keepCopy(org: number, mailbox: Mailbox, source: Buffer): Promise<void> {
    if (!mailbox.imap?.save_sent) return
    await inFolder(org, mailbox, AbortSignal.timeout(LOOK_MS), async (folder) => {
      await folder.saveSent(source)
      return true
    })
  }

  async function inFolder(
    org: number,
    mailbox: Mailbox,
    signal: AbortSignal,
    look: (folder: Awaited<ReturnType<typeof openFolder>>) => Promise<boolean>,
  ): Promise<boolean> {
    if (!mailbox.imap) return false
    try {
      const folder = await openFolder(await logins.imapServer(org, mailbox), trust, signal)
      try {
        return await look(folder)
      } finally {
        await folder.close()
      }
    } catch {
      return false // mail sync reports what is wrong
    }
  }

  function close(): void {
    for (const { client } of clients.values()) client.close()
    clients.clear()
  }

  return { send, giveUp, close }
}
