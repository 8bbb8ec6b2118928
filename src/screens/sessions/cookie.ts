import type { IncomingMessage } from 'node:http'

const NAME = 'dealbox'
const MAX_AGE_S = 30 * 24 * 3600

/**
 * Whether the browser's connection is encrypted: a proxy says so, since this listener has no TLS of its own. Anybody may send
 * the header, and would change nothing but the answer to themselves.
 */
const isEncrypted = ({ headers }: IncomingMessage): boolean => headers['x-forwarded-proto'] === 'https'

/** Only under TLS: the prefix __Host- promises that no other host and no plain connection has set the cookie. */
const nameFor = (req: IncomingMessage): string => (isEncrypted(req) ? `__Host-${NAME}` : NAME)

/** The address that the browser shows, without a path. */
export const ownOrigin = (req: IncomingMessage): string =>
  `${isEncrypted(req) ? 'https' : 'http'}://${req.headers.host ?? ''}`

/** The secret of the session, or undefined. */
export const readCookie = (req: IncomingMessage): string | undefined => cookieValue(req, nameFor(req))

/** Of several cookies with the name, the first counts. */
export function cookieValue(req: IncomingMessage, name: string): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}

/** The header Set-Cookie of a new session. Unless it `stays`, the browser forgets it when it is closed. */
export const cookieOf = (req: IncomingMessage, secret: string, stays: boolean): string =>
  `${nameFor(req)}=${secret}${stays ? `; Max-Age=${MAX_AGE_S}` : ''}${attributes(req)}`

/** The header Set-Cookie that removes the cookie. */
export const noCookie = (req: IncomingMessage): string => `${nameFor(req)}=; Max-Age=0${attributes(req)}`

/** No script reads the cookie, and no other site sends it along with a write. */
export const attributes = (req: IncomingMessage): string =>
  `; Path=/; HttpOnly; SameSite=Lax${isEncrypted(req) ? '; Secure' : ''}`
