import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import Koa from 'koa'
import pino from 'pino'
import { api, PREFIX } from '../../src/app/api.ts'
import { accessCache } from '../../src/auth/access.ts'
import { bearer } from '../../src/auth/bearer.ts'
import { cursorSecret, keyring } from '../../src/auth/keys.ts'
import { tokens } from '../../src/auth/tokens.ts'
import { auditLog } from '../../src/events/audit/log.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { cursors } from '../../src/http/cursor.ts'
import { idempotency } from '../../src/http/idempotency.ts'
import { kernel } from '../../src/http/kernel.ts'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import type { ReadRoute } from '../../src/http/route.ts'
import { commitWaiters } from '../../src/http/waiting.ts'
import { MAX_LOCK_WAIT_MS } from '../../src/store/commit.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { stillTimer } from '../support/lock-timer.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { sendRaw } from '../support/raw.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-log-'))
const lines: string[] = []
const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
const timer = stillTimer()
const SECRET = 'correct horse battery staple'

let store: OpenedStore
let org: Org
let listener: Listener
/** The same kernel with a single route, which fails. */
let failing: Listener

before(async () => {
  store = openStore(dataDir, { create: true, neverSleeps: true, lockTimer: timer })
  org = await makeOrg(store, dataDir, 'Acme')
  const options = { log, corsOrigins: [], stopping: new AbortController().signal }
  listener = await listen(api(store, { ...options, dataDir, rate: null }).callback(), { host: '127.0.0.1', port: 0 })
  const broken: Pick<ReadRoute, 'kind' | 'method' | 'path' | 'scope' | 'name' | 'summary' | 'columns' | 'find'> = {
    kind: 'read',
    method: 'get',
    path: '/broken/:id',
    scope: 'rest.crm.deals.read',
    name: 'broken',
    summary: 'Fails',
    columns: { select: '', json: String },
    find: () => {
      throw new Error('disk on fire')
    },
  }
  const app = new Koa().use(
    kernel([broken as ReadRoute], {
      ...options,
      ...bearer(accessCache(tokens(keyring(dataDir, store), store), store)),
      prefix: PREFIX,
      write: store.write,
      health: store.health,
      changes: store.changes,
      cursors: cursors(cursorSecret(dataDir)),
      answers: idempotency(store),
      audit: auditLog(store).record,
      waiters: commitWaiters(store.committed.subscribe, options.stopping),
      newestSeq: () => 0,
      bodies: bodies(),
      dataDir,
      rate: null,
    }),
  )
  failing = await listen(app.callback(), { host: '127.0.0.1', port: 0 })
})
after(async () => {
  await Promise.all([listener.stop(100), failing.stop(100)])
  store.close()
  rmSync(dataDir, { recursive: true })
})
beforeEach(() => {
  lines.length = 0
})

function ask(method: string, path: string, body = '', headers = '', to = listener) {
  const all = [
    'Host: x',
    `Authorization: Bearer ${org.token}`,
    'X-Request-Id: traced',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return sendRaw(to.url, `${method} ${path} HTTP/1.1\r\n${all.join('\r\n')}\r\n${headers}\r\n${body}`)
}

describe('the line of a request', () => {
  const id = '01890000-0000-7000-8000-000000000000'
  const requests: [string, string, string, string | undefined, number][] = [
    ['GET', '/api/v1/deals?limit=5&currency=EUR', '', '/deals', 200],
    ['GET', `/api/v1/deals/${id}`, '', '/deals/:id', 404],
    ['POST', '/api/v1/deals', `{"title":"${SECRET}"}`, '/deals', 201],
    ['POST', '/api/v1/deals', `{"title":"${SECRET}","x":1}`, '/deals', 422],
    ['POST', '/api/v1/deals', `{"title":"${SECRET}`, '/deals', 400],
    ['POST', `/api/v1/deals/${id}/close`, '{}', '/deals/:id/close', 404],
    ['GET', `/api/v1/deals?q=${encodeURIComponent(SECRET)}`, '', '/deals', 200],
    ['GET', `/api/v1/deals?title=${encodeURIComponent(SECRET)}`, '', '/deals', 400],
    ['GET', '/secret/path', '', undefined, 404],
    ['PUT', '/api/v1/deals', '', undefined, 405],
  ]
  for (const [method, path, body, route, status] of requests) {
    test(`${method} ${path.slice(0, 30)} ${status} has the template, and not the path, the query or the body`, async () => {
      assert.equal((await ask(method, path, body)).status, status)
      assert.equal(lines.length, 1)
      const { level, time, ms, ...line } = JSON.parse(lines[0] as string)
      const known = route === undefined ? {} : { org: org.org, token: org.tokenId }
      assert.deepEqual(line, {
        id: 'traced',
        address: '127.0.0.1',
        method,
        route: route ?? null,
        status,
        ...known,
        msg: 'request',
      })
      assert.ok(level === 30 && time > 0 && ms >= 0)
    })
  }

  test('of an unknown caller has neither token nor organisation', async () => {
    const forged = `${org.token.slice(0, -60)}${'A'.repeat(60)}`
    await sendRaw(
      listener.url,
      `GET /api/v1/deals HTTP/1.1\r\nHost: x\r\nX-Request-Id: t\r\nAuthorization: Bearer ${forged}\r\n\r\n`,
    )
    const { level, time, ms, ...line } = JSON.parse(lines[0] as string)
    assert.deepEqual(line, {
      id: 't',
      address: '127.0.0.1',
      method: 'GET',
      route: '/deals',
      status: 401,
      msg: 'request',
    })
  })

  test('has the status that went out, where the connection broke off within the body', async () => {
    const broken = `POST /api/v1/deals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${org.token}\r\n`
    const chunks = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
    assert.equal((await sendRaw(listener.url, broken + chunks, { untilClose: true })).status, 400)
    for (let round = 0; round < 10_000 && lines.length === 0; round++) await new Promise((end) => setTimeout(end, 10))
    assert.equal(JSON.parse(lines[0] as string).status, 400)
  })
})

test('no line and no answer has a token or a key, and no line has what a client says', async () => {
  const answers: string[] = []
  const keyed = `Idempotency-Key: ${SECRET.replaceAll(' ', '-')}\r\n`
  const bodies = [
    `{"title":"x","amount":"${SECRET}"}`,
    `{"${SECRET}":1}`,
    `["${SECRET}"]`,
    `{"${SECRET}`,
    '{"title":"x"}',
  ]
  for (const body of bodies) answers.push((await ask('POST', '/api/v1/deals', body, keyed)).body)
  answers.push((await ask('GET', `/api/v1/deals?cursor=${org.token}`)).body)
  answers.push((await ask('GET', '/api/v1/broken/1', '', '', failing)).body)
  assert.equal(lines.length, bodies.length + 3)

  const [, , payload, footer] = org.token.split('.') as [string, string, string, string]
  const folder = join(dataDir, 'keys')
  const keys = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
  assert.ok(keys.length >= 2)
  const secrets = [payload, footer]
  for (const key of keys) secrets.push(key.toString('base64'), key.toString('hex'), key.toString('latin1').trim())
  for (const secret of secrets)
    assert.ok(!lines.join('').includes(secret) && !answers.join('').includes(secret), secret)
  assert.ok(!lines.join('').includes('horse'))
})

test('a failure of the server is told to the log, and to the client only by its id', async () => {
  const { status, body } = await ask('GET', '/api/v1/broken/1', '', '', failing)
  assert.equal(status, 500)
  const { detail, code, request_id, ...rest } = JSON.parse(body)
  assert.deepEqual([code, request_id], ['internal_error', 'traced'])
  assert.deepEqual(rest, { type: 'urn:dealbox:problem:internal_error', title: 'Internal Server Error', status: 500 })
  assert.ok(!body.includes('fire') && detail.includes('request_id'))
  const [failure, line] = lines.map((each) => JSON.parse(each))
  assert.deepEqual([failure.msg, failure.id, failure.route], ['failed', 'traced', '/broken/:id'])
  assert.match(failure.err.message, /disk on fire/)
  assert.deepEqual([line.status, line.id], [500, 'traced'])
})

test('a store that is full or locked is 503 with Retry-After, and no failure of the server', async () => {
  const pages = store.db.pragma('page_count', { simple: true }) as number
  store.db.pragma(`max_page_count = ${pages}`)
  const body = JSON.stringify({ name: 'x', description: 'y'.repeat(60_000) })
  const full = await ask('POST', '/api/v1/tags', body)
  store.db.pragma('max_page_count = 4294967294')
  assert.deepEqual([full.status, JSON.parse(full.body).code], [503, 'storage_full'])
  assert.equal(full.headers['retry-after'], '5')
  const other = openStore(dataDir)
  other.db.exec('BEGIN IMMEDIATE')
  const waiting = ask('POST', '/api/v1/tags', body)
  while (!timer.isSet()) await ask('GET', '/api/v1/tags')
  timer.pass(MAX_LOCK_WAIT_MS)
  const busy = await waiting
  other.db.exec('ROLLBACK')
  other.close()
  assert.deepEqual([busy.status, JSON.parse(busy.body).code], [503, 'busy'])
  assert.equal(busy.headers['retry-after'], '5')
  assert.equal((await ask('POST', '/api/v1/tags', body)).status, 201)
  assert.ok(lines.every((line) => JSON.parse(line).msg === 'request'))
})
