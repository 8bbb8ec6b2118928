import type { IncomingMessage } from 'node:http'
import { clientOf } from '../../auth/client.ts'

const NAME = 'dealbox'
const MAX_AGE_S = 30 * 24 * 3600

/** Only under TLS: the prefix __Host- promises that no other host and no plain connection has set the cookie. */
const nameFor = (req: IncomingMessage): string => (clientOf(req).isEncrypted ? `__Host-${NAME}` : NAME)

/** The address by which a request arrived, without a path. A proxy may have dropped the port of it, or the TLS. */
export function arrivedAt(req: IncomingMessage): string {
  const { isEncrypted, host = '' } = clientOf(req)
  return `${isEncrypted ? 'https' : 'http'}://${host}`
}

/**
 * The address that the browser shows, without a path. With a write, which was checked before, the browser says it: then
 * port and scheme are right whatever a proxy makes of them.
 */
export function ownOrigin(req: IncomingMessage): string {
  const arrived = arrivedAt(req)
  const [shown, own] = [URL.parse(req.headers.origin ?? ''), URL.parse(arrived)]
  return shown !== null && shown.hostname === own?.hostname ? shown.origin : arrived
}

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
  `; Path=/; HttpOnly; SameSite=Lax${clientOf(req).isEncrypted ? '; Secure' : ''}`
