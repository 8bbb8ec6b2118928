import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The event of a server for each connection that requests can come over. */
export const connected = (server: Server): 'connection' | 'secureConnection' =>
  'setSecureContext' in server ? 'secureConnection' : 'connection'

const carriers = new WeakMap<Server, Map<string, Socket>>()

/** The connection of TCP that a connection of TLS runs over: both have the same two ends. */
export function carrierOf(server: Server): (secure: Socket) => Socket | undefined {
  if (connected(server) === 'connection') return () => undefined
  const open = carriers.get(server) ?? follow(server)
  return (secure) => open.get(endsOf(secure))
}

function follow(server: Server): Map<string, Socket> {
  const open = new Map<string, Socket>()
  carriers.set(server, open)
  server.prependListener('connection', (socket: Socket) => {
    const ends = endsOf(socket)
    open.set(ends, socket)
    socket.once('close', () => {
      if (open.get(ends) === socket) open.delete(ends)
    })
  })
  return open
}

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`
