import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { bodies } from '../../../src/http/body/bodies.ts'
import { backlog } from '../../../src/http/listener/backlog.ts'
import { serveConnections } from '../../../src/http/listener/connection.ts'
import { fairReading, parseInTurns } from '../../../src/http/listener/reading.ts'
import { sendAll } from '../../support/raw.ts'
import { startServer } from '../../support/server.ts'

const GET = 'GET /x HTTP/1.1\r\n\r\n'
const SLICE = 4096
const turn = () => new Promise(setImmediate)

/** A server that never answers, the requests of each turn by connection, and a clock that advances when it is read. */
async function reading(t: TestContext) {
  const server = createServer({ requireHostHeader: false })
  const sockets: Socket[] = []
  const turns: number[][] = []
  let now = 0
  let isNoted = false
  server.on('connection', (socket: Socket) => sockets.push(socket))
  fairReading(server, () => now++)
  server.on('request', ({ socket }) => {
    if (!isNoted) {
      isNoted = true
      turns.push([])
      setImmediate(() => {
        isNoted = false
      })
    }
    turns.at(-1)?.push(sockets.indexOf(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  async function open(): Promise<{ client: Socket; socket: Socket }> {
    const client = connect(port, '127.0.0.1')
    client.on('error', () => undefined)
    t.after(() => client.destroy())
    await once(client, 'connect')
    const own = () => sockets.find(({ remotePort }) => remotePort === client.localPort)
    while (!own()) await turn()
    return { client, socket: own() as Socket }
  }

  async function requests(count: number): Promise<number[][]> {
    while (turns.flat().length < count) await turn()
    return turns.splice(0)
  }

  const pass = (ms: number): void => {
    now += ms
  }
  return { server, open, requests, pass }
}

const COUNT = 2000
const IN_SLICE = Math.ceil(SLICE / GET.length)

describe('tiny requests', () => {
  test('are parsed a slice of each connection at a time, and some slices in a turn', async (t) => {
    const { open, requests } = await reading(t)
    const connections = await Promise.all(Array.from({ length: 6 }, open))
    parseInTurns((connections[0] as { socket: Socket }).socket)
    for (const { client } of connections) client.write(GET.repeat(COUNT))
    const turns = await requests(6 * COUNT)
    const longest = Math.max(...turns.map(({ length }) => length))
    assert.ok(longest <= 5 * IN_SLICE, `${longest} requests in a turn`)
    const half = turns.flat().slice(0, 3 * COUNT)
    for (let connection = 0; connection < 6; connection++) {
      const own = half.filter((one) => one === connection).length
      assert.ok(own >= COUNT / 4, `${own} of the first half`)
    }
  })

  test('are parsed whole by node as long as nobody sends many', async (t) => {
    const { open, requests } = await reading(t)
    const { client } = await open()
    client.write(GET.repeat(COUNT))
    assert.deepEqual(
      (await requests(COUNT)).map(({ length }) => length),
      [COUNT],
    )
  })

  test('of a new connection are parsed in turns for a minute', async (t) => {
    const { open, requests, pass } = await reading(t)
    const first = await open()
    parseInTurns(first.socket)
    pass(50_000)
    const within = await open()
    within.client.write(GET.repeat(COUNT))
    assert.ok((await requests(COUNT)).length > 1)
    pass(10_000)
    const after = await open()
    after.client.write(GET.repeat(COUNT))
    assert.equal((await requests(COUNT)).length, 1)
  })
})

describe('requests that wait', () => {
  async function waiting(t: TestContext) {
    const held: ServerResponse[] = []
    const sockets: Socket[] = []
    const server = createServer({ requireHostHeader: false })
    server.on('connection', (socket: Socket) => sockets.push(socket))
    serveConnections(server, (_req, res) => held.push(res), backlog(1e9))
    let parsed = 0
    let most = 0
    server.on('request', () => {
      most = Math.max(most, ++parsed)
      setImmediate(() => {
        parsed = 0
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    async function open(): Promise<Socket> {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
      t.after(() => client.destroy())
      await once(client, 'connect')
      return client.resume()
    }
    /** Returns the most requests parsed at once since the last call, when nothing more is read. */
    async function settled(): Promise<number> {
      for (let turns = 0; turns < 100; turns++) await turn()
      const since = most
      most = 0
      return since
    }
    return { open, held, sockets, settled }
  }

  test('make the server parse in turns where 128 came on a connection at once', async (t) => {
    const { open, settled, held } = await waiting(t)
    const [first, second] = [await open(), await open()]
    first.write(GET.repeat(COUNT))
    assert.equal(await settled(), COUNT)
    second.write(GET.repeat(COUNT))
    const atOnce = await settled()
    assert.ok(atOnce > 32 && atOnce <= IN_SLICE, `${atOnce} requests at once`)
    let more = 0
    while (more === 0) {
      held.at(-1)?.end()
      more = await settled()
    }
    assert.ok(more <= 2 * IN_SLICE, `${more} requests at once`)
  })

  test('stop the reading of a connection that is parsed in turns', async (t) => {
    const { open, settled, sockets } = await waiting(t)
    const client = (await open()).setNoDelay()
    parseInTurns(sockets[0] as Socket)
    for (let sent = 0; sent < 50; sent++) {
      client.write(GET)
      await settled()
    }
    assert.equal(sockets[0]?.bytesRead, (1 + 32 + 1) * GET.length)
  })
})

describe('chunks of a few bytes', () => {
  const POST = 'POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'
  const { read, drain } = bodies()
  const handlers: Record<string, (req: IncomingMessage, res: ServerResponse) => void> = {
    'of a body': (req, res) => void read(req, res).catch(() => res.destroy()),
    'of a body that nobody reads': (req) => drain(req),
  }
  for (const [which, handler] of Object.entries(handlers)) {
    for (const { size, isSmall } of [
      { size: 60, isSmall: true },
      { size: 64, isSmall: false },
    ]) {
      test(`${which}: after 512 of ${size} bytes the server parses ${isSmall ? 'in turns' : 'as before'}`, async (t) => {
        const { server, open, requests } = await reading(t)
        server.on('request', handler)
        const [first, second] = [await open(), await open()]
        first.client.write(POST + `${size.toString(16)}\r\n${'a'.repeat(size)}\r\n`.repeat(512))
        await requests(1)
        while (first.socket.bytesRead < 512 * size) await turn()
        for (let turns = 0; turns < 100; turns++) await turn()
        second.client.write(GET.repeat(COUNT))
        assert.equal((await requests(COUNT)).length > 1, isSmall)
      })
    }
  }
})

describe('a connection that is parsed in turns', () => {
  test('gets the same answers', async (t) => {
    const server = await startServer()
    t.after(server.stop)
    const tags = `GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n`
    const flood = `${tags}\r\n`.repeat(300)
    const padded = `${tags}X-Pad: ${'a'.repeat(9000)}\r\n\r\n`
    const ask = async (text: string, count: number) =>
      (await sendAll(server.url, text, count)).map(({ status }) => status)
    assert.deepEqual(await ask(flood, 300), Array(300).fill(200))
    assert.deepEqual(await ask(`GET /${'a'.repeat(30_000)} HTTP/1.1\r\n\r\n`, 1), [414])
    assert.deepEqual(await ask(`GET / HTTP/1.1\r\nX-Long: ${'a'.repeat(30_000)}\r\n\r\n`, 1), [431])
    assert.deepEqual(await ask(`${padded}WHAT /api/v1/tags HTTP/1.1\r\nHost: x\r\n\r\n`, 2), [200, 405])
    assert.deepEqual(await ask(`${padded}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n${'a'.repeat(9000)}`, 2), [200, 404])
    const body = JSON.stringify({ name: 'Long', description: 'a'.repeat(30_000) })
    const head = `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n`
    const post = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    assert.deepEqual(await ask(post.repeat(3), 3), [201, 409, 409])
  })
})
