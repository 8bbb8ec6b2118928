import { Problem } from '../problem.ts'

/** Complete sentences by error code. */
const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response was complete.',
  EPIPE: 'The connection was closed before the response was complete.',
  ETIMEDOUT: 'The host cannot be reached.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  EADDRNOTAVAIL: 'The network of the host cannot be reached.',
  EMFILE: 'This server has too many files and connections open.',
  ENFILE: 'This server has too many files and connections open.',
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be resolved at the moment.',
  EPROTO: 'The host does not use TLS on this port.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  CERT_REVOKED: 'The certificate was revoked.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is signed by an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT: 'The certificate is signed by an authority that is not trusted.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is signed by an authority that is not trusted.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is signed by an authority that is not trusted.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too long.',
}

/** Describes a failed attempt as a sentence for the list of deliveries. */
export function failureOf(error: unknown): string {
  if (error instanceof Problem || (error as { isSentence?: true })?.isSentence) return (error as Error).message
  const code = codeOf(error)
  if (code === undefined) return 'The attempt failed.'
  if (Object.hasOwn(SENTENCES, code)) return SENTENCES[code] as string
  if (code.startsWith('HPE_')) return 'The response is not valid HTTP.'
  if (code.startsWith('EAI_')) return 'The host name could not be resolved.'
  if (code.startsWith('ERR_SSL_')) return 'The host does not use TLS on this port.'
  return `The attempt failed (${code}).`
}

/** If all addresses of a host failed, the error of the first one counts. */
function codeOf(error: unknown): string | undefined {
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code = (first as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}
