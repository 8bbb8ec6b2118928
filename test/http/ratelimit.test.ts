import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../../src/auth/scopes.ts'
import { parseRate } from '../../src/http/ratelimit.ts'
import { Problem } from '../../src/lib/problem.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer({ rate: { requests: 10, perSeconds: 5 } })
})
after(() => server.stop())

const newToken = async () => (await server.tokenWith([...SCOPES])).token
const get = (token: string, path = '/stages') => server.call('GET', path, undefined, { token })
const rateOf = ({ headers }: { headers: Headers }) => headers.get('ratelimit')

test('every answer to a token says what it may do and what is left', async () => {
  const token = await newToken()
  const first = await get(token)
  assert.equal(first.headers.get('ratelimit-policy'), '"default";q=10;w=5')
  assert.equal(rateOf(first), '"default";r=9;t=1')
  assert.equal(rateOf(await get(token, '/stages?limit=0')), '"default";r=8;t=1')
  assert.equal(rateOf(await get(token, '/deals/1')), '"default";r=7;t=2')
  assert.equal(rateOf(await server.call('POST', '/tags', { name: 'rated' }, { token })), '"default";r=6;t=2')
})

test('past the limit it is 429 with the seconds to wait, and after them it goes on', async () => {
  const token = await newToken()
  for (let left = 9; left >= 0; left--) assert.equal(rateOf(await get(token))?.split(';')[1], `r=${left}`)
  const { status, body, headers } = await get(token)
  assert.deepEqual([status, body.code], [429, 'rate_limited'])
  assert.equal(headers.get('retry-after'), '1')
  assert.equal(headers.get('ratelimit-policy'), '"default";q=10;w=5')
  assert.equal(headers.get('ratelimit'), '"default";r=0;t=1')
  server.advance(499)
  assert.equal((await get(token)).status, 429)
  server.advance(1)
  assert.equal((await get(token)).status, 200)
  assert.equal((await get(token)).status, 429)
})

test('the wait that Retry-After names is long enough, also where a request takes seconds to refill', async (t) => {
  const slow = await startServer({ rate: { requests: 2, perSeconds: 7 } })
  t.after(slow.stop)
  for (let count = 0; count < 2; count++) await slow.call('GET', '/stages')
  const { status, headers } = await slow.call('GET', '/stages')
  const seconds = Number(headers.get('retry-after'))
  assert.deepEqual([status, seconds], [429, 4])
  slow.advance(seconds * 1000)
  assert.equal((await slow.call('GET', '/stages')).status, 200)
})

test('what is not used does not add up past the limit', async () => {
  const token = await newToken()
  await get(token)
  server.advance(3_600_000)
  assert.equal(rateOf(await get(token)), '"default";r=9;t=1')
})

test('each token has a limit of its own', async () => {
  const [busy, quiet] = [await newToken(), await newToken()]
  for (let count = 0; count < 11; count++) await get(busy)
  assert.equal((await get(busy)).status, 429)
  assert.equal((await get(quiet)).status, 200)
  assert.equal((await get(server.b.token)).status, 200)
})

test('a refused token has none, and uses up none', async () => {
  const { status, headers } = await get('v4.public.AAAA.AAAA')
  assert.equal(status, 401)
  assert.equal(headers.get('ratelimit'), null)
})

test('it can be off', async (t) => {
  const free = await startServer()
  t.after(free.stop)
  const answers = await Promise.all(Array.from({ length: 50 }, () => free.call('GET', '/stages')))
  assert.ok(answers.every(({ status, headers }) => status === 200 && !headers.has('ratelimit')))
})

test('it is written as off or as requests per seconds', () => {
  assert.equal(parseRate('off'), null)
  assert.deepEqual(parseRate('100/s'), { requests: 100, perSeconds: 1 })
  assert.deepEqual(parseRate('60000/60s'), { requests: 60_000, perSeconds: 60 })
  for (const text of ['', '0/s', '5', '5/m', '5/0s', '-5/s', '5/s ', 'on', '1e3/s', '5/00s'])
    assert.throws(() => parseRate(text), Problem, text)
})
