import { parseListen } from '../../command/config/options.ts'
import { usage } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { publicUrls } from '../../store/orgs/orgs.ts'
import { parseBasePath } from '../base-path.ts'
import { basePath, host, tlsCert } from './front.ts'
import { addressForOthers, hostOf, isEverywhere, isLoopback, parseHosts } from './hosts.ts'
import { LOCAL_URL } from './server.ts'

/** The options of commands that print a link into the browser app: those that the server was started with. */
export const linkOptions = {
  screensListen: {
    type: 'string',
    placeholder: 'HOST:PORT',
    default: '127.0.0.1:8081',
    help: 'address of the screens listener, for the link',
  },
  host: { ...host, help: 'names of the server, for the link' },
  basePath: { ...basePath, help: 'path below which the server is, such as /crm, for the link' },
  tlsCert: { ...tlsCert, help: 'certificate of the server, if it has one, for the link' },
} as const

/** Where the screens listen, and what clients call the server. */
type Screens = { host?: string | undefined; url: string }

type ListenerOptions = { listen: string; tlsCert: string | undefined; basePath: string }

/** The URL of a listener by its options, with the base path. Throws a usage Problem. */
export function listenerUrl({ listen, tlsCert: certificate, basePath: path }: ListenerOptions): string {
  const basePath = parseBasePath(path)
  const address = parseListen(listen)
  if (!address) throw usage('--screens-listen is off, so nobody can open a link.')
  if (address.path !== undefined) return LOCAL_URL + basePath
  const { host, port } = address
  return `${certificate === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}${basePath}`
}

/** Where others open the screens, as far as this machine knows: with the base path that `url` has. Throws a usage Problem. */
export function addressOfScreens({ db }: Pick<Store, 'db'>, { host: names = '', url }: Screens): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const basePath = pathname.replace(/\/$/, '')
  const listen = hostname.replace(/^\[|\]$/g, '')
  const [name] = parseHosts(names)
  // A proxy on this machine is in front of a listener that nobody else reaches, and has the name and the certificate.
  if (protocol === 'http:' && isLoopback(listen) && name && !isLoopback(name))
    return addressForOthers(`https://${name}${basePath}`, listen, publicUrls(db)())
  // A certificate is for a name. Without one the name may be that of a proxy, which has another port.
  const shown = protocol === 'https:' && name ? name : isEverywhere(listen) ? '127.0.0.1' : hostname
  return addressForOthers(`${protocol}//${shown}${port === '' ? '' : `:${port}`}${basePath}`, listen, publicUrls(db)())
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
