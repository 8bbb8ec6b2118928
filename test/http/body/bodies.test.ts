import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { bodies } from '../../../src/http/body/bodies.ts'
import { guard } from '../../../src/lib/net/guard.ts'
import { openRaw } from '../../support/raw.ts'
import { reset } from '../../support/reset.ts'
import { startServer } from '../../support/server.ts'

// How the bytes of bodies arrive, how much memory unfinished bodies may take, and when they are cut off.

const KB = 1024
/** Chunks of fewer than 16 bytes on average. */
const MAX_TINY_CHUNKS = 4096

/** A server whose bodies the test can inspect and whose clock the test moves. */
async function serving(t: TestContext, { checkEveryMs = 3_600_000, maxHeldBytes = 400 * KB } = {}) {
  let now = 0
  const read = bodies({ nowMs: () => now, checkEveryMs, maxHeldBytes })
  const answered = Promise.withResolvers<{ address: string; family: 4 }[]>()
  const lookup = () => answered.promise
  const server = await startServer({ bodies: read, guard: guard({ allow: [], ownPorts: () => [], lookup }) })
  const connections: Awaited<ReturnType<typeof openRaw>>[] = []
  t.after(async () => {
    for (const { socket } of connections) socket.destroy()
    await server.stop()
  })

  async function post(framing: string, path = '/tags', token = server.a.token) {
    const connection = await openRaw(server.url)
    connections.push(connection)
    const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${framing}\r\n`
    connection.write(`POST /api/v1${path} HTTP/1.1\r\n${headers}\r\n`)
    const first = async () => (await connection.answered(1))[0]
    return {
      ...connection,
      status: async () => (await first())?.status,
      code: async () => {
        const answer = await first()
        return [answer?.status, JSON.parse(answer?.body || '{}').code]
      },
      first,
    }
  }

  return {
    ...server,
    ...read,
    /** Sends the headers of a request with this Content-Length. */
    sized: (bytes: number, path?: string, token?: string) => post(`Content-Length: ${bytes}`, path, token),
    chunked: (path?: string, token?: string) => post('Transfer-Encoding: chunked', path, token),
    /** Resolves when the server holds that many bytes of bodies. */
    held: async (bytes: number) => {
      while (read.heldBytes() !== bytes) await nextTurn()
    },
    /** Resolves when that many bodies have arrived in part. */
    started: async (many: number) => {
      while (read.arriving.size !== many) await nextTurn()
    },
    /** The bytes received of unfinished bodies. */
    arrived: () => [...read.arriving].reduce((sum, { bytes }) => sum + bytes, 0),
    pass: (ms: number) => {
      now += ms
      read.cutSlow()
    },
    advanceOnly: (ms: number) => {
      now += ms
    },
    resolve: () => answered.resolve([{ address: '93.184.215.14', family: 4 }]),
  }
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const noteOf = (body: string) => ({ title: 'Long', body })
const tagOf = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`

describe('a body', () => {
  test('arrives byte for byte, whatever its chunks are', async (t) => {
    const server = await serving(t, { maxHeldBytes: 8_000_000 })
    const { body: made } = await server.call('POST', '/companies', { name: 'Acme' })
    const text = Array.from({ length: 20_000 }, (_, n) => `line ${n}`).join('\n')
    const json = JSON.stringify({ ...noteOf(text), company_ids: [made.id] })
    for (const sizes of [[json.length], [1, 7, 4000, 65_536, 3], [1000], [100_000, 1]]) {
      const sent = await server.chunked('/notes')
      for (let at = 0, n = 0; at < json.length; n++) {
        const piece = json.slice(at, at + (sizes[n % sizes.length] as number))
        sent.write(chunk(piece))
        at += piece.length
      }
      sent.write('0\r\n\r\n')
      const answer = await sent.first()
      assert.equal(answer?.status, 201, String(answer?.body))
      assert.equal(JSON.parse(String(answer?.body)).body, text)
    }
    await server.held(0)
  })

  test('of chunks of one byte is read up to 4,096 of them, and ends its connection past that', async (t) => {
    const server = await serving(t)
    const bytes = (count: number) => [...tagOf(60), ...' '.repeat(count - 60)].map(chunk).join('')
    const taken = await server.chunked()
    taken.write(`${bytes(MAX_TINY_CHUNKS)}0\r\n\r\n`)
    assert.equal(await taken.status(), 201)
    const refused = await server.chunked()
    refused.write(bytes(MAX_TINY_CHUNKS + 1))
    assert.deepEqual(await refused.code(), [400, 'tiny_chunks'])
    await refused.closed
    assert.equal(server.heldBytes(), 0)
  })

  test('of many chunks of 32 bytes is read', async (t) => {
    const server = await serving(t)
    const sent = await server.chunked()
    sent.write(`${chunk(' '.repeat(32)).repeat(5000)}${chunk(tagOf(40))}0\r\n\r\n`)
    assert.deepEqual(await sent.code(), [201, undefined])
  })

  for (const [how, token] of [
    ['is read', undefined],
    ['nobody reads', 'wrong'],
  ] as const) {
    test(`that ${how} takes 1,024 chunks in a turn of the event loop`, async (t) => {
      const server = await serving(t, { maxHeldBytes: 8_000_000 })
      const sent = await server.chunked('/tags', token)
      await server.started(1)
      sent.write(chunk(' '.repeat(24)).repeat(20_000))
      let most = 0
      for (let before = 0; before < 480_000; ) {
        await nextTurn()
        const now = server.arrived()
        most = Math.max(most, now - before)
        before = now
      }
      assert.ok(most > 0 && most <= 1024 * 24, String(most))
      sent.write(`${chunk(tagOf(40))}0\r\n\r\n`)
      assert.equal(await sent.status(), token ? 401 : 201)
      await server.started(0)
    })
  }

  test('holds what has come of it, not what its Content-Length announces', async (t) => {
    const server = await serving(t)
    const sent = await server.sized(200 * KB)
    sent.write('{"name":')
    await server.held(8)
    sent.write('"x"')
    await server.held(16)
    sent.write(' '.repeat(100 * KB))
    while (server.heldBytes() < 100 * KB) await nextTurn()
    assert.ok(server.heldBytes() <= 200 * KB)
    sent.write(`${' '.repeat(100 * KB - 12)}}`)
    assert.equal(await sent.status(), 201)
    await server.held(0)
  })

  test('of 13 MB and a million members is refused, where 54 MiB are taken', async (t) => {
    const server = await serving(t, { maxHeldBytes: 64_000_000 })
    const json = `{${Array.from({ length: 1_000_000 }, (_, n) => `"m${n}":0`).join()}}`
    const sent = await server.sized(json.length, '/messages')
    sent.write(json)
    assert.deepEqual(await sent.code(), [400, 'too_many_values'])
    assert.equal(server.heldBytes(), 0)
  })

  test('is held until its write is done', async (t) => {
    const server = await serving(t)
    const json = JSON.stringify({ url: 'https://hooks.example/x', event_types: ['*'] })
    const sent = await server.sized(json.length, '/webhooks')
    sent.write(json)
    await server.held(json.length)
    await server.started(0)
    assert.equal(server.heldBytes(), json.length)
    server.resolve()
    assert.equal(await sent.status(), 201)
    assert.equal(server.heldBytes(), 0)
  })

  for (const [how, end, status] of [
    ['is cut off', ({ socket }) => socket.destroy(), undefined],
    ['is reset', ({ socket }) => reset(socket), undefined],
    ['is malformed', ({ write }) => write('zz\r\n'), 400],
    ['is no JSON', ({ write }) => write('0\r\n\r\n'), 400],
    ['is too large', ({ write }) => write(chunk('x'.repeat(1_048_570))), 413],
  ] as [string, (connection: Awaited<ReturnType<typeof openRaw>>) => void, number | undefined][]) {
    test(`gives back what it holds when it ${how}`, async (t) => {
      const server = await serving(t, { maxHeldBytes: 8_000_000 })
      const sent = await server.chunked()
      sent.write(chunk('{"name":'))
      await server.held(8)
      end(sent)
      if (status !== undefined) assert.equal(await sent.status(), status)
      await server.held(0)
    })
  }
})

describe('the bound on what all bodies hold', () => {
  test('is kept: one more is 503 with Retry-After, and taken again when the others are done', async (t) => {
    const server = await serving(t)
    const full = tagOf(1000).padEnd(170 * KB)
    const others = [await server.sized(full.length), await server.sized(full.length)]
    for (const { write } of others) write(full.slice(0, 169 * KB))
    while (server.heldBytes() < 338 * KB) await nextTurn()
    const late = await server.chunked()
    late.write(chunk(' '.repeat(60 * KB)))
    late.write(chunk(' '.repeat(60 * KB)))
    assert.deepEqual(await late.code(), [503, 'overloaded'])
    assert.deepEqual(
      [(await late.first())?.headers['retry-after'], (await late.first())?.headers.connection],
      ['5', 'close'],
    )
    assert.ok(server.heldBytes() <= 400 * KB, `${server.heldBytes()}`)
    others[0]?.socket.destroy()
    while (server.heldBytes() > 200 * KB) await nextTurn()
    const again = await server.sized(100 * KB)
    again.write(tagOf(90).padEnd(100 * KB))
    assert.equal(await again.status(), 201)
  })

  test('refuses a Content-Length that has no room at once, before it is asked for', async (t) => {
    const server = await serving(t)
    const first = await server.sized(301 * KB)
    first.write(' '.repeat(300 * KB))
    while (server.heldBytes() < 300 * KB) await nextTurn()
    const late = await server.sized(65 * KB) // small bodies may take the rest up to 400
    assert.deepEqual(await late.code(), [503, 'overloaded'])
    assert.equal(late.isContinued(), false)
  })

  test('has an eighth left for small bodies when large ones have taken the rest', async (t) => {
    const server = await serving(t)
    const large = await server.sized(350 * KB)
    large.write(' '.repeat(349 * KB))
    while (server.heldBytes() < 349 * KB) await nextTurn()
    assert.equal((await server.call('POST', '/tags', { name: 'Small' })).status, 201)
    const small = await server.sized(50 * KB)
    small.write(' '.repeat(50 * KB - 1))
    while (server.heldBytes() < 400 * KB - 1) await nextTurn()
    const { status, body } = await server.call('POST', '/tags', { name: 'x'.repeat(2000) })
    assert.deepEqual([status, body.code], [503, 'overloaded'])
    assert.equal((await server.call('GET', '/tags')).status, 200)
  })
})

describe('a slow body', () => {
  test('that does not begin within 10 s is 408', async (t) => {
    const server = await serving(t)
    const sent = await server.sized(100)
    await server.started(1)
    server.pass(10_000)
    assert.equal(server.arriving.size, 1)
    server.pass(1)
    assert.deepEqual(await sent.code(), [408, 'request_timeout'])
    assert.equal((await sent.first())?.headers.connection, 'close')
    assert.equal(server.heldBytes(), 0)
  })

  test('of 8 KiB a second goes on, and below that is 408', async (t) => {
    const server = await serving(t, { maxHeldBytes: 8_000_000 })
    const [steady, slow] = [await server.sized(1_000_000), await server.sized(1_000_000)]
    await server.started(2)
    let sent = 0
    for (let second = 0; second < 12; second++) {
      steady.write(' '.repeat(8192))
      slow.write(' '.repeat(4096))
      sent += 8192 + 4096
      while (server.arrived() < sent) await nextTurn()
      server.pass(1000)
    }
    assert.equal(server.arriving.size, 2)
    for (let second = 0; server.arriving.size === 2; second++) {
      steady.write(' '.repeat(8192))
      await nextTurn()
      assert.ok(second < 30)
      server.pass(1000)
    }
    assert.equal(await slow.status(), 408)
    assert.equal(steady.answers.length, 0)
  })

  test('may rest for 30 s when it was fast before, and no longer', async (t) => {
    const server = await serving(t, { maxHeldBytes: 8_000_000 })
    const sent = await server.sized(1_000_000)
    sent.write(' '.repeat(900_000)) // worth 110 s
    while (server.arrived() < 900_000) await nextTurn()
    server.pass(0)
    server.pass(30_000)
    assert.equal(server.arriving.size, 1)
    server.pass(1)
    assert.equal(await sent.status(), 408)
    assert.equal(server.heldBytes(), 0)
  })

  test('is not one that waits for the disk, which then has time to go on', async (t) => {
    let now = 0
    const all = bodies({ nowMs: () => now, checkEveryMs: 3_600_000 })
    const stored = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    const take = () => {
      taken.resolve()
      return stored.promise
    }
    const server = createServer((req, res) => {
      all.pass(req, res, 1_000_000, { held: 0 }, take).done.then(
        (bytes) => res.end(`${bytes}`),
        ({ status }) => res.writeHead(status).end(),
      )
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const connection = await openRaw(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    t.after(() => {
      connection.socket.destroy()
      server.close()
    })
    const pass = (ms: number): void => {
      now += ms
      all.cutSlow()
    }
    connection.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\nhalf')
    await taken.promise
    pass(3_600_000)
    assert.equal(all.arriving.size, 1)
    stored.resolve()
    await nextTurn()
    pass(10_000)
    connection.write('more')
    const [answer] = await connection.answered(1)
    assert.deepEqual([answer?.status, answer?.body], [200, '8'])
  })

  test('is found by a timer', async (t) => {
    const server = await serving(t, { checkEveryMs: 1 })
    for (let round = 0; round < 2; round++) {
      const sent = await server.sized(100)
      await server.started(1)
      server.advanceOnly(10_001)
      assert.equal(await sent.status(), 408)
      sent.socket.destroy()
      await server.started(0)
    }
  })

  test('that nobody reads ends its connection', async (t) => {
    const server = await serving(t)
    const sent = await server.sized(100, '/tags', 'wrong')
    assert.equal(await sent.status(), 401)
    await server.started(1)
    server.pass(10_001)
    await sent.closed
    assert.equal(server.arriving.size, 0)
  })
})

describe('a body that nobody reads', () => {
  for (const [what, piece] of [
    ['is long', chunk('x'.repeat(64 * KB)).repeat(20)],
    ['comes byte by byte', chunk('x').repeat(20_000)],
  ] as const) {
    test(`and ${what} is no longer parsed, and ends its connection behind the answer`, async (t) => {
      const server = await serving(t)
      const sent = await server.chunked('/tags', 'wrong')
      assert.equal(await sent.status(), 401)
      sent.write(piece)
      await sent.closed
      assert.ok(sent.socket.readableEnded, 'by the server')
      sent.write('zz\r\n') // which the parser would reject
      assert.deepEqual(sent.answers.length, 1)
    })
  }

  test('and is short leaves its connection as it was', async (t) => {
    const server = await serving(t)
    const sent = await server.chunked('/tags', 'wrong')
    assert.equal(await sent.status(), 401)
    sent.write(`${chunk('x'.repeat(60 * KB))}0\r\n\r\n`)
    sent.write(`GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n\r\n`)
    assert.deepEqual(
      (await sent.answered(2)).map(({ status }) => status),
      [401, 200],
    )
    await server.started(0)
  })
})

describe('a request that is answered without its body', () => {
  const ask = (token: string, bytes: number, type: string): string =>
    `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`

  for (const [bytes, type, status, connection] of [
    [1024 * KB, 'text/x-none', 415, 'keep-alive'],
    [1024 * KB + 1, 'text/x-none', 415, 'close'],
    [1024 * KB + 1, 'application/json', 413, 'close'],
  ] as const) {
    test(`of ${bytes} bytes of ${type} says Connection: ${connection}, and so it is`, async (t) => {
      const server = await startServer()
      t.after(server.stop)
      const { socket, answered, write } = await openRaw(server.url)
      t.after(() => socket.destroy())
      const get = `GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n\r\n`
      write(ask(server.a.token, bytes, type) + 'a'.repeat(bytes) + get)
      const answers = await answered(2)
      assert.deepEqual(
        answers.map(({ status }) => status),
        connection === 'close' ? [status] : [status, 200],
      )
      assert.equal(answers[0]?.headers.connection, connection)
    })
  }
})
