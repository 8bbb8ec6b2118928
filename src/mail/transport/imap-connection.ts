import type { ImapFlow } from 'imapflow'
import { contextOf } from './dial.ts'
import { imapError, placeOf, sentence } from './error-messages.ts'
import type { ImapServer, Trust } from './server.ts'

export type ImapTimes = {
  connect_ms: number
  greeting_ms: number
  /** Silence for so long: where an answer is due the connection is gone, and else the server is asked for a sign. */
  quiet_ms: number
  /** Servers, and boxes on the way to them, forget who only waits. */
  idle_ms: number
  /** How often a server is asked that cannot tell by itself. */
  poll_ms: number
  goodbye_ms: number
  check_ms: number
}

export const TIMES: ImapTimes = {
  connect_ms: 15_000,
  greeting_ms: 15_000,
  quiet_ms: 120_000,
  idle_ms: 540_000,
  poll_ms: 60_000,
  goodbye_ms: 1000,
  check_ms: 60_000,
}

/** A mail of 64 MiB, or the numbers of a million mails; whatever is longer ends the connection. */
const MAX_LITERAL_BYTES = 67_108_864
const MAX_LINE_BYTES = 16_777_216

/** `whyGone` is the error that says why the connection has ended. */
export type Connected = { client: ImapFlow; whyGone: () => unknown }

/** Connected, encrypted where it is to be, and logged in; rejects with one sentence. The signal ends it, also later. */
export async function connectImap(
  server: ImapServer,
  trust: Trust,
  signal: AbortSignal | undefined,
  times: ImapTimes,
): Promise<Connected> {
  const { user, password } = server
  if (!user || !password) throw sentence(`The login to ${placeOf(server)} needs a user and a password.`)
  const { ImapFlow } = await import('imapflow')
  const context = contextOf(trust)
  const client: ImapFlow & { byeReason?: string } = new ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.tls === 'tls',
    ...(server.tls !== 'tls' && { doSTARTTLS: server.tls === 'starttls' }),
    tls: context ? { secureContext: context } : {},
    auth: { user, pass: password },
    clientInfo: { name: 'Dealbox', vendor: 'Dealbox', version: '', 'support-url': '' },
    connectionTimeout: times.connect_ms,
    greetingTimeout: times.greeting_ms,
    socketTimeout: times.quiet_ms,
    maxIdleTime: times.idle_ms,
    maxLineLength: MAX_LINE_BYTES,
    maxLiteralSize: MAX_LITERAL_BYTES,
    maxResponseSize: 2 * MAX_LITERAL_BYTES,
    maxLockHoldTime: false,
    disableAutoIdle: true,
    disableAutoEnable: true,
    disableCompression: true,
    logger: false,
  })

  let error: unknown
  client.on('error', (first) => {
    error ??= first // without anyone who listens it would end the process
  })
  const closed = () => Object.assign(new Error('closed'), { code: 'NoConnection', reason: client.byeReason })
  const whyGone = () => (signal?.aborted ? signal.reason : (error ?? closed()))

  const { promise: aborted, reject } = Promise.withResolvers<never>()
  aborted.catch(() => {})
  const abort = () => {
    reject(signal?.reason)
    client.close()
  }
  signal?.addEventListener('abort', abort)
  client.once('close', () => signal?.removeEventListener('abort', abort))
  try {
    signal?.throwIfAborted()
    // Whichever comes first: a connection that is called off may never tell.
    await Promise.race([client.connect(), aborted])
    return { client, whyGone }
  } catch (first) {
    client.close()
    throw sentence(imapError(signal?.aborted ? signal.reason : first, server))
  }
}
