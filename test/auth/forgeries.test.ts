import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { forgeryLimit, networkOf } from '../../src/auth/forgeries.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Forged tokens with the claims of one that counts: each costs the check of a signature, so an address has few of them.

const MAX_FORGERIES = 20

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())
beforeEach(() => server.advance(3_600_000))

let made = 0

/** Another one with each call. */
const forged = () => server.a.token.replace(/.{4}(?=\.[^.]*$)/, (made++).toString(32).padStart(4, 'A'))
const get = (token: string) => server.call('GET', '/tags', undefined, { token })
const newToken = async () => (await server.tokenWith([...SCOPES])).token

async function exhaust(): Promise<void> {
  for (let n = 0; n < MAX_FORGERIES; n++) assert.equal((await get(forged())).status, 401)
}

test('20 of them are 401, and one more is 429 with the seconds to wait', async () => {
  await exhaust()
  const { status, body, headers } = await get(forged())
  assert.deepEqual([status, body.code, headers.get('retry-after')], [429, 'too_many_invalid_tokens', '1'])
  server.advance(999)
  assert.equal((await get(forged())).status, 429)
  server.advance(1)
  assert.equal((await get(forged())).status, 401)
  assert.equal((await get(forged())).status, 429)
})

test('those who share the address are served by tokens that were used before, and by new ones a moment later', async () => {
  const [known, unknown] = [await newToken(), await newToken()]
  assert.equal((await get(known)).status, 200)
  await exhaust()
  assert.equal((await get(forged())).status, 429)
  assert.equal((await get(known)).status, 200)
  assert.equal((await server.call('POST', '/tags', { name: known.slice(-20) }, { token: known })).status, 201)
  assert.equal((await get(unknown)).status, 429)
  server.store.accessChanged()
  assert.equal((await get(known)).status, 200, 'whatever is read again of it')
  server.advance(1000)
  assert.equal((await get(unknown)).status, 200)
})

test('valid tokens use up nothing, and neither do those that are refused without a check', async () => {
  for (let n = 0; n < 2 * MAX_FORGERIES; n++) {
    assert.equal((await get(await newToken())).status, 200)
    assert.equal((await get(`v4.public.${'A'.repeat(90)}${n}.e30`)).status, 401)
  }
  const same = forged()
  for (let n = 0; n < 2 * MAX_FORGERIES; n++) assert.equal((await get(same)).status, 401)
  assert.equal((await get(forged())).status, 401)
})

test('refused tokens stay 401 for an address that has sent too many', async () => {
  await exhaust()
  assert.equal((await get('v4.public.AAAA.AAAA')).status, 401)
})

test('many that came before the first was known to be forged shut an address out for a minute and no longer', () => {
  let now = 0
  const { check, count } = forgeryLimit(() => now)
  for (let n = 0; n < 1000; n++) count('10.0.0.1')
  assert.throws(() => check('10.0.0.1'), { headers: { 'Retry-After': '60' } })
  now += 59_999
  assert.throws(() => check('10.0.0.1'), { status: 429 })
  now += 1
  check('10.0.0.1')
})

test('each address has its own', { skip: process.platform !== 'linux' }, async () => {
  await exhaust()
  assert.equal((await get(forged())).status, 429)
  const headers = { authorization: `Bearer ${forged()}` }
  const asked = request(`${server.url}/api/v1/tags`, { headers, localAddress: '127.0.0.2', agent: false })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  assert.equal(answer.resume().statusCode, 401)
})

test('an address of IPv6 counts with its /64', () => {
  for (const [address, network] of [
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['2001:db8::5:6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ] as const)
    assert.equal(networkOf(address), network, address)
  assert.equal(networkOf('::1'), networkOf('::2'))
  assert.notEqual(networkOf('2001:db8:1:2::6'), networkOf('2001:db8:1:3::6'))
})
