import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, beforeEach, test } from 'node:test'
import { type AccessCache, accessCache } from '../../src/auth/access.ts'
import { bearer } from '../../src/auth/bearer.ts'
import { keyring } from '../../src/auth/keys.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { type Claims, tokens } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A verified token is not verified again, and what the database says of it is read again only when it may have changed.

let server: TestServer
let verified: number
let opened: AccessCache
let given: ReturnType<typeof tokens>

before(async () => {
  server = await startServer()
  given = tokens(keyring(server.dataDir, server.store), server.store)
})
after(() => server.stop())
beforeEach(() => {
  verified = 0
  opened = accessCache({ claimed: given.claimed, verify: counted }, server.store)
})

function counted(token: string): Promise<Claims | undefined> {
  verified++
  return given.verify(token)
}

const newToken = () => server.tokenWith([...SCOPES])
const setScopes = (id: string, scopes: string, db = server.store.db) =>
  db.prepare('UPDATE tokens SET scopes = ? WHERE id = ?').run(scopes, id)

test('a token is verified with its first use only', async () => {
  const { token } = await newToken()
  const first = opened.open(token)
  assert.ok(first instanceof Promise)
  const session = await first
  for (let count = 0; count < 10; count++) assert.equal(opened.open(token), session)
  assert.equal(verified, 1)
})

test('a request with a token that is known waits for no promise', async () => {
  const { token } = await newToken()
  const req = { headers: { authorization: `Bearer ${token}` }, socket: {} } as IncomingMessage
  const { authenticate } = bearer(opened)
  const first = authenticate(req)
  assert.ok(first instanceof Promise)
  const access = await first
  assert.equal(authenticate(req), access)
})

test('a change by another connection is read, without verifying again', async () => {
  const { id, token } = await newToken()
  await opened.open(token)
  const other = openStore(server.dataDir, { wall: server.now })
  setScopes(id, '["rest.crm.tags.read"]', other.db)
  other.close()
  const session = opened.open(token)
  assert.ok(session && !(session instanceof Promise))
  assert.deepEqual([...session.who.scopes], ['rest.crm.tags.read'])
  assert.equal(verified, 1)
})

test('a change by our own connection is read when it is told of, and after 30 seconds at the latest', async () => {
  const { id, token } = await newToken()
  const scopesNow = async () => [...((await opened.open(token))?.who.scopes ?? [])].length
  assert.equal(await scopesNow(), SCOPES.length)
  setScopes(id, '["rest.crm.tags.read"]')
  assert.equal(await scopesNow(), SCOPES.length)
  server.store.accessChanged()
  assert.equal(await scopesNow(), 1)
  setScopes(id, '[]')
  server.advance(29_999)
  assert.equal(await scopesNow(), 1)
  server.advance(1)
  assert.equal(await scopesNow(), 0)
  assert.equal(verified, 1)
})

test('the clock being set back keeps nothing that was read longer', async () => {
  const { id, token } = await newToken()
  await opened.open(token)
  setScopes(id, '[]')
  server.jump(-100 * 86_400_000)
  assert.equal((await opened.open(token))?.who.scopes.size, 0)
})

test('a token of a clock that was ahead or behind is verified, and expires as the database says', async () => {
  server.jump(100 * 86_400_000)
  const ahead = await server.tokenWith([...SCOPES], server.now() + 1000)
  server.jump(-200 * 86_400_000)
  const behind = await server.tokenWith([...SCOPES], server.now() + 1000)
  const opens = async ({ token }: { token: string }) => (await opened.open(token)) !== undefined
  assert.deepEqual([await opens(ahead), await opens(behind)], [true, true])
  server.jump(100 * 86_400_000)
  assert.deepEqual([await opens(ahead), await opens(behind)], [true, false])
  server.jump(100 * 86_400_000 + 1000)
  assert.deepEqual([await opens(ahead), await opens(behind)], [false, false])
  assert.equal(verified, 2)
})

const forgedToken = (n = 0) => server.a.token.replace(/.{4}(?=\.[^.]*$)/, n.toString(32).padStart(4, 'A'))

test('a forged token is verified once, until anything changes', async () => {
  for (let count = 0; count < 3; count++) assert.equal(await opened.open(forgedToken()), undefined)
  assert.equal(verified, 1)
  server.store.accessChanged()
  assert.equal(await opened.open(forgedToken()), undefined)
  assert.equal(verified, 2)
})

test('forged tokens that are remembered have a bound', async () => {
  for (let n = 0; n <= 1000; n++) await opened.open(forgedToken(n), `10.0.${n >> 8}.${n & 255}`)
  assert.equal(verified, 1001)
  await opened.open(forgedToken(1000), '10.1.0.1')
  assert.equal(verified, 1001)
  await opened.open(forgedToken(999), '10.1.0.1')
  assert.equal(verified, 1002)
})

test('a token that claims nothing that counts is refused without verifying it', async () => {
  const { id, token } = await newToken()
  const [head, , message = '', footer = ''] = token.split('.')
  const bytes = Buffer.from(message, 'base64url')
  const claims = JSON.parse(bytes.subarray(0, -64).toString())
  const changed = (member: string, value: unknown) => {
    const text = JSON.stringify({ ...claims, [member]: value })
    const signed = Buffer.concat([Buffer.from(text), bytes.subarray(-64)]).toString('base64url')
    return `${head}.public.${signed}.${footer}`
  }
  const unknown = server.store.clock.id()
  const others = [
    changed('jti', unknown),
    changed('org', unknown),
    changed('sub', unknown),
    changed('jti', null),
    `${head}.public.${message}.${Buffer.from('{"kid":"0123456789abcdef"}').toString('base64url')}`,
    `${head}.public.${message}.AAAA`,
    `${head}.public.AAAA.${footer}`,
    `${head}.public.${message}`,
  ]
  for (const other of others) assert.equal(opened.open(other), undefined)
  given.revoke(server.a.org, id)
  assert.equal(opened.open(token), undefined)
  assert.equal(verified, 0)
})

test('a token that was revoked before its first use opens nothing', async () => {
  const { id, token } = await newToken()
  tokens(keyring(server.dataDir, server.store), server.store).revoke(server.a.org, id)
  assert.equal(await opened.open(token), undefined)
})

test('what is remembered has a bound', async () => {
  const claims = await given.verify(server.a.token)
  const bounded = accessCache(
    {
      claimed: () => claims,
      verify: async () => {
        verified++
        return claims
      },
    },
    server.store,
  )
  for (let number = 0; number < 10_000; number++) await bounded.open(`token-${number}`)
  bounded.open('token-0')
  assert.equal(verified, 10_000)
  await bounded.open('one more')
  await bounded.open('token-0')
  assert.equal(verified, 10_002)
})
