import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { SCOPES } from '../../src/auth/scopes.ts'
import { idempotency } from '../../src/http/idempotency.ts'
import { startServer, type TestServer } from '../support/server.ts'

const HOUR_MS = 3_600_000

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

let made = 0
const newKey = () => `key-${made++}`
const keyed = (key: string, more: { token?: string; headers?: Record<string, string> } = {}) => ({
  ...more,
  headers: { 'idempotency-key': key, ...more.headers },
})
const count = (table: string): number =>
  server.store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number

/** What an answer and its replay must have in common. */
const lasting = ({ status, text, headers }: { status: number; text: string; headers: Headers }) => ({
  status,
  text,
  etag: headers.get('etag'),
  location: headers.get('location'),
  type: headers.get('content-type'),
})

describe('a repeat with its key', () => {
  test('of a create gets the stored answer and makes nothing', async () => {
    const { call, lastSeq } = server
    const key = newKey()
    const first = await call('POST', '/deals', { title: 'Once', amount: 12.5 }, keyed(key))
    const [seq, deals] = [lastSeq(), count('deals')]
    const second = await call('POST', '/deals', { title: 'Once', amount: 12.5 }, keyed(key))
    assert.equal(first.status, 201)
    assert.deepEqual(lasting(second), lasting(first))
    assert.equal(first.headers.get('idempotency-replayed'), null)
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    assert.deepEqual([lastSeq(), count('deals')], [seq, deals])
  })

  test('every event carries the key of its request, and none of the next one', async () => {
    const { call, store, a, lastSeq } = server
    const keyOf = store.db
      .prepare('SELECT type, request_key FROM events WHERE org_id = ? AND seq > ? ORDER BY seq')
      .raw()
    const [seq, key] = [lastSeq(), newKey()]
    const { id } = (await call('POST', '/deals', { title: 'Mine' }, keyed(`"${key}"`))).body
    await call('PATCH', `/deals/${id}`, { title: 'Also mine' }, keyed(`${key}-2`))
    await call('PATCH', `/deals/${id}`, { title: 'Without' })
    assert.deepEqual(keyOf.all(a.org, seq), [
      ['deal.created', key],
      ['deal.updated', `${key}-2`],
      ['deal.updated', null],
    ])
  })

  test('of a change gets the stored answer, also where If-Match would not hold any more', async () => {
    const { call, lastSeq } = server
    const { id } = (await call('POST', '/deals', { title: 'Before' })).body
    const options = keyed(newKey(), { headers: { 'if-match': '"1"' } })
    const first = await call('PATCH', `/deals/${id}`, { title: 'After' }, options)
    const seq = lastSeq()
    const second = await call('PATCH', `/deals/${id}`, { title: 'After' }, options)
    assert.deepEqual([first.status, first.body.version], [200, 2])
    assert.deepEqual(lasting(second), lasting(first))
    assert.equal(lastSeq(), seq)
  })

  test('of an action gets the stored answer, though the deal is closed by now', async () => {
    const { a, call } = server
    const { id } = (await call('POST', '/deals', { title: 'Closing' })).body
    const key = newKey()
    const close = () => call('POST', `/deals/${id}/close`, { reason_id: a.reasons.won }, keyed(key))
    const first = await close()
    assert.deepEqual([first.status, first.body.status], [200, 'won'])
    assert.deepEqual(lasting(await close()), lasting(first))
  })

  test('gets the first answer after the record has changed, and after it is gone', async () => {
    const { call } = server
    const key = newKey()
    const create = () => call('POST', '/tags', { name: 'Fleeting' }, keyed(key))
    const first = await create()
    await call('PATCH', `/tags/${first.body.id}`, { name: 'Changed' })
    assert.deepEqual(lasting(await create()), lasting(first))
    await call('DELETE', `/tags/${first.body.id}`)
    assert.deepEqual(lasting(await create()), lasting(first))
  })

  test('may quote it or not', async () => {
    const key = newKey()
    const bare = await server.call('POST', '/deals', { title: 'Quoted' }, keyed(key))
    const quoted = await server.call('POST', '/deals', { title: 'Quoted' }, keyed(`"${key}"`))
    assert.equal(quoted.headers.get('idempotency-replayed'), 'true')
    assert.equal(quoted.body.id, bare.body.id)
  })

  test('is a new request by another token, and by another organisation', async () => {
    const { b, call, tokenWith } = server
    const key = newKey()
    const other = (await tokenWith([...SCOPES])).token
    const answers = [
      await call('POST', '/deals', { title: 'Mine' }, keyed(key)),
      await call('POST', '/deals', { title: 'Mine' }, keyed(key, { token: other })),
      await call('POST', '/deals', { title: 'Mine' }, keyed(key, { token: b.token })),
    ]
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 3)
  })

  test('is known for 24 hours and then forgotten', async () => {
    const { advance, call } = server
    const key = newKey()
    const create = () => call('POST', '/deals', { title: 'Yesterday' }, keyed(key))
    const first = await create()
    advance(24 * HOUR_MS - 1)
    assert.equal((await create()).body.id, first.body.id)
    advance(1)
    const later = await create()
    assert.equal(later.headers.get('idempotency-replayed'), null)
    assert.notEqual(later.body.id, first.body.id)
    assert.equal((await create()).body.id, later.body.id)
  })
})

describe('another request with a key that was used', () => {
  const others: [string, string, (id: string) => string, unknown][] = [
    ['another body', 'POST', () => '/tags', { name: 'other' }],
    ['the same body written in another way', 'POST', () => '/tags', { color: null, name: 'first' }],
    ['another path', 'POST', () => '/deals', { name: 'first' }],
    ['another method', 'PATCH', (id) => `/tags/${id}`, { name: 'first' }],
  ]
  for (const [what, method, path, body] of others) {
    test(`(${what}) is 422 and does nothing`, async () => {
      const { call, lastSeq } = server
      const key = newKey()
      const first = await call('POST', '/tags', { name: 'first' }, keyed(key))
      const seq = lastSeq()
      const { status, body: problem } = await call(method, path(first.body.id), body, keyed(key))
      assert.deepEqual([status, problem.code], [422, 'idempotency_key_reused'])
      assert.equal(lastSeq(), seq)
      await call('DELETE', `/tags/${first.body.id}`)
    })
  }

  test('(another query) is 422 and does nothing, and the same one is the same request', async () => {
    const { call, lastSeq } = server
    const contact = { last_name: 'Twice', emails: [{ email: 'twice@example.com' }] }
    await call('POST', '/contacts', contact)
    const key = newKey()
    const first = await call('POST', '/contacts?allow_duplicate=true', contact, keyed(key))
    assert.equal(first.status, 201)
    const seq = lastSeq()
    for (const query of ['?allow_duplicate=false', '', '?']) {
      const { status, body } = await call('POST', `/contacts${query}`, contact, keyed(key))
      assert.deepEqual([status, body.code], [422, 'idempotency_key_reused'], query)
    }
    assert.deepEqual(lasting(await call('POST', '/contacts?allow_duplicate=true', contact, keyed(key))), lasting(first))
    assert.equal(lastSeq(), seq)
  })

  test('is judged before the record is looked for', async () => {
    const key = newKey()
    await server.call('POST', '/deals', { title: 'x' }, keyed(key))
    const unknown = '/deals/01890000-0000-7000-8000-000000000000'
    assert.equal((await server.call('PATCH', unknown, { title: 'x' }, keyed(key))).status, 422)
  })
})

describe('a refusal', () => {
  const refusals: [number, string, unknown, Record<string, string>?][] = [
    [422, '/tags', { name: '' }],
    [422, '/tags', { name: 'a', surprise: 1 }],
    [409, '/tags', { name: 'Taken' }],
    [400, '/tags', [1]],
    [415, '/tags', { name: 'a' }, { 'content-type': 'text/plain' }],
    [404, '/deals/01890000-0000-7000-8000-000000000000/close', { reason_id: '01890000-0000-7000-8000-000000000000' }],
  ]
  for (const [status, path, body, headers = {}] of refusals) {
    test(`(${status} to ${JSON.stringify(body)}) is not stored: its key is free`, async () => {
      const { call } = server
      await call('POST', '/tags', { name: 'Taken' })
      const key = newKey()
      const stored = count('idempotency')
      assert.equal((await call('POST', path, body, keyed(key, { headers }))).status, status)
      assert.equal(count('idempotency'), stored)
      const { status: now } = await call('POST', '/deals', { title: 'Free' }, keyed(key))
      assert.equal(now, 201)
    })
  }

  test('(412) is not stored either', async () => {
    const { call } = server
    const { id } = (await call('POST', '/deals', { title: 'x' })).body
    const key = newKey()
    const patch = (tag: string) =>
      call('PATCH', `/deals/${id}`, { title: 'y' }, keyed(key, { headers: { 'if-match': tag } }))
    assert.equal((await patch('"7"')).status, 412)
    assert.equal((await patch('"1"')).status, 200)
  })
})

test('keys do not count on other methods', async () => {
  const { call } = server
  const key = newKey()
  await call('POST', '/deals', { title: 'x' }, keyed(key))
  assert.equal((await call('GET', '/deals', undefined, keyed(key))).headers.get('idempotency-replayed'), null)
  assert.equal((await call('GET', '/deals', undefined, keyed('not a key'))).status, 200)
})

test('the answer is stored in the transaction of its write', async () => {
  const { call, store } = server
  const key = newKey()
  store.db.exec("CREATE TEMP TRIGGER broken BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'no'); END")
  const deals = count('deals')
  const failed = await fetch(`${server.url}/api/v1/deals`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.a.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: '{"title":"Both or none"}',
  })
  store.db.exec('DROP TRIGGER broken')
  assert.equal(failed.status, 500)
  assert.equal(count('deals'), deals)
  assert.equal((await call('POST', '/deals', { title: 'Both or none' }, keyed(key))).status, 201)
})

test('500 keys, each sent 20 times at once, make 500 deals', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 })
  const post = (key: string, body: string) =>
    new Promise<{ id: string; replayed: boolean }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${server.a.token}`,
        'content-type': 'application/json',
        'content-length': body.length,
        'idempotency-key': key,
      }
      const sent = request(`${server.url}/api/v1/deals`, { method: 'POST', agent, headers }, async (res) => {
        const text = (await res.toArray()).join('')
        if (res.statusCode !== 201) reject(new Error(text))
        resolve({ id: JSON.parse(text).id, replayed: res.headers['idempotency-replayed'] === 'true' })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  const [deals, seq] = [count('deals'), server.lastSeq()]
  const sendings = Array.from({ length: 10_000 }, (_, index) => index % 500)
  const answers = await Promise.all(
    sendings.map((number) => post(`many-${number}`, `{"title":"Deal ${number}","amount":${number}}`)),
  )
  agent.destroy()
  assert.equal(count('deals'), deals + 500)
  assert.equal(server.lastSeq(), seq + 500)
  assert.equal(new Set(answers.map(({ id }) => id)).size, 500)
  assert.equal(answers.filter(({ replayed }) => !replayed).length, 500)
  for (const [index, { id }] of answers.entries()) assert.equal(id, answers[index % 500]?.id)
})

test('a stored answer counts beyond its time while the clock may be wrong: a repeat must not write twice', () => {
  const { db, clock, vault } = server.store
  let heldUntil: number | undefined
  const answers = idempotency({ db, vault, clock, wallClock: { purgeHeldUntil: () => heldUntil } as never })
  const access = { who: { org: server.a.org, member: null }, keyOwner: 'somebody' } as never
  answers.keep(access, 'held', 'print', { status: 201, headers: [], body: '{}' }, false)
  const found = () => answers.find(access, 'held', 'print', false)?.status
  server.advance(24 * HOUR_MS)
  assert.equal(found(), undefined)
  heldUntil = server.now() + HOUR_MS
  assert.equal(found(), 201)
})
