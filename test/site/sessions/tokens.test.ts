import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { SCOPES } from '../../../src/auth/scopes.ts'
import { PASSWORD, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const READ = 'rest.crm.deals.read'
const WRITE = 'rest.crm.deals.write'
const DAY_MS = 86_400_000

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

const codesOf = ({ body }: { body: { errors: { pointer: string; code: string }[] } }) =>
  body.errors.map(({ pointer, code }) => [pointer, code])
const given = (member_id: string, more: object = {}) => ({
  member_id,
  scopes: [READ],
  days: 90,
  password: PASSWORD,
  ...more,
})
const readDeals = async (token: string) =>
  (await fetch(`${server.url}/api/v1/deals`, { headers: { authorization: `Bearer ${token}` } })).status

describe('API tokens in the browser', () => {
  test('one is made in the name of a member, works with its scopes alone, and is shown once', async () => {
    const admin = await site.signedIn('admin')
    const member = await site.newMember('member')
    const { status, body } = await admin.call('POST', '/app/tokens', given(member.id))
    assert.equal(status, 201)
    assert.deepEqual(Object.keys(body).sort(), ['expires_at', 'id', 'member_id', 'scopes', 'token'])
    assert.deepEqual(body.scopes, [READ])
    assert.equal(Date.parse(body.expires_at), server.store.clock.now() + 90 * DAY_MS)
    assert.equal(await readDeals(body.token), 200)
    const write = await fetch(`${server.url}/api/v1/deals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
      body: '{"title":"x"}',
    })
    assert.equal(write.status, 403)

    const { data, scopes } = (await admin.call('GET', '/app/tokens/list')).body
    assert.deepEqual(scopes, SCOPES)
    const listed = data.find(({ id }: { id: string }) => id === body.id)
    assert.deepEqual([listed.member_id, listed.email, listed.revoked_at], [member.id, member.email, null])
    assert.equal(JSON.stringify(data).includes(body.token), false)
  })

  test('one without an end, and each refusal of what it is made from', async () => {
    const admin = await site.signedIn('admin')
    const member = await site.newMember('member')
    const viewer = await site.newMember('viewer')
    const gone = await site.newMember('member')
    await admin.call('PATCH', `/app/members/${gone.id}`, { status: 'deactivated' })
    const post = (body: object) => admin.call('POST', '/app/tokens', body)
    assert.equal((await post(given(member.id, { days: null }))).body.expires_at, null)
    for (const [change, pointer, code] of [
      [{ scopes: [] }, '/scopes', 'required'],
      [{ days: 0 }, '/days', 'out_of_range'],
      [{ member_id: gone.id }, '/member_id', 'member_deactivated'],
      [{ member_id: admin.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }, '/member_id', 'unknown_member'],
      [{ member_id: viewer.id, scopes: [READ, WRITE] }, '/scopes', 'member_reads_only'],
    ] as const) {
      const refused = await post(given(member.id, change))
      assert.deepEqual([refused.status, codesOf(refused)], [422, [[pointer, code]]], JSON.stringify(change))
    }
    assert.equal((await post(given(member.id, { scopes: ['rest.crm.deals.delete'] }))).status, 422)
    assert.equal((await post(given(member.id, { days: 3651 }))).status, 422)
    assert.equal((await post(given(viewer.id))).status, 201)
  })

  test('asks for the password, of which a wrong one counts as an attempt to sign in', async () => {
    const admin = await site.signedIn('admin')
    const none = await admin.call('POST', '/app/tokens', given(admin.id, { password: undefined }))
    assert.deepEqual(codesOf(none), [['/password', 'required']])
    const before = (await admin.call('GET', '/app/tokens/list')).body.data.length
    const answers = []
    for (let attempt = 0; attempt < 6; attempt++)
      answers.push(await admin.call('POST', '/app/tokens', given(admin.id, { password: 'not the password at all' })))
    assert.deepEqual(codesOf(answers[0] as never), [['/password', 'wrong_password']])
    assert.equal(answers.at(-1)?.status, 429)
    assert.equal((await admin.call('GET', '/app/tokens/list')).body.data.length, before)
  })

  test('is for administrators, and for members up to their own role', async () => {
    const [owner, admin, member] = [
      await site.signedIn('owner'),
      await site.signedIn('admin'),
      await site.signedIn('member'),
    ]
    assert.equal((await member.call('GET', '/app/tokens/list')).status, 403)
    assert.equal((await member.call('POST', '/app/tokens', given(member.id))).status, 403)
    const above = await admin.call('POST', '/app/tokens', given(owner.id))
    assert.deepEqual([above.status, above.body.code], [403, 'role_too_high'])
    const { id } = (await owner.call('POST', '/app/tokens', given(owner.id))).body
    assert.equal((await member.call('DELETE', `/app/tokens/${id}`)).status, 403)
    const refused = await admin.call('DELETE', `/app/tokens/${id}`)
    assert.deepEqual([refused.status, refused.body.code], [403, 'role_too_high'])
    assert.equal((await owner.call('DELETE', `/app/tokens/${id}`)).status, 204)
  })

  test('one is revoked with the next request, and not from another organisation', async () => {
    const owner = await site.signedIn('owner')
    const { id, token } = (await owner.call('POST', '/app/tokens', given(owner.id))).body
    const other = await site.signedIn('owner', server.b)
    assert.equal((await other.call('DELETE', `/app/tokens/${id}`)).status, 404)
    assert.equal(await readDeals(token), 200)
    assert.equal((await owner.call('DELETE', `/app/tokens/${id}`)).status, 204)
    assert.equal(await readDeals(token), 401)
    const { data } = (await owner.call('GET', '/app/tokens/list')).body
    assert.notEqual(data.find((each: { id: string }) => each.id === id).revoked_at, null)
  })

  for (const [name, happens, status, code] of [
    ['is demoted', { role: 'member' }, 401, 'signed_out'],
    ['is deactivated', { status: 'deactivated' }, 401, 'signed_out'],
  ] as const)
    test(`none is made by who ${name} while the password is looked at`, async (t) => {
      const [owner, admin] = [await site.signedIn('owner'), await site.signedIn('admin')]
      await meanwhile(t, () => owner.call('PATCH', `/app/members/${admin.id}`, happens))
      const refused = await admin.call('POST', '/app/tokens', given(admin.id))
      assert.deepEqual([refused.status, refused.body.code], [status, code])
      await noneOf(owner, admin.id)
    })

  test('none is made by a session that ends meanwhile, or for who gets a higher role meanwhile', async (t) => {
    const [owner, admin] = [await site.signedIn('owner'), await site.signedIn('admin')]
    await meanwhile(t, () => owner.call('DELETE', `/app/members/${admin.id}/sessions`))
    assert.equal((await admin.call('POST', '/app/tokens', given(admin.id))).status, 401)
    await noneOf(owner, admin.id)

    const [other, member] = [await site.signedIn('admin'), await site.newMember('member')]
    await meanwhile(t, () => owner.call('PATCH', `/app/members/${member.id}`, { role: 'owner' }))
    const refused = await other.call('POST', '/app/tokens', given(member.id))
    assert.deepEqual([refused.status, refused.body.code], [403, 'role_too_high'])
    await noneOf(owner, member.id)
  })

  test('none is made with a password that was changed meanwhile', async (t) => {
    const [owner, admin] = [await site.signedIn('owner'), await site.signedIn('admin')]
    await meanwhile(t, async () => {
      const hash = await site.passwords.hash('another long password')
      server.store.transaction(() => credentialStore(server.store).setPassword(server.a.org, admin.id, hash))
      return { status: 204 }
    })
    const refused = await admin.call('POST', '/app/tokens', given(admin.id))
    assert.deepEqual([refused.status, refused.body.code], [409, 'changed_since'])
    await noneOf(owner, admin.id)
  })

  test('at most 1,000 can be used; those that cannot do not count, and all that can are listed', async () => {
    const owner = await site.signedIn('owner', server.b)
    const { db, clock } = server.store
    const { org } = server.b
    const now = clock.now()
    const before = (await owner.call('GET', '/app/tokens/list')).body.data.length
    const insert = db.prepare(
      'INSERT INTO tokens (org_id, id, member_id, scopes, created_at, expires_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    const add = (count: number, expires: number | null, revoked: number | null) =>
      server.store.transaction(() => {
        for (let n = 0; n < count; n++)
          insert.run(org, clock.id(), owner.id, JSON.stringify([READ]), now, expires, revoked)
      })
    add(999 - before, null, null)
    add(600, now - 1, null)
    add(600, null, now)
    const made = await owner.call('POST', '/app/tokens', given(owner.id))
    assert.equal(made.status, 201)
    const one = await owner.call('POST', '/app/tokens', given(owner.id))
    assert.deepEqual([one.status, one.body.code], [409, 'too_many_tokens'])
    const { data } = (await owner.call('GET', '/app/tokens/list')).body
    assert.equal(data.length, 1000)
    assert.ok(data.every((each: { revoked_at: string | null }) => each.revoked_at === null))
    assert.equal((await owner.call('DELETE', `/app/tokens/${made.body.id}`)).status, 204)
    assert.equal((await owner.call('POST', '/app/tokens', given(owner.id))).status, 201)
  })

  /** Something happens once while the next password is compared. */
  async function meanwhile(t: TestContext, happens: () => Promise<{ status: number }>): Promise<void> {
    const verify = site.passwords.verify
    const mocked = t.mock.method(site.passwords, 'verify', async (...args: Parameters<typeof verify>) => {
      mocked.mock.restore()
      assert.ok((await happens()).status < 300)
      return verify(...args)
    })
  }

  async function noneOf(owner: SignedIn, member: string): Promise<void> {
    const { data } = (await owner.call('GET', '/app/tokens/list')).body
    assert.equal(data.filter(({ member_id }: { member_id: string }) => member_id === member).length, 0)
  }
})
