import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { parseAllow } from '../../../src/lib/net/allow.ts'
import { type Address, guard } from '../../../src/lib/net/guard.ts'
import { type Attempt, poster, type Reply } from '../../../src/webhooks/egress/http-post.ts'
import { reset } from '../../support/reset.ts'
import { trusting } from '../../support/trust.ts'
import { makeCertificate } from './certificates.ts'
import { answer, type Behaviour, type Receiver, startReceiver } from './receiver.ts'

const OK = answer('HTTP/1.1 200 OK', 'Content-Length: 2', '', 'ok')
const LOOPBACK: Address[] = [{ address: '127.0.0.1', family: 4 }]

const loopback = (lookup = async () => LOOPBACK) =>
  guard({ allow: parseAllow('127.0.0.1, 127.0.0.2, ::1'), ownPorts: () => [], lookup, now: () => 0 })

async function receiver(t: TestContext, behaviour: Behaviour): Promise<Receiver> {
  const started = await startReceiver(behaviour)
  t.after(started.stop)
  return started
}

/** One try at the receiver; the connection is left afterwards, whatever came of it. */
async function tryAt(t: TestContext, behaviour: Behaviour, attempt: Partial<Attempt> = {}): Promise<Reply> {
  const { port, left } = await receiver(t, behaviour)
  const reply = await poster(loopback())({ url: `http://hooks.example:${port}/`, headers: {}, body: '{}', ...attempt })
  assert.equal(await left(), 0)
  return reply
}

const but = (reply: Reply) => ({ status: reply.status, reply: reply.reply, error: reply.error })

test('a POST carries the headers it was given and few others', async (t) => {
  const { port, requests } = await receiver(t, OK)
  const post = poster(loopback())
  const reply = await post({
    url: `http://Hooks.Example.:${port}/a%20b/ü?c=d#e`,
    headers: { 'webhook-id': 'msg_1', 'content-type': 'application/json' },
    body: '{"name":"Zoë"}',
  })
  assert.ok(Number.isInteger(reply.duration_ms) && reply.duration_ms >= 0)
  assert.deepEqual(
    { ...reply, duration_ms: 0 },
    { status: 200, duration_ms: 0, reply: 'ok', retry_after: null, error: null },
  )
  assert.deepEqual(requests[0]?.split('\r\n'), [
    'POST /a%20b/%C3%BC?c=d HTTP/1.1',
    `Host: hooks.example:${port}`,
    'User-Agent: Dealbox',
    'webhook-id: msg_1',
    'content-type: application/json',
    'Content-Length: 15',
    'Connection: close',
    '',
    '{"name":"Zoë"}',
  ])
})

test('the user agent can be another', async (t) => {
  const { port, requests } = await receiver(t, OK)
  await poster(loopback())({ url: `http://127.0.0.1:${port}`, headers: { 'user-agent': 'Other/1' }, body: '' })
  assert.match(requests[0] ?? '', /^user-agent: Other\/1\r$/im)
  assert.doesNotMatch(requests[0] ?? '', /Dealbox/)
})

for (const [status, error] of [
  [200, null],
  [202, null],
  [299, null],
  [301, 'The receiver answered with a redirect, which is not followed.'],
  [304, 'The receiver answered with a redirect, which is not followed.'],
  [404, 'The receiver answered 404.'],
  [410, 'The receiver answered 410.'],
  [500, 'The receiver answered 500.'],
  [600, 'The receiver answered 600.'],
] as const)
  test(`the answer ${status} is ${error === null ? 'a success' : 'a failure'}`, async (t) => {
    const reply = await tryAt(t, answer(`HTTP/1.1 ${status} X`, 'Content-Length: 0', '', ''))
    assert.deepEqual(but(reply), { status, reply: '', error })
  })

test('Retry-After is passed on as it was sent', async (t) => {
  const sent = answer('HTTP/1.1 429 X', 'Retry-After: Wed, 21 Oct 2026 07:28:00 GMT', 'Content-Length: 0', '', '')
  assert.equal((await tryAt(t, sent)).retry_after, 'Wed, 21 Oct 2026 07:28:00 GMT')
})

test('a redirect to a metadata address is neither followed nor looked at', async (t) => {
  const asked: string[] = []
  const redirect = answer('HTTP/1.1 302 Found', 'Location: http://169.254.169.254/', 'Content-Length: 0', '', '')
  const { port, connections, left } = await receiver(t, redirect)
  const post = poster(
    loopback(async (...[host]: string[]) => {
      asked.push(host as string)
      return LOOPBACK
    }),
  )
  const reply = await post({ url: `http://hooks.example:${port}/`, headers: {}, body: '' })
  assert.deepEqual(but(reply), {
    status: 302,
    reply: '',
    error: 'The receiver answered with a redirect, which is not followed.',
  })
  assert.deepEqual([asked, connections(), await left()], [['hooks.example'], 1, 0])
})

test('what the guard refuses is not connected', async (t) => {
  const { port, connections } = await receiver(t, OK)
  const post = poster(guard({ allow: [], ownPorts: () => [], lookup: async () => LOOPBACK }))
  for (const host of ['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', 'localhost', 'hooks.example']) {
    const reply = await post({ url: `http://${host}:${port}/`, headers: {}, body: '' })
    assert.match(
      reply.error ?? '',
      /loopback; to allow it, (?:use|list that address in) "dealbox serve --webhook-allow/,
    )
    assert.equal(reply.status, null)
  }
  assert.equal(connections(), 0)
})

test('a socket is used once: a name that was pointed elsewhere between two tries is refused', async (t) => {
  // The receiver would keep the connection open for more.
  const { port, connections, left } = await receiver(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n')
  })
  let now = 0
  let answers = LOOPBACK
  const checked = guard({
    allow: parseAllow('127.0.0.1'),
    ownPorts: () => [],
    lookup: async () => answers,
    now: () => now,
  })
  const post = poster(checked)
  const attempt = { url: `http://hooks.example:${port}/`, headers: {}, body: '' }
  assert.equal((await post(attempt)).error, null)
  assert.equal((await post(attempt)).error, null)
  assert.deepEqual([connections(), await left()], [2, 0])
  answers = [{ address: '10.0.0.1', family: 4 }]
  now = 10_000
  assert.match((await post(attempt)).error ?? '', /^The host hooks\.example has an address that is private/)
  assert.equal(connections(), 2)
})

test('nothing is sent over a connection that went elsewhere', async (t) => {
  const { port, connections, received, left } = await receiver(t, OK)
  const checked = {
    refusal: () => undefined,
    resolve: async (): Promise<Address[]> => [{ address: '127.0.0.9', family: 4 }],
  }
  for (const scheme of ['http', 'https']) {
    const post = poster(checked, { connect: () => connect({ port, host: '127.0.0.1' }) })
    const reply = await post({ url: `${scheme}://hooks.example:${port}/`, headers: {}, body: 'secret' })
    assert.equal(reply.error, 'The connection reached 127.0.0.1, which is not the address that was checked.')
  }
  assert.deepEqual([connections(), await left(), received()], [2, 0, 0])
})

test('where one address does not answer, the next one is tried', async (t) => {
  const { port } = await receiver(t, OK)
  const answers: Address[] = [{ address: '127.0.0.2', family: 4 }, { address: '::1', family: 6 }, ...LOOPBACK]
  const reply = await poster(loopback(async () => answers))({
    url: `http://hooks.example:${port}/`,
    headers: {},
    body: '',
  })
  assert.equal(reply.error, null)
})

test('a connection that is refused at all addresses says so', async () => {
  const gone = await startReceiver(OK)
  await gone.stop()
  for (const answers of [LOOPBACK, [...LOOPBACK, { address: '127.0.0.2', family: 4 as const }]]) {
    const reply = await poster(loopback(async () => answers))({
      url: `http://a.example:${gone.port}/`,
      headers: {},
      body: '',
    })
    assert.deepEqual(but(reply), { status: null, reply: null, error: 'The connection was refused.' })
  }
})

for (const [code, error] of [
  ['ENOTFOUND', 'The host name does not exist.'],
  ['EAI_AGAIN', 'The host name could not be resolved at the moment.'],
  ['EAI_FAIL', 'The host name could not be resolved.'],
  ['toString', 'The attempt failed (toString).'],
  [undefined, 'The attempt failed.'],
] as const)
  test(`the resolver's error ${code} is told in a sentence`, async () => {
    const post = poster(loopback(() => Promise.reject(Object.assign(new Error('x'), { code }))))
    assert.equal((await post({ url: 'http://hooks.example/', headers: {}, body: '' })).error, error)
  })

test('headers that cannot be sent fail the try, and nothing throws', async (t) => {
  const reply = await tryAt(t, OK, { headers: { 'x-a': 'b\r\nc: d' } })
  assert.equal(reply.error, 'The attempt failed (ERR_INVALID_CHAR).')
})

const HEAD = 'HTTP/1.1 200 OK\r\n'
const trickle =
  (start: string, piece: string): Behaviour =>
  (socket) => {
    socket.write(start)
    const timer = setInterval(() => socket.write(piece), 10)
    socket.once('close', () => clearInterval(timer))
  }

/** Time for a receiver to begin its response, also on a busy machine. */
const BEGUN_MS = 2000

for (const [what, behaviour, status, reply, error] of [
  ['never answers', () => undefined, null, null, 'There was no response within 0.15 s.'],
  ['never ends its headers', trickle(HEAD, 'x: y\r\n'), null, null, 'There was no response within 0.15 s.'],
  [
    'never ends its interim answers',
    trickle('', 'HTTP/1.1 102 X\r\n\r\n'),
    null,
    null,
    'There was no response within 0.15 s.',
  ],
  [
    'stops in its body',
    trickle(`${HEAD}Content-Length: 9\r\n\r\nabc`, ''),
    200,
    'abc',
    'The response was not complete within 2 s.',
  ],
] as const)
  test(`a receiver that ${what} is left in time`, async (t) => {
    assert.deepEqual(but(await tryAt(t, behaviour, { timeout_ms: status === null ? 150 : BEGUN_MS })), {
      status,
      reply,
      error,
    })
  })

test('a body that trickles is left in time, and its start is kept', async (t) => {
  const { status, reply, error } = await tryAt(t, trickle(`${HEAD}\r\n`, 'ab'), { timeout_ms: BEGUN_MS })
  assert.equal(status, 200)
  assert.match(reply ?? '', /^(ab)+$/)
  assert.equal(error, 'The response was not complete within 2 s.')
})

test('the time for a try counts DNS too, and nothing is connected when it comes late', async (t) => {
  const { port, connections } = await receiver(t, OK)
  const late = Promise.withResolvers<Address[]>()
  const checked = loopback(() => late.promise)
  const url = `http://hooks.example:${port}/`
  const reply = await poster(checked)({ url, headers: {}, body: '', timeout_ms: 20 })
  assert.equal(reply.error, 'There was no response within 0.02 s.')
  late.resolve(LOOPBACK)
  await checked.resolve(url)
  assert.equal((await poster(checked)({ url, headers: {}, body: '' })).error, null)
  assert.equal(connections(), 1)
})

test('the time for a try counts the handshake of TLS too', async (t) => {
  const { port, left } = await receiver(t, OK)
  const reply = await poster(loopback())({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '', timeout_ms: 150 })
  assert.equal(reply.error, 'There was no response within 0.15 s.')
  assert.equal(await left(), 0)
})

test('of 70 KiB, 64 are read and 2 are kept, and the status counts', async (t) => {
  // It never ends: only who leaves at 64 KiB gets a success.
  const big: Behaviour = (socket) => socket.write(`${HEAD}Content-Length: 9999999\r\n\r\n${'0123456789'.repeat(7168)}`)
  const { status, reply, error } = await tryAt(t, big)
  assert.deepEqual([status, error], [200, null])
  assert.equal(reply, '0123456789'.repeat(205).slice(0, 2048))
  const failing: Behaviour = (socket) => socket.write(`HTTP/1.1 503 X\r\n\r\n${'x'.repeat(70 * 1024)}`)
  assert.equal((await tryAt(t, failing)).error, 'The receiver answered 503.')
})

test('less than 64 KiB is read to its end', async (t) => {
  const most: Behaviour = (socket) => socket.write(`${HEAD}Content-Length: 65536\r\n\r\n${'x'.repeat(65_535)}`)
  assert.equal((await tryAt(t, most, { timeout_ms: BEGUN_MS })).error, 'The response was not complete within 2 s.')
})

test('a flood of interim answers is left before its time', async (t) => {
  const flood: Behaviour = (socket) => socket.write('HTTP/1.1 103 X\r\n\r\n'.repeat(20_000))
  assert.equal((await tryAt(t, flood)).error, 'The receiver sent too many interim responses.')
})

test('an interim answer is not the answer', async (t) => {
  const reply = await tryAt(
    t,
    answer('HTTP/1.1 103 Early', '', 'HTTP/1.1 100 Continue', '', 'HTTP/1.1 201 X', '', 'done'),
  )
  assert.deepEqual(but(reply), { status: 201, reply: 'done', error: null })
})

for (const [what, bytes, expected] of [
  ['in pieces that cut a character', [Buffer.from('aé€😀').subarray(0, 2), Buffer.from('aé€😀').subarray(2)], 'aé€😀'],
  ['with bytes that are no text', [Buffer.from([0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82])], 'a\ufffd\ufffd(\ufffd'],
  ['with NUL', [Buffer.from('a\0b\0')], 'ab'],
  ['with half of a surrogate pair', [Buffer.from([0xed, 0xa0, 0x80, 0x62])], '\ufffd\ufffd\ufffdb'],
  ['that is cut at 2 KiB within a character', [Buffer.from('x'.repeat(2046)), Buffer.from('😀yy')], 'x'.repeat(2046)],
  ['that is full at a character', [Buffer.from(`${'x'.repeat(2044)}😀y`)], `${'x'.repeat(2044)}😀`],
  [
    'of 2 KiB that ends within a character',
    [Buffer.from('x'.repeat(2046)), Buffer.from('€').subarray(0, 2)],
    'x'.repeat(2046),
  ],
  ['that grows by what is replaced', [Buffer.alloc(3000, 0xff)], '\ufffd'.repeat(682)],
] as const)
  test(`a reply ${what} is kept as whole text`, async (t) => {
    const { reply } = await tryAt(t, (socket) => {
      const [first, ...others] = bytes
      socket.write(Buffer.concat([Buffer.from(`${HEAD}\r\n`), first as Buffer]), () =>
        socket.end(Buffer.concat(others)),
      )
    })
    assert.equal(reply, expected)
    assert.ok(Buffer.byteLength(reply ?? '') <= 2048 && reply?.isWellFormed())
  })

for (const [what, bytes, error] of [
  ['nothing', '', 'The connection was closed before the response was complete.'],
  ['half of its headers', 'HTTP/1.1 200 OK\r\nConte', 'The connection was closed before the response was complete.'],
  ['another language', 'SSH-2.0-OpenSSH_9.2\r\n', 'The response is not valid HTTP.'],
  ['HTTP without a version', 'hello\r\n\r\n', 'The response is not valid HTTP.'],
  ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`, 'The response is not valid HTTP.'],
  [
    'a length and chunks',
    `${HEAD}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'The response is not valid HTTP.',
  ],
  ['headers without end', `${HEAD}x: ${'y'.repeat(20_000)}`, 'The headers of the response are too long.'],
  [
    'an upgrade',
    'HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nabc',
    'The receiver answered with a protocol upgrade.',
  ],
] as const)
  test(`a receiver that answers with ${what} has failed`, async (t) => {
    assert.equal((await tryAt(t, (socket) => socket.end(bytes))).error, error)
  })

for (const [what, bytes] of [
  ['a body that is too short', `${HEAD}Content-Length: 9\r\n\r\nabc`],
  ['chunks that do not end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n`],
] as const)
  test(`${what} is a failure with what had come`, async (t) => {
    const error = 'The connection was closed before the response was complete.'
    assert.deepEqual(but(await tryAt(t, (socket) => socket.end(bytes))), { status: 200, reply: 'abc', error })
  })

test('a body of chunks that are wrong is a failure', async (t) => {
  const { status, error } = await tryAt(t, answer('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', '', 'zz'))
  assert.deepEqual([status, error], [200, 'The response is not valid HTTP.'])
})

test('a connection that is reset says so', async (t) => {
  const reply = await tryAt(t, reset)
  assert.deepEqual(but(reply), {
    status: null,
    reply: null,
    error: 'The connection was closed before the response was complete.',
  })
})

test('a hundred tries at once leave nothing behind', async (t) => {
  const behaviours = [OK, answer('nonsense'), () => undefined, trickle(`${HEAD}\r\n`, 'x')] as Behaviour[]
  const { port, connections, left } = await receiver(t, (socket, request) =>
    behaviours[Number(/POST \/(\d)/.exec(request)?.[1])]?.(socket, request),
  )
  const post = poster(loopback())
  const attempt = (kind: number) => ({
    ...{ url: `http://hooks.example:${port}/${kind}`, headers: {}, body: '{}' },
    timeout_ms: kind < 2 ? 120_000 : 1000,
  })
  const replies = await Promise.all(Array.from({ length: 100 }, (_, at) => post(attempt(at % 4))))
  assert.equal(replies.filter(({ error }) => error === null).length, 25)
  assert.deepEqual([connections(), await left()], [100, 0])
})

test('https takes a certificate that is trusted and for the host, and no other', async (t) => {
  const good = makeCertificate(2020, 2049)
  const expired = makeCertificate(2020, 2021)
  if (!good || !expired) return t.skip('there is no openssl to make certificates with')
  const servernames: unknown[] = []
  const secure = async (tls: { key: string; cert: string }) => {
    const started = await startReceiver(OK, {
      tls: {
        ...tls,
        SNICallback: (name, done) => {
          servernames.push(name)
          done(null)
        },
      },
    })
    t.after(started.stop)
    return started
  }
  const receiver = await secure(good)
  trusting(t, good.cert)
  const post = poster(loopback())
  const at = (host: string, { port }: Receiver) => ({ url: `https://${host}:${port}/`, headers: {}, body: '{}' })

  assert.deepEqual(but(await post(at('hooks.example', receiver))), { status: 200, reply: 'ok', error: null })
  assert.deepEqual(but(await post(at('Hooks.Example.', receiver))), { status: 200, reply: 'ok', error: null })
  assert.deepEqual(servernames, ['hooks.example', 'hooks.example'])
  assert.equal((await post(at('127.0.0.1', receiver))).error, null)
  assert.equal((await post(at('other.example', receiver))).error, 'The certificate is for another name.')
  assert.equal((await post(at('127.0.0.2', receiver))).error, 'The connection was refused.')
  trusting(t)
  assert.equal((await poster(loopback())(at('hooks.example', receiver))).error, 'The certificate is self-signed.')
  const old = await secure(expired)
  trusting(t, expired.cert)
  assert.equal((await poster(loopback())(at('hooks.example', old))).error, 'The certificate has expired.')
  const requests = receiver.requests.length
  assert.deepEqual([requests, old.requests.length], [3, 0])
  assert.equal((await receiver.left()) + (await old.left()), 0)
})

for (const [what, bytes, error] of [
  ['speaks HTTP', 'HTTP/1.1 400 X\r\n\r\n', 'The host does not use TLS on this port.'],
  ['hangs up', '', 'The connection was closed before the response was complete.'],
] as const)
  test(`https to a port that ${what} is a failure`, async (t) => {
    const server = createServer((socket) => socket.on('error', () => undefined).end(bytes)).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const reply = await poster(loopback())({ url: `https://127.0.0.1:${port}/`, headers: {}, body: '' })
    assert.deepEqual(but(reply), { status: null, reply: null, error })
  })
