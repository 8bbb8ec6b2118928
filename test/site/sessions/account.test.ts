import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { auditLog } from '../../../src/events/audit/log.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
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
beforeEach(() => server.advance(15 * 60_000))

const login = (body: object) => screens.send('POST', '/app/login', body)
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]
const isIn = async ({ call }: SignedIn) => (await call('GET', '/app/sessions')).status === 200

describe('a new password', () => {
  test('needs the current one, ends the other sessions, and is what signs in from then on', async () => {
    const me = await screens.signedIn('member')
    const other = await screens.signedIn(me)
    const next = 'a river in the south'
    for (const [current, code] of [
      [undefined, 'required'],
      ['a lake in the west', 'wrong_password'],
    ])
      assert.equal((await me.call('POST', '/app/password', { current, new: next })).body.errors[0].code, code)
    assert.ok(await isIn(other))
    const weak = await me.call('POST', '/app/password', { current: PASSWORD, new: 'passwordpassword' })
    assert.deepEqual([weak.status, weak.body.errors[0].pointer], [422, '/new'])
    assert.equal((await me.call('POST', '/app/password', { current: PASSWORD, new: next })).status, 204)
    assert.deepEqual([await isIn(me), await isIn(other)], [true, false])
    assert.equal((await login({ email: me.email, password: PASSWORD })).status, 401)
    assert.equal((await login({ email: me.email, password: next })).status, 200)
  })

  test('needs none where there is none, as after a link', async () => {
    const me = await screens.signedIn({ id: server.a.owner })
    assert.equal((await me.call('POST', '/app/password', { new: PASSWORD })).status, 204)
    assert.equal((await login({ email: 'ana@acme.example', password: PASSWORD })).status, 200)
  })

  test('takes one form of letters that look alike, and counts characters, not bytes', async () => {
    const me = await screens.signedIn('member')
    assert.equal((await me.call('POST', '/app/password', { current: PASSWORD, new: 'ﬁnde Ａpfelbäume' })).status, 204)
    assert.equal((await login({ email: me.email, password: 'finde Apfelba\u0308ume' })).status, 200)
  })

  test('cannot be guessed with a session that somebody left open', async () => {
    const me = await screens.signedIn('member')
    for (let tries = 0; tries < 5; tries++)
      assert.equal((await me.call('POST', '/app/password', { current: `wrong${tries}`, new: PASSWORD })).status, 422)
    const right = await me.call('POST', '/app/password', { current: PASSWORD, new: 'a river in the south' })
    assert.deepEqual([...codeOf(right), right.headers.get('retry-after')], [429, 'too_many_attempts', '30'])
  })
})

describe('a second factor', () => {
  async function withTotp() {
    const me = await screens.signedIn('member')
    const { body } = await me.call('POST', '/app/totp', { password: PASSWORD })
    assert.match(body.secret, /^[A-Z2-7]{32}$/)
    assert.equal(
      body.url,
      `otpauth://totp/Acme:${encodeURIComponent(me.email as string)}?secret=${body.secret}&issuer=Acme`,
    )
    assert.match(body.qr_svg, /^<svg /)
    const code = (steps = 0) => authenticatorCode(body.secret, server.now(), steps)
    return { me, code, secret: body.secret as string }
  }

  test('counts once it is confirmed, and each code is accepted once', async () => {
    const { me, code, secret } = await withTotp()
    const other = await screens.signedIn(me)
    const given = { email: me.email, password: PASSWORD }
    assert.equal((await login(given)).status, 200, 'not confirmed yet')
    const wrong = await me.call('POST', '/app/totp/confirm', { code: '000000' })
    assert.deepEqual([wrong.status, wrong.body.errors[0].code], [422, 'invalid_code'])
    const confirmed = await me.call('POST', '/app/totp/confirm', { code: code() })
    assert.equal(confirmed.body.recovery_codes.length, 10)
    assert.deepEqual([await isIn(me), await isIn(other)], [true, false])
    assert.deepEqual(codeOf(await login(given)), [401, 'code_required'])
    assert.deepEqual(codeOf(await login({ ...given, password: 'not the password' })), [401, 'invalid_credentials'])
    assert.deepEqual(codeOf(await login({ ...given, code: code() })), [401, 'invalid_code'], 'it was used to confirm')
    const next = code(1)
    assert.equal((await login({ ...given, code: `${next.slice(0, 3)} ${next.slice(3)}` })).status, 200)
    assert.deepEqual(codeOf(await login({ ...given, code: next })), [401, 'invalid_code'])
    server.advance(60_000)
    assert.equal((await login({ ...given, code: code(-1) })).status, 401, 'before the last one that was used')
    server.advance(30_000)
    assert.equal((await login({ ...given, code: code(-1) })).status, 200)
    const row = server.store.db.prepare('SELECT * FROM credentials WHERE member_id = ?').get(me.id)
    assert.ok(!JSON.stringify(row).includes(secret), 'the secret is encrypted')
  })

  test('is replaced by a recovery code, each once, in any way of writing', async () => {
    const { me, code } = await withTotp()
    const { body } = await me.call('POST', '/app/totp/confirm', { code: code() })
    const [one, two] = body.recovery_codes
    assert.match(one, /^[a-hjkmnp-z1-9]{5}-[a-hjkmnp-z1-9]{5}$/)
    const given = { email: me.email, password: PASSWORD }
    assert.equal((await login({ ...given, code: one.toUpperCase().replace('-', ' ') })).status, 200)
    assert.deepEqual(codeOf(await login({ ...given, code: one })), [401, 'invalid_code'])
    assert.equal((await login({ ...given, code: two })).status, 200)
    const dump = JSON.stringify(server.store.db.prepare('SELECT * FROM credentials').all())
    for (const each of body.recovery_codes) assert.ok(!dump.includes(each))
  })

  test('cannot be guessed: wrong codes count as attempts, though the password is right', async () => {
    const { me, code } = await withTotp()
    await me.call('POST', '/app/totp/confirm', { code: code() })
    const given = { email: me.email, password: PASSWORD }
    for (let tries = 0; tries < 5; tries++) {
      assert.deepEqual(codeOf(await login(given)), [401, 'code_required'], 'the password alone counts neither way')
      assert.deepEqual(codeOf(await login({ ...given, code: `00000${tries}` })), [401, 'invalid_code'])
    }
    assert.deepEqual(codeOf(await login({ ...given, code: code(1) })), [429, 'too_many_attempts'])
  })

  test('is not turned on by who uses a session that somebody left open', async () => {
    const me = await screens.signedIn('member')
    for (const [given, code] of [
      [{}, 'required'],
      [{ password: 'a lake in the west' }, 'wrong_password'],
    ] as const) {
      const { status, body } = await me.call('POST', '/app/totp', given)
      assert.deepEqual([status, body.errors[0].pointer, body.errors[0].code], [422, '/password', code])
      assert.equal(body.secret, undefined)
    }
    for (let tries = 0; tries < 4; tries++) await me.call('POST', '/app/totp', { password: `wrong${tries}` })
    assert.deepEqual(codeOf(await me.call('POST', '/app/totp', { password: PASSWORD })), [429, 'too_many_attempts'])
    const byLink = await screens.signedIn({ id: server.b.owner }, server.b)
    assert.equal((await byLink.call('POST', '/app/totp', {})).status, 200, 'who has no password has none to confirm')
  })

  test('is turned off with the password, and is not replaced while it is on', async () => {
    const { me, code } = await withTotp()
    assert.deepEqual(
      codeOf(await (await screens.signedIn('member')).call('POST', '/app/totp/confirm', { code: '1' })),
      [409, 'no_second_factor'],
    )
    await me.call('POST', '/app/totp/confirm', { code: code() })
    assert.deepEqual(codeOf(await me.call('POST', '/app/totp', { password: PASSWORD })), [409, 'second_factor_on'])
    const off = (password: string) => me.call('DELETE', '/app/totp', { password })
    assert.equal((await off('a lake in the west')).status, 422)
    assert.equal((await off(PASSWORD)).status, 204)
    const said = [...auditLog(server.store).all(server.a.id)].filter(({ record_id }) => record_id === me.id)
    assert.deepEqual(
      said.map(({ action, via }) => [action, via]),
      ['second_factor.on', 'second_factor.off'].map((action) => [action, `session ${me.session}`]),
    )
    assert.equal((await login({ email: me.email, password: PASSWORD })).status, 200)
  })
})

describe('a clock that is set', () => {
  /** A member with a second factor, and a sign-in with a code of now or some steps away. */
  async function withFactor() {
    const me = await screens.signedIn('member')
    const { body } = await me.call('POST', '/app/totp', { password: PASSWORD })
    await me.call('POST', '/app/totp/confirm', { code: authenticatorCode(body.secret, server.now()) })
    server.advance(MINUTE_MS)
    const code = (steps = 0) => authenticatorCode(body.secret, server.now(), steps)
    const use = async (given = code()) =>
      (await screens.send('POST', '/app/login', { email: me.email, password: PASSWORD, code: given })).status
    return { code, use, email: me.email }
  }

  test('back does not refuse the second factor until the time that it has shown', async () => {
    for (const ahead of [10 * MINUTE_MS, 400 * DAY_MS]) {
      const { use } = await withFactor()
      server.jump(ahead)
      assert.equal(await use(), 200)
      server.jump(-ahead)
      assert.equal(await use(), 200, `after ${ahead} ms`)
      server.advance(MINUTE_MS)
      assert.equal(await use(), 200)
    }
  })

  test('back and forth lets no code be used twice', async () => {
    const { code, use } = await withFactor()
    const before = code()
    assert.equal(await use(before), 200)
    server.jump(400 * DAY_MS)
    const [first, second] = [code(), code(1)]
    assert.deepEqual([await use(first), await use(second), await use(second)], [200, 200, 401])
    server.jump(-400 * DAY_MS)
    assert.equal(await use(before), 401)
    const beside = code(1)
    assert.deepEqual([await use(beside), await use(beside)], [200, 401])
    server.jump(400 * DAY_MS)
    assert.deepEqual([await use(first), await use(second)], [401, 401], 'when their time has come again')
    server.jump(HOUR_MS)
    assert.equal(await use(), 200)
    server.jump(-400 * DAY_MS - HOUR_MS)
  })

  test('back a little lets nobody use what came before the last code', async () => {
    const { code, use } = await withFactor()
    const seen = code()
    server.advance(30_000)
    assert.equal(await use(), 200)
    assert.equal(await use(seen), 401)
    server.jump(-1000)
    assert.equal(await use(seen), 401)
    server.jump(1000)
  })

  test('between the password and the code changes nothing about either', async () => {
    for (const jump of [400 * DAY_MS, -2 * HOUR_MS]) {
      const { code, use, email } = await withFactor()
      assert.deepEqual(codeOf(await login({ email, password: PASSWORD })), [401, 'code_required'])
      server.jump(jump)
      assert.equal(await use(code()), 200, `${jump} ms`)
      server.jump(-jump)
      server.advance(MINUTE_MS)
      assert.equal(await use(code()), 200)
    }
  })
})
