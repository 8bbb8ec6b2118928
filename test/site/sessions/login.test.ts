import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { SCOPES } from '../../../src/auth/scopes.ts'
import { cookiesOf, PASSWORD, type Screens, sessionOf, startScreens } from '../../support/screens.ts'
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
beforeEach(() => server.advance(60_000))

const login = (body: object, headers: Record<string, string | null> = {}) =>
  screens.send('POST', '/app/login', body, headers)

describe('signing in', () => {
  test('with email and password gives a session that the API and the app take', async () => {
    const { id, email } = await screens.newMember('member')
    const answer = await login({ email: email.toUpperCase(), password: PASSWORD })
    assert.deepEqual([answer.status, answer.body], [200, { member_id: id }])
    const dealbox = cookiesOf(answer)[screens.names.session]
    assert.match(dealbox?.value as string, /^[\w-]{43}$/)
    assert.deepEqual(dealbox?.attributes, ['max-age=2592000', 'path=/', 'httponly', 'samesite=lax'])
    const cookie = `other=1; ${sessionOf(answer)}`
    const made = await screens.send('POST', '/api/v1/deals', { title: 'Roof' }, { cookie })
    assert.deepEqual([made.status, made.body.title], [201, 'Roof'])
    assert.equal(server.events().at(-1)?.actor, id)
    const { body } = await screens.send('GET', '/app/sessions', undefined, { cookie })
    assert.deepEqual(
      body.data.map(({ member_id, is_current }: Record<string, unknown>) => [member_id, is_current]),
      [[id, true]],
    )
  })

  test('without staying signed in gives a cookie that the browser forgets', async () => {
    const { email } = await screens.newMember('viewer')
    const dealbox = cookiesOf(await login({ email, password: PASSWORD, stay: false }))[screens.names.session]
    assert.deepEqual(dealbox?.attributes, ['path=/', 'httponly', 'samesite=lax'])
  })

  test('is refused alike for a wrong password, an unknown name, a member without password and a deactivated one', async () => {
    const { email } = await screens.newMember('member')
    const gone = await screens.newMember('member')
    const set = server.store.db.prepare('UPDATE members SET status = ? WHERE org_id = ? AND id = ?')
    set.run('deactivated', server.a.org, gone.id)
    for (const given of [
      { email, password: `${PASSWORD}x` },
      { email: 'nobody@people.example', password: PASSWORD },
      { email: 'ana@acme.example', password: PASSWORD },
      { email: gone.email, password: PASSWORD },
    ]) {
      const before = screens.passwords.count()
      const { status, body, headers } = await login(given)
      const detail = 'The email or the password is not right.'
      assert.deepEqual([status, body.code, body.detail], [401, 'invalid_credentials', detail], given.email)
      assert.equal(screens.passwords.count() - before, 1, 'each takes one hash')
      assert.equal(headers.get('set-cookie'), null)
    }
  })
})

test('a session has the scopes of its role: a viewer reads, and every other role does all', async () => {
  for (const role of ['owner', 'admin', 'member', 'viewer'] as const) {
    const { call } = await screens.signedIn(role)
    for (const scope of SCOPES.filter((each) => each.endsWith('.read'))) {
      const route = server.routes.find((each) => each.kind === 'list' && each.scope === scope && !/:/.test(each.path))
      if (route) assert.equal((await call('GET', `/api/v1${route.path}`)).status, 200, `${role} ${route.path}`)
    }
    const { status, body } = await call('POST', '/api/v1/deals', { title: 'Roof' })
    if (role !== 'viewer') assert.equal(status, 201)
    else {
      assert.deepEqual([status, body.code, body.role], [403, 'insufficient_scope', 'member'])
      assert.match(body.detail, /^Your role is viewer, which can only read\./)
    }
  }
})

test('signing out ends the session and removes the cookie, and works without a session, too', async () => {
  const { call, cookie } = await screens.signedIn('member')
  const answer = await call('POST', '/app/logout')
  assert.equal(answer.status, 204)
  assert.deepEqual(cookiesOf(answer)[screens.names.session], {
    value: '',
    attributes: ['max-age=0', 'path=/', 'httponly', 'samesite=lax'],
  })
  const { status, body } = await call('GET', '/api/v1/deals')
  assert.deepEqual([status, body.code, body.detail], [401, 'signed_out', 'Your session has ended. Sign in again.'])
  assert.equal((await screens.send('POST', '/app/logout', undefined, { cookie })).status, 204)
})

test('a repeated key answers the same after signing in again, and is another one for another member', async () => {
  const { email } = await screens.newMember('member')
  const signIn = async (): Promise<string> => sessionOf(await login({ email, password: PASSWORD }))
  const create = (cookie: string) =>
    screens.send('POST', '/api/v1/deals', { title: 'Sent twice' }, { cookie, 'idempotency-key': 'same' })
  const cookie = await signIn()
  const first = await create(cookie)
  assert.equal(first.status, 201)
  await screens.send('POST', '/app/logout', undefined, { cookie })
  assert.equal((await create(cookie)).status, 401)
  const again = await create(await signIn())
  assert.deepEqual([again.body?.id, again.headers.get('idempotency-replayed')], [first.body.id, 'true'])
  const count = () => server.store.db.prepare("SELECT count(*) FROM deals WHERE title = 'Sent twice'").pluck().get()
  assert.equal(count(), 1)
  const other = await create((await screens.signedIn('member')).cookie)
  assert.equal(other.status, 201)
  assert.notEqual(other.body.id, first.body.id)
  assert.equal(count(), 2)
})
