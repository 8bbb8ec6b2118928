import type { Deps } from '../../deps.ts'
import { type Mailbox, mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import { mailIdOf } from '../../inbox/messages/outgoing.ts'
import type { Write } from '../../store/commit.ts'
import { composeMail } from '../transport/compose.ts'
import { openFolder } from '../transport/imap.ts'
import type { Trust } from '../transport/server.ts'
import { type Sent, smtpClient } from '../transport/smtp.ts'
import { sendingStore, type Waiting } from './sending.ts'

type Client = { version: string; client: ReturnType<typeof smtpClient> }

/** Of a mailbox whose tries fail: how many in a row, the reason, and until when others are not tried at all. */
type Backoff = { count: number; error: string; until: number }

/** Tries whose end nobody knows: behind them a mail is not sent again. */
const MAX_UNCONFIRMED_TRIES = 3
const LOOK_MS = 30_000
/** A server that is away must not keep the mails of other mailboxes waiting: each try of it takes its time. */
const MAX_TROUBLES = 2
const REST_MS = 30_000

const GONE = 'The mailbox that it was to be sent from is gone.'
const NEVER_TRIED = 'It could not be sent.'
const ABANDONED = 'Its last try did not come to its end; it may have arrived.'
const UNCONFIRMED = `It may have arrived: ${MAX_UNCONFIRMED_TRIES} times the connection ended before the server had said so.`

/** Sends messages by the mailboxes that they are to leave. One connection for each is kept for a while. */
export function outboundMail({ deps, write, trust }: { deps: Deps; write: Write; trust: Trust }) {
  const mailboxes = mailboxStore(deps)
  const sending = sendingStore(deps)
  const clients = new Map<string, Client>()
  const backoffs = new Map<string, Backoff>()

  function clientOf(org: number, mailbox: Mailbox): Client['client'] {
    const key = `${org} ${mailbox.id}`
    const server = mailboxes.smtpServer(org, mailbox)
    const version = JSON.stringify(server)
    const known = clients.get(key)
    if (known?.version === version) return known.client
    known?.client.close()
    const client = smtpClient(server, trust)
    clients.set(key, { version, client })
    return client
  }

  /**
   * One try of a message; nothing where it does not wait any more. Before it begins it is on record: where the server
   * ends in the middle, the next one knows that the mail may have gone. Throws one sentence where there is to be another
   * try.
   */
  async function send(org: number, id: string, isLast: boolean, signal: AbortSignal): Promise<void> {
    const waiting = sending.waiting(org, id)
    if (!waiting) return
    const { mailbox } = waiting
    if (!mailbox) return write(() => void sending.failed(org, id, GONE, false))
    const backoff = backoffs.get(mailbox.id)
    if (!isLast && backoff && backoff.count >= MAX_TROUBLES) {
      const restMs = backoff.until - deps.clock.now()
      if (restMs > 0 && restMs <= REST_MS) return putOff(org, id, backoff.error)
      backoff.until = deps.clock.now() + REST_MS // this one finds out, and no other one waits with it
    }
    if (await isSettled(org, waiting, mailbox, signal)) return
    const source = await written(org, waiting, mailbox)
    if (!(await write(() => sending.begin(org, id)))) return
    const to = waiting.message.to.map(({ email }) => email)
    const result = await attempt(org, mailbox, { from: mailbox.address, to, source }, signal)
    noteFailure(mailbox, result)
    if (result.outcome === 'sent') {
      await write(() => void sending.sent(org, id))
      await keepCopy(org, mailbox, source)
    } else if (result.outcome === 'refused' || (result.outcome === 'later' && isLast && !signal.aborted)) {
      await write(() => void sending.failed(org, id, result.error, result.outcome === 'later'))
    } else if (result.outcome === 'later') {
      await write(() => void sending.ended(org, id))
      await putOff(org, id, result.error)
    } else throw new Error(result.error) // the try stays on record as one whose end is not known
  }

  async function written(org: number, waiting: Waiting, mailbox: Mailbox): Promise<Buffer> {
    try {
      return await composeMail(sending.mailOut(org, waiting, mailbox))
    } catch (error) {
      return putOff(org, waiting.message.id, `It could not be written as a mail: ${(error as Error).message}`)
    }
  }

  /** In the transaction that gives its job up: nobody tries it any more, so it must not look as if it waited. */
  function giveUp(org: number, id: string): undefined {
    const waiting = sending.waiting(org, id)
    const isDoubtful = waiting !== undefined && waiting.mail.attempted_at !== null
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

  async function attempt(
    org: number,
    mailbox: Mailbox,
    mail: Parameters<Client['client']['send']>[0],
    signal: AbortSignal,
  ): Promise<Sent> {
    let client: Client['client']
    try {
      client = clientOf(org, mailbox)
    } catch (error) {
      return { outcome: 'later', error: (error as Error).message } // it has no password yet
    }
    return client.send(mail, signal)
  }

  /** Where an earlier try has ended without anyone knowing how: whether the mail was sent, as far as that can be found out. */
  async function isSettled(org: number, { message, mail }: Waiting, mailbox: Mailbox, signal: AbortSignal) {
    if (mail.attempted_at === null) return false
    if (await wasSent(org, mailbox, mailIdOf(message.id, message.external_id, mailbox), signal)) {
      await write(() => void sending.sent(org, message.id))
      return true
    }
    signal.throwIfAborted() // it was not looked at to the end
    const isOver = mail.unconfirmed_tries + 1 >= MAX_UNCONFIRMED_TRIES
    await write(() => {
      sending.unknown(org, message.id)
      if (isOver) sending.failed(org, message.id, UNCONFIRMED, true)
      return isOver
    })
    return isOver
  }

  /** Whether its copy lies in the folder of what was sent; false also where nobody can look there. */
  async function wasSent(org: number, mailbox: Mailbox, mailId: string, signal: AbortSignal): Promise<boolean> {
    return inFolder(org, mailbox, signal, (folder) => folder.findSent(mailId))
  }

  /** Many servers keep one by themselves; for others the settings say so. */
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
      const folder = await openFolder(mailboxes.imapServer(org, mailbox), trust, signal)
      try {
        return await look(folder)
      } finally {
        await folder.close()
      }
    } catch {
      return false // its receiving side says what is wrong
    }
  }

  function close(): void {
    for (const { client } of clients.values()) client.close()
    clients.clear()
  }

  return { send, giveUp, close }
}
