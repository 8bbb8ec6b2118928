import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { type Crowd, crowd, KINDS, KINDS_OF_TLS, type Target } from './strangers/clients.ts'
import { work } from './strangers/honest.ts'
import { type Served, serve } from './strangers/server.ts'

// 200 slow or hostile clients of every kind and 10,000 idle connections, a tenth of them outside of CI, while others are
// served. The strangers hold all the connections that the server takes.

const IDLE = process.env.TEST_ALL === '1' ? 10_000 : 1000
const HOSTILE = 200
/** Each listener takes half of them. */
const DESCRIPTORS = IDLE + 256
/** A server gives up connections after ten seconds, and some are about to come back: on a slow machine more of them. */
const MANY = 0.8 * IDLE
const BATCH = 500
const PEOPLE = 4
const ROUNDS = 12

const LIMITS = '/proc/self/limits'
const own = existsSync(LIMITS) ? /^Max open files +\d+ +(\d+)/m.exec(readFileSync(LIMITS, 'utf8'))?.[1] : undefined
const skip =
  own === undefined || Number(own) < DESCRIPTORS + 1000
    ? `a process may open ${own} files here, and this needs ${DESCRIPTORS + 1000}: ulimit -Hn`
    : false

function targets({ api, screens, token }: Served): Target[] {
  const isTls = api.startsWith('https')
  const port = (url: string) => Number(new URL(url).port)
  const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const bearer = `Authorization: Bearer ${token}\r\n`
  return [
    {
      ...{ port: port(api), isTls, post: { path: '/api/v1/tags', headers: bearer } },
      large: get('/api/v1/webhooks/events?limit=100', bearer),
    },
    {
      ...{ port: port(screens), isTls, post: { path: '/app/login', headers: `Origin: ${screens}\r\n` } },
      large: get('/openapi.json'),
    },
  ]
}

/** Opens idle connections: with TLS most of them wait for the handshake, and some are done with it. */
async function idle({ tcp, http }: Crowd, all: Target[], count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += BATCH) {
    await Promise.all(
      Array.from({ length: BATCH }, (_, n) => {
        const target = all[n % all.length] as Target
        if (target.isTls && n % 40 > 1) return tcp(target, () => undefined)
        return http(target, n % 4 < 2 ? () => undefined : KINDS['one answer, then silence']!)
      }),
    )
  }
}

/** Opens as many connections of each kind to each listener, until there are at least so many. */
async function hostile({ tcp, http, renegotiating }: Crowd, all: Target[], count: number) {
  let handshakes = 0
  const note = (times: number) => {
    handshakes = Math.max(handshakes, times)
  }
  const kinds = all.flatMap((target) => [
    ...Object.values(KINDS).map((hold) => () => http(target, hold)),
    ...(target.isTls ? Object.values(KINDS_OF_TLS).map((hold) => () => tcp(target, hold)) : []),
    ...(target.isTls ? [() => renegotiating(target, note)] : []),
  ])
  for (let opened = 0; opened < count; opened += kinds.length) await Promise.all(kinds.map((open) => open()))
  return { renegotiated: () => handshakes }
}

const HONEST = {
  'GET deals 200': PEOPLE * ROUNDS,
  'POST tag 201': PEOPLE * ROUNDS,
  'GET page 200': PEOPLE * ROUNDS,
  'sign in 200': PEOPLE,
  'GET boot 200': PEOPLE * ROUNDS,
}

/** The server ends as it should while strangers hold connections, and has kept what it acknowledged. */
async function ends(server: Served): Promise<void> {
  const { code, isClosed } = await server.stop()
  assert.deepEqual([code, isClosed, server.complaints], [0, true, []])
  assert.equal(server.tags(), PEOPLE * ROUNDS)
}

async function attacked(t: TestContext, isTls: boolean, maxMb: number): Promise<void> {
  const server = await serve(isTls, DESCRIPTORS)
  t.after(server.remove)
  const before = server.descriptors()
  const all = targets(server)
  const strangers = crowd()
  t.after(strangers.leave)
  await idle(strangers, all, IDLE)
  await server.until((open) => open > MANY)
  const { renegotiated } = await hostile(strangers, all, HOSTILE)
  assert.deepEqual(await work(server, ROUNDS, PEOPLE), HONEST)
  await server.until((open) => open > MANY)
  const open = server.descriptors()
  if (isTls) assert.ok(renegotiated() > 0 && renegotiated() < 5, `${renegotiated()} more handshakes on a connection`)
  strangers.leave()
  await server.until((left) => left <= before + 10)
  const more = crowd()
  t.after(more.leave)
  await hostile(more, all, HOSTILE)
  await server.until((held) => held > before + HOSTILE / 2)
  const peak = server.peakMb()
  t.diagnostic(`${open} descriptors, at most ${Math.round(peak)} MB`)
  assert.ok(peak < maxMb, `${peak} MB`)
  await ends(server)
}

describe(`${HOSTILE} slow or hostile clients and ${IDLE} idle connections, while others are served`, {
  skip,
  timeout: 400_000,
}, () => {
  test('without TLS, behind a proxy that is trusted', (t) => attacked(t, false, 700))
  test('with TLS', (t) => attacked(t, true, 1200))
})

describe('slow requests on every connection that the server takes', { skip, timeout: 400_000 }, () => {
  test('keep nobody out', async (t) => {
    const EACH = 100
    const server = await serve(false, 2 * EACH + 256)
    t.after(server.remove)
    const strangers = crowd()
    t.after(strangers.leave)
    const slow = ['slow body', 'body that does not begin', 'chunk without an end'].map((name) => KINDS[name]!)
    const all = targets(server)
    await Promise.all(
      all.flatMap((target) =>
        slow.flatMap((hold) => Array.from({ length: 0.4 * EACH }, () => strangers.http(target, hold))),
      ),
    )
    await server.until((open) => open > 1.9 * EACH)
    assert.deepEqual(await work(server, ROUNDS, PEOPLE), HONEST)
    await ends(server)
  })
})
