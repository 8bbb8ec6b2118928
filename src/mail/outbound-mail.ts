import type { Deps } from '../deps.ts'
import { type Logins, mailLogins } from '../inbox/mailboxes/access-tokens.ts'
import { isNotConnected } from '../inbox/mailboxes/grants.ts'
import type { Mailbox } from '../inbox/mailboxes/mailbox.ts'
import { heldStore } from '../inbox/messages/held.ts'
import type { Log } from '../lib/log.ts'
import { composeMail } from '../lib/mail/transport/compose.ts'
import { type Folder, openFolder } from '../lib/mail/transport/imap.ts'
import type { Cause } from '../lib/mail/transport/refusals.ts'
import type { MailServer } from '../lib/mail/transport/server.ts'
import { smtpClient } from '../lib/mail/transport/smtp.ts'
import type { Refusal, Sent } from '../lib/mail/transport/smtp-mail.ts'
import { Problem } from '../lib/problem.ts'
import { HOUR_MS, rfc3339 } from '../lib/time.ts'
import type { Write } from '../store/commit.ts'
import { outgoingMails } from './mail-out.ts'
import { hasAccepted, openOf } from './outcomes.ts'
import { asking } from './satisfaction/asking.ts'
import { type Begun, senderLimits } from './sender-limits.ts'
import { sendingStore, type Waiting, withoutOthers } from './sending.ts'
import { sentCopyStore } from './sent-copies.ts'
import { sentOriginals } from './sent-originals.ts'

type Client = { version: string; client: ReturnType<typeof smtpClient> }

/** For a mailbox whose server fails: how many times in a row, the reason, and until when to skip further attempts. */
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

const PAUSED = 'The server refuses this mailbox at the moment, whatever the recipient, as at a limit of the provider.'

/** What an attempt came to, as it is counted. */
export type Tried = 'sent' | 'refused' | 'later' | 'limited' | 'doubtful'

const COUNTED: Record<Cause, Tried> = {
  refused: 'refused',
  deferred: 'later',
  later: 'later',
  limited: 'limited',
  unclear: 'limited',
  doubtful: 'doubtful',
}

/** A mail that began a pause is tried after the others: it may be the only one that is refused. */
const AFTER_OTHERS_MS = 1000

const pausedText = (until: number): string => `${PAUSED} Its mails wait, and are tried again from ${rfc3339(until)} on.`

type OutboundOptions = {
  deps: Deps
  write: Write
  logins?: Logins
  log?: Pick<Log, 'warn'>
  /** Called after each attempt. */
  count?: ((outcome: Tried) => void) | undefined
}

/** Sends messages through their mailboxes. Keeps the SMTP client of each mailbox for reuse. */
export function outboundMail({
  deps,
  write,
  logins = mailLogins({ deps, write }),
  log,
  count = () => undefined,
}: OutboundOptions) {
  const sending = sendingStore(deps)
  const held = heldStore(deps)
  const { mailOut } = outgoingMails(deps)
  const question = asking(deps)
  const limits = senderLimits(deps)
  const copies = sentCopyStore(deps)
  const keepOriginal = sentOriginals({ deps, write, log })
  const clients = new Map<string, Client>()
  const backoffs = new Map<string, Backoff>()

  function clientOf(org: number, mailbox: Mailbox, server: MailServer): Client['client'] {
    const key = `${org} ${mailbox.id}`
    const version = JSON.stringify(server)
    const cached = clients.get(key)
    if (cached?.version === version) return cached.client
    cached?.client.close()
    const client = smtpClient(server)
    clients.set(key, { version, client })
    return client
  }

  /**
   * Makes one attempt to send a message; does nothing if the message is no longer queued. The attempt is recorded
   * before it starts: if the process ends in the middle, the next attempt sees that the mail may have been sent. Throws
   * one sentence if the job should be retried.
   */
  async function send(org: number, id: string, isLast: boolean, signal: AbortSignal): Promise<void> {
    const found = sending.waiting(org, id)
    if (found?.message.send_at && !(await write(() => held.release(org, id)))) return
    const waiting = found?.message.send_at ? sending.waiting(org, id) : found
    if (!waiting) return
    const { mailbox } = waiting
    if (!mailbox) return write(() => void sending.gone(org, id))
    const waitsUntil = limits.waitsUntil(org, waiting, mailbox)
    if (waitsUntil > 0) return write(() => void sending.held(org, id, pausedText(waitsUntil), waitsUntil, false))
    const backoff = backoffs.get(mailbox.id)
    if (!isLast && backoff && backoff.count >= MAX_TROUBLES) {
      const restMs = backoff.until - deps.clock.now()
      if (restMs > 0 && restMs <= REST_MS) return putOff(org, id, backoff.error, true)
      backoff.until = deps.clock.now() + REST_MS // this attempt tests the server; further mails do not wait with it
    }
    const server = await serverOf(org, mailbox)
    if (isNotConnected(server)) return write(() => void hold(org, id, server.message, HELD_MS))
    if (await isSettled(org, waiting, mailbox, signal)) return
    if (question.isDue(org, waiting)) await write(() => void question.decide(org, waiting))
    const source = await written(org, waiting, mailbox)
    const begun = await write(() => (sending.begin(org, id) ? limits.begin(org, mailbox) : null))
    if (!begun) return
    const { outcomes } = waiting.mail
    const mail = {
      from: mailbox.address,
      to: openOf(waiting.message, outcomes),
      source,
      isWanted: () => sending.isWanted(org, id),
      onRefused: (refusals: Refusal[]) => write(() => void sending.refused(org, id, refusals)),
    }
    const result: Sent =
      server instanceof Error
        ? { outcome: 'later', error: server.message } // no password yet, or no access token at the moment
        : await clientOf(org, mailbox, server).send(mail, signal)
    if (result.outcome === 'withdrawn') {
      await write(() => void sending.ended(org, id))
      return send(org, id, isLast, signal) // finds out why
    }
    noteFailure(mailbox, result)
    if (result.outcome !== 'sent') return notSent(org, waiting, mailbox, result, begun, isLast && !signal.aborted)
    limits.judge(mailbox, waiting.message, 'sent', '')
    count('sent')
    await write(() => {
      sending.sent(org, id, result.ids)
      limits.accepted(org, mailbox)
      return null
    })
    if (hasAccepted(outcomes)) return
    await keepOriginal(org, id, source)
    await keepCopy(org, mailbox, source)
  }

  /** Records what an attempt came to that did not send the mail, or of which nobody knows. Throws if it is to be retried. */
  async function notSent(
    org: number,
    { message }: Waiting,
    mailbox: Mailbox,
    { outcome, error }: Exclude<Sent, { outcome: 'sent' | 'withdrawn' }>,
    begun: Begun,
    isLast: boolean,
  ): Promise<void> {
    const { id } = message
    const cause = limits.judge(mailbox, message, outcome as Cause, error)
    count(COUNTED[cause])
    if (cause === 'doubtful') throw new Error(error) // the attempt stays recorded as unconfirmed
    const isServers = cause === 'later'
    if (cause === 'refused' || (isLast && (isServers || cause === 'deferred')))
      return write(() => void sending.failed(org, id, error, isServers))
    const told = withoutOthers(error, mailbox.address)
    const paused = await write(() => {
      sending.ended(org, id)
      if (cause === 'unclear') hold(org, id, error, limits.unclearMs(mailbox, message), false)
      if (cause !== 'limited') return null
      const pause = limits.pause(org, mailbox, begun, told)
      sending.held(org, id, `${error} ${pausedText(pause.until)}`, pause.until + AFTER_OTHERS_MS, false)
      return pause
    })
    if (paused?.isNew)
      log?.warn({ org, mailbox: mailbox.key, until: rfc3339(paused.until), reason: told }, 'mailbox paused')
    if (isServers || cause === 'deferred') await putOff(org, id, error, isServers)
  }

  const hold = (org: number, id: string, error: string, ms: number, isMailboxError = true): void =>
    sending.held(org, id, error, deps.clock.now() + ms, isMailboxError)

  async function written(org: number, waiting: Waiting, mailbox: Mailbox): Promise<Buffer> {
    try {
      return await composeMail(mailOut(org, waiting, mailbox))
    } catch (error) {
      return putOff(org, waiting.message.id, `It could not be composed as a mail: ${(error as Error).message}`, false)
    }
  }

  /** Runs in the transaction that gives up the job: no attempt follows, so the message must not stay queued. */
  function giveUp(org: number, id: string): undefined {
    const waiting = sending.waiting(org, id)
    const isDoubtful = waiting !== undefined && waiting.mail.attempted_at !== null
    if (isDoubtful) sending.unknown(org, id)
    sending.failed(org, id, isDoubtful ? ABANDONED : (waiting?.message.error ?? NEVER_TRIED), true)
  }

  async function putOff(org: number, id: string, error: string, isMailboxError: boolean): Promise<never> {
    await write(() => void sending.delayed(org, id, error, isMailboxError))
    throw new Error(error)
  }

  /** Whatever a server answers about a mail shows that it works. */
  function noteFailure({ id, address }: Mailbox, result: Sent): void {
    if (result.outcome !== 'later') backoffs.delete(id)
    else {
      const count = (backoffs.get(id)?.count ?? 0) + 1
      const error = withoutOthers(result.error, address)
      backoffs.set(id, { count, error, until: deps.clock.now() + REST_MS })
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
    // Once some have it, a copy says nothing of the others.
    const copy = hasAccepted(mail.outcomes)
      ? undefined
      : await sentCopy(org, { message, mail, mailbox }, mailbox, signal)
    if (copy) {
      await write(() => void sending.sent(org, message.id, copy.messageId === null ? [] : [copy.messageId]))
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

  /** The copy of the mail in the folder for sent mail, perhaps with another Message-ID; none also if it cannot be searched. */
  async function sentCopy(org: number, waiting: Waiting, mailbox: Mailbox, signal: AbortSignal) {
    const mail = mailOut(org, waiting, mailbox)
    return inFolder(org, mailbox, signal, async (folder) =>
      (await folder.findSent(mail.messageId)) ? { messageId: mail.messageId } : copies.copyOf(mail, folder),
    )
  }

  /** Saves a copy if the settings ask for it; many servers save one themselves. */
  async function keepCopy(org: number, mailbox: Mailbox, source: Buffer): Promise<void> {
    if (!mailbox.imap?.save_sent) return
    await inFolder(org, mailbox, AbortSignal.timeout(LOOK_MS), (folder) => folder.saveSent(source))
  }

  async function inFolder<T>(
    org: number,
    mailbox: Mailbox,
    signal: AbortSignal,
    look: (folder: Folder) => Promise<T>,
  ): Promise<T | undefined> {
    if (!mailbox.imap) return undefined
    try {
      const folder = await openFolder(await logins.imapServer(org, mailbox), signal)
      try {
        return await look(folder)
      } finally {
        await folder.close()
      }
    } catch {
      return undefined // mail sync reports what is wrong
    }
  }

  function close(): void {
    for (const { client } of clients.values()) client.close()
    clients.clear()
  }

  return { send, giveUp, close }
}
