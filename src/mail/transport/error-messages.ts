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

/** Ends of sentences by error code; the name of the server comes first. */
const TROUBLES: Record<string, string> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  ECONNECTION: CLOSED,
  NoConnection: CLOSED,
  EConnectionClosed: CLOSED,
  ClosedAfterConnectTLS: CLOSED,
  ClosedAfterConnectText: CLOSED,
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached, since its network cannot',
  EADDRNOTAVAIL: 'cannot be reached, since its network cannot',
  ENOTFOUND: 'has a name that is not known',
  EAI_AGAIN: 'has a name that could not be looked up at the moment',
  CONNECT_TIMEOUT: 'cannot be reached: nothing answered in time',
  ETIMEDOUT: 'cannot be reached: nothing answered in time',
  UPGRADE_TIMEOUT: 'did not come to an agreement over TLS in time',
  SOCKET_TIMEOUT: 'did not answer in time',
  ETIMEOUT: 'did not answer in time',
  EMFILE: 'was not asked, since this machine has too many files and connections open',
  ENFILE: 'was not asked, since this machine has too many files and connections open',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet',
  CERT_REVOKED: 'has a certificate that was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that is self-signed and not among those that are trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'has a certificate of an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate of an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate of an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate that is for another name',
  STARTTLS_INJECTION: 'sent something in between when TLS was to begin, as an attacker would',
  EPROTOCOL: 'does not answer as a server for mail does',
  LineTooLarge: 'answered with more than is read',
  LiteralTooLarge: 'answered with more than is read',
  ResponseTooLarge: 'answered with more than is read',
}

/** Describes a connection error as one sentence that names the server. */
export function connectionError(error: unknown, server: MailServer): string {
  const sentence = (end: string) => `The server ${placeOf(server)} ${end}.`
  const failure = error as Failure
  if (failure?.name === 'TimeoutError') return sentence('did not answer in time')
  if (failure?.name === 'AbortError') return `The talk with ${placeOf(server)} was broken off.`
  const code = codeOf(failure)
  if (code === 'GREETING_TIMEOUT')
    return sentence(
      server.tls === 'tls' ? 'sent no greeting in time' : 'sent no greeting in time; it may want TLS from the start',
    )
  if (code && Object.hasOwn(TROUBLES, code)) return sentence(TROUBLES[code] as string)
  if (code?.startsWith('ERR_SSL_') || code === 'EPROTO') return sentence(tlsError(code, server))
  if (code?.startsWith('EAI_')) return sentence('has a name that could not be looked up')
  return sentence(code ? `could not be talked to (${code})` : 'could not be talked to')
}

function tlsError(code: string, { tls }: MailServer): string {
  if (code.includes('ALERT')) return 'has no version of TLS or no cipher in common with this machine'
  if (tls === 'tls') return 'does not speak TLS from the start; it may want STARTTLS'
  return 'offered STARTTLS, but does not speak TLS'
}

/** If all addresses of a host failed, the error of the first one counts. */
function codeOf(failure: Failure | undefined): string | undefined {
  const first = failure?.errors?.[0] as Failure | undefined
  const code = failure?.timeoutType ?? failure?.originalCode ?? first?.code ?? failure?.code
  return typeof code === 'string' ? code : undefined
}

/** Returns the server's reply on one line, bounded. Credentials that the server repeats are removed. */
export function wordsOf(words: unknown, { user, password }: MailServer): string {
  let text = typeof words === 'string' ? words : ''
  for (const secret of secretsOf(user ?? '', password ?? '')) text = text.replaceAll(secret, '…')
  const joined = text
    .replace(/\r?\n\d{3}[ -](?:\d\.\d+\.\d+ )?/g, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const short = joined.length > MAX_WORDS ? `${joined.slice(0, MAX_WORDS).toWellFormed()}…` : joined
  return short.replace(/[.\s]+$/, '')
}

/** Returns the password in every form in which a login sends it, longest first. */
function secretsOf(user: string, password: string): string[] {
  if (password === '') return []
  const encoded = [`\0${user}\0${password}`, `${user}\0${user}\0${password}`, password].map((text) =>
    Buffer.from(text).toString('base64'),
  )
  return [...encoded, ...encoded.map((text) => text.replace(/=+$/, '')), password]
}

/**
 * Describes a failed login. Parts of the reply that look like base64 are removed, since they may repeat credentials.
 */
export function loginError(words: unknown, server: MailServer): string {
  const said = wordsOf(words, server).replace(/[A-Za-z0-9+/]{16,}=*/g, '…')
  return `The server ${placeOf(server)} refused the login of "${server.user}"${said && `: ${said}`}.`
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
    return `The server ${place} ${responseCode >= 500 ? 'refused' : 'did not take'} ${what}${responseCode < 500 ? ' at the moment' : ''}: ${words}.`
  if (responseCode >= 400 && responseCode < 600) return `The server ${place} turned the connection away: ${words}.`
  if (code === 'EMESSAGE' && command === 'MAIL FROM') return `The mail is larger than the server ${place} takes.`
  if (code === 'EENVELOPE' && command === 'API') return `The server ${place} was not asked: an address is not valid.`
  const isOdd = code === 'EENVELOPE' || code === 'EMESSAGE'
  return connectionError(isOdd ? { code: 'EPROTOCOL' } : failure, server)
}

/** Describes an IMAP error as one sentence. */
export function imapError(error: unknown, server: MailServer): string {
  const failure = error as ImapFailure
  const place = placeOf(server)
  if (failure.isSentence) return failure.message
  const response = failure.responseText ?? failure.response
  if (failure.authenticationFailed) return loginError(response ?? failure.message, server)
  if (failure.tlsFailed && !failure.code) return `The server ${place} does not offer STARTTLS.`
  if (failure.reason && TROUBLES[failure.code ?? ''] === CLOSED)
    return `The server ${place} closed the connection: ${wordsOf(failure.reason, server)}.`
  if (response) return `The server ${place} answered with an error: ${wordsOf(response, server)}.`
  return connectionError(failure, server)
}
