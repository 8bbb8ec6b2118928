import { parseListen, usage } from '../config.ts'
import { hostOf, isEverywhere, isLoopback, originForOthers } from '../screens/sessions/hosts.ts'
import type { Store } from '../store/open.ts'
import { publicUrls } from '../store/orgs.ts'

/** The option of commands that print a link into the browser app. */
export const screensListen = {
  type: 'string',
  placeholder: 'HOST:PORT',
  default: '127.0.0.1:8081',
  help: 'address of the screens listener, for the link',
} as const

/** Where others open the screens that listen at an address, as far as this machine knows. Throws a usage Problem. */
export function screensOrigin({ db }: Pick<Store, 'db'>, listen: string): string {
  const address = parseListen(listen)
  if (!address) throw usage('--screens-listen is off, so nobody can open a link.')
  const { host, port } = address
  const shown = isEverywhere(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  return originForOthers(`http://${shown}:${port}`, host, publicUrls(db)())
}

/** Whether only browsers on this machine can open the link. */
export const isLocal = (url: string): boolean => isLoopback(hostOf(new URL(url).host) ?? '')

export const LOCAL_NOTE =
  'Only browsers on this machine can open it: listen on an address of the network with --screens-listen, or set org.public_base_url in the settings.'
