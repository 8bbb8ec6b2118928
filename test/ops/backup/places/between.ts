import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { reset } from '../../../support/reset.ts'

/** Such as "PUT /backups/key?partNumber=1". Each connection has one. */
export type RequestLine = string

export type Rule = {
  /** Called before a request is passed on. */
  before?: (request: RequestLine) => unknown
  /** After how many bytes of a request its connection is cut; undefined for never. */
  cutAfter?: (request: RequestLine) => number | undefined
}

export type Between = Awaited<ReturnType<typeof standBetween>>

/** Stands between a client and a server: it passes bytes on, cuts connections by a rule, and lists the requests. */
export async function standBetween(port: number, certificate?: { key: string; cert: string }) {
  const requests: RequestLine[] = []
  const sockets = new Set<Socket>()
  let rule: Rule = {}

  function pass(client: Socket): void {
    const server = connect(port, '127.0.0.1')
    let left: number | undefined
    let isFirst = true
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          sockets.delete(socket)
          client.destroy()
          server.destroy()
        })
    }
    server.pipe(client)
    client.on('data', async (chunk: Buffer) => {
      client.pause()
      if (isFirst) {
        isFirst = false
        const [line = ''] = chunk.toString('latin1').split(' HTTP/1.1\r\n')
        requests.push(line)
        left = rule.cutAfter?.(line)
        await rule.before?.(line)
      }
      if (left !== undefined && chunk.length >= left) {
        reset(client)
        return
      }
      if (left !== undefined) left -= chunk.length
      server.write(chunk, () => client.resume())
    })
  }

  const listener: Server = certificate ? createTlsServer(certificate, pass) : createServer(pass)
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port: own } = listener.address() as AddressInfo

  return {
    port: own,
    requests,
    /** From now on, until the next call. */
    follow(next: Rule): void {
      rule = next
      requests.length = 0
    },
    stop: () =>
      new Promise((closed) => {
        listener.close(closed)
        for (const socket of sockets) socket.destroy()
      }),
  }
}
