import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { basePathOf, clientOf } from '../../auth/client.ts'
import type { Store } from '../../store/open.ts'

const SESSION = 'dealbox'
const DEVICE = 'dealbox-device'
const MARK_CHARS = 10

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

/**
 * Which installation this is, in the names of what browsers keep for it. A hash, since it is shown; a restored copy and
 * the readers of a primary have the same one.
 */
export const markOf = (installation: string): string => hash('sha256', `browser ${installation}`).slice(0, MARK_CHARS)

/**
 * The port of the address that the browser shows: behind a proxy that of the proxy, so that all servers behind one name
 * share their sessions, whichever ports they listen on.
 */
function portOf(req: IncomingMessage): string {
  const { isEncrypted, host = '' } = clientOf(req)
  return /:(\d+)$/.exec(host)?.[1] ?? (isEncrypted ? '443' : '80')
}

/**
 * Only under TLS: the prefix __Host- promises that no other host and no plain connection has set the cookie. It is for cookies
 * of the whole host; __Secure- promises the second.
 */
const prefixFor = (req: IncomingMessage): string =>
  clientOf(req).isEncrypted ? (basePathOf(req) === '' ? '__Host-' : '__Secure-') : ''

type Server = Pick<Store, 'installation'>

/** The cookie with the secret of a session. */
export const sessionCookie = (server: Server) => cookie(server, SESSION, (req) => `${prefixFor(req)}${SESSION}`)

/** The cookie of a browser in which a member has signed in before, see device.ts. */
export const deviceCookie = (server: Server) => cookie(server, DEVICE, () => DEVICE)

/**
 * A cookie of this server. Browsers send the cookies of a host to all its ports, so that its name says which installation at
 * which port, below which path, has set it: two on one machine would overwrite each other's, and one below a path gets those of
 * the whole host as well. Earlier versions used `oldNameOf`: what that holds counts as long as there is nothing by the name of
 * today. They were never below a path.
 */
function cookie({ installation }: Server, base: string, oldNameOf: (req: IncomingMessage) => string) {
  const mark = markOf(installation)
  const nameOf = (req: IncomingMessage): string => {
    const basePath = basePathOf(req)
    const own = basePath === '' ? mark : markOf(installation + basePath)
    return `${prefixFor(req)}${base}-${own}-${portOf(req)}`
  }
  const own = (req: IncomingMessage): string | undefined => cookieValue(req, nameOf(req))
  const old = (req: IncomingMessage): string | undefined =>
    basePathOf(req) === '' ? cookieValue(req, oldNameOf(req)) : undefined

  return {
    read: (req: IncomingMessage): string | undefined => own(req) ?? old(req),
    /** What is there only by the old name: it may be that of another installation on this host. */
    onlyOld: (req: IncomingMessage): string | undefined => (own(req) === undefined ? old(req) : undefined),
    /** By both names. */
    all: (req: IncomingMessage): string[] => [own(req), old(req)].flatMap((value) => value ?? []),
    /** The header Set-Cookie. Without `maxAgeS` the browser forgets the cookie when it is closed. */
    set: (req: IncomingMessage, value: string, maxAgeS?: number): string => headerOf(req, nameOf(req), value, maxAgeS),
    /** The headers Set-Cookie that remove it: by the old name only if it holds one of `ours`, not that of another server. */
    remove: (req: IncomingMessage, ours: readonly string[]): string[] => {
      const names = [...(ours.includes(old(req) ?? '') ? [oldNameOf(req)] : []), nameOf(req)]
      return names.map((name) => headerOf(req, name, '', 0))
    },
  }
}

/** No script reads the cookie, and no other site sends it along with a write. */
function headerOf(req: IncomingMessage, name: string, value: string, maxAgeS: number | undefined): string {
  const age = maxAgeS === undefined ? '' : `; Max-Age=${maxAgeS}`
  return `${name}=${value}${age}; Path=${basePathOf(req) || '/'}; HttpOnly; SameSite=Lax${clientOf(req).isEncrypted ? '; Secure' : ''}`
}

/** Of several cookies with the name, the first counts. */
export function cookieValue(req: IncomingMessage, name: string): string | undefined {
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
