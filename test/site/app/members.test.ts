import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Role } from '../../../src/auth/roles.ts'
import { PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let site: Screens
before(async () => {
  server = await startServer()
  site = await startScreens(server)
})
after(async () => {
  await site.stop()
  await server.stop()
})

const memberIn = async (id: string) => (await server.call('GET', `/members/${id}`)).body

test('an admin changes the name, role and zone of a member, who has to sign in again with the new role', async () => {
  const admin = await site.signedIn('admin')
  const member = await site.signedIn('member')
  const { status, body } = await admin.call('PATCH', `/app/members/${member.id}`, {
    name: 'Ingrid Solheim',
    timezone: 'Europe/Oslo',
  })
  assert.equal(status, 200)
  assert.deepEqual([body.name, body.timezone, body.role], ['Ingrid Solheim', 'Europe/Oslo', 'member'])
  assert.equal((await member.call('GET', '/app/sessions')).status, 200)

  const promoted = await admin.call('PATCH', `/app/members/${member.id}`, { role: 'viewer' })
  assert.equal(promoted.body.role, 'viewer')
  assert.equal((await memberIn(member.id)).role, 'viewer')
  assert.equal((await member.call('GET', '/app/sessions')).status, 401)
})

test('a deactivated member is signed out, cannot sign in, and can be activated again', async () => {
  const admin = await site.signedIn('admin')
  const member = await site.signedIn('member')
  const path = `/app/members/${member.id}`
  assert.equal((await admin.call('PATCH', path, { status: 'deactivated' })).body.status, 'deactivated')
  assert.equal((await member.call('GET', '/app/sessions')).status, 401)
  const login = () => site.send('POST', '/app/login', { email: member.email, password: PASSWORD })
  assert.equal((await login()).status, 401)
  assert.equal((await admin.call('PATCH', path, { status: 'active' })).body.status, 'active')
  assert.equal((await login()).status, 200)
})

test('nobody gives a role above their own, or changes a member who has one', async () => {
  const admin = await site.signedIn('admin')
  const owner = await site.newMember('owner')
  const member = await site.newMember('member')
  const raised = await admin.call('PATCH', `/app/members/${member.id}`, { role: 'owner' })
  assert.equal(raised.status, 422)
  assert.deepEqual(
    raised.body.errors.map(({ pointer, code }: Record<string, string>) => [pointer, code]),
    [['/role', 'role_too_high']],
  )
  for (const change of [{ role: 'viewer' }, { status: 'deactivated' }, { name: 'Somebody' }]) {
    const { status, body } = await admin.call('PATCH', `/app/members/${owner.id}`, change)
    assert.deepEqual([status, body.code], [403, 'role_too_high'])
  }
  assert.equal((await admin.call('DELETE', `/app/members/${owner.id}/sessions`)).status, 403)
  assert.equal((await memberIn(owner.id)).role, 'owner')
  assert.equal((await memberIn(member.id)).role, 'member')
})

test('the last owner stays one, and active', async () => {
  const owner = await site.signedIn({ id: await lastOwner() })
  for (const change of [{ role: 'admin' }, { status: 'deactivated' }]) {
    const { status, body } = await owner.call('PATCH', `/app/members/${owner.id}`, change)
    assert.deepEqual([status, body.code], [409, 'last_owner'])
  }
  assert.equal((await owner.call('GET', '/app/sessions')).status, 200, 'a refused change signs nobody out')
})

test('an admin sees where members are signed in, and signs them out', async () => {
  const admin = await site.signedIn('admin')
  const member = await site.signedIn('member')
  const seen = await admin.call('GET', '/app/members/seen')
  const row = seen.body.data.find(({ id }: { id: string }) => id === member.id)
  assert.equal(row.sessions, 1)
  assert.equal(Date.parse(row.seen_at), server.now())
  const sessions = await admin.call('GET', `/app/members/${member.id}/sessions`)
  assert.deepEqual(
    sessions.body.data.map(({ id, is_current }: Record<string, unknown>) => [id, is_current]),
    [[member.session, false]],
  )
  assert.equal((await admin.call('DELETE', `/app/members/${member.id}/sessions`)).status, 204)
  assert.equal((await member.call('GET', '/app/sessions')).status, 401)
  assert.equal((await admin.call('DELETE', `/app/members/${admin.id}/sessions`)).status, 204)
  assert.equal((await admin.call('GET', '/app/sessions')).status, 200, 'the own session stays')
})

test('only admins and owners of the same organisation reach them', async () => {
  const member = await site.newMember('member')
  const calls = [
    ['PATCH', `/app/members/${member.id}`, { name: 'Somebody' }],
    ['GET', `/app/members/${member.id}/sessions`],
    ['DELETE', `/app/members/${member.id}/sessions`],
  ] as const
  for (const role of ['member', 'viewer'] satisfies Role[]) {
    const caller = await site.signedIn(role)
    for (const [method, path, body] of calls) {
      const answer = await caller.call(method, path, body)
      assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_role'], `${role} ${method} ${path}`)
    }
  }
  const stranger = await site.signedIn('owner', server.b)
  for (const [method, path, body] of calls) {
    assert.equal((await stranger.call(method, path, body)).status, 404, `${method} ${path}`)
  }
})

/** Leaves one active owner in the organisation: who it is. */
async function lastOwner(): Promise<string> {
  const { body } = await server.call('GET', '/members?role=owner&status=active')
  const [last, ...others] = body.data as { id: string }[]
  const owner = await site.signedIn({ id: last?.id as string })
  for (const { id } of others) {
    assert.equal((await owner.call('PATCH', `/app/members/${id}`, { role: 'member' })).status, 200)
  }
  return last?.id as string
}
