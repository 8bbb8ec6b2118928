import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SCOPES } from '../../src/auth/scopes.ts'
import { DAY_MS, rfc3339 } from '../../src/lib/time.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('/members/me is the member of the token, with its scopes, its organisation, and when it ends', async () => {
  const { a, b, call } = server
  const ends = server.now() + 90 * DAY_MS
  const few = ['rest.crm.members.read', 'rest.crm.tags.write'] as const
  const { token } = await server.tokenWith([...few], ends)
  const { body: member } = await call('GET', `/members/${a.owner}`)
  const me = async (given: string) => (await call('GET', '/members/me', undefined, { token: given })).body
  const organisation = { id: a.id, name: 'Acme', timezone: 'Europe/Berlin', currency: 'EUR' }
  assert.deepEqual(await me(token), { ...member, scopes: few, organisation, expires_at: rfc3339(ends) })
  assert.deepEqual(await me(a.token), { ...member, scopes: SCOPES, organisation, expires_at: null })
  const foreign = await me(b.token)
  assert.deepEqual([foreign.id, foreign.organisation.id, foreign.organisation.name], [b.owner, b.id, 'Birch'])
})

test('the scopes are those of now: a member who becomes a viewer can no longer write', async () => {
  const { a, store, call } = server
  store.db.prepare("UPDATE members SET role = 'viewer' WHERE org_id = ? AND id = ?").run(a.org, a.owner)
  store.accessChanged()
  const { body } = await call('GET', '/members/me')
  assert.deepEqual([body.role, body.scopes], ['viewer', SCOPES.filter((scope) => scope.endsWith('.read'))])
})
