import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { sessionStore } from '../../../src/auth/sessions.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { PASSWORD, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
let screens: Screens
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})
beforeEach(() => server.advance(HOUR_MS))

const statusOf = async ({ call }: SignedIn): Promise<number> => (await call('GET', '/app/boot')).status
const openRoles = () => sessionStore(server.store).openRoles(server.a.org)

// Deactivating ends sessions. These are the second line: a session that is there nevertheless opens nothing.
describe('a session that a member still has while deactivated', () => {
  async function deactivatedAlone(): Promise<SignedIn> {
    const me = await screens.signedIn('member')
    assert.deepEqual([await statusOf(me), openRoles().get(me.session)], [200, 'member'])
    server.store.db.prepare("UPDATE members SET status = 'deactivated' WHERE id = ?").run(me.id)
    return me
  }

  test('is refused by the app and the API', async () => {
    const me = await deactivatedAlone()
    for (const [method, path, body] of [
      ['GET', '/app/boot', undefined],
      ['GET', '/api/v1/deals', undefined],
      ['POST', '/api/v1/deals', { title: 'Roof' }],
      ['POST', '/app/password', { current: PASSWORD, new: 'a river in the south' }],
    ] as const) {
      const { status, body: answer } = await me.call(method, path, body)
      assert.deepEqual([status, answer.code], [401, 'signed_out'], path)
    }
  })

  test('is none of those for which streams stay open', async () => {
    const me = await deactivatedAlone()
    assert.equal(openRoles().has(me.session), false)
  })
})

describe('ending a single session', () => {
  test('of a member above is refused, as ending all of them is', async () => {
    const [owner, admin] = [await screens.signedIn('owner'), await screens.signedIn('admin')]
    for (const path of [`/app/sessions/${owner.session}`, `/app/members/${owner.id}/sessions`]) {
      const { status, body } = await admin.call('DELETE', path)
      assert.deepEqual([status, body.code, body.role], [403, 'role_too_high', 'owner'], path)
    }
    assert.equal(await statusOf(owner), 200)
  })

  test('is for administrators, for members of their own role and below, and for everybody of themselves', async () => {
    const admin = await screens.signedIn('admin')
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const other = await screens.signedIn(role)
      assert.equal((await admin.call('DELETE', `/app/sessions/${other.session}`)).status, 204, role)
      assert.equal(await statusOf(other), 401)
    }
    const owner = await screens.signedIn('owner')
    assert.equal((await owner.call('DELETE', `/app/sessions/${admin.session}`)).status, 204)
    const here = await screens.signedIn('viewer')
    const elsewhere = await screens.signedIn(here)
    assert.equal((await here.call('DELETE', `/app/sessions/${elsewhere.session}`)).status, 204)
    assert.deepEqual([await statusOf(here), await statusOf(elsewhere)], [200, 401])
  })
})

describe('a session that was used while the clock was ahead', () => {
  test('is over when the clock is set back, instead of open until then', async () => {
    const before = await screens.signedIn('member')
    server.jump(400 * DAY_MS)
    const ahead = await screens.signedIn(before)
    assert.equal(await statusOf(ahead), 200)
    server.jump(-400 * DAY_MS)
    assert.equal(await statusOf(ahead), 401)
    assert.ok(!openRoles().has(ahead.session))
    assert.equal(await statusOf(before), 200, 'one from before goes on')
    const { body } = await before.call('GET', '/app/sessions')
    assert.deepEqual(
      body.data.map(({ id }: { id: string }) => id),
      [before.session],
    )
  })

  test('by less than its idle time goes on, and ends in time', async () => {
    server.jump(2 * HOUR_MS)
    const me = await screens.signedIn('member')
    server.jump(-2 * HOUR_MS)
    assert.equal(await statusOf(me), 200)
    await server.store.write(() => undefined)
    server.advance(12 * HOUR_MS)
    assert.equal(await statusOf(me), 401)
  })
})
