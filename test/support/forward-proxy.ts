import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** What was asked of the proxy: `CONNECT host:port`, or a method and a whole URL. */
export type AskedProxy = { line: string; headers: IncomingHttpHeaders }

type Options = {
  /** Where names lead that nobody else knows, as `name:port`. */
  hosts?: Record<string, number>
  /** Proxy-Authorization has to be this. */
  login?: string
  /** What it answers instead; `never` leaves the client waiting. */
  instead?: number | 'never' | 'noise'
  tls?: { key: string; cert: string }
}

/** A proxy as companies have one: CONNECT for https, and whole URLs for http. */
export async function startForwardProxy({ hosts = {}, login, instead, tls }: Options = {}) {
  const asked: AskedProxy[] = []
  const sockets = new Set<Socket>()
  const ends: Promise<unknown>[] = []
  const server = tls ? createSecureServer(tls) : createServer()
  const noted = new EventEmitter()
  let refusal = instead

  function note(line: string, { headers }: IncomingMessage): void {
    asked.push({ line, headers })
    noted.emit('asked')
  }

  const statusFor = (headers: IncomingHttpHeaders): number | 'never' | 'noise' | undefined =>
    login !== undefined && headers['proxy-authorization'] !== login ? 407 : refusal

  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    ends.push(new Promise((resolve) => socket.once('close', resolve)))
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  })
  server.on('connect', (req: IncomingMessage, client: Socket, head: Buffer) => {
    client.on('error', () => undefined)
    note(`CONNECT ${req.url}`, req)
    const status = statusFor(req.headers)
    const port = hosts[req.url as string]
    if (status !== undefined || port === undefined) client.resume().once('end', () => client.end()) // it may go
    if (status === 'never') return
    if (status === 'noise') return void client.end('SSH-2.0-OpenSSH_9.2\r\n')
    if (status !== undefined || port === undefined)
      return void client.end(`HTTP/1.1 ${status ?? 502} Refused\r\nContent-Length: 0\r\n\r\n`)
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.write(head)
      target.pipe(client).pipe(target)
    })
    target.on('error', () => undefined).once('close', () => client.destroy())
    client.once('close', () => target.destroy())
  })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    note(`${req.method} ${req.url}`, req)
    const status = statusFor(req.headers)
    if (typeof status === 'number') return void res.writeHead(status).end()
    const { host, pathname, search } = new URL(req.url as string)
    const { 'proxy-authorization': _, ...headers } = req.headers
    const at = { host: '127.0.0.1', port: hosts[host.includes(':') ? host : `${host}:80`], agent: false }
    const passed = request({ ...at, method: req.method, path: pathname + search, headers }, (answer) => {
      res.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(res)
    })
    passed.on('error', () => res.writeHead(502).end())
    req.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** Resolves when it was asked so often. */
    came: async (count: number): Promise<void> => {
      while (asked.length < count) await once(noted, 'asked')
    },
    lines: () => asked.map(({ line }) => line),
    /** From now on; undefined passes everything. */
    answer: (next: Options['instead']) => {
      refusal = next
    },
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
