import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { backlog } from '../../../src/http/listener/backlog.ts'
import { serveConnections } from '../../../src/http/listener/connection.ts'
import { connectionLimit, watchConnections } from '../../../src/http/listener/connections.ts'
import type { Limits } from '../../../src/http/listener/server.ts'
import { bundled } from '../../support/bundle.ts'
import { sendRaw } from '../../support/raw.ts'
import { startServer } from '../../support/server.ts'

const GET = 'GET /x.txt HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** More than the socket buffers of both ends hold. */
const LARGE = Buffer.alloc(48 * 1_048_576)
/** Longer than any test: the tests start each check. */
const LOOK_MS = 1e9
const EACH_SECOND = { connectionsCheckingInterval: 1000 }
const turn = () => new Promise(setImmediate)

function* parts() {
  for (let from = 0; from < LARGE.length; from += 65_536) yield LARGE.subarray(from, from + 65_536)
}

type Opened = Awaited<ReturnType<Awaited<ReturnType<typeof serving>>['open']>>

/** A server that checks its connections when the test says so, and whose answers the test writes. */
async function serving(t: TestContext, given: Limits = {}) {
  const sockets: Socket[] = []
  const began: ServerResponse[] = []
  const server = createServer()
  server.on('connection', (socket: Socket) => sockets.push(socket))
  const limits = { writeTimeout: 3 * LOOK_MS, maxConnections: 100, connectionsCheckingInterval: LOOK_MS, ...given }
  const { check, beginStopping } = watchConnections(server, limits)
  serveConnections(server, (_req, res) => began.push(res), backlog(1e9))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo

  async function open() {
    const client = connect(port, '127.0.0.1').pause()
    client.on('error', () => undefined)
    t.after(() => client.destroy())
    const before = sockets.length
    while (sockets.length === before) await turn()
    const socket = sockets[before] as Socket

    /** Sends a request; returns its ServerResponse on the server. */
    async function ask(): Promise<ServerResponse> {
      const { length } = began
      client.write(GET)
      while (began.length === length) await turn()
      return began[length] as ServerResponse
    }
    /** Sends the headers of a request with so many bytes to come. */
    async function post(length: number): Promise<void> {
      const { length: before } = began
      client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`)
      while (began.length === before) await turn()
      began[before]?.req.resume()
    }
    return { client, socket, ask, post }
  }
  return { server, open, check, beginStopping }
}

const cut = (...all: { socket: Socket }[]) => all.map(({ socket }) => socket.destroyed)

describe('connections that time out at the same moment', () => {
  /**
   * Times out that many connections at once; returns how many were closed in each turn and what the clients received.
   */
  async function timeOut(t: TestContext, count: number, expire: (server: Server, socket: Socket) => void) {
    const { server, open } = await serving(t)
    const clients: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < count; n++) clients.push(await open())
    const isOpen = () => clients.filter(({ socket }) => !socket.destroyed && socket.writable).length
    const closed: number[] = []
    const texts = clients.map(({ client }) => client.setEncoding('utf8').resume().toArray())
    for (const { socket } of clients) expire(server, socket)
    for (let left = count; left > 0; ) {
      await turn()
      closed.push(left - isOpen())
      left = isOpen()
    }
    return { closed, texts: (await Promise.all(texts)).map((parts) => parts.join('')) }
  }

  test('are closed some in a turn when they are idle', async (t) => {
    const { closed, texts } = await timeOut(t, 100, (server, socket) => server.emit('timeout', socket))
    assert.ok(Math.max(...closed) <= 32, `${closed}`)
    assert.deepEqual(new Set(texts), new Set(['']))
  })

  test('are refused some in a turn when their request has not come', async (t) => {
    const late = () => Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
    const { closed, texts } = await timeOut(t, 100, (server, socket) => server.emit('clientError', late(), socket))
    assert.ok(Math.max(...closed) <= 32, `${closed}`)
    assert.equal(texts.filter((text) => text.startsWith('HTTP/1.1 408 ')).length, 100)
  })

  test('are kept when their request comes in before their turn', async (t) => {
    const { server, open } = await serving(t)
    const clients: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < 40; n++) clients.push(await open())
    const { client, ask } = clients.at(-1) as (typeof clients)[number]
    const text = client.setEncoding('utf8').resume().toArray()
    const asked = ask()
    for (const { socket } of clients) {
      server.emit('clientError', Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
    }
    const res = await asked
    for (let turns = 0; turns < 10; turns++) await turn()
    res.end('in time')
    client.end()
    const [answer, ...more] = (await text).join('').split('HTTP/1.1 ').slice(1)
    assert.match(answer as string, /^200 .*in time/s)
    assert.deepEqual(more, [])
  })
})

describe('an answer that the client does not take', () => {
  test('is given up after the time for it without progress', async (t) => {
    const { open, check } = await serving(t)
    const { socket, ask } = await open()
    const res = await ask()
    res.end(LARGE)
    for (let looks = 0; looks <= 3; looks++) {
      await turn()
      assert.equal(socket.destroyed, false, `after ${looks} looks`)
      check()
    }
    assert.equal(socket.destroyed, true)
  })

  for (const [name, send] of Object.entries({
    'at once': (res: ServerResponse) => res.end(LARGE),
    'in parts': (res: ServerResponse) => pipeline(Readable.from(parts()), res, () => undefined),
  })) {
    test(`is not given up, sent ${name}, while the client takes some of it now and then`, async (t) => {
      const { open, check } = await serving(t)
      const { client, socket, ask } = await open()
      let taken = 0
      client.on('data', ({ length }: Buffer) => {
        taken += length
        client.pause()
      })
      client.pause()
      const res = await ask()
      res.setHeader('Content-Length', String(LARGE.length))
      send(res)
      await turn()
      check()
      while (!res.writableFinished) {
        check()
        check()
        const before = taken
        while (!res.writableFinished && taken < before + 12 * 1_048_576) {
          client.resume()
          await turn()
        }
        check()
        assert.equal(socket.destroyed, false, `${taken} were taken`)
      }
      assert.ok(taken > 24 * 1_048_576, 'it took a few rounds')
    })
  }

  test('is taken also where as much is left to send as before', async (t) => {
    const { open, check } = await serving(t)
    const { socket, ask } = await open()
    ;(await ask()).end(LARGE)
    await turn()
    const { _handle: handle } = socket as { _handle?: object }
    const left = { bytesWritten: 0, writeQueueSize: 65_536 }
    Object.assign(socket, { _handle: left }) // as with parts of equal size
    t.after(() => Object.assign(socket, { _handle: handle }))
    for (let looks = 0; looks < 10; looks++) {
      left.bytesWritten += 65_536
      check()
    }
    assert.equal(socket.destroyed, false)
  })

  test('is given up also where the server goes on to write it', async (t) => {
    const { open, check } = await serving(t)
    const { socket, ask } = await open()
    const res = await ask()
    res.write(LARGE)
    await turn()
    for (let looks = 0; looks < 4; looks++) {
      assert.equal(socket.destroyed, false)
      res.write('more')
      await turn()
      check()
    }
    assert.equal(socket.destroyed, true)
  })

  test('is no answer that the server has not made yet', async (t) => {
    const { open, check } = await serving(t)
    const { socket, ask } = await open()
    await ask()
    for (let looks = 0; looks < 10; looks++) check()
    assert.equal(socket.destroyed, false)
  })

  test('is given up before its time where all of them are more than 256 MB, the largest first', async (t) => {
    const { open, check } = await serving(t)
    const connections = [await open(), await open(), await open()]
    const large = Buffer.alloc(5 * LARGE.length)
    const bodies = [LARGE, large, LARGE]
    for (const [index, { ask }] of connections.entries()) (await ask()).end(bodies[index])
    await turn()
    check()
    assert.ok(connections.every(({ socket }) => !socket.destroyed))
    check()
    assert.deepEqual(
      connections.map(({ socket }) => socket.destroyed),
      [false, true, false],
    )
  })

  test('is given up by a server that runs, while a long poll lasts longer than that', {
    timeout: 120_000,
  }, async (t) => {
    const server = await startServer({ limits: { writeTimeout: 300, connectionsCheckingInterval: 50 } })
    t.after(server.stop)
    const { hostname, port } = new URL(server.url)
    const never = connect(Number(port), hostname).pause()
    never.on('error', () => undefined)
    const closed = new Promise((resolve) => never.on('close', resolve))
    const lines = `Host: x\r\nAuthorization: Bearer ${server.a.token}\r\n`
    const poll = sendRaw(
      server.url,
      `GET /api/v1/webhooks/events?wait=2&after_seq=${server.lastSeq()} HTTP/1.1\r\n${lines}\r\n`,
    )
    const send = () => {
      while (never.write(GET.repeat(1000)));
    }
    never.on('drain', send)
    send()
    await closed
    assert.equal((await poll).status, 200)
  })
})

describe('a connection too many', () => {
  test('takes the place of the one that has been idle longest', async (t) => {
    const { open, check } = await serving(t, { maxConnections: 3 })
    const [first, second, third] = [await open(), await open(), await open()]
    const res = await first.ask()
    res.end()
    await once(res, 'close')
    check()
    const fourth = await open()
    assert.deepEqual(cut(first, second, third, fourth), [false, true, false, false])
    await open()
    assert.deepEqual(cut(first, third, fourth), [false, true, false])
  })

  test('takes the place of one that was idle while another was waiting for its answer', async (t) => {
    const { open, check } = await serving(t, { maxConnections: 2 })
    const [waiting, idle] = [await open(), await open()]
    const late = await waiting.ask()
    check()
    const early = await idle.ask()
    early.end()
    await once(early, 'close')
    check()
    late.end()
    await once(late, 'close')
    await open()
    assert.deepEqual(cut(waiting, idle), [false, true])
  })

  test('leaves those alone that wait for an answer', async (t) => {
    const { open } = await serving(t, { maxConnections: 2 })
    const [busy, idle] = [await open(), await open()]
    const res = await busy.ask()
    const next = await open()
    assert.deepEqual(cut(busy, idle, next), [false, true, false])
    res.end('still there')
    busy.client.resume()
    await once(busy.client, 'data')
  })

  test('takes the place of one whose client takes nothing, where none is idle, and else is closed', async (t) => {
    const { open, check } = await serving(t, { maxConnections: 3, writeTimeout: 100 * LOOK_MS })
    const [waiting, long, short] = [await open(), await open(), await open()]
    await waiting.ask()
    ;(await long.ask()).end(LARGE)
    const late = await short.ask()
    check()
    check()
    late.end(LARGE)
    check()
    check()
    const fourth = await open()
    assert.deepEqual(cut(waiting, short, long, fourth), [false, false, true, false])
    await fourth.ask()
    const fifth = await open()
    assert.deepEqual(cut(waiting, short, fourth, fifth), [false, true, false, false])
    await fifth.ask()
    const sixth = await open()
    assert.deepEqual(cut(waiting, fourth, fifth, sixth), [false, false, false, true])
  })

  test('takes the place of one whose request comes in slowly, longest first, and not of one that comes in', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { open, check } = await serving(t, { maxConnections: 3, ...EACH_SECOND })
    const [fast, slow, late] = [await open(), await open(), await open()]
    await fast.post(100 * LARGE.length)
    await slow.post(900)
    check()
    await late.post(900)
    for (let looks = 0; looks < 2; looks++) {
      const { bytesRead } = fast.socket
      fast.client.write(Buffer.alloc(10_000))
      slow.client.write('x')
      while (fast.socket.bytesRead < bytesRead + 10_000) await turn()
      check()
    }
    const fourth = await open()
    assert.deepEqual(cut(fast, slow, late, fourth), [false, true, false, false])
    await fourth.ask()
    const fifth = await open()
    assert.deepEqual(cut(fast, late, fourth, fifth), [false, true, false, false])
  })

  test('takes the place of one whose request has just begun only where there is no other', async (t) => {
    const { open, check } = await serving(t, { maxConnections: 2 })
    const [first, second] = [await open(), await open()]
    check()
    await first.post(900)
    const third = await open()
    assert.deepEqual(cut(first, second, third), [false, true, false])
    const res = await third.ask()
    await open()
    assert.deepEqual(cut(first, third), [true, false])
    res.end()
  })

  test('is not closed itself by the next one, where all others send requests slowly', async (t) => {
    const { open } = await serving(t, { maxConnections: 5 })
    const strangers: Opened[] = []
    for (let n = 0; n < 5; n++) strangers.push(await open())
    for (const stranger of strangers) await stranger.post(900)
    const honest = await open()
    for (let n = 0; n < 4; n++) await (await open()).post(900)
    assert.deepEqual(cut(honest, ...strangers), [false, true, true, true, true, true])
    const res = await honest.ask()
    res.end()
    await once(res, 'close')
  })

  test('makes no room when one is closed by its client', async (t) => {
    const { open } = await serving(t, { maxConnections: 2 })
    const [first, second] = [await open(), await open()]
    second.client.destroy()
    await once(second.socket, 'close')
    const third = await open()
    assert.deepEqual(cut(first, third), [false, false])
  })
})

describe('a server that stops', () => {
  test('closes connections at once that carry no whole headers, and none that is served', async (t) => {
    const { open, beginStopping } = await serving(t)
    const [silent, half, body, asked, last] = [await open(), await open(), await open(), await open(), await open()]
    half.client.write(GET.slice(0, 20))
    await body.post(900)
    await asked.ask()
    const res = await last.ask()
    res.shouldKeepAlive = false
    res.end('perhaps not read yet')
    await once(res, 'close')
    beginStopping()
    assert.deepEqual(cut(silent, half, body, asked, last), [true, true, false, false, false])
  })

  test('closes those after three seconds that send or read too little, and waits for the others', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const { open, check, beginStopping } = await serving(t, { writeTimeout: 30_000, ...EACH_SECOND })
    const [slow, fast, unread, asked] = [await open(), await open(), await open(), await open()]
    await slow.post(900)
    await fast.post(LARGE.length)
    ;(await unread.ask()).end(LARGE)
    await asked.ask()
    check()
    for (let looks = 0; looks < 2; looks++) await look()
    beginStopping()
    assert.deepEqual(cut(slow, fast, unread, asked), [false, false, false, false])
    await look()
    assert.deepEqual(cut(slow, fast, unread, asked), [true, false, true, false])

    async function look(): Promise<void> {
      const { bytesRead } = fast.socket
      fast.client.write(Buffer.alloc(10_000))
      slow.client.write('x')
      while (fast.socket.bytesRead < bytesRead + 10_000) await turn()
      check()
    }
  })
})

describe('the number of connections', () => {
  const limits = (files: string) => `Limit  Soft Limit  Hard Limit  Units\nMax open files            ${files}  files\n`

  test('leaves descriptors for what else is open', () => {
    assert.equal(connectionLimit(limits('1024                 524288')), 384)
    assert.equal(connectionLimit(limits('20000                20000')), 9872)
    assert.equal(connectionLimit(limits('1048576              1048576')), 10_000)
    assert.equal(connectionLimit(limits('unlimited            unlimited')), 3968)
    assert.equal(connectionLimit(limits('64                   64')), 16)
    assert.equal(connectionLimit(''), 3968)
  })

  test('is that of the process, and others get in although strangers hold all of them', async (t) => {
    if (process.platform === 'win32') return t.skip('there is no limit of descriptors')
    const dealbox = await bundled('src/main.ts')
    const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-descriptors-'))
    const env = { ...process.env, ...dealbox.env }
    const run = (...argv: string[]) => [process.execPath, dealbox.file, ...argv, '--data', dataDir]
    execFileSync(process.execPath, run('init', '--org', 'Acme', '--email', 'ana@acme.example').slice(1), {
      env,
      stdio: 'ignore',
    })
    const serve = run('serve', '--api-listen', '127.0.0.1:0', '--screens-listen', '127.0.0.1:0')
    const server = spawn('sh', ['-c', 'ulimit -n 300 && exec "$@"', 'sh', ...serve], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env,
    })
    const strangers: Socket[] = []
    t.after(() => {
      for (const stranger of strangers) stranger.destroy()
      server.kill('SIGKILL')
      dealbox.remove()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const [text] = (await once(server.stdout as NonNullable<typeof server.stdout>, 'data')) as [Buffer]
    for (const url of String(text).match(/http:\S+/g) ?? []) {
      const { hostname, port } = new URL(url)
      const { promise: closed, resolve } = Promise.withResolvers<void>()
      let left = 400
      for (let opened = 0; opened < 400; opened++) {
        const stranger = connect(Number(port), hostname).resume()
        stranger.on('close', () => --left === 22 && resolve())
        strangers.push(stranger)
      }
      await closed
      for (let asked = 0; asked < 5; asked++) assert.equal((await sendRaw(url, GET)).status, 404)
    }
  })
})
