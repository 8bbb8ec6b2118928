import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import type { SecureContext } from 'node:tls'
import { domainToASCII } from 'node:url'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import { MINUTE_MS } from '../../lib/time.ts'
import { contextOf, dial } from './dial.ts'
import { connectionError, placeOf, type SmtpFailure, sentence, smtpError, wordsOf } from './error-messages.ts'
import type { MailServer, Trust } from './server.ts'
import { BEARER, bearerLogin } from './smtp-bearer.ts'

export type Sent =
  | { outcome: 'sent'; reply: string }
  | {
      /**
       * Rejected permanently by the server; not sent, retry later; unknown, since the reply did not arrive; or not sent,
       * since it was no longer wanted.
       */
      outcome: 'refused' | 'later' | 'doubtful' | 'withdrawn'
      error: string
    }

export type Envelope = { from: string; to: string[] }

export type Outgoing = Envelope & {
  source: Buffer
  /** Asked when a connection is ready, immediately before the mail begins: until then minutes may pass. */
  isWanted?: () => boolean
}

export type SmtpTimes = { connect_ms: number; greeting_ms: number; answer_ms: number; idle_ms: number; try_ms: number }

const TIMES: SmtpTimes = {
  connect_ms: 15_000,
  greeting_ms: 15_000,
  answer_ms: MINUTE_MS,
  idle_ms: 30_000,
  /** A limit for servers that send just enough to avoid the other timeouts. */
  try_ms: 600_000,
}

/** Per server. Some servers treat more connections as an attack. */
const MAX_CONNECTIONS = 2
const MAX_REPLY_BYTES = 65_536
const CHUNK_BYTES = 65_536

type Session = { connection: SMTPConnection; socket: Socket; isUsed: boolean; timer: NodeJS.Timeout | undefined }

/** Sends mails through one server. Connections are kept for reuse; an idle one does not keep the process alive. */
export function smtpClient(server: MailServer, trust: Trust, times: SmtpTimes = TIMES) {
  const idle: Session[] = []
  const queue = new Set<() => void>()
  let open = 0
  let isClosed = false
  let context: SecureContext | undefined

  async function send(mail: Outgoing, signal?: AbortSignal): Promise<Sent> {
    const limit = AbortSignal.any([AbortSignal.timeout(times.try_ms), ...(signal ? [signal] : [])])
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
        session = takeIdle() ?? (await openSession(server, (context ??= contextOf(trust)), times, signal))
      } catch (error) {
        return { outcome: 'later', error: smtpError(error, server) }
      }
      if (mail.isWanted?.() === false) {
        keep(session)
        return { outcome: 'withdrawn', error: 'It was not sent: it was no longer wanted.' }
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
export async function checkSmtp(server: MailServer, trust: Trust, times: SmtpTimes = TIMES): Promise<string | null> {
  try {
    end(await openSession(server, contextOf(trust), times, AbortSignal.timeout(times.answer_ms)))
    return null
  } catch (error) {
    return smtpError(error, server)
  }
}

/** Connects, starts TLS if configured, and logs in if there is a user. */
async function openSession(
  server: MailServer,
  context: SecureContext | undefined,
  times: SmtpTimes,
  signal: AbortSignal,
): Promise<Session> {
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const socket = await dial(server, { context, timeout_ms: times.connect_ms, signal })
  const connection = new Connection({
    host: server.host,
    port: server.port,
    connection: socket,
    secure: server.tls === 'tls',
    secured: server.tls === 'tls',
    requireTLS: server.tls === 'starttls',
    ignoreTLS: server.tls === 'none',
    tls: context ? { secureContext: context } : {},
    connectionTimeout: 2 * times.greeting_ms, // for the greeting and for STARTTLS after it
    greetingTimeout: times.greeting_ms,
    socketTimeout: times.answer_ms,
    socketCloseTimeout: 1000,
    maxResponseSize: MAX_REPLY_BYTES,
    customAuth: { [BEARER]: bearerLogin },
    logger: false,
  })
  connection.on('error', () => {}) // each step handles it; between steps it must not end the process
  const session: Session = { connection, socket, isUsed: false, timer: undefined }
  try {
    await step(session, signal, (done) => connection.connect(done))
    if (server.tls === 'none') server.onPlain?.(/[ -]STARTTLS\b/im.test(connection.lastServerResponse || ''))
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

/** Runs a callback function; also rejects if the connection ends or the signal aborts first. */
function step<T>(
  { connection, socket }: Session,
  signal: AbortSignal,
  start: (done: (error?: Error | null, result?: T) => void) => void,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const abort = () => {
    reject(signal.reason)
    socket.destroy()
    connection.close()
  }
  // The server's last reply is emitted shortly after the end.
  const gone = () => setImmediate(() => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
  connection.once('error', reject)
  connection.once('end', gone)
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  else start((error, result) => (error ? reject(error) : resolve(result as T)))
  return promise.finally(() => {
    connection.off('error', reject)
    connection.off('end', gone)
    signal.removeEventListener('abort', abort)
  })
}

/** `isStale` is true if a reused connection was gone: the mail has to be sent over another one. */
async function sendOver(
  session: Session,
  { from, to, source }: Envelope & { source: Buffer },
  server: MailServer,
  signal: AbortSignal,
): Promise<{ sent: Sent; isStale: boolean }> {
  const message = reader(source)
  const envelope = { from: asciiDomain(from), to: to.map(asciiDomain), size: source.length }
  try {
    const info = await step<SMTPConnection.SentMessageInfo>(session, signal, (done) =>
      session.connection.send(envelope, message.stream, done),
    )
    return { sent: { outcome: 'sent', reply: replyOf(info, server) }, isStale: false }
  } catch (error) {
    const outcome = outcomeOf(error as SmtpFailure, message.isRead())
    const { responseCode } = error as SmtpFailure
    const isStale = session.isUsed && outcome === 'later' && (!responseCode || responseCode === 421)
    return { sent: { outcome, error: smtpError(error, server) }, isStale }
  }
}

/** Streams the source; `isRead` is false as long as the end-of-mail mark cannot have been sent. */
function reader(source: Buffer) {
  let at = 0
  const stream = new Readable({
    read() {
      this.push(source.subarray(at, (at += CHUNK_BYTES)))
      if (at >= source.length) this.push(null)
    },
  })
  return { stream, isRead: () => at >= source.length }
}

/** Converts the domain to ASCII; the local part stays unchanged. */
function asciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at))
}

function replyOf({ response, rejectedErrors }: SMTPConnection.SentMessageInfo, server: MailServer): string {
  const refused = (rejectedErrors ?? []).map((error) => `not to ${error.recipient}: ${wordsOf(error.response, server)}`)
  return [wordsOf(response, server), ...refused].join('; ')
}

/** Replies about the session, not the mail: commands out of order, and several forms of a missing login. */
const OF_SESSION = new Set([503, 530, 534, 535, 538])

function outcomeOf({ code, command, responseCode = 0, timeoutType }: SmtpFailure, isRead: boolean) {
  if (responseCode >= 500 && responseCode < 600) return OF_SESSION.has(responseCode) ? 'later' : 'refused'
  if (responseCode >= 400 && responseCode < 500) return 'later'
  if (isRead) return 'doubtful'
  // Errors of the library itself: an invalid address, or a mail larger than the server accepts.
  const isOwn = (code === 'EENVELOPE' && command === 'API') || (code === 'EMESSAGE' && command === 'MAIL FROM')
  return isOwn && !timeoutType ? 'refused' : 'later'
}

/** Sends QUIT without waiting for the reply. */
function end({ connection, socket }: Session): void {
  if (!connection.destroyed) connection.quit()
  connection.close()
  socket.unref()
}
