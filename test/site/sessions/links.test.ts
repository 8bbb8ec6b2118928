import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { catalog } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import { linkStore, linksAfterJump, setupLink } from '../../../src/auth/links.ts'
import { memberSettings } from '../../../src/crm/members/settings.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { countRows } from '../../../src/store/schema/tables.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { PASSWORD, type Screens, sessionOf, startScreens } from '../../support/screens.ts'
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

const tokenOf = (url: string): string => url.split('#')[1] as string
const check = (token: string) => screens.send('POST', '/app/links/check', { token })
const accept = (token: string, more: object = {}) => screens.send('POST', '/app/links/accept', { token, ...more })
const codeOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code]
const joining = { name: 'Priya Raman', password: PASSWORD }
const membersOf = (org: number) => memberSettings(server.store).all(org)

describe('an invitation', () => {
  test('makes a member with its role, signed in, in the language of choice', async () => {
    const admin = await screens.signedIn('admin')
    const made = await admin.call('POST', '/app/invites', { email: 'Priya@people.example', role: 'viewer' })
    assert.equal(made.status, 201, made.text)
    const { id, url, qr_svg, role, email, warning, expires_at } = made.body
    assert.deepEqual([role, email, warning], ['viewer', 'priya@people.example', 'loopback'])
    assert.equal(Date.parse(expires_at) - server.now(), 7 * DAY_MS)
    assert.match(url, new RegExp(`^${screens.url}/join#[\\w-]{43}$`))
    assert.match(qr_svg, /^<svg /)
    const listed = await admin.call('GET', '/app/invites')
    assert.deepEqual(
      listed.body.data.map((each: { id: string; invited_by: string }) => [each.id, each.invited_by]),
      [[id, admin.id]],
    )
    assert.ok(!listed.text.includes(tokenOf(url)), 'the list has no secret')
    const checked = await check(tokenOf(url))
    assert.deepEqual(
      [checked.status, checked.body],
      [200, { kind: 'invite', org_name: 'Acme', role, email, invited_by: 'A admin', expires_at }],
    )
    const joined = await accept(tokenOf(url), { ...joining, language: 'de' })
    assert.equal(joined.status, 201, joined.text)
    const cookie = sessionOf(joined)
    const boot = await screens.send('GET', '/app/boot', undefined, { cookie })
    assert.deepEqual(
      [boot.body.me.id, boot.body.me.role, boot.body.me.language],
      [joined.body.member_id, 'viewer', 'de'],
    )
    assert.equal((await screens.send('POST', '/app/login', { email, password: PASSWORD })).status, 200)
    assert.deepEqual((await admin.call('GET', '/app/invites')).body.data, [])
  })

  test('without an address is for anybody, and one with an address for that one only', async () => {
    const { call } = await screens.signedIn('owner')
    const open = await call('POST', '/app/invites', { role: 'member' })
    assert.equal(open.body.email, null)
    const missing = await accept(tokenOf(open.body.url), joining)
    assert.deepEqual([missing.status, missing.body.errors[0].pointer], [422, '/email'])
    const joined = await accept(tokenOf(open.body.url), { ...joining, email: 'Any@people.example' })
    assert.equal(joined.status, 201)
    const bound = await call('POST', '/app/invites', { role: 'member', email: 'one@people.example' })
    const other = await accept(tokenOf(bound.body.url), { ...joining, email: 'two@people.example' })
    assert.deepEqual([other.status, other.body.errors[0].code], [422, 'other_email'])
  })

  test('works once, even for two at the same moment', async () => {
    const { call } = await screens.signedIn('owner')
    const { body } = await call('POST', '/app/invites', { role: 'member' })
    const both = await Promise.all(
      ['race1', 'race2'].map((name) => accept(tokenOf(body.url), { ...joining, email: `${name}@people.example` })),
    )
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 410])
    assert.deepEqual(codeOf(await check(tokenOf(body.url))), [410, 'link_used'])
    assert.equal(membersOf(server.a.org).filter(({ email }) => email.startsWith('race')).length, 1)
  })

  test('ends after seven days, when it is withdrawn, and when a second one goes to the same address', async () => {
    const { call } = await screens.signedIn('owner')
    const invite = async () =>
      (await call('POST', '/app/invites', { role: 'member', email: 'late@people.example' })).body
    const [first, second] = [await invite(), await invite()]
    assert.deepEqual(codeOf(await check(tokenOf(first.url))), [404, 'unknown_link'])
    assert.equal((await check(tokenOf(second.url))).status, 200)
    assert.equal((await call('DELETE', `/app/invites/${second.id}`)).status, 204)
    assert.deepEqual(codeOf(await check(tokenOf(second.url))), [404, 'unknown_link'])
    assert.equal((await call('DELETE', `/app/invites/${second.id}`)).status, 404)
    const third = await invite()
    server.jump(7 * DAY_MS)
    assert.deepEqual(codeOf(await accept(tokenOf(third.url), joining)), [410, 'link_expired'])
    server.jump(-7 * DAY_MS)
  })

  test('ends with the right of its inviter to give that role', async () => {
    const { call, id } = await screens.signedIn('admin')
    const { body } = await call('POST', '/app/invites', { role: 'admin' })
    const email = membersOf(server.a.org).find((member) => member.id === id)?.email as string
    server.store.transaction(() => memberSettings(server.store).set(server.a.org, email, { role: 'member' }))
    const joined = await accept(tokenOf(body.url), { ...joining, email: 'x@people.example' })
    assert.deepEqual(codeOf(joined), [410, 'link_withdrawn'])
  })

  test('is refused for a role above the own one, and for a member', async () => {
    const { call } = await screens.signedIn('admin')
    const owner = await call('POST', '/app/invites', { role: 'owner' })
    assert.deepEqual([owner.status, owner.body.errors[0].code], [422, 'role_too_high'])
    const member = await call('POST', '/app/invites', { role: 'member', email: 'Ana@acme.example' })
    assert.deepEqual([member.status, member.body.errors[0].code], [422, 'already_member'])
    const { body } = await call('POST', '/app/invites', { role: 'member' })
    const joined = await accept(tokenOf(body.url), { ...joining, email: 'ANA@acme.example' })
    assert.deepEqual(codeOf(joined), [409, 'already_member'])
  })

  test('asks for a password that is long, not tried first, and has no name in it', async () => {
    const { call } = await screens.signedIn('owner')
    const { body } = await call('POST', '/app/invites', { role: 'member', email: 'priyanka@people.example' })
    for (const [password, code] of [
      ['short', 'too_short'],
      ['🔒'.repeat(6), 'too_short'],
      ['x'.repeat(129), 'too_long'],
      ['Passwort2026!', 'too_common'],
      ['qwertyuiop123', 'too_common'],
      ['abcabcabcabc', 'too_common'],
      ['dealboxdealbox', 'too_common'],
      ['we love ACME much', 'too_personal'],
      ['call Priyanka now', 'too_personal'],
    ] as const) {
      const answer = await accept(tokenOf(body.url), { ...joining, password })
      assert.deepEqual(
        [answer.status, answer.body.errors[0].pointer, answer.body.errors[0].code],
        [422, '/password', code],
      )
    }
    assert.equal((await accept(tokenOf(body.url), joining)).status, 201, 'the link was not used up')
  })
})

test('where others cannot open the address that the inviter sees, the public one is in the link', async () => {
  const { a, store } = server
  const { call } = await screens.signedIn('owner')
  const set = store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
  set.run('https://crm.acme.example/', a.org)
  const { body } = await call('POST', '/app/invites', { role: 'member' })
  assert.match(body.url, /^https:\/\/crm\.acme\.example\/join#/)
  assert.equal(body.warning, null)
  set.run('https://acme.example/crm', a.org) // of a proxy that passes some paths on
  assert.equal((await call('POST', '/app/invites', { role: 'member' })).body.warning, 'loopback')
  set.run(null, a.org)
})

test('a link that signs in works once, for a day, and for an active member', async () => {
  const { store, a } = server
  const make = (member: string) => store.transaction(() => linkStore(store).makeSignIn(a.org, member))
  const [first, second] = [make(a.owner), make(a.owner)]
  assert.deepEqual(codeOf(await accept(first)), [404, 'unknown_link'])
  const checked = await check(second)
  assert.deepEqual([checked.body.kind, checked.body.email], ['sign_in', 'ana@acme.example'])
  const answer = await accept(second)
  assert.deepEqual([answer.status, answer.body], [200, { member_id: a.owner }])
  const cookie = sessionOf(answer)
  assert.equal((await screens.send('GET', '/app/boot', undefined, { cookie })).body.me.id, a.owner)
  assert.deepEqual(codeOf(await accept(second)), [410, 'link_used'])
  const third = make(a.owner)
  server.jump(DAY_MS)
  assert.deepEqual(codeOf(await accept(third)), [410, 'link_expired'])
  server.jump(-DAY_MS)
  assert.deepEqual(codeOf(await accept(make(a.deactivated))), [410, 'link_withdrawn'])
})

describe('a link that signs in', () => {
  const make = (member: string) =>
    server.store.transaction(() => linkStore(server.store).makeSignIn(server.a.org, member))

  async function withFactor() {
    const me = await screens.signedIn('member')
    const { body } = await me.call('POST', '/app/totp', { password: PASSWORD })
    const confirmed = await me.call('POST', '/app/totp/confirm', {
      code: authenticatorCode(body.secret, server.now()),
    })
    server.advance(60_000)
    const code = () => authenticatorCode(body.secret, server.now())
    return { me, code, recovery: confirmed.body.recovery_codes as string[] }
  }

  test('is not used up by looking at it', async () => {
    const { id } = await screens.newMember('member')
    const token = make(id)
    for (let times = 0; times < 3; times++) {
      assert.equal((await check(token)).status, 200)
      for (const path of ['/sign-in', `/sign-in?${token}`, `/sign-in/${token}`, '/app/links/accept'])
        await screens.send('GET', path)
    }
    assert.equal((await accept(token)).status, 200)
  })

  test('does not pass by the second factor, and neither a missing nor a wrong code uses it up', async () => {
    const { me, code } = await withFactor()
    const token = make(me.id)
    for (const [given, said] of [
      [{}, 'code_required'],
      [{ code: '000000' }, 'invalid_code'],
      [{ code: 'aaaaa-bbbbb' }, 'invalid_code'],
      [{}, 'code_required'],
    ] as const) {
      const answer = await accept(token, given)
      assert.deepEqual(codeOf(answer), [401, said])
      assert.deepEqual(answer.headers.getSetCookie(), [])
    }
    const right = code()
    assert.equal((await accept(token, { code: right })).status, 200)
    assert.deepEqual(codeOf(await accept(token, { code: right })), [410, 'link_used'])
    assert.deepEqual(codeOf(await accept(make(me.id), { code: right })), [401, 'invalid_code'], 'each code once')
  })

  test('takes a recovery code, too, once', async () => {
    const { me, recovery } = await withFactor()
    assert.equal((await accept(make(me.id), { code: recovery[0] })).status, 200)
    assert.deepEqual(codeOf(await accept(make(me.id), { code: recovery[0] })), [401, 'invalid_code'])
  })

  test('gives few codes, whether the password is known or not, and strangers do not hold it up', async () => {
    const [{ me, code }, other] = [await withFactor(), await withFactor()]
    const token = make(me.id)
    for (let times = 0; times < 8; times++)
      await screens.send('POST', '/app/login', { email: me.email, password: 'of a stranger' })
    for (let times = 0; times < 5; times++)
      assert.deepEqual(codeOf(await accept(token, { code: `00000${times}` })), [401, 'invalid_code'])
    assert.deepEqual(codeOf(await accept(token, { code: code() })), [429, 'too_many_attempts'])
    assert.equal((await accept(make(other.me.id), { code: other.code() })).status, 200, 'each link for itself')
    server.advance(30_000)
    assert.equal((await accept(token, { code: code() })).status, 200)
  })

  test('ends with a new password, and one that was used still says so', async () => {
    const me = await screens.signedIn('member')
    const used = make(me.id)
    assert.equal((await accept(used)).status, 200)
    const token = make(me.id)
    const other = make((await screens.newMember('member')).id)
    const set = await me.call('POST', '/app/password', { current: PASSWORD, new: 'a river in the south' })
    assert.equal(set.status, 204)
    assert.deepEqual(codeOf(await accept(token)), [404, 'unknown_link'])
    assert.deepEqual(codeOf(await check(used)), [410, 'link_used'])
    assert.equal((await accept(other)).status, 200, 'that of a colleague')
  })

  test('works after the clock was set between opening it and the button, back and forth', async () => {
    const { me, code } = await withFactor()
    const token = make(me.id)
    assert.equal((await check(token)).status, 200)
    server.jump(400 * DAY_MS)
    assert.deepEqual(codeOf(await accept(token)), [410, 'link_expired'])
    server.jump(-401 * DAY_MS)
    assert.deepEqual(codeOf(await accept(token)), [401, 'code_required'])
    server.jump(DAY_MS)
    assert.equal((await accept(token, { code: code() })).status, 200)
  })

  test('and was made while the clock was ahead works for its day after the clock was set back', async () => {
    const { id } = await screens.newMember('member')
    server.jump(400 * DAY_MS)
    const [token, late] = [make(id), make((await screens.newMember('member')).id)]
    server.jump(-400 * DAY_MS)
    server.store.transaction(() => linksAfterJump(server.store))
    assert.equal((await accept(token)).status, 200)
    server.advance(DAY_MS)
    assert.deepEqual(codeOf(await accept(late)), [410, 'link_expired'])
  })
})

/** The screens of a data folder without an organisation. */
async function startEmpty(t: TestContext) {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  let now = server.now()
  const store = openEmptyStore(dataDir, { wall: () => now })
  const deps = resourceDeps(store)
  const page = await startScreens({ ...server, store, deps, dataDir, routes: catalog(deps) })
  t.after(async () => {
    await page.stop()
    store.close()
    rmSync(dataDir, { recursive: true })
  })
  return { store, page, jump: (ms: number) => void (now += ms) }
}

describe('setting up', () => {
  const SETUP = '{"by":"setup"}'
  const given = (token: string, start: 'sample' | 'empty') => ({
    token,
    org: { name: 'Tarn Instruments', currency: 'USD', timezone: 'Europe/Berlin' },
    owner: { name: 'Ana Kovačević', email: 'Ana@tarn.example', password: PASSWORD, language: 'de' },
    start,
  })

  test('is over once there is an organisation', async () => {
    const { store } = server
    const token = store.transaction(() => setupLink(store).make())
    assert.deepEqual(codeOf(await check(token)), [410, 'link_used'])
    assert.deepEqual(codeOf(await screens.send('POST', '/app/setup', given(token, 'empty'))), [410, 'link_used'])
  })

  for (const start of ['empty', 'sample'] as const) {
    test(`makes an organisation with its owner, who is signed in, and starts ${start}`, async (t) => {
      const { store, page, jump } = await startEmpty(t)
      const [old, token] = [1, 2].map(() => store.transaction(() => setupLink(store).make())) as [string, string]
      assert.deepEqual(codeOf(await page.send('POST', '/app/setup', given(old, start))), [404, 'unknown_link'])
      jump(DAY_MS)
      assert.deepEqual(codeOf(await page.send('POST', '/app/setup', given(token, start))), [410, 'link_expired'])
      jump(-DAY_MS)
      const weak = given(token, start)
      weak.owner.password = 'tarninstruments'
      const refused = await page.send('POST', '/app/setup', weak)
      assert.deepEqual([refused.status, refused.body.errors[0].pointer], [422, '/owner/password'])
      const answers = await Promise.all([1, 2].map(() => page.send('POST', '/app/setup', given(token, start))))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 410])
      const made = answers.find(({ status }) => status === 201) as (typeof answers)[number]
      const cookie = sessionOf(made)
      const { body } = await page.send('GET', '/app/boot', undefined, { cookie })
      assert.deepEqual([body.org.name, body.me.role, body.me.email], ['Tarn Instruments', 'owner', 'ana@tarn.example'])
      const kept = store.db.prepare('SELECT count(*) FROM sample_records WHERE org_id = 1 AND object = ?').pluck()
      const deals = countRows(store.db, 'deals', 1)
      assert.deepEqual([deals, kept.get('deals')], start === 'sample' ? [120, 120] : [0, 0])
      assert.equal(countRows(store.db, 'members', 1) - 1, kept.get('members'), 'all but the owner are of the sample')
      for (const table of ['deals', 'companies']) {
        const sql = `SELECT DISTINCT currency FROM ${table} WHERE currency IS NOT NULL`
        assert.deepEqual(store.db.prepare(sql).pluck().all(), start === 'sample' ? ['USD'] : [], table)
      }
      assert.equal(countRows(store.db, 'pipelines', 1), 1)
      const { all, nameOf } = auditLog(store)
      const [created, started, ...more] = all(nameOf(1))
      assert.deepEqual(
        [created?.action, created?.actor_type, created?.record_id],
        ['org.created', 'stranger', nameOf(1)],
      )
      assert.deepEqual([started?.action, started?.actor_id, started?.detail], ['session.started', body.me.id, SETUP])
      assert.deepEqual(more, [])
    })
  }
})
