import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { listen } from '../../src/http/listener/server.ts'
import { openRaw, type RawConnection } from '../support/raw.ts'
import { startServer, type TestServer } from '../support/server.ts'

const BODY = '{"name":"in flight"}'
const get = (server: TestServer) =>
  `GET /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n\r\n`
const post = (server: TestServer, headers = '') =>
  `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.a.token}\r\n${headers}` +
  `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`

async function serving(t: TestContext, options?: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const server = await startServer(options)
  t.after(server.stop)
  return server
}

/** Resolves when the server has read what was sent: it handles connections in the order of their packets. */
async function settled(server: TestServer): Promise<void> {
  await (await openAnswered(server)).socket.destroy()
}

async function openAnswered(server: TestServer): Promise<RawConnection> {
  const connection = await openRaw(server.url)
  connection.write(get(server))
  assert.equal((await connection.answered(1))[0]?.status, 200)
  return connection
}

describe('while the server stops', () => {
  test('a request that has begun is answered, and its connection closed', async (t) => {
    const server = await serving(t)
    const connection = await openRaw(server.url)
    connection.write(post(server) + BODY.slice(0, 9))
    await settled(server)
    server.beginStopping()
    const stopped = server.stop()
    connection.write(BODY.slice(9))
    await connection.closed
    const [answer] = connection.answers
    assert.equal(answer?.status, 201)
    assert.equal(answer?.headers.connection, 'close')
    connection.socket.destroy()
    await stopped
  })

  test('a write that waits for its commit is answered', async (t) => {
    const server = await serving(t)
    const { db } = server.store
    const stopped = new Promise<void>((resolve) => {
      db.function('stop_now', {}, () => {
        server.beginStopping()
        resolve(server.stop())
        return null
      })
    })
    db.exec('CREATE TEMP TRIGGER stopping AFTER INSERT ON tags BEGIN SELECT stop_now(); END')
    const connection = await openRaw(server.url)
    connection.write(post(server) + BODY)
    await connection.closed
    assert.equal(connection.answers[0]?.status, 201)
    connection.socket.destroy()
    await stopped
  })

  test('a new request on an open connection is 503 with Retry-After, and the connection is closed', async (t) => {
    const server = await serving(t)
    const connection = await openAnswered(server)
    server.beginStopping()
    connection.write(get(server))
    await connection.closed
    const answer = connection.answers[1]
    assert.equal(answer?.status, 503)
    assert.equal(JSON.parse(answer?.body as string).code, 'stopping')
    assert.equal(answer?.headers['retry-after'], '5')
    assert.equal(answer?.headers.connection, 'close')
    connection.socket.destroy()
    await server.stop()
  })

  test('clients that send requests without an end are closed like others', async (t) => {
    const server = await serving(t)
    const floods = await Promise.all(Array.from({ length: 4 }, () => openRaw(server.url)))
    for (const { socket } of floods) {
      const more = (): void => {
        while (socket.writable && socket.write(get(server).repeat(2000)));
      }
      socket.pause().on('drain', more)
      more()
    }
    await settled(server)
    server.beginStopping()
    for (const { socket } of floods) socket.resume()
    await Promise.all(floods.map(({ closed }) => closed))
    for (const { socket } of floods) socket.destroy()
    await server.stop()
  })

  test('a new request behind one that has begun is not served', async (t) => {
    const server = await serving(t)
    const connection = await openRaw(server.url)
    connection.write(post(server) + BODY.slice(0, 9))
    await settled(server)
    server.beginStopping()
    connection.write(BODY.slice(9) + get(server))
    await connection.closed
    assert.deepEqual(
      connection.answers.map(({ status }) => status),
      [201],
    )
    connection.socket.destroy()
    await server.stop()
  })

  test('idle connections are closed at once, also those that never sent anything', async (t) => {
    const server = await serving(t)
    const used = await openAnswered(server)
    const unused = await openRaw(server.url)
    await settled(server)
    // Within a grace period longer than the clients would wait.
    await Promise.all([server.stopWithin(10 * 60_000), used.closed, unused.closed])
    for (const { socket } of [used, unused]) {
      assert.ok(socket.readableEnded, 'the server ended the connection')
      socket.destroy()
    }
  })

  test('nobody can connect any more', async (t) => {
    const server = await serving(t)
    await server.stop()
    await assert.rejects(openRaw(server.url), { code: 'ECONNREFUSED' })
  })
})

test('what does not finish in the time of grace is cut', async () => {
  const arrived = Promise.withResolvers<void>()
  const listener = await listen(() => arrived.resolve(), { host: '127.0.0.1', port: 0 })
  const connection = await openRaw(listener.url)
  connection.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await arrived.promise
  const started = performance.now()
  await Promise.all([listener.stop(100), connection.closed])
  assert.ok(performance.now() - started >= 95)
  assert.deepEqual(connection.answers, [])
  connection.socket.destroy()
})

test('an address that cannot be had is refused in a sentence', async () => {
  const listener = await listen(() => undefined, { host: '127.0.0.1', port: 0 })
  const port = Number(new URL(listener.url).port)
  await assert.rejects(
    listen(() => undefined, { host: '127.0.0.1', port }),
    { code: 'cannot_listen', message: `Cannot listen on 127.0.0.1:${port}: another program uses this port.` },
  )
  await listener.stop(0)
})

test('a client that is too slow is answered 408', async (t) => {
  const server = await serving(t, { limits: { headersTimeout: 2000, requestTimeout: 3000 } })
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
  const chunked = post(server).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')
  const idle = await openAnswered(server)
  const [headers, body, endless, refused] = await Promise.all([
    slowly(server, get(server).slice(0, 30)),
    slowly(server, post(server, 'X-Request-Id: slow-body\r\n') + BODY.slice(0, 9)),
    slowly(server, `${chunked}ffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`),
    slowly(server, post(server).replace('Bearer', 'Nobody') + BODY.slice(0, 9)),
  ])
  assert.deepEqual(headers, [408])
  assert.deepEqual(body, [408])
  assert.deepEqual(endless, [408], 'a chunk of 2^64 - 1 bytes')
  assert.deepEqual(refused, [401], 'and nothing more')
  assert.deepEqual(
    idle.answers.map(({ status }) => status),
    [200],
    'an idle connection is no slow client',
  )
  idle.socket.destroy()
  assert.equal((await server.call('GET', '/tags')).body.data.length, 0)
  silent.destroy()
  await server.stop()

  async function slowly({ url }: TestServer, bytes: string): Promise<number[]> {
    const connection = await openRaw(url)
    connection.write(bytes)
    await connection.closed
    connection.socket.destroy()
    for (const { status, headers: has, body: text } of connection.answers) {
      if (status !== 408) continue
      assert.equal(JSON.parse(text).code, 'request_timeout')
      assert.equal(has.connection, 'close')
      if (bytes.includes('slow-body')) assert.equal(has['x-request-id'], 'slow-body')
    }
    return connection.answers.map(({ status }) => status)
  }
})
