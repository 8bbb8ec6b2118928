import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noProxies, notePeer, trustedProxies } from '../../src/auth/client.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { passOn } from '../../src/http/forward.ts'
import type { Reader } from '../../src/http/reader.ts'
import { startScreens } from './screens.ts'
import { startServer } from './server.ts'

/** What a primary has seen of a request. */
export type Seen = {
  method: string
  url: string
  body: string
  headers: NodeJS.Dict<string | string[]>
  /** In the order in which they came, by names in lower case. */
  raw: [string, string][]
  trailers: NodeJS.Dict<string>
}

/**
 * A primary that takes down each whole request, byte for byte as Latin-1, and what is none. It answers with the number of
 * the request, once all of it is there.
 */
export async function recordingPrimary() {
  const seen: Seen[] = []
  const broken: string[] = []
  const server = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray().catch(() => [])).toString('latin1')
    if (!req.complete) return
    const raw = req.rawHeaders.flatMap((name, at, all): [string, string][] =>
      at % 2 === 0 ? [[name.toLowerCase(), all[at + 1] as string]] : [],
    )
    const { method, url, headers, trailers } = req
    const n = seen.push({ method: method as string, url: url as string, body, headers, raw, trailers })
    res
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify({ n, who: headers.authorization ?? null, cookie: headers.cookie ?? null }))
  })
  server.maxHeadersCount = 0
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // A reader leaves half a request when its client does.
    if (!['ECONNRESET', 'HPE_INVALID_EOF_STATE'].includes(error.code ?? '')) broken.push(String(error))
    socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    /** Takes what was seen since the last call. */
    take: (): { seen: Seen[]; broken: string[] } => ({ seen: seen.splice(0), broken: broken.splice(0) }),
    stop: () => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    },
  }
}

/** A reader whose copy is a store of a test, and that passes writes on to `primary`. */
export async function passingReader(
  primary: string,
  { trust = 'off', ...more }: Partial<Parameters<typeof passOn>[0]> & { trust?: string } = {},
) {
  const shared = more.bodies ?? bodies()
  const { pass, stop } = passOn({ primary, bodies: shared, ...more })
  const reader: Reader = { readable: () => undefined, lagMs: () => undefined, pass }
  const proxies = trustedProxies(trust, () => undefined)
  const server = await startServer({ reader, bodies: shared, proxies })
  const screens = await startScreens(server, { reader, proxies, hosts: ['x', 'api.crm.example.com'] })
  return {
    url: server.url,
    screens: screens.url,
    stop: async () => {
      await screens.stop()
      await server.stop()
      stop()
    },
  }
}

/** Passing on without what a reader refuses before it: nothing but Node reads the requests. */
export async function passingAlone(primary: string) {
  const { pass, stop } = passOn({ primary, bodies: bodies() })
  const server = createServer((req, res) => {
    pass(req, res, { id: 'alone', isKnown: true }).catch(({ status }: { status: number }) =>
      res.writeHead(status).end(),
    )
  })
  server.on('connection', (socket) => notePeer(socket, noProxies))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      stop()
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    },
  }
}
