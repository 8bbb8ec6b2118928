import type { MailServer } from './server.ts'

/** The fields that a Node, SMTP or IMAP error may have. */
export type Failure = Error & {
  code?: string
  /** The code before the library replaced it. */
  originalCode?: string
  /** Which timeout expired. */
  timeoutType?: string
  /** The server's reply. */
  response?: unknown
  errors?: unknown[]
  /** The message can be shown to users unchanged. */
  isSentence?: boolean
}

export type SmtpFailure = Failure & { command?: string; responseCode?: number }

export type ImapFailure = Failure & {
  authenticationFailed?: boolean
  tlsFailed?: boolean
  /** The server's reply without its status and tag. */
  responseText?: string
  /** The reason in the server's BYE. */
  reason?: string
}

/** Returns an error whose message can be shown to users unchanged. */
export const sentence = (message: string): Failure => Object.assign(new Error(message), { isSentence: true })

const MAX_WORDS = 300

export const placeOf = ({ host, port }: MailServer): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

const CLOSED = 'closed the connection'
const TRUST = 'if it is your own, name its file with --ca'
const UNKNOWN_CA = `has a certificate of an authority that is not trusted; ${TRUST}`

/** Ends of sentences by error code; the name of the server comes first. */
const MESSAGES: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ECONNECTION: CLOSED,
  NoConnection: CLOSED,
  EConnectionClosed: CLOSED,
  ClosedAfterConnectTLS: CLOSED,
  ClosedAfterConnectText: CLOSED,
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached because its network cannot',
  EADDRNOTAVAIL: 'cannot be reached because its network cannot',
  ENOTFOUND: 'has a host name that does not exist',
  EAI_AGAIN: 'has a host name that could not be resolved at the moment',
  CONNECT_TIMEOUT: 'cannot be reached: it did not respond in time',
  ETIMEDOUT: 'cannot be reached: it did not respond in time',
  UPGRADE_TIMEOUT: 'did not complete the TLS handshake in time',
  SOCKET_TIMEOUT: 'did not respond in time',
  ETIMEOUT: 'did not respond in time',
  EMFILE: 'was not contacted because this machine has too many files and connections open',
  ENFILE: 'was not contacted because this machine has too many files and connections open',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  CERT_REVOKED: 'has a certificate that was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: `has a certificate that is self-signed and not trusted; ${TRUST}`,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate that is for another name',
  STARTTLS_INJECTION: 'sent data before TLS was established, as an attacker would',
  EPROTOCOL: 'does not respond like a mail server',
  LineTooLarge: 'sent a response that is too long',
  LiteralTooLarge: 'sent a response that is too long',
  ResponseTooLarge: 'sent a response that is too long',
}

/** Describes a connection error as one sentence that names the server. */
export function connectionError(error: unknown, server: MailServer): string {
  const sentence = (end: string) => `The server ${placeOf(server)} ${end}.`
  const failure = error as Failure
  if (failure?.name === 'TimeoutError') return sentence('did not respond in time')
  if (failure?.name === 'AbortError') return `The connection to ${placeOf(server)} was aborted.`
  const code = codeOf(failure)
  if (code === 'GREETING_TIMEOUT')
    return sentence(
      server.tls === 'tls' ? 'sent no greeting in time' : 'sent no greeting in time; it may need "tls": "tls"',
    )
  if (code && Object.hasOwn(MESSAGES, code)) return sentence(MESSAGES[code] as string)
  if (code?.startsWith('ERR_SSL_') || code === 'EPROTO') return sentence(tlsError(code, server))
  if (code?.startsWith('EAI_')) return sentence('has a host name that could not be resolved')
  return sentence(code ? `caused an unexpected connection error (${code})` : 'caused an unexpected connection error')
}

function tlsError(code: string, { tls }: MailServer): string {
  if (code.includes('ALERT')) return 'has no TLS version or cipher in common with this machine'
  if (tls === 'tls') return 'does not use TLS from the start; it may need "tls": "starttls"'
  return 'offered STARTTLS, but does not support TLS'
}

/** If all addresses of a host failed, the error of the first one counts. */
function codeOf(failure: Failure | undefined): string | undefined {
  const first = failure?.errors?.[0] as Failure | undefined
  const code = failure?.timeoutType ?? failure?.originalCode ?? first?.code ?? failure?.code
  return typeof code === 'string' ? code : undefined
}

/** Returns the server's reply on one line, bounded. Credentials that the server repeats are removed. */
export function wordsOf(words: unknown, { user, password, accessToken }: MailServer): string {
  let text = typeof words === 'string' ? words : ''
  for (const secret of secretsOf(user ?? '', accessToken?.text ?? password ?? '')) text = text.replaceAll(secret, '…')
  const joined = text
    .replace(/\r?\n\d{3}[ -](?:\d\.\d+\.\d+ )?/g, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const short = joined.length > MAX_WORDS ? `${joined.slice(0, MAX_WORDS).toWellFormed()}…` : joined
  return short.replace(/[.\s]+$/, '')
}

/** Returns the password or token in every form in which a login sends it, longest first. */
function secretsOf(user: string, password: string): string[] {
  if (password === '') return []
  const bearer = `user=${user}\x01auth=Bearer ${password}\x01\x01`
  const encoded = [bearer, `\0${user}\0${password}`, `${user}\0${user}\0${password}`, password].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  return [...encoded, ...encoded.map((text) => text.replace(/=+$/, '')), password]
}

/**
 * Describes a failed login. Parts of the reply that look like base64 are removed, since they may repeat credentials.
 */
export function loginError(words: unknown, server: MailServer): string {
  const said = wordsOf(words, server).replace(/[A-Za-z0-9+/]{16,}=*/g, '…')
  return `The server ${placeOf(server)} rejected the login of "${server.user}"${said && `: ${said}`}.`
}

const COMMANDS: Record<string, string> = {
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'the mail',
}

/** Describes an SMTP error as one sentence. */
export function smtpError(error: unknown, server: MailServer): string {
  const failure = error as SmtpFailure
  const place = placeOf(server)
  if (failure.isSentence) return failure.message
  if (failure.code === 'EAUTH') return loginError(failure.response, server)
  if (failure.command === 'STARTTLS' && failure.response) return `The server ${place} does not offer STARTTLS.`
  const { response, responseCode = 0, command = '', code } = failure
  const words = wordsOf(response, server)
  const what = COMMANDS[command]
  if (what && responseCode >= 400 && responseCode < 600)
    return `The server ${place} ${responseCode >= 500 ? 'rejected' : 'did not accept'} ${what}${responseCode < 500 ? ' at the moment' : ''}: ${words}.`
  if (responseCode >= 400 && responseCode < 600) return `The server ${place} rejected the connection: ${words}.`
  if (code === 'EMESSAGE' && command === 'MAIL FROM') return `The mail is larger than the server ${place} accepts.`
  if (code === 'EENVELOPE' && command === 'API')
    return `The server ${place} was not contacted because an address is not valid.`
  const isOdd = code === 'EENVELOPE' || code === 'EMESSAGE'
  return connectionError(isOdd ? { code: 'EPROTOCOL' } : failure, server)
}

/** Describes an IMAP error as one sentence. */
export function imapError(error: unknown, server: MailServer): string {
  const failure = error as ImapFailure
  const place = placeOf(server)
  if (failure.isSentence) return failure.message
  if (failure.message === 'Unsupported authentication mechanism')
    return `The server ${place} does not support login with ${server.accessToken ? 'OAuth' : 'a password'}.`
  const response = failure.responseText ?? failure.response
  if (failure.authenticationFailed) return loginError(response ?? failure.message, server)
  if (failure.tlsFailed && !failure.code) return `The server ${place} does not offer STARTTLS.`
  if (failure.reason && MESSAGES[failure.code ?? ''] === CLOSED)
    return `The server ${place} closed the connection: ${wordsOf(failure.reason, server)}.`
  if (response) return `The server ${place} responded with an error: ${wordsOf(response, server)}.`
  return connectionError(failure, server)
}
