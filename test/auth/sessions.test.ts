import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { keyring } from '../../src/auth/keys.ts'
import { SCOPES } from '../../src/auth/scopes.ts'
import { type Sessions, sessions } from '../../src/auth/sessions.ts'
import { type Claims, tokens } from '../../src/auth/tokens.ts'
import { openStore } from '../../src/store/open.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A verified token is not verified again, and what the database says of it is read again only when it may have changed.

let server: TestServer
let verified: number
let opened: Sessions
let verify: (token: string) => Promise<Claims | undefined>

before(async () => {
  server = await startServer()
  verify = tokens(keyring(server.dataDir, server.store), server.store).verify
})
after(() => server.stop())
beforeEach(() => {
  verified = 0
  opened = sessions({ verify: counted }, server.store)
})

function counted(token: string): Promise<Claims | undefined> {
  verified++
  return verify(token)
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

test('a token that is refused is not remembered', async () => {
  const forged = `${server.a.token.slice(0, -4)}AAAA`
  for (let count = 0; count < 3; count++) assert.equal(await opened.open(forged), undefined)
  assert.equal(verified, 3)
})

test('a token that was revoked before its first use opens nothing', async () => {
  const { id, token } = await newToken()
  tokens(keyring(server.dataDir, server.store), server.store).revoke(id)
  assert.equal(await opened.open(token), undefined)
})

test('what is remembered has a bound', async () => {
  const claims = await verify(server.a.token)
  const bounded = sessions(
    {
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
