import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { keyring } from '../../src/auth/keys.ts'
import { SCOPES, type Scope } from '../../src/auth/scopes.ts'
import { type NewToken, tokens } from '../../src/auth/tokens.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { startServer, type TestServer } from '../support/server.ts'

// What a token may do holds from the next request on, whoever changes it.

let server: TestServer
/** Another connection to the same data folder, as the command line has one. */
let other: OpenedStore
let given: NewToken

before(async () => {
  server = await startServer()
  other = openStore(server.dataDir, { wall: server.now })
})
after(async () => {
  other.close()
  await server.stop()
})
beforeEach(async () => {
  given = await server.tokenWith([...SCOPES])
  assert.deepEqual([await read(), await write()], [200, 201])
})
afterEach(() => {
  other.db.exec("UPDATE members SET status = 'active', role = 'owner' WHERE status = 'deactivated' OR role = 'viewer'")
})

const read = async (token = given.token) => (await server.call('GET', '/deals', undefined, { token })).status
const write = async (token = given.token) => (await server.call('POST', '/deals', { title: 'x' }, { token })).status
const commands = (store: OpenedStore) => {
  const keys = keyring(server.dataDir, store)
  return { keys, tokens: tokens(keys, store) }
}
const setScopes = (scopes: Scope[]) =>
  other.db.prepare('UPDATE tokens SET scopes = ? WHERE id = ?').run(JSON.stringify(scopes), given.id)
const setMember = (column: 'status' | 'role', value: string) =>
  other.db.prepare(`UPDATE members SET ${column} = ? WHERE id = ?`).run(value, server.a.owner)

describe('by another connection', () => {
  test('scopes are taken and given', async () => {
    setScopes(['rest.crm.deals.read'])
    assert.deepEqual([await read(), await write()], [200, 403])
    setScopes(['rest.crm.deals.write'])
    assert.deepEqual([await read(), await write()], [403, 201], 'write does not imply read')
    setScopes([])
    assert.deepEqual([await read(), await write()], [403, 403])
    setScopes([...SCOPES])
    assert.deepEqual([await read(), await write()], [200, 201])
  })

  test('a token is revoked', async () => {
    const kept = await server.tokenWith([...SCOPES])
    commands(other).tokens.revoke(server.a.org, given.id)
    assert.deepEqual([await read(), await write()], [401, 401])
    assert.equal(await read(kept.token), 200)
  })

  test('a token is made to expire', async () => {
    other.db.prepare('UPDATE tokens SET expires_at = ? WHERE id = ?').run(server.now(), given.id)
    assert.equal(await read(), 401)
  })

  test('a token is deleted', async () => {
    other.db.prepare('DELETE FROM tokens WHERE id = ?').run(given.id)
    assert.equal(await read(), 401)
  })

  test('a member is deactivated, and comes back', async () => {
    setMember('status', 'deactivated')
    assert.deepEqual([await read(), await write()], [401, 401])
    assert.equal(await read(server.b.token), 200)
    setMember('status', 'active')
    assert.equal(await read(), 200)
  })

  test('a member becomes a viewer, whose tokens only read', async () => {
    setMember('role', 'viewer')
    assert.deepEqual([await read(), await write()], [200, 403])
    setMember('role', 'member')
    assert.deepEqual([await read(), await write()], [200, 201])
  })

  test('a new token is good at once, also by a clock that is ahead', async () => {
    const ahead = openStore(server.dataDir, { wall: () => server.now() + 600_000 })
    const made = await commands(ahead).tokens.create(server.a.org, 'ana@acme.example', SCOPES, null)
    ahead.close()
    assert.equal(await read(made.token), 200)
  })

  test('keys are rotated, and retired with all that they signed', async () => {
    const { keys, tokens: made } = commands(other)
    const old = keys.list().filter((key) => key.retired_at === null)
    server.advance(1000)
    const kid = keys.rotate()
    assert.equal(await read(), 200, 'old tokens go on')
    const fresh = await made.create(server.a.org, 'ana@acme.example', SCOPES, null)
    assert.equal(kidOf(fresh.token), kid)
    assert.notEqual(kidOf(given.token), kid)
    assert.equal(await read(fresh.token), 200, 'new ones are taken by the server that runs')
    for (const key of old) keys.retire(key.kid)
    assert.deepEqual([await read(), await read(fresh.token)], [401, 200])
    assert.equal(await read(server.b.token), 401)
  })
})

describe('by the same store', () => {
  test('a token is revoked', async () => {
    commands(server.store).tokens.revoke(server.a.org, given.id)
    assert.deepEqual([await read(), await write()], [401, 401])
  })

  test('a key is retired', async () => {
    const { keys } = commands(server.store)
    server.advance(1000)
    keys.rotate()
    keys.retire(kidOf(given.token))
    assert.equal(await read(), 401)
  })
})

test('a token expires by the clock, to the millisecond', async () => {
  const { token } = await server.tokenWith([...SCOPES], server.now() + 60_000)
  assert.equal(await read(token), 200)
  server.advance(59_999)
  assert.equal(await read(token), 200)
  server.advance(1)
  assert.equal(await read(token), 401)
})

test('a token without an expiry does not expire', async () => {
  server.advance(10 * 365 * 86_400_000)
  assert.equal(await read(), 200)
})

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[3] as string, 'base64url').toString()).kid
}
