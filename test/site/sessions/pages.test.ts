import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { UNKNOWN } from '../../support/records.ts'
import { PASSWORD, type Screens, type SignedIn, sessionOf, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// What a page says of itself with each request: whose it is, and whether somebody uses it.

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

/** The request of a page of `page` in a browser in which `by` is signed in. */
const ask = (by: SignedIn, page: SignedIn | null, method: string, path: string, body?: object, more = {}) =>
  by.call(method, path, body, { 'dealbox-member': page?.id ?? null, ...more })
const background = { 'dealbox-background': '1' }
const seenAt = async (who: SignedIn): Promise<string> =>
  (await ask(who, null, 'GET', '/app/sessions', undefined, background)).body.data.find(
    ({ id }: { id: string }) => id === who.session,
  )?.seen_at

describe('a page whose member is no longer the one who is signed in', () => {
  test('reads and writes nothing, whatever it asks for', async () => {
    const [ana, ben] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const before = server.lastSeq()
    for (const [method, path, body] of [
      ['GET', '/app/boot', undefined],
      ['GET', '/app/stream', undefined],
      ['GET', '/api/v1/deals', undefined],
      ['POST', '/api/v1/deals', { title: 'Roof' }],
      ['PUT', '/app/drafts/note:deals:1', { body: { text: 'for nobody else' } }],
      ['POST', '/app/presence', { tab: 't', viewing: { kind: 'deals', id: UNKNOWN } }],
      ['POST', '/app/password', { current: PASSWORD, new: 'a river in the south' }],
      ['POST', '/app/logout', {}],
    ] as const) {
      const { status, body: answer } = await ask(ben, ana, method, path, body)
      assert.deepEqual([status, answer.code], [409, 'other_member'], `${method} ${path}`)
    }
    assert.equal(server.lastSeq(), before)
    assert.equal((await ben.call('GET', '/app/drafts/note:deals:1')).body.body, null)
    assert.equal((await ask(ben, ben, 'POST', '/api/v1/deals', { title: 'Roof' })).status, 201)
  })

  test('is no use of the session of the other', async () => {
    const [ana, ben] = [await screens.signedIn('member'), await screens.signedIn('member')]
    server.advance(11 * HOUR_MS)
    await ask(ben, ana, 'GET', '/app/boot')
    server.advance(HOUR_MS)
    assert.equal((await ben.call('GET', '/app/boot')).status, 401)
  })

  test('can be signed in on again, which ends the session of the other', async () => {
    const [ana, ben] = [await screens.signedIn('member'), await screens.signedIn('member')]
    const again = await ask(ben, ana, 'POST', '/app/login', { email: ana.email, password: PASSWORD })
    assert.deepEqual([again.status, again.body.member_id], [200, ana.id])
    const cookie = sessionOf(again)
    const headers = { cookie, 'dealbox-member': ana.id }
    assert.equal((await screens.send('GET', '/app/boot', undefined, headers)).status, 200)
    assert.equal((await ben.call('GET', '/app/boot')).status, 401)
  })
})

describe('what a page asks for by itself', () => {
  test('does not keep a session open that nobody uses', async () => {
    const ana = await screens.signedIn('member')
    const started = await seenAt(ana)
    for (let hour = 0; hour < 11; hour++) {
      server.advance(HOUR_MS)
      const tell = { tab: 't', viewing: { kind: 'deals', id: UNKNOWN } }
      assert.equal((await ask(ana, ana, 'POST', '/app/presence', tell, background)).status, 200)
      assert.equal((await ask(ana, ana, 'GET', '/app/boot', undefined, background)).status, 200)
    }
    assert.equal(await seenAt(ana), started)
    server.advance(HOUR_MS)
    assert.equal((await ask(ana, ana, 'GET', '/app/boot', undefined, background)).status, 401)
  })

  test('and what somebody does there keeps it open', async () => {
    const ana = await screens.signedIn('member')
    for (let hour = 0; hour < 24; hour += 6) {
      server.advance(6 * HOUR_MS)
      assert.equal((await ask(ana, ana, 'GET', '/app/boot')).status, 200)
      await server.store.write(() => undefined) // the use is written after the answer
    }
    assert.notEqual(await seenAt(ana), undefined)
  })
})
