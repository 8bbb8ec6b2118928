import { once } from 'node:events'
import { connect as connectTcp, isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, createSecureContext, type SecureContext } from 'node:tls'
import { Problem } from '../../lib/problem.ts'
import { canonical } from './addresses.ts'
import { type Address, hostNameOf } from './guard.ts'

export type ConnectOptions = {
  /** Certificates to trust in place of the usual ones, as PEM. */
  ca?: string
  connect?: (options: TcpNetConnectOpts) => Socket
}

/** Node leaves an address for the next one after this; its own 500 ms are short for a host that is far and busy. */
const NEXT_ADDRESS_MS = 1000

/**
 * Opens a connection to one of the checked addresses and to nothing else, with TLS for https. Every socket is held
 * before it can fail, so that the holder can end it. Rejects with the error of the socket, or a Problem.
 */
export function connector({ ca, connect = connectTcp }: ConnectOptions) {
  let trusted: SecureContext | undefined

  /** Reading the certificates of all authorities takes far longer than a try: once is enough. */
  function trust(): SecureContext {
    trusted ??= createSecureContext(ca === undefined ? {} : { ca })
    return trusted
  }

  return async (url: URL, addresses: Address[], hold: (socket: Socket) => void): Promise<Socket> => {
    const host = hostNameOf(url)
    const isPlain = url.protocol === 'http:'
    const port = Number(url.port) || (isPlain ? 80 : 443)
    const socket = connect({ port, noDelay: true, ...pinned(host, addresses) })
    hold(socket)
    await once(socket, 'connect')
    // Checked again, and before the first byte: what was checked is worth nothing if another was connected.
    const reached = canonical(socket.remoteAddress ?? '')
    if (!addresses.some(({ address }) => address === reached))
      throw new Problem(422, 'url_not_allowed', `The connection went to ${reached}, which is not what was checked.`)
    if (isPlain) return socket
    const secure = connectTls({
      socket,
      host,
      servername: isIP(host) ? '' : host,
      secureContext: trust(),
      rejectUnauthorized: true,
    })
    hold(secure)
    await once(secure, 'secureConnect')
    return secure
  }
}

/** Of a name, only what was checked is offered; net asks nobody else. */
function pinned(host: string, addresses: Address[]): Omit<TcpNetConnectOpts, 'port'> {
  const [first] = addresses as [Address]
  if (addresses.length === 1) return { host: first.address }
  const lookup: LookupFunction = (_host, _options, done) => done(null, addresses)
  return { host, lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS }
}
