import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Called once for every connection, with the whole request. */
export type Behaviour = (socket: Socket, request: string) => void

/** A receiver that answers with bytes, so that it can answer wrongly too, and that knows of all its connections. */
export async function startReceiver(
  behaviour: Behaviour,
  { host = '127.0.0.1', tls = undefined as TlsOptions | undefined } = {},
) {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const ends: Promise<unknown>[] = []
  let received = 0

  function accept(socket: Socket): void {
    let request = ''
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      received += chunk.length
      request += chunk
      const [head, body] = request.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head ?? '')?.[1])
      if (body === undefined || Buffer.byteLength(body) < length) return
      requests.push(request)
      behaviour(socket, request)
      request = ''
    })
  }
  const server: Server = tls ? createTlsServer(tls, accept) : createServer(accept)
  // With TLS this is the TCP connection below it.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    ends.push(new Promise((resolve) => socket.once('close', resolve)))
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => undefined)
  server.listen(0, host)
  await once(server, 'listening')

  return {
    port: (server.address() as AddressInfo).port,
    requests,
    connections: () => ends.length,
    received: () => received,
    /** Resolves when the other side has left every connection. */
    left: async () => {
      await Promise.all(ends)
      return sockets.size
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with these bytes and ends. */
export const answer =
  (...lines: string[]): Behaviour =>
  (socket) => {
    socket.end(lines.join('\r\n'))
  }
