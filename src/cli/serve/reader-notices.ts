import { hostname } from 'node:os'
import { addressOfScreens, isLocal } from '../../http/listener/screens-url.ts'
import type { Log } from '../../lib/log.ts'
import { byUrl } from '../../ops/monitoring/notify/by-url.ts'
import { type Judge, type Notifier, startNotifier } from '../../ops/monitoring/notify/notifier.ts'
import type { Ways } from '../../ops/monitoring/notify/operation.ts'
import type { NamedServer } from '../../ops/monitoring/notify/words.ts'
import type { Store } from '../../store/open.ts'
import type { Notify } from './notify-options.ts'

export type Server = {
  store: Pick<Store, 'db' | 'clock'>
  log: Log
  dataDir: string
  judge: Judge
  notify: Notify
  /** The names of the server, as --host has them, and the address of its screens once they listen. */
  host?: string | undefined
  screensUrl: () => string | undefined
}

/** A reader writes nothing to the database, and its primary has the mailboxes: it calls the URL. */
export function startReaderNotices(server: Server): Notifier {
  const { url } = server.notify
  return startNotifier({ ...server, clock: server.store.clock, channels: url ? [byUrl(url, placeOf(server))] : [] })
}

/** The ways in which owners get notices, as the screens show them. */
export const waysOf = ({ mail, url }: Notify, isPaused: boolean): Ways => ({
  mail: isPaused ? 'paused' : mail === null ? 'off' : mail === 'owners' ? 'owners' : 'addresses',
  url: url === undefined ? 'off' : isPaused ? 'paused' : 'on',
  url_host: url === undefined ? null : new URL(url.url).host,
})

/** What the server is called, and where its screens are. */
export function placeOf({ store, host, screensUrl }: Pick<Server, 'store' | 'host' | 'screensUrl'>): () => NamedServer {
  return () => {
    const url = screensUrl()
    const address = url === undefined ? undefined : addressOfScreens(store, { host, url })
    if (address === undefined || isLocal(address)) return { name: hostname(), link: undefined }
    const { host: name, href: link } = new URL(`${address}/settings/operation`)
    return { name, link }
  }
}
