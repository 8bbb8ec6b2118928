import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openRaw, sendAll, sendRaw } from '../../support/raw.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

const AUTH = () => `Host: x\r\nAuthorization: Bearer ${server.a.token}\r\n`
const get = (path: string) => `GET /api/v1${path} HTTP/1.1\r\n${AUTH()}\r\n`
const write = (method: string, path: string, body: unknown, headers = '') => {
  const text = JSON.stringify(body)
  const type = `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return `${method} /api/v1${path} HTTP/1.1\r\n${AUTH()}${type}${headers}\r\n${text}`
}
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status)

describe('requests on one connection', () => {
  test('are answered in their order', async () => {
    const requests = ['/deals', '/nothing', '/tags', '/deals/1', '/members?limit=0', '/stages'].map(get)
    const answers = await sendAll(server.url, requests.join(''), 6)
    assert.deepEqual(statuses(answers), [200, 404, 200, 404, 400, 200])
  })

  test('see what those before them wrote', async () => {
    const { body } = await server.call('POST', '/tags', { name: 'before' })
    const path = `/tags/${body.id}`
    const requests = write('PATCH', path, { name: 'after' }) + get(path) + write('DELETE', path, {}) + get(path)
    const [patched, read, removed, gone] = await sendAll(server.url, requests, 4)
    assert.deepEqual(statuses([patched!, read!, removed!, gone!]), [200, 200, 204, 404])
    assert.equal(JSON.parse(read!.body).name, 'after')
  })

  test('come in pieces of one byte', async () => {
    const connection = await openRaw(server.url)
    connection.socket.setNoDelay()
    for (const byte of get('/deals?limit=1') + write('POST', '/tags', { name: 'bytewise' })) {
      connection.write(byte)
      await new Promise(setImmediate)
    }
    assert.deepEqual(statuses(await connection.answered(2)), [200, 201])
    connection.socket.destroy()
  })

  test('are answered before a fault that comes behind them', async () => {
    const requests = `${write('POST', '/tags', { name: 'acknowledged' })}${get('/tags')}not HTTP\r\n\r\n`
    const answers = await sendAll(server.url, requests, 9, { untilClose: true })
    assert.deepEqual(statuses(answers), [201, 200, 400])
    assert.equal(answers[2]?.headers.connection, 'close')
  })

  test('are answered before CONNECT is', async () => {
    const requests = `${write('POST', '/tags', { name: 'connected' })}CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n`
    assert.deepEqual(statuses(await sendAll(server.url, requests, 9, { untilClose: true })), [201, 404])
  })

  test('are not served behind the last answer', async () => {
    const tooLarge = `POST /api/v1/tags HTTP/1.1\r\n${AUTH()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunks = `10000\r\n${'a'.repeat(65_536)}\r\n`.repeat(17)
    const rest = `0\r\n\r\n${write('POST', '/tags', { name: 'too late' })}`
    assert.deepEqual(statuses(await sendAll(server.url, tooLarge + chunks + rest, 9, { untilClose: true })), [413])
    const connection = await openRaw(server.url)
    connection.write(tooLarge + chunks)
    await connection.closed
    connection.write(rest)
    await server.call('POST', '/tags', { name: 'in time' })
    const { text } = await server.call('GET', '/tags')
    assert.ok(text.includes('in time') && !text.includes('too late'))
    connection.socket.destroy()
  })

  for (const many of [40, 20_000])
    test(`are not read behind the last answer, also where ${many} of them came with it`, async () => {
      const connection = await openRaw(server.url)
      const last = 'GET /x HTTP/1.1\r\nHost: not a host\r\n\r\n'
      connection.write(last + get('/tags').repeat(many))
      await connection.closed
      assert.deepEqual(statuses(connection.answers), [400])
      connection.write(get('/tags').repeat(many))
      for (let asked = 0; asked < 10; asked++) assert.equal((await server.call('GET', '/tags')).status, 200)
      connection.socket.destroy()
    })

  test('end with one that says close', async () => {
    const requests = write('POST', '/tags', { name: 'closing' }, 'Connection: close\r\n') + get('/tags')
    const answers = await sendAll(server.url, requests, 9, { untilClose: true })
    assert.deepEqual(statuses(answers), [201])
  })
})

describe('a body', () => {
  test('that is refused while it is sent does not cost the client the answer', async () => {
    for (let round = 0; round < 5; round++) {
      const { status, body } = await server.call('POST', '/deals', undefined, { raw: Buffer.alloc(8_000_000, 'a') })
      assert.equal(status, 413)
      assert.equal(body.code, 'body_too_large')
    }
  })

  test('that the client goes on to send is read for a second, and then the connection is cut', async () => {
    const connection = await openRaw(server.url)
    const errors: string[] = []
    connection.socket.on('error', ({ message }) => errors.push(message))
    connection.write(`POST /api/v1/deals HTTP/1.1\r\n${AUTH()}Content-Type: application/json\r\n`)
    connection.write('Content-Length: 9000000\r\n\r\n')
    await connection.closed
    assert.deepEqual(statuses(connection.answers), [413])
    for (let sent = 0; sent < 5; sent++) {
      await new Promise((resolve) => connection.socket.write('a'.repeat(100_000), resolve))
    }
    assert.deepEqual(errors, [], 'a reset would cost the answer where it is slower to arrive')
    await until(() => {
      connection.write('a')
      return errors.length > 0 || connection.socket.destroyed
    })
    assert.equal(errors.length, 1)
  })

  test('that goes wrong after the answer is out gets no second one', async () => {
    const started = 'POST /api/v1/deals HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n'
    const connection = await openRaw(server.url)
    connection.write(started)
    await connection.answered(1)
    connection.write('zz\r\n')
    await connection.closed
    assert.deepEqual(statuses(connection.answers), [401])
    connection.socket.destroy()
  })

  test('that goes wrong while it is read is answered as its request, by its id', async () => {
    const connection = await openRaw(server.url)
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nX-Request-Id: broken-body\r\n'
    connection.write(`POST /api/v1/deals HTTP/1.1\r\n${AUTH()}${type}\r\n2\r\n{}\r\n`)
    await server.call('GET', '/tags') // by now the server has read everything sent before
    connection.write('zz\r\n')
    await connection.closed
    assert.deepEqual(statuses(connection.answers), [400])
    assert.equal(connection.answers[0]?.headers['x-request-id'], 'broken-body')
    connection.socket.destroy()
  })

  test('that nobody reads does not hold up the next request', async () => {
    const unread = `POST /api/v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 300000\r\n\r\n${'a'.repeat(300_000)}`
    assert.deepEqual(statuses(await sendAll(server.url, unread + get('/tags'), 2)), [404, 200])
  })

  test('is asked for with 100 Continue, but not when it is too large', async () => {
    const expecting = (length: number) =>
      `POST /api/v1/tags HTTP/1.1\r\n${AUTH()}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`
    const connection = await openRaw(server.url)
    connection.write(expecting(20))
    await connection.continued
    connection.write('{"name":"continued"}')
    assert.deepEqual(statuses(await connection.answered(1)), [201])
    connection.socket.destroy()
    const refused = await openRaw(server.url)
    refused.write(expecting(1_048_577))
    assert.deepEqual(statuses(await refused.answered(1)), [413])
    assert.equal(refused.isContinued(), false)
    refused.socket.destroy()
  })
})

test('a client that ends its side still gets the answers to all that it has sent', async () => {
  const requests = write('POST', '/tags', { name: 'half' }) + get('/tags') + write('POST', '/tags', { name: 'closed' })
  const answers = await sendAll(server.url, requests, 9, { halfClose: true, untilClose: true })
  assert.deepEqual(statuses(answers), [201, 200, 201])
})

test('a large header in several packets is told from a long target', async () => {
  const connection = await openRaw(server.url)
  connection.socket.setNoDelay()
  connection.write(`GET /api/v1/deals HTTP/1.1\r\nHost: x\r\nX-Long: `)
  for (let packet = 0; packet < 10; packet++) {
    connection.write('a'.repeat(2000))
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await connection.closed
  assert.deepEqual(statuses(connection.answers), [431])
  connection.socket.destroy()
})

test('the answer names the request id of the client also where no route is asked', async () => {
  for (const line of ['GET /nothing', 'OPTIONS /api/v1/deals', 'PUT /api/v1/deals', 'CONNECT /api/v1/deals']) {
    const { headers } = await sendRaw(server.url, `${line} HTTP/1.1\r\nHost: x\r\nX-Request-Id: A_b-9\r\n\r\n`)
    assert.equal(headers['x-request-id'], 'A_b-9', line)
  }
  for (const bad of ['', 'a b', 'a'.repeat(65), '<script>', 'a, b', '\xe9']) {
    const { headers } = await sendRaw(server.url, `GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${bad}\r\n\r\n`)
    assert.match(headers['x-request-id'] as string, /^[0-9a-f-]{36}$/)
  }
})
