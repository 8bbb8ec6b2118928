import { parseListen, usage } from '../config.ts'
import { LOCAL_URL } from '../http/server.ts'
import { hostOf, isEverywhere, isLoopback, originForOthers, parseHosts } from '../screens/sessions/hosts.ts'
import type { Store } from '../store/open.ts'
import { publicUrls } from '../store/orgs.ts'
import { host, tlsCert } from './front.ts'

/** The options of commands that print a link into the browser app: those that the server was started with. */
export const linkOptions = {
  screensListen: {
    type: 'string',
    placeholder: 'HOST:PORT',
    default: '127.0.0.1:8081',
    help: 'address of the screens listener, for the link',
  },
  host: { ...host, help: 'names of the server, for the link' },
  tlsCert: { ...tlsCert, help: 'certificate of the server, if it has one, for the link' },
} as const

/** Where the screens listen, and what clients call the server. */
type Screens = { host?: string | undefined; url: string }

/** The URL of a listener by its options. Throws a usage Problem. */
export function listenerUrl(listen: string, certificate: string | undefined): string {
  const address = parseListen(listen)
  if (!address) throw usage('--screens-listen is off, so nobody can open a link.')
  if (address.path !== undefined) return LOCAL_URL
  const { host, port } = address
  return `${certificate === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Where others open the screens, as far as this machine knows. Throws a usage Problem. */
export function screensOrigin({ db }: Pick<Store, 'db'>, { host: names = '', url }: Screens): string {
  const { protocol, hostname, port } = new URL(url)
  const listen = hostname.replace(/^\[|\]$/g, '')
  const [name] = parseHosts(names)
  // A proxy on this machine is in front of a listener that nobody else reaches, and has the name and the certificate.
  if (protocol === 'http:' && isLoopback(listen) && name && !isLoopback(name))
    return originForOthers(`https://${name}`, listen, publicUrls(db)())
  // A certificate is for a name. Without one the name may be that of a proxy, which has another port.
  const shown = protocol === 'https:' && name ? name : isEverywhere(listen) ? '127.0.0.1' : hostname
  return originForOthers(`${protocol}//${shown}${port === '' ? '' : `:${port}`}`, listen, publicUrls(db)())
}

/** Whether only browsers on this machine can open the link. */
export const isLocal = (url: string): boolean => isUnix(url) || isLoopback(hostOf(new URL(url).host) ?? '')

export const isUnix = (listen: string): boolean => listen.startsWith('unix:')

/** What to do with a link that is local. */
export const localNote = (listen: string): string => (isUnix(listen) ? SOCKET_NOTE : LOCAL_NOTE)

export const SOCKET_NOTE =
  'Browsers cannot open a Unix socket: put the address of your proxy in the place of http://localhost, or name it with --host or as org.public_base_url in the settings.'

const LOCAL_NOTE =
  'Only browsers on this machine can open it: listen on an address of the network with --screens-listen, or set org.public_base_url in the settings.'
