import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { backlog } from '../../../src/http/listener/backlog.ts'
import { type Handler, serveConnections } from '../../../src/http/listener/connection.ts'
import { openRaw, sendAll } from '../../support/raw.ts'
import { startServer } from '../../support/server.ts'

const GET = 'GET /x HTTP/1.1\r\n\r\n'
/** The most that Node reads at once from a connection and then parses completely. */
const PIECE = 65_536
const REQUEST_BYTES = 4096
const turn = () => new Promise(setImmediate)

/** A server whose test writes the answers, and the requests it has read. */
async function serving(t: TestContext, { maxBytes = 1e9, handler }: { maxBytes?: number; handler?: Handler } = {}) {
  const waiting = backlog(maxBytes)
  const began: ServerResponse[] = []
  const sockets: Socket[] = []
  const server = createServer({ requireHostHeader: false })
  server.on('connection', (socket: Socket) => sockets.push(socket))
  serveConnections(server, handler ?? ((_req, res) => began.push(res)), waiting)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  async function open(): Promise<{ client: Socket; socket: Socket; isCut: () => boolean }> {
    const client = connect(port, '127.0.0.1')
    client.on('error', () => undefined)
    t.after(() => client.destroy())
    const before = sockets.length
    await once(client, 'connect')
    while (sockets.length === before) await turn()
    const socket = sockets[before] as Socket
    return { client, socket, isCut: () => socket.destroyed }
  }

  const read = () => sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)

  /** Resolves when the server has read nothing for many turns of the event loop; returns how much it has read. */
  async function settled(): Promise<number> {
    let last = -1
    for (let still = 0; still < 300; still++) {
      await turn()
      if (read() === last) continue
      last = read()
      still = 0
    }
    return last
  }
  return { url: `http://127.0.0.1:${port}`, waiting, began, open, settled }
}

describe('requests that wait behind another', () => {
  test('are read until there are 32, and then only what came in with them', async (t) => {
    const { open, settled, waiting, began } = await serving(t)
    const { client } = await open()
    client.write(GET.repeat(500_000))
    const read = await settled()
    assert.equal(began.length, 1)
    assert.ok(read >= 32 * GET.length && read <= 2 * PIECE + 32 * GET.length, `${read} bytes were read`)
    assert.ok(waiting.bytes() <= (read / GET.length) * REQUEST_BYTES + read, `${waiting.bytes()} bytes wait`)
  })

  test('are read to 256 KB where they are large', async (t) => {
    const { open, settled, began } = await serving(t)
    const { client } = await open()
    client.write(`GET /x HTTP/1.1\r\nX-Long: ${'a'.repeat(15_000)}\r\n\r\n`.repeat(1000))
    const read = await settled()
    assert.equal(began.length, 1)
    assert.ok(read <= 262_144 + 2 * PIECE, `${read} bytes were read`)
  })

  test('stop the reading of the connection with the next that comes', async (t) => {
    const { open, settled } = await serving(t)
    const { client } = await open()
    client.setNoDelay()
    for (let sent = 0; sent < 50; sent++) {
      client.write(GET)
      await settled()
    }
    assert.equal(await settled(), (1 + 32 + 1) * GET.length)
  })

  for (const { bytes, many, most } of [
    { bytes: 1000, many: 200, most: 15 },
    { bytes: 15_000, many: 40, most: 8 },
  ]) {
    test(`of ${bytes} bytes are read again when few of them are left, and none is lost`, async (t) => {
      const { open, settled, waiting, began } = await serving(t)
      const { client } = await open()
      const request = `GET /x HTTP/1.1\r\nX-Long: ${'a'.repeat(bytes)}\r\n\r\n`
      client.resume().write(request.repeat(many))
      let read = await settled()
      for (let next = 0; next < many - 1; next++) {
        began[next]?.end()
        const now = await settled()
        assert.equal(began.length, next + 2)
        const left = Math.floor(read / request.length) - began.length
        if (left > most) assert.equal(now, read, `${left} wait`)
        if (left === 1) assert.ok(now > read || read === many * request.length)
        read = now
      }
      assert.equal(waiting.bytes(), 0)
    })
  }

  test('leave the others their turn', async (t) => {
    let inTurn = 0
    let most = 0
    const handler: Handler = (_req, res) => {
      most = Math.max(most, ++inTurn)
      setImmediate(() => {
        inTurn = 0
      })
      res.end()
    }
    const { url } = await serving(t, { handler })
    const answers = await sendAll(url, GET.repeat(1000), 1000)
    assert.equal(answers.length, 1000)
    assert.ok(most <= 34, `${most} in one turn`)
  })

  test('leave the others their turn, on many connections too', async (t) => {
    const clients = 20
    let inTurn = 0
    let most = 0
    let answered = 0
    const handler: Handler = async (_req, res) => {
      await undefined
      if (inTurn++ === 0)
        setImmediate(() => {
          inTurn = 0
        })
      most = Math.max(most, inTurn)
      answered++
      res.end()
    }
    const { open } = await serving(t, { handler })
    for (let n = 0; n < clients; n++) {
      const { client } = await open()
      client.resume().write(GET.repeat(100))
    }
    while (answered < clients * 100) await turn()
    assert.ok(most <= clients + 34, `${most} in one turn`)
  })

  test('are answered in their order, 5,000 of them', async (t) => {
    const server = await startServer()
    t.after(server.stop)
    const ids = Array.from({ length: 5000 }, (_, index) => `request-${index}`)
    const lines = `Host: x\r\nAuthorization: Bearer ${server.a.token}\r\n`
    const requests = ids.map((id) => `GET /api/v1/tags HTTP/1.1\r\n${lines}X-Request-Id: ${id}\r\n\r\n`)
    const answers = await sendAll(server.url, requests.join(''), ids.length)
    assert.deepEqual(
      answers.map(({ headers }) => headers['x-request-id']),
      ids,
    )
    assert.ok(answers.every(({ status }) => status === 200))
  })
})

describe('over all connections', () => {
  test('so many bytes wait, and the connection that holds most of them is cut for more', async (t) => {
    const maxBytes = 100 * REQUEST_BYTES
    const { open, settled, waiting } = await serving(t, { maxBytes })
    const [small, large, middle] = [await open(), await open(), await open()]
    small.client.write(GET.repeat(11))
    await settled()
    large.client.write(GET.repeat(61))
    await settled()
    assert.ok(waiting.bytes() > 69 * REQUEST_BYTES && waiting.bytes() < maxBytes, `${waiting.bytes()} bytes wait`)
    middle.client.write(GET.repeat(41))
    await settled()
    assert.deepEqual(
      [small, large, middle].map(({ isCut }) => isCut()),
      [false, true, false],
    )
    assert.ok(waiting.bytes() > 49 * REQUEST_BYTES && waiting.bytes() < 51 * REQUEST_BYTES, `${waiting.bytes()}`)
  })

  test('what was answered before is no longer counted', async (t) => {
    const { open, settled, waiting } = await serving(t, { maxBytes: 1_000_000, handler: (_req, res) => res.end() })
    const { client, isCut } = await open()
    const request = `GET /x HTTP/1.1\r\nX-Long: ${'a'.repeat(15_000)}\r\n\r\n`
    client.resume().write(GET.repeat(2))
    for (let sent = 0; sent < 100; sent++) {
      client.write(request)
      await once(client, 'data')
    }
    await settled()
    client.write(GET.repeat(2))
    await settled()
    assert.equal(isCut(), false)
    assert.equal(waiting.bytes(), 0)
  })

  test('what waited on a closed connection is no longer counted', async (t) => {
    const { open, settled, waiting } = await serving(t)
    const { client } = await open()
    client.write(GET.repeat(20))
    await settled()
    assert.ok(waiting.bytes() > 0)
    client.destroy()
    while (waiting.bytes() > 0) await turn()
  })
})

describe('what is no HTTP', () => {
  const BAD = Buffer.alloc(8 * 1_048_576, 'z')

  test('is not read while an answer before it is outstanding', async (t) => {
    const { open, settled, began } = await serving(t)
    const { client } = await open()
    client.write(GET)
    client.write(BAD)
    assert.ok((await settled()) <= 4 * PIECE)
    assert.equal(began.length, 1)
  })

  test('is answered once, when those before it are, and then read for a second', async (t) => {
    const { url, began, settled } = await serving(t)
    const connection = await openRaw(url)
    connection.write(GET)
    connection.write(BAD)
    await settled()
    began[0]?.setHeader('Content-Length', '0').end()
    await connection.closed
    assert.deepEqual(
      connection.answers.map(({ status }) => status),
      [200, 400],
    )
    assert.ok((await settled()) > BAD.length, 'a reset would cost the client the answer')
    connection.socket.destroy()
  })
})
