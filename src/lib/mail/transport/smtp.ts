import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { MINUTE_MS } from '../../time.ts'
import { dial } from './dial.ts'
import { isInternational, noUtf8 } from './envelope.ts'
import { connectionError, placeOf, type SmtpFailure, sentence, smtpError } from './error-messages.ts'
import { causeOf } from './refusals.ts'
import type { MailServer } from './server.ts'
import { BEARER, bearerLogin } from './smtp-bearer.ts'
import { type Outgoing, type Sent, sendOver } from './smtp-mail.ts'
import { type Session, step } from './smtp-step.ts'

/** Per server. Some servers treat more connections as an attack. */
const MAX_CONNECTIONS = 2
const MAX_REPLY_BYTES = 65_536

export type SmtpTimes = { connect_ms: number; greeting_ms: number; answer_ms: number; idle_ms: number; try_ms: number }

const TIMES: SmtpTimes = {
  connect_ms: 15_000,
  greeting_ms: 15_000,
  answer_ms: MINUTE_MS,
  idle_ms: 30_000,
  /** A limit for servers that send just enough to avoid the other timeouts; large mails have more: see `limitOf`. */
  try_ms: 600_000,
}

/** Slower lines are given up: 49 MiB take less than two hours on this one. Silence alone ends a try after `answer_ms`. */
const SLOWEST_BYTES_PER_MS = 8

/** How long one try to send a mail may take. */
export const limitOf = (bytes: number, { try_ms } = TIMES): number => try_ms + Math.ceil(bytes / SLOWEST_BYTES_PER_MS)

/** Sends mails through one server. Connections are kept for reuse; an idle one does not keep the process alive. */
export function smtpClient(server: MailServer, times: SmtpTimes = TIMES) {
  const idle: Session[] = []
  const queue = new Set<() => void>()
  let open = 0
  let isClosed = false

  async function send(mail: Outgoing, signal?: AbortSignal): Promise<Sent> {
    const limit = AbortSignal.any([
      AbortSignal.timeout(limitOf(mail.source.length, times)),
      ...(signal ? [signal] : []),
    ])
    if (open < MAX_CONNECTIONS) open++
    else if (!(await turn(limit))) return { outcome: 'later', error: connectionError(limit.reason, server) }
    try {
      return await sendNow(mail, limit)
    } finally {
      const [next] = queue
      if (next) next()
      else open--
    }
  }

  /** Waits for a free connection; resolves with false if the signal aborts first. */
  function turn(signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const answer = (hasCome: boolean) => {
      queue.delete(come)
      resolve(hasCome)
    }
    const come = () => answer(true)
    const abort = () => answer(false)
    queue.add(come)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    return promise.finally(() => signal.removeEventListener('abort', abort))
  }

  async function sendNow(mail: Outgoing, signal: AbortSignal): Promise<Sent> {
    for (;;) {
      let session: Session
      try {
        session = takeIdle() ?? (await openSession(server, times, signal))
      } catch (error) {
        const isLimit = causeOf(error as SmtpFailure, false) === 'limited'
        return { outcome: isLimit ? 'limited' : 'later', error: smtpError(error, server) }
      }
      if (mail.isWanted?.() === false) {
        keep(session)
        return { outcome: 'withdrawn', error: 'It was not sent: it was no longer wanted.' }
      }
      const unsendable = session.takesUtf8 ? undefined : [mail.from, ...mail.to].find(isInternational)
      if (unsendable !== undefined) {
        keep(session)
        return { outcome: 'refused', error: noUtf8(server, unsendable) }
      }
      const { sent, isStale } = await sendOver(session, mail, server, signal)
      if (sent.outcome === 'sent') keep(session)
      else end(session)
      if (!isStale || signal.aborted) return sent
    }
  }

  function takeIdle(): Session | undefined {
    for (let session = idle.pop(); session; session = idle.pop()) {
      clearTimeout(session.timer)
      if (session.connection.destroyed) continue
      session.socket.ref()
      return session
    }
  }

  function keep(session: Session): void {
    if (isClosed) {
      end(session)
      return
    }
    session.isUsed = true
    session.socket.unref()
    session.timer = setTimeout(() => {
      idle.splice(idle.indexOf(session), 1)
      end(session)
    }, times.idle_ms)
    session.timer.unref()
    idle.push(session)
  }

  /** Closes idle connections at once; busy ones close after their mail. */
  function close(): void {
    isClosed = true
    for (const session of idle.splice(0)) {
      clearTimeout(session.timer)
      end(session)
    }
  }

  return { send, close }
}

/** Returns null if the server can be reached and accepts the login, else one sentence that describes the error. */
export async function checkSmtp(server: MailServer, times: SmtpTimes = TIMES): Promise<string | null> {
  try {
    end(await openSession(server, times, AbortSignal.timeout(times.answer_ms)))
    return null
  } catch (error) {
    return smtpError(error, server)
  }
}

/** Connects, starts TLS if configured, and logs in if there is a user. */
async function openSession(server: MailServer, times: SmtpTimes, signal: AbortSignal): Promise<Session> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const socket = await dial(server, { timeout_ms: times.connect_ms, signal })
  const connection = new Connection({
    host: server.host,
    port: server.port,
    connection: socket,
    secure: server.tls === 'tls',
    secured: server.tls === 'tls',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    connectionTimeout: 2 * times.greeting_ms, // for the greeting and for STARTTLS after it
    greetingTimeout: times.greeting_ms,
    socketTimeout: times.answer_ms,
    socketCloseTimeout: 1000,
    maxResponseSize: MAX_REPLY_BYTES,
    customAuth: { [BEARER]: bearerLogin },
    logger: false,
  })
  connection.on('error', () => {}) // each step handles it; between steps it must not end the process
  const session: Session = { connection, socket, takesUtf8: false, isUsed: false, timer: undefined }
  try {
    await step(session, signal, (done) => connection.connect(done))
    const offers = connection.lastServerResponse || '' // to EHLO
    if (server.tls === 'none') server.onPlain?.(/[ -]STARTTLS\b/im.test(offers))
    session.takesUtf8 = /^250[ -]SMTPUTF8\b/im.test(offers)
    if (server.user !== null) await login(session, server, signal)
    return session
  } catch (error) {
    end(session)
    throw error
  }
}

async function login(session: Session, server: MailServer, signal: AbortSignal): Promise<void> {
  const { connection } = session
  const { user, password, accessToken } = server
  if (!connection.allowsAuth)
    throw sentence(`The server ${placeOf(server)} does not support login, but the settings have the user "${user}".`)
  const pass = accessToken?.text ?? password
  if (!user || !pass) throw sentence(`The login to ${placeOf(server)} needs a user and a password.`)
  const method = accessToken ? { method: BEARER } : {}
  try {
    await step(session, signal, (done) =>
      connection.login(
        { user, pass, credentials: { user, pass }, ...method } as SMTPConnection.AuthenticationType,
        done,
      ),
    )
  } catch (error) {
    if ((error as SmtpFailure).code === 'EAUTH') accessToken?.onRejected()
    throw error
  }
}

/** Sends QUIT without waiting for the reply. */
function end({ connection, socket }: Session): void {
  if (!connection.destroyed) connection.quit()
  connection.close()
  socket.unref()
}
