import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { markOf } from '../../../src/site/sessions/cookie.ts'
import { cookiesOf, PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Cookies know no port: what several servers on one host keep in one browser, and what an earlier version has left there.

let servers: TestServer[]
let one: Screens
let other: Screens
/** Another listener of the first server: as a copy of its data on the same host. */
let copy: Screens

before(async () => {
  servers = [await startServer(), await startServer()]
  const [first, second] = servers as [TestServer, TestServer]
  one = await startScreens(first)
  other = await startScreens(second)
  copy = await startScreens(first)
})
after(async () => {
  for (const each of [one, other, copy]) await each.stop()
  for (const each of servers) await each.stop()
})

/** The cookies of one host in a browser, which it sends to every port. */
function browser() {
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map((pair) => pair.join('=')).join('; ')
  async function send(to: Screens, method: string, path: string, body?: object, headers = {}) {
    const answer = await to.send(method, path, body, { cookie: cookie(), ...headers })
    for (const [name, { value, attributes }] of Object.entries(cookiesOf(answer)))
      if (attributes.includes('max-age=0')) jar.delete(name)
      else jar.set(name, value)
    return answer
  }
  const signIn = async (to: Screens, headers = {}) => {
    const { id, email } = await (to === copy ? one : to).newMember('member')
    assert.equal((await send(to, 'POST', '/app/login', { email, password: PASSWORD }, headers)).status, 200)
    return id
  }
  const whoAt = async (to: Screens, headers = {}) =>
    (await send(to, 'GET', '/app/boot', undefined, headers)).body.me?.id
  return { jar, send, signIn, whoAt }
}

describe('servers on one host', () => {
  for (const [name, second] of [
    ['two installations', () => other],
    ['a restored copy, which has the same id', () => copy],
  ] as const)
    test(`${name}: signing in and out at one leaves the session at the other`, async () => {
      const { jar, send, signIn, whoAt } = browser()
      const [at, beside] = [one, second()]
      const [ana, ben] = [await signIn(at), await signIn(beside)]
      assert.deepEqual([await whoAt(at), await whoAt(beside)], [ana, ben])
      assert.deepEqual(
        new Set(jar.keys()),
        new Set([at.names.session, at.names.device, beside.names.session, beside.names.device]),
      )
      assert.equal((await send(beside, 'POST', '/app/logout')).status, 204)
      assert.deepEqual([await whoAt(at), await whoAt(beside)], [ana, undefined])
    })

  test('two installations by turns at one port, as through a tunnel, keep apart, too', async () => {
    const { jar, signIn } = browser()
    const shown = { 'x-forwarded-host': '127.0.0.1:9000', 'sec-fetch-site': 'same-origin' }
    await signIn(one, shown)
    await signIn(other, shown)
    const marks = servers.map(({ store }) => markOf(store.installation))
    assert.deepEqual(
      new Set([...jar.keys()].filter((name) => !name.includes('device'))),
      new Set(marks.map((mark) => `dealbox-${mark}-9000`)),
    )
  })

  test('the port is the one that the browser shows: behind a proxy that of the proxy', async () => {
    const mark = markOf((servers[0] as TestServer).store.installation)
    for (const [headers, name] of [
      [{ 'x-forwarded-host': 'localhost:8443', 'x-forwarded-proto': 'https' }, `__Host-dealbox-${mark}-8443`],
      [{ 'x-forwarded-host': 'localhost', 'x-forwarded-proto': 'https' }, `__Host-dealbox-${mark}-443`],
      [{ 'x-forwarded-host': 'localhost' }, `dealbox-${mark}-80`],
      [{ 'x-forwarded-host': '[::1]:81' }, `dealbox-${mark}-81`],
      [{ 'x-forwarded-host': '[::1]' }, `dealbox-${mark}-80`],
    ] as const) {
      const { jar, signIn, whoAt } = browser()
      const given = { ...headers, 'sec-fetch-site': 'same-origin' }
      const id = await signIn(one, given)
      assert.ok(jar.has(name), [...jar.keys()].join())
      // Whichever listener the proxy hands the next request to.
      assert.deepEqual([await whoAt(one, given), await whoAt(copy, given)], [id, id])
    }
  })
})

describe('the cookies of an earlier version', () => {
  const secretIn = (member: { cookie: string }) => member.cookie.split('=')[1] as string

  for (const [name, path] of [
    ['the page', '/deals'],
    ['the data of the app', '/app/boot'],
    ['the API', '/api/v1/deals'],
  ] as const)
    test(`are taken over by ${name}, and nobody is signed out`, async () => {
      const { jar, send, whoAt } = browser()
      const member = await one.signedIn('member')
      jar.set('dealbox', secretIn(member))
      const answer = await send(one, 'GET', path)
      assert.equal(answer.status, 200)
      const attributes = ['path=/', 'httponly', 'samesite=lax']
      assert.deepEqual(cookiesOf(answer), { [one.names.session]: { value: secretIn(member), attributes } })
      assert.deepEqual(cookiesOf(await send(one, 'GET', path)), {}, 'once')
      jar.set('dealbox', 'what another server of that version has set') // which signed everybody out before
      assert.equal(await whoAt(one), member.id)
    })

  test('are taken over again when the browser was closed, as long as they themselves last', async () => {
    const { jar, whoAt } = browser()
    const member = await one.signedIn('member')
    jar.set('dealbox', secretIn(member))
    await whoAt(one)
    jar.delete(one.names.session)
    assert.equal(await whoAt(one), member.id)
  })

  test('that are those of another server are neither taken over nor removed', async () => {
    const { jar, send, signIn, whoAt } = browser()
    const member = await one.signedIn('member')
    jar.set('dealbox', secretIn(member))
    assert.equal((await send(other, 'GET', '/deals')).headers.get('set-cookie'), null)
    const ben = await signIn(other)
    await send(other, 'POST', '/app/logout')
    assert.equal(jar.get('dealbox'), secretIn(member))
    assert.deepEqual([await whoAt(one), await whoAt(other)], [member.id, undefined])
    assert.notEqual(ben, member.id)
  })

  test('end with the session: signing out, and signing in as somebody else', async () => {
    const { jar, send, signIn, whoAt } = browser()
    const member = await one.signedIn('member')
    jar.set('dealbox', secretIn(member))
    const ben = await signIn(one)
    assert.equal((await member.call('GET', '/app/boot')).status, 401)
    // As after a while with the earlier version: both names hold a session.
    const third = await one.signedIn('viewer')
    jar.set('dealbox', secretIn(third))
    assert.equal(await whoAt(one), ben)
    await send(one, 'POST', '/app/logout')
    assert.equal(await whoAt(one), undefined)
    assert.equal(jar.has('dealbox'), false)
    assert.equal((await third.call('GET', '/app/boot')).status, 401)
  })

  test('under TLS count only with the prefix', async () => {
    const shown = { 'x-forwarded-proto': 'https' }
    const member = await one.signedIn('member')
    for (const [name, id] of [
      ['dealbox', undefined],
      ['__Host-dealbox', member.id],
    ] as const) {
      const { jar, whoAt } = browser()
      jar.set(name, secretIn(member))
      assert.equal(await whoAt(one, shown), id)
      assert.equal(jar.has(`__Host-${one.names.session}`), id !== undefined)
    }
  })

  test('of a known device count, and are taken over with the session', async () => {
    const { jar, send, signIn, whoAt } = browser()
    const id = await signIn(one)
    const [secret, device] = [one.names.session, one.names.device].map((name) => jar.get(name) as string)
    jar.clear()
    jar.set('dealbox', secret as string).set('dealbox-device', device as string)
    await whoAt(one)
    assert.equal(jar.get(one.names.device), device)

    const { email } = (servers[0] as TestServer).store.db.prepare('SELECT email FROM members WHERE id = ?').get(id) as {
      email: string
    }
    for (let tries = 0; tries < 5; tries++) await one.send('POST', '/app/login', { email, password: 'wrong' })
    const login = { email, password: PASSWORD }
    assert.equal((await one.send('POST', '/app/login', login)).status, 429)
    jar.clear()
    jar.set('dealbox-device', device as string)
    assert.equal((await send(one, 'POST', '/app/login', login)).status, 200)
  })
})
