import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { type RawAnswer, sendRaw } from '../support/raw.ts'
import { startServer, type TestServer } from '../support/server.ts'

const ORIGIN = 'https://crm.example'

let server: TestServer
let withCors: TestServer
let deal: string
before(async () => {
  server = await startServer()
  withCors = await startServer({ corsOrigins: [ORIGIN, 'https://other.example'] })
  for (let count = 0; count < 20; count++)
    deal = (await server.call('POST', '/deals', { title: `Rollout ${count}` })).body.id
})
after(async () => {
  await server.stop()
  await withCors.stop()
})

/** Not with fetch, which decompresses answers and adds headers. */
function ask(method: string, path: string, headers: Record<string, string> = {}, to = server): Promise<RawAnswer> {
  const all = { Host: 'x', Authorization: `Bearer ${to.a.token}`, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return sendRaw(to.url, `${method} /api/v1${path} HTTP/1.1\r\n${lines.join('')}\r\n`, { methods: [method] })
}

/** Removes the headers that may differ between requests. */
const steady = ({ 'x-request-id': _id, date: _date, ...headers }: Record<string, string>) => headers

describe('HEAD', () => {
  for (const path of ['/deals', '/deals?limit=1', '/deals/<id>', '/deals?limit=0', '/deals/1', '/nothing', '/stages']) {
    test(`of ${path} is GET without the body`, async () => {
      const target = path.replace('<id>', deal)
      const got = await ask('GET', target)
      const { status, headers, body } = await ask('HEAD', target)
      assert.equal(status, got.status)
      assert.deepEqual(steady(headers), steady(got.headers))
      assert.equal(Number(headers['content-length']), Buffer.byteLength(got.body))
      assert.equal(body, '')
    })
  }

  test('is asked for a token, and takes If-None-Match', async () => {
    assert.equal((await ask('HEAD', '/deals', { Authorization: '' })).status, 401)
    assert.equal((await ask('HEAD', `/deals/${deal}`, { 'If-None-Match': '"1"' })).status, 304)
  })

  test('where there is no GET is 405', async () => {
    assert.equal((await ask('HEAD', `/deals/${deal}/close`)).status, 405)
  })
})

describe('OPTIONS', () => {
  test('is 204 with Allow on a path of the catalog, without a token', async () => {
    const { status, headers, body } = await ask('OPTIONS', '/deals', { Authorization: '' })
    assert.deepEqual([status, headers.allow, body], [204, 'HEAD, GET, POST, OPTIONS', ''])
    assert.ok(!('content-type' in headers) && !('content-length' in headers))
    assert.equal((await ask('OPTIONS', '/deals/1/close')).headers.allow, 'POST, OPTIONS')
  })

  test('is 404 elsewhere', async () => {
    assert.equal((await ask('OPTIONS', '/nothing')).status, 404)
  })
})

describe('CORS', () => {
  const named = (headers: Record<string, string>) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control'))

  test('is off: an origin gets no header of it, and no Vary', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await ask(method, `/deals/${deal}`, { Origin: ORIGIN })
      assert.deepEqual(named(headers), [])
      assert.equal(headers.vary, undefined)
    }
  })

  test('where it is on, lets in the origins that are named', async () => {
    for (const origin of [ORIGIN, 'https://other.example']) {
      const { headers } = await ask('GET', '/stages', { Origin: origin }, withCors)
      assert.equal(headers['access-control-allow-origin'], origin)
      assert.match(headers['access-control-expose-headers'] as string, /ETag.*Dealbox-Echo.*X-Request-Id/)
      assert.ok(!('access-control-allow-credentials' in headers))
    }
  })

  test('where it is on, does not let in any other', async () => {
    for (const origin of ['https://evil.example', 'null', '', `${ORIGIN}.evil.example`, 'http://crm.example', '*']) {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await ask(method, '/stages', { Origin: origin }, withCors)
        assert.deepEqual(named(headers), [], origin)
        assert.match(headers.vary as string, /Origin/)
      }
    }
  })

  test('answers a preflight without a token', async () => {
    const preflight = {
      Authorization: '',
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'PATCH',
      'Access-Control-Request-Headers': 'authorization,content-type,if-match',
    }
    const { status, headers } = await ask('OPTIONS', '/deals/1', preflight, withCors)
    assert.equal(status, 204)
    assert.equal(headers['access-control-allow-origin'], ORIGIN)
    assert.match(headers['access-control-allow-methods'] as string, /PATCH/)
    for (const name of ['Authorization', 'Content-Type', 'If-Match', 'Idempotency-Key', 'Dealbox-Echo'])
      assert.ok(headers['access-control-allow-headers']?.includes(name))
    assert.equal(headers['access-control-max-age'], '600')
    assert.equal(headers.vary, 'Origin')
  })

  test('shows errors to the origin, too', async () => {
    for (const [path, token, status] of [
      ['/nothing', '', 404],
      ['/deals', '', 401],
      ['/deals?limit=0', `Bearer ${withCors.a.token}`, 400],
    ] as const) {
      const answer = await ask('GET', path, { Origin: ORIGIN, Authorization: token }, withCors)
      assert.equal(answer.status, status)
      assert.equal(answer.headers['access-control-allow-origin'], ORIGIN)
    }
  })
})

describe('every answer', () => {
  const kinds: [number, string, string, Record<string, string>?][] = [
    [200, 'GET', '/deals'],
    [200, 'GET', '/deals/<id>'],
    [200, 'HEAD', '/deals'],
    [204, 'OPTIONS', '/deals'],
    [304, 'GET', '/deals/<id>', { 'If-None-Match': '*' }],
    [400, 'GET', '/deals?limit=0'],
    [400, 'GET', '/deals', { Host: 'a b' }],
    [400, 'GET', '/deals', { 'Content-Length': '-1' }],
    [401, 'GET', '/deals', { Authorization: '' }],
    [404, 'GET', '/nothing'],
    [404, 'CONNECT', ''],
    [405, 'PUT', '/deals'],
    [405, 'FETCH', '/deals'],
    [406, 'GET', '/deals', { Accept: 'text/html' }],
    [413, 'POST', '/deals', { 'Content-Type': 'application/json', 'Content-Length': '9999999' }],
    [414, 'GET', `/${'a'.repeat(9000)}`],
    [414, 'GET', `/${'a'.repeat(90_000)}`],
    [415, 'POST', '/deals'],
    [417, 'GET', '/deals', { Expect: 'x' }],
    [431, 'GET', '/deals', { 'X-A': 'a'.repeat(20_000) }],
  ]
  for (const [status, method, path, headers] of kinds) {
    test(`${status} to ${method} ${path.slice(0, 12)} carries its id, the headers of security and no name of a product`, async () => {
      const own = { 'X-Request-Id': 'mine', 'Dealbox-Echo': 'mine_2' }
      const answer = await ask(method, path.replace('<id>', deal), { ...own, ...headers })
      assert.equal(answer.status, status, answer.body)
      assert.ok(answer.headers['x-request-id'])
      // The headers of these were not read.
      const isUnread =
        [414, 431].includes(status) || path === '' || method === 'FETCH' || headers?.['Content-Length'] === '-1'
      assert.match(answer.headers['dealbox-echo'] as string, isUnread ? /^(mine_2|none)$/ : /^mine_2$/)
      assert.equal(answer.headers['x-content-type-options'], 'nosniff')
      assert.equal(answer.headers['cache-control'], 'private, no-cache')
      assert.equal(answer.headers['content-security-policy'], "default-src 'none'")
      assert.ok(answer.headers.date)
      assert.equal(answer.headers.server, undefined)
      assert.equal(answer.headers['x-powered-by'], undefined)
    })
  }

  test('takes the id of the request over, or makes one', async () => {
    assert.equal((await ask('GET', '/deals', { 'X-Request-Id': 'Trace_1-a' })).headers['x-request-id'], 'Trace_1-a')
    const [one, two] = await Promise.all([ask('GET', '/deals'), ask('GET', '/deals')])
    assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id'])
  })

  test('is told from those of others by its echo, which is nothing that could break a header', async () => {
    const echoes = [
      [{}, 'none'],
      [{ 'Dealbox-Echo': 'aZ_-09' }, 'aZ_-09'],
      [{ 'Dealbox-Echo': 'a'.repeat(65) }, 'none'],
      [{ 'Dealbox-Echo': 'a b' }, 'none'],
      [{ 'Dealbox-Echo': 'one, two' }, 'none'],
    ] as const
    for (const [sent, echo] of echoes) assert.equal((await ask('GET', '/deals', sent)).headers['dealbox-echo'], echo)
  })
})

describe('a list', () => {
  test('over 2 KiB is gzipped for those who take it', async () => {
    const plain = (await server.call('GET', '/deals', undefined, { headers: { 'accept-encoding': 'identity' } })).text
    for (const encodings of ['gzip', 'br, gzip', 'GZIP;q=0.1', '*', 'identity, *;q=0.5']) {
      const { headers, bytes } = await ask('GET', '/deals', { 'Accept-Encoding': encodings })
      assert.equal(headers['content-encoding'], 'gzip', encodings)
      assert.equal(headers.vary, 'Accept-Encoding')
      assert.equal(Number(headers['content-length']), bytes.length)
      assert.equal(gunzipSync(bytes).toString(), plain)
    }
  })

  test('is not gzipped for others', async () => {
    for (const encodings of ['', 'identity', 'br', 'gzip;q=0', '*, gzip;q=0', '*;q=0', 'gzip;q=0.000', 'gzippy']) {
      const { headers, body } = await ask('GET', '/deals', { 'Accept-Encoding': encodings })
      assert.equal(headers['content-encoding'], undefined, encodings)
      assert.equal(headers.vary, 'Accept-Encoding')
      assert.equal(JSON.parse(body).data.length, 20)
    }
    assert.equal((await ask('GET', '/deals')).headers['content-encoding'], undefined)
  })

  test('up to 2 KiB is not, and a record never', async () => {
    for (const path of ['/deals?limit=1', `/deals/${deal}`, '/nothing']) {
      const { headers } = await ask('GET', path, { 'Accept-Encoding': 'gzip' })
      assert.equal(headers['content-encoding'], undefined)
    }
  })

  test('names its next page in a link that can be followed', async () => {
    const first = await ask('GET', '/deals?limit=8&status[in]=open,won&count=true')
    const link = /^<(\/api\/v1[^>]+)>; rel="next"$/.exec(first.headers.link as string)?.[1]
    assert.equal(
      link,
      `/api/v1/deals?limit=8&status[in]=open,won&count=true&cursor=${JSON.parse(first.body).next_cursor}`,
    )
    const second = await ask('GET', link.slice('/api/v1'.length))
    assert.equal(JSON.parse(second.body).data.length, 8)
    const third = await ask('GET', /<\/api\/v1([^>]+)>/.exec(second.headers.link as string)?.[1] as string)
    assert.equal(JSON.parse(third.body).data.length, 4)
    assert.equal(third.headers.link, undefined)
  })

  test('names its next page also where the question is written in unusual ways', async () => {
    for (let count = 0; count < 20; count++) await server.call('POST', '/contacts', { last_name: `Nr ${count}` })
    const first = JSON.parse((await ask('GET', '/contacts?limit=8&external_id[ne]=<">')).body)
    const { headers } = await ask('GET', `/contacts?limit=8&external_id[ne]=<">&%63ursor=${first.next_cursor}`)
    const link = /^<\/api\/v1([^<>" ]+)>; rel="next"$/.exec(headers.link as string)?.[1] as string
    const { status, body } = await ask('GET', link)
    assert.deepEqual([status, JSON.parse(body).data.length], [200, 4])
  })
})

describe('Accept', () => {
  for (const accept of ['application/json', 'application/*', '*/*', 'text/html, */*;q=0.1', 'Application/JSON', '']) {
    test(`${accept || 'nothing'} is answered`, async () => {
      assert.equal((await ask('GET', '/deals', { Accept: accept })).status, 200)
    })
  }
  for (const accept of ['text/html', 'application/xml', 'application/json;q=0', '*/*;q=0', 'application/*;q=0, */*']) {
    test(`${accept} is 406`, async () => {
      const { status, body } = await ask('GET', '/deals', { Accept: accept })
      assert.deepEqual([status, JSON.parse(body).code], [406, 'not_acceptable'])
    })
  }
})
