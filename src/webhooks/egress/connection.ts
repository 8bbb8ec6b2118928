import { once } from 'node:events'
import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { canonical } from '../../lib/net/addresses.ts'
import { type Address, hostNameOf } from '../../lib/net/guard.ts'
import type { OutgoingProxy } from '../../lib/net/proxies.ts'
import { type Way, wayThrough } from '../../lib/net/way.ts'
import { Problem } from '../../lib/problem.ts'

export type ConnectOptions = {
  connect?: (options: TcpNetConnectOpts) => Socket
}

/** How long Node tries an address before the next one; its default of 500 ms is short for a distant, busy host. */
const NEXT_ADDRESS_MS = 1000

export type Destination = {
  url: URL
  /** Those that were checked; without one, only a proxy knows any. */
  addresses: Address[]
  /** The proxy resolves the name itself, so nobody can tell here which address it connects to. */
  proxy: OutgoingProxy | undefined
}

/**
 * Opens a connection to one of the checked addresses and to nothing else, or to the proxy; with TLS for https. Passes every socket to
 * `hold` before it can fail, so that the caller can destroy it. Rejects with the socket's error, or a Problem.
 */
export function connector({ connect = connectTcp }: ConnectOptions) {
  let trusted: SecureContext | undefined

  /** Loading the certificates of all authorities takes far longer than an attempt, so it is done once. */
  function trust(): SecureContext {
    trusted ??= createSecureContext()
    return trusted
  }

  return async ({ url, addresses, proxy }: Destination, hold: (socket: Socket) => void): Promise<Way> => {
    if (proxy) return wayThrough(proxy, url, hold, url.protocol === 'http:' ? undefined : trust())
    const host = hostNameOf(url)
    const isPlain = url.protocol === 'http:'
    const port = Number(url.port) || (isPlain ? 80 : 443)
    const socket = connect({ port, noDelay: true, ...pinned(host, addresses) })
    hold(socket)
    await once(socket, 'connect')
    // Checked again before the first byte: the check is worthless if another address was connected.
    const reached = canonical(socket.remoteAddress ?? '')
    if (!addresses.some(({ address }) => address === reached))
      throw new Problem(
        422,
        'url_not_allowed',
        `The connection reached ${reached}, which is not the address that was checked.`,
      )
    if (isPlain) return { socket, prefix: '', headers: {} }
    const secure = connectTls({
      socket,
      host,
      servername: isIP(host) ? '' : host,
      secureContext: trust(),
      rejectUnauthorized: true,
    })
    hold(secure)
    await once(secure, 'secureConnect')
    return { socket: secure, prefix: '', headers: {} }
  }
}

/** For a name, the lookup returns only the checked addresses; no resolver is asked. */
function pinned(host: string, addresses: Address[]): Omit<TcpNetConnectOpts, 'port'> {
  const [first] = addresses as [Address]
  if (addresses.length === 1) return { host: first.address }
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses)
  return { host, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS }
}
