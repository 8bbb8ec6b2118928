import type { ImapFlow } from 'imapflow'
import { MINUTE_MS } from '../../time.ts'
import { type ImapFailure, imapError, placeOf, sentence } from './error-messages.ts'
import type { ImapServer } from './server.ts'

export type ImapTimes = {
  connect_ms: number
  greeting_ms: number
  /** Silence after which a pending command fails; without one, the server is sent a command to test the connection. */
  quiet_ms: number
  /** Servers and firewalls drop connections that idle for longer. */
  idle_ms: number
  /** How often a server without IDLE is polled. */
  poll_ms: number
  goodbye_ms: number
  check_ms: number
}

export const TIMES: ImapTimes = {
  connect_ms: 15_000,
  greeting_ms: 15_000,
  quiet_ms: 120_000,
  idle_ms: 540_000,
  poll_ms: MINUTE_MS,
  goodbye_ms: 1000,
  check_ms: MINUTE_MS,
}

/** Enough for a mail of 64 MiB or the uids of a million mails; longer responses end the connection. */
const MAX_LITERAL_BYTES = 67_108_864
const MAX_LINE_BYTES = 16_777_216

type Client = ImapFlow & { byeReason?: string; authenticate?: () => Promise<unknown> }

/** `whyGone` returns the error that ended the connection. */
export type Connected = { client: ImapFlow; whyGone: () => unknown }

/**
 * Connects, starts TLS if configured, and logs in; rejects with one sentence. The signal also ends the connection
 * later.
 */
export async function connectImap(
  server: ImapServer,
  signal: AbortSignal | undefined,
  times: ImapTimes,
): Promise<Connected> {
  const { user, password, accessToken } = server
  if (!user || !(accessToken?.text || password))
    throw sentence(`The login to ${placeOf(server)} needs a user and a password.`)
  const { ImapFlow } = await import('imapflow')
  const client: Client = new ImapFlow({
    host: server.host,
    port: server.port,
    secure: server.tls === 'tls',
    ...(server.tls !== 'tls' && { doSTARTTLS: server.tls === 'starttls' }),
    auth: accessToken ? { user, accessToken: accessToken.text } : { user, pass: password ?? '' },
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

  // A login replaces the capabilities by others, without STARTTLS.
  const { authenticate } = client
  client.authenticate = () => {
    if (server.tls === 'none') server.onPlain?.(client.capabilities.has('STARTTLS'))
    return authenticate?.call(client) ?? Promise.reject(new Error('the library has no authenticate'))
  }

  let error: unknown
  client.on('error', (first) => {
    error ??= first // an 'error' event without a listener would end the process
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
    // connect() may never settle after the client is closed.
    await Promise.race([client.connect(), aborted])
    return { client, whyGone }
  } catch (first) {
    client.close()
    if ((first as ImapFailure).authenticationFailed) accessToken?.onRejected()
    throw sentence(imapError(signal?.aborted ? signal.reason : first, server))
  }
}
