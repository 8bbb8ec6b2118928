import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type Primary, type StartedReader, startPrimary } from '../../support/copied.ts'
import { noLitestream } from '../../support/litestream.ts'
import { sendRaw } from '../../support/raw.ts'
import { untilIs } from '../../support/until.ts'

// A reader that passes writes on.

const needs = { skip: noLitestream }
let primary: Primary
let reader: StartedReader

before(async () => {
  if (noLitestream) return
  primary = await startPrimary({ trustProxy: '127.0.0.1' })
  reader = await primary.startReader({ primary: primary.served.api, primaryScreens: primary.served.screens })
})
after(async () => {
  await reader?.stop()
  await primary?.stop()
})

/** A primary of which the test sees what arrives. */
async function listener(
  answer: (req: IncomingMessage, body: string) => { status?: number; headers?: object; body?: string },
) {
  const server: Server = createServer(async (req, res) => {
    const { status = 200, headers = {}, body = '{}' } = answer(req, Buffer.concat(await req.toArray()).toString())
    res.writeHead(status, headers as never).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    },
  }
}

test('a write arrives at the primary, and its answer at the client, who can read it here', needs, async () => {
  const key = { 'idempotency-key': 'once' }
  const made = await reader.call('POST', '/deals', { title: 'Passed on' }, key)
  assert.equal(made.status, 201)
  assert.match(made.headers.get('location') ?? '', /^\/api\/v1\/deals\//)
  const again = await primary.call('POST', '/deals', { title: 'Passed on' }, key)
  assert.deepEqual([again.body.id, again.headers.get('idempotency-replayed')], [made.body.id, 'true'])
  const seq = made.headers.get('dealbox-seq') as string
  const read = () => reader.call('GET', `/deals/${made.body.id}`, undefined, { 'dealbox-seq': seq })
  assert.equal((await untilIs(read, ({ status }) => status === 200)).body.title, 'Passed on')
  const changed = await reader.call('PATCH', `/deals/${made.body.id}`, { title: 'Changed' }, { 'if-match': '"1"' })
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
  const stale = await reader.call('PATCH', `/deals/${made.body.id}`, { title: 'Again' }, { 'if-match': '"1"' })
  assert.deepEqual([stale.status, stale.body.code], [412, 'version_mismatch'])
  assert.equal((await fetch(`${reader.api}/api/v1/deals`, { method: 'POST', body: '{}' })).status, 401)
})

test('people sign in and write by a reader', needs, async () => {
  const headers = { cookie: primary.cookie, origin: reader.screens, 'content-type': 'application/json' }
  const body = JSON.stringify({ title: 'By a person' })
  const made = await fetch(`${reader.screens}/api/v1/deals`, { method: 'POST', headers, body })
  assert.equal(made.status, 201)
  const foreign = { ...headers, origin: 'https://evil.example' }
  assert.equal((await fetch(`${reader.screens}/app/logout`, { method: 'POST', headers: foreign })).status, 403)
  const wrong = JSON.stringify({ email: 'ana@acme.example', password: 'wrong' })
  const refused = await fetch(`${reader.screens}/app/login`, { method: 'POST', headers, body: wrong })
  assert.match(await refused.text(), /"code":"invalid_credentials"/)
})

test('strangers who hold their requests back keep nobody from writing and signing out', needs, async () => {
  const strangers: ReturnType<typeof request>[] = []
  const hold = (url: string, refused: () => void) => {
    const headers = { 'content-type': 'application/json', 'content-length': '2', origin: reader.screens }
    const held = request(url, { method: 'POST', headers }, ({ statusCode }) => {
      if (statusCode === 503) refused()
    })
    strangers.push(held.on('error', () => undefined))
    held.write('{')
  }
  try {
    let refused = 0
    for (let n = 0; n < 12; n++) hold(`${reader.screens}/app/login`, () => refused++)
    const isRefused = await untilIs(
      () => refused === 4,
      (done) => done,
    )
    assert.ok(isRefused, `${refused} were refused`)
    assert.equal((await reader.call('POST', '/deals', { title: 'Beside strangers' })).status, 201)
    const headers = { cookie: primary.cookie, origin: reader.screens, 'content-type': 'application/json' }
    const body = JSON.stringify({ title: 'Of a person beside strangers' })
    assert.equal((await fetch(`${reader.screens}/api/v1/deals`, { method: 'POST', headers, body })).status, 201)
    const left = await fetch(`${reader.screens}/app/logout`, { method: 'POST', headers })
    assert.equal(left.status, 204)
    const { port } = new URL(reader.screens)
    assert.match(left.headers.get('set-cookie') ?? '', new RegExp(`^dealbox=;.*, dealbox-[0-9a-f]{10}-${port}=;`))
  } finally {
    for (const held of strangers) held.destroy()
  }
})

test('what belongs to one connection stays there, and the primary learns who asks', needs, async () => {
  let seen: IncomingMessage | undefined
  const other = await listener((req, body) => {
    seen = req
    return {
      headers: { Connection: 'x-own', 'X-Own': '1', 'Keep-Alive': 'timeout=9', 'Set-Cookie': ['a=1', 'b=2'] },
      body,
    }
  })
  const passing = await primary.startReader({ primary: `${other.url}/below` })
  try {
    const asked = request(`${passing.api}/api/v1/deals?x=%20y`, {
      method: 'POST',
      headers: {
        ...{ Connection: 'keep-alive, X-Mine', 'X-Mine': '1', TE: 'trailers', 'Transfer-Encoding': 'chunked' },
        ...{
          Host: 'crm.example',
          'X-Forwarded-For': '192.0.2.1',
          'X-Request-Id': 'own-id',
          'X-Kept': 'yes',
          Expect: '100-continue',
        },
      },
    })
    asked.write('{"a":')
    asked.end('1}')
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    assert.equal(Buffer.concat(await answer.toArray()).toString(), '{"a":1}')
    assert.deepEqual([answer.headers['set-cookie'], answer.headers['x-own']], [['a=1', 'b=2'], undefined])
    const { headers, url } = seen as IncomingMessage
    assert.equal(url, '/below/api/v1/deals?x=%20y')
    assert.deepEqual([headers['x-mine'], headers.te, headers.expect], [undefined, undefined, undefined])
    assert.equal(headers.host, new URL(other.url).host)
    assert.deepEqual([headers['x-kept'], headers['x-request-id'], headers['dealbox-passed-on']], ['yes', 'own-id', '1'])
    assert.deepEqual([headers['x-forwarded-host'], headers['x-forwarded-proto']], ['crm.example', 'http'])
    assert.equal(headers['x-forwarded-for'], '192.0.2.1') // of this machine, which is trusted
  } finally {
    await passing.stop()
    await other.stop()
  }
})

test('a stranger hides no request in another one, and gets nothing of the next', needs, async () => {
  const { token } = primary.org
  const hidden = (length: number) =>
    `POST /api/v1/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: 203.0.113.66\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{"name":"hidden`
  const many = 'a:\r\n'.repeat(2100)
  for (const [n, headers] of [
    'Connection: content-length\r\n',
    many,
    `${many}Connection: content-length\r\n`,
  ].entries()) {
    const body = hidden(400)
    const delivered = `DELETE /api/v1/tags/none HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
    const { status } = await sendRaw(reader.api, delivered)
    const title = `Honest ${n}`
    const made = await reader.call('POST', '/deals', { title })
    assert.deepEqual([made.status, made.body.title], [201, title])
    assert.equal(status, n === 1 ? 401 : 400)
  }
  const names = (await primary.call('GET', '/tags')).body.data.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    names.filter((name: string) => name.startsWith('hidden')),
    [],
  )
})

test('two readers that name each other do not pass a write on for ever', needs, async () => {
  const chain = await primary.startReader({ primary: reader.api })
  try {
    const { status, body } = await chain.call('POST', '/deals', { title: 'Round' })
    assert.deepEqual([status, body.code], [503, 'not_the_primary'])
  } finally {
    await chain.stop()
  }
})

test('a body that is too large is refused here, and a primary that does not answer is named', needs, async () => {
  const large = await reader.call('POST', '/deals', { title: 'x'.repeat(1_100_000) })
  assert.deepEqual([large.status, large.body.code], [413, 'body_too_large'])
  let requests = 0
  const silent = createServer((req) => {
    requests++
    req.socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const port = (silent.address() as AddressInfo).port
  const lost = await primary.startReader({ primary: `http://127.0.0.1:${port}` })
  try {
    const cut = await lost.call('POST', '/deals', { title: 'Cut' })
    assert.deepEqual(
      [cut.status, cut.body.code, cut.headers.get('retry-after'), requests],
      [503, 'primary_unreachable', '5', 1],
    )
    assert.match(cut.body.detail, /Idempotency-Key/)
    await new Promise((closed) => silent.close(closed))
    const gone = await lost.call('POST', '/deals', { title: 'Gone' })
    assert.match(gone.body.detail, /ECONNREFUSED/)
    assert.equal((await lost.call('GET', '/deals')).status, 200)
  } finally {
    await lost.stop()
  }
})

test('the echo is that of whoever answered: a gate in front of the primary has none', needs, async () => {
  const echo = { 'dealbox-echo': 'asked-now' }
  const made = await reader.call('POST', '/deals', { title: 'Echoed' }, echo)
  const refused = await reader.call('POST', '/deals', {}, echo)
  assert.deepEqual(
    [made, refused].map(({ status, headers }) => [status, headers.get('dealbox-echo')]),
    [
      [201, 'asked-now'],
      [422, 'asked-now'],
    ],
  )
  const headers = { cookie: primary.cookie, origin: reader.screens, 'content-type': 'application/json', ...echo }
  const left = await fetch(`${reader.screens}/app/links/check`, { method: 'POST', headers, body: '{"token":"x"}' })
  assert.deepEqual([left.status, left.headers.get('dealbox-echo')], [404, 'asked-now'])
  const gate = await listener(() => ({ status: 401, body: '{"error":"Please sign in"}' }))
  const behind = await primary.startReader({ primary: gate.url, primaryScreens: gate.url })
  try {
    const { status, headers } = await behind.call('POST', '/deals', { title: 'Kept out' }, echo)
    assert.deepEqual([status, headers.get('dealbox-echo')], [401, null])
  } finally {
    await behind.stop()
    await gate.stop()
  }
})
