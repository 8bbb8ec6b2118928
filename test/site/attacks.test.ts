import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import pino from 'pino'
import { applySettings, showSettings } from '../../src/app/settings/document.ts'
import { credentialStore } from '../../src/auth/credentials.ts'
import { linkStore, setupLink } from '../../src/auth/links.ts'
import { passwords } from '../../src/auth/passwords.ts'
import { ROLES } from '../../src/auth/roles.ts'
import { hashOf } from '../../src/auth/secrets.ts'
import { memberSettings } from '../../src/crm/members/settings.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/lib/time.ts'
import { screenHandlers, screenRoutes } from '../../src/site/routes.ts'
import { foreignKeys } from '../../src/store/schema/foreign-keys.ts'
import { cli } from '../cli/command-line.ts'
import { UNKNOWN } from '../support/records.ts'
import {
  type Answer,
  cookiesOf,
  PASSWORD,
  type Screens,
  type SignedIn,
  screenParts,
  sessionOf,
  startScreens,
} from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { readStream } from '../support/stream.ts'

// What somebody tries who may not: each line is an attack, and what it must come to.

let server: TestServer
let screens: Screens
let owner: SignedIn
const logged: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
const HOST = 'crm.acme.example'

before(async () => {
  server = await startServer({ log })
  screens = await startScreens(server, { log, hosts: ['added.example'] })
  owner = await screens.signedIn('owner')
})
after(async () => {
  await screens.stop()
  await server.stop()
})
// So that neither the pauses nor the limit of the address of one attack reach the next one.
beforeEach(async () => {
  server.advance(HOUR_MS)
  owner = await screens.signedIn(owner)
})

const attack = (name: string, run: (t: TestContext) => void | Promise<void>): void => void test(name, run)

const login = (body: unknown, headers: Record<string, string | null> = {}) =>
  screens.send('POST', '/app/login', body, headers)
const sent = (token: string, more: object = {}) => screens.send('POST', '/app/links/accept', { token, ...more })
const answered = ({ status, body }: Answer): [number, string | undefined] => [status, body?.code]
const REFUSED = [401, 'invalid_credentials']
const PAUSED = [429, 'too_many_attempts']
const SIGNED_OUT = [401, 'signed_out']
const isIn = async ({ call }: Pick<SignedIn, 'call'>): Promise<boolean> =>
  (await call('GET', '/app/boot')).status === 200
const withCookie = (cookie: string) => screens.send('GET', '/app/boot', undefined, { cookie })
const secretOf = ({ cookie }: { cookie: string }): string => cookie.split('=')[1] as string
const inFolder = () => ({ DEALBOX_DATA: server.dataDir, DEALBOX_ORG: server.a.id })
const rows = (sql: string, ...values: unknown[]) =>
  server.store.db.prepare(sql).all(...values) as Record<string, never>[]

async function fail(email: string | null, times: number, headers = {}): Promise<void> {
  for (let tries = 0; tries < times; tries++)
    assert.equal((await login({ email, password: 'not this one' }, headers)).status, 401)
}

describe('signing in as somebody else', () => {
  for (const [name, password] of [
    ['an empty password', ''],
    ['the stored hash as password', '$argon2id$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA'],
    ['the password with a space behind it', `${PASSWORD} `],
    ['the password in capitals', PASSWORD.toUpperCase()],
  ] as const)
    attack(`with ${name}`, async () => {
      const { email } = await screens.newMember('member')
      assert.deepEqual(answered(await login({ email, password })), REFUSED)
    })

  for (const [name, email] of [
    ['SQL in the email', "' OR 1=1 --"],
    ['a wildcard in the email', '%'],
    ['a letter that only looks like the right one', 'оwner1@people.example'],
    ['an empty email', ''],
  ] as const)
    attack(`with ${name}`, async () => {
      assert.deepEqual(answered(await login({ email, password: PASSWORD })), REFUSED)
    })

  for (const [name, body, status] of [
    ['a password that is a list', { email: 'ana@acme.example', password: ['x'] }, 422],
    ['a password that is an object', { email: 'ana@acme.example', password: { $ne: null } }, 422],
    [
      'a password of a megabyte, to keep the server busy',
      { email: 'a@b.example', password: 'x'.repeat(1_000_000) },
      413,
    ],
    ['a password of 2,000 characters', { email: 'a@b.example', password: 'x'.repeat(2000) }, 422],
    ['a member id instead of an email', { member_id: UNKNOWN, password: PASSWORD }, 422],
    ['a role in the body', { email: 'a@b.example', password: PASSWORD, role: 'owner' }, 422],
    ['a list as body', [], 400],
    ['a body that is cut off', '{"email":"a@b.example"', 400],
  ] as const)
    attack(`with ${name}`, async () => {
      const before = screens.passwords.count()
      assert.equal((await login(body)).status, status)
      assert.equal(screens.passwords.count(), before, 'no password is hashed')
    })

  attack('as a member who was deactivated, with the right password', async () => {
    const { id, email } = await screens.newMember('member')
    server.store.transaction(() => memberSettings(server.store).set(server.a.org, email, { status: 'deactivated' }))
    assert.deepEqual(answered(await login({ email, password: PASSWORD })), REFUSED)
    assert.deepEqual(rows('SELECT 1 FROM sessions WHERE member_id = ?', id), [])
  })

  attack('by telling names apart: each refusal is the same text, with one hash', async () => {
    const { email } = await screens.newMember('member')
    const texts = new Set<string>()
    for (const each of [email, 'nobody@people.example', 'gone@acme.example', 'ana@acme.example']) {
      const before = screens.passwords.count()
      const { body } = await login({ email: each, password: 'not this one' })
      texts.add(JSON.stringify({ ...body, request_id: null }))
      assert.equal(screens.passwords.count() - before, 1, each)
    }
    assert.equal(texts.size, 1)
  })

  attack('by telling names apart by their pauses', async () => {
    const { email } = await screens.newMember('member')
    for (const each of [email, 'never@people.example']) {
      server.advance(MINUTE_MS)
      await fail(each, 5)
      const answer = await login({ email: each, password: PASSWORD })
      assert.deepEqual([...answered(answer), answer.headers.get('retry-after')], [...PAUSED, '30'], each)
    }
  })

  attack('by trying on: pauses grow to 15 minutes, and neither check nor count attempts', async () => {
    const { email, id } = await screens.newMember('member')
    await fail(email, 5)
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      const before = screens.passwords.count()
      const { headers, status } = await login({ email, password: PASSWORD })
      assert.deepEqual([status, headers.get('retry-after')], [429, String(seconds)])
      assert.equal(screens.passwords.count(), before)
      server.advance(seconds * 1000)
      await fail(email, 1)
    }
    assert.deepEqual(rows('SELECT failures FROM credentials WHERE member_id = ?', id), [{ failures: 12 }])
    server.advance(15 * MINUTE_MS)
    assert.equal((await login({ email, password: PASSWORD })).status, 200)
    await fail(email, 4)
    assert.equal((await login({ email, password: PASSWORD })).status, 200, 'a success starts the count anew')
  })

  attack('with twenty passwords at the same moment', async () => {
    const { email } = await screens.newMember('member')
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, index) => login({ email, password: `guess number ${index}` })),
    )
    const checked = all.filter(({ status }) => status === 401)
    assert.deepEqual([checked.length, all.length - checked.length], [5, 15])
  })

  attack('across accounts: an address has twenty attempts a minute', async () => {
    for (let tries = 0; tries < 20; tries++)
      assert.equal((await login({ email: `a${tries}@b.example`, password: 'x' })).status, 401)
    const before = screens.passwords.count()
    const answer = await login({ email: owner.email, password: PASSWORD })
    assert.deepEqual([...answered(answer), answer.headers.get('retry-after')], [...PAUSED, '3'])
    assert.equal(screens.passwords.count(), before)
    server.advance(3000)
    assert.equal((await login({ email: 'a@b.example', password: 'x' })).status, 401)
    assert.equal((await login({ email: 'a@b.example', password: 'x' })).status, 429)
  })

  attack('by keeping a member out: whoever signed in on a device before is not held up by strangers', async () => {
    const { email } = await screens.newMember('member')
    const device = cookiesOf(await login({ email, password: PASSWORD }))[screens.names.device]
    assert.deepEqual(device?.attributes, ['max-age=31536000', 'path=/', 'httponly', 'samesite=lax'])
    await fail(email, 5)
    const cookie = `${screens.names.device}=${device?.value}`
    assert.deepEqual(answered(await login({ email, password: PASSWORD })), PAUSED)
    assert.equal((await login({ email, password: PASSWORD }, { cookie })).status, 200)
  })

  attack('from a device of the member: it has its own five attempts', async () => {
    const { email } = await screens.newMember('member')
    const cookie = `${screens.names.device}=${cookiesOf(await login({ email, password: PASSWORD }))[screens.names.device]?.value}`
    await fail(email, 5, { cookie })
    assert.deepEqual(answered(await login({ email, password: PASSWORD }, { cookie })), PAUSED)
    assert.equal((await login({ email, password: PASSWORD })).status, 200, 'elsewhere nothing failed')
  })

  attack('with the device cookie of another member, or one that was made up', async () => {
    const [one, other] = [await screens.newMember('member'), await screens.newMember('member')]
    const device = cookiesOf(await login({ email: other.email, password: PASSWORD }))[screens.names.device]
      ?.value as string
    const forged = device.replace(other.id, one.id)
    await fail(one.email, 5)
    for (const value of [device, forged, `${one.id}.AAAAAAAAAAAA.`, '..', ''])
      assert.deepEqual(
        answered(await login({ email: one.email, password: PASSWORD }, { cookie: `${screens.names.device}=${value}` })),
        PAUSED,
      )
  })

  attack('by hundreds at once: those who cannot be served soon are told so', async () => {
    const { hash } = passwords({ cost: { memory: 1024, passes: 1 }, maxWaiting: 3 })
    const all = await Promise.allSettled(Array.from({ length: 10 }, () => hash(PASSWORD)))
    const refused = all.flatMap((each) => (each.status === 'rejected' ? [each.reason.status] : []))
    assert.deepEqual(refused, [503, 503, 503])
    assert.match(await hash(PASSWORD), /^\$argon2id\$v=19\$m=1024,t=1,p=1\$/, 'the next one is served again')
  })

  attack('with a password that is replaced while it is checked', async (t) => {
    const { id, email } = await screens.newMember('member')
    const { store, a } = server
    const other = await screens.passwords.hash('a river in the south')
    const verify: typeof screens.passwords.verify = async (...given) => {
      store.transaction(() => credentialStore(store).setPassword(a.org, id, other))
      return screens.passwords.verify(...given)
    }
    const second = await startScreens(server, { passwords: { ...screens.passwords, verify } })
    t.after(second.stop)
    assert.deepEqual(answered(await second.send('POST', '/app/login', { email, password: PASSWORD })), REFUSED)
  })

  attack('with the database: passwords are argon2id at full cost', async () => {
    const real = passwords()
    const stored = await real.hash(PASSWORD)
    assert.match(stored, /^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
    assert.notEqual(await real.hash(PASSWORD), stored, 'each has its own salt')
    assert.deepEqual([await real.verify(PASSWORD, stored), await real.verify(`${PASSWORD}.`, stored)], [true, false])
    assert.equal(await screens.passwords.verify(PASSWORD, stored), true, 'by the cost that it was stored with')
  })
})

describe('taking over a session', () => {
  for (const [name, forge] of [
    ['no cookie', () => ''],
    ['an empty cookie', () => `${screens.names.session}=`],
    ['a made-up secret', () => `${screens.names.session}=${'A'.repeat(43)}`],
    ['the public id of a session', () => `${screens.names.session}=${owner.session}`],
    ['the stored hash of a session', () => `${screens.names.session}=${hashOf(secretOf(owner))}`],
    ['the first half of a secret', () => `${screens.names.session}=${secretOf(owner).slice(0, 21)}`],
    ['a secret with one more character', () => `${screens.names.session}=${secretOf(owner)}A`],
    ['a secret in capitals', () => `${screens.names.session}=${secretOf(owner).toUpperCase()}`],
    ['an API token as cookie', () => `${screens.names.session}=${server.a.token}`],
    ['the cookie of TLS on a plain connection', () => `__Host-${screens.names.session}=${secretOf(owner)}`],
    [
      'a second cookie of the name behind a false one',
      () => `${screens.names.session}=${'A'.repeat(43)}; ${screens.names.session}=${secretOf(owner)}`,
    ],
    ['a wildcard', () => `${screens.names.session}=%`],
  ] as const)
    attack(`with ${name}`, async () => {
      assert.deepEqual(answered(await withCookie(forge())), SIGNED_OUT)
    })

  attack('with an API token on the address of the browser app', async () => {
    const headers = { authorization: `Bearer ${server.a.token}` }
    for (const path of ['/api/v1/deals', '/app/boot']) {
      const answer = await screens.send('GET', path, undefined, headers)
      assert.deepEqual(answered(answer), SIGNED_OUT)
      assert.match(answer.body.detail, /takes no tokens/)
    }
    assert.equal(
      (await owner.call('GET', '/app/boot', undefined, { authorization: 'Basic eDp5' })).status,
      200,
      'of a proxy',
    )
  })

  attack('with a session on the address of the API', async () => {
    const { cookie } = owner
    for (const headers of [{ cookie }, { authorization: `Bearer ${secretOf(owner)}` }])
      assert.equal((await server.call('GET', '/deals', undefined, { token: null, headers })).status, 401)
    for (const path of ['/app/boot', '/app/login', '/app/sessions', '/'])
      assert.equal((await fetch(server.url + path, { headers: { cookie } })).status, 404, path)
  })

  attack('after twelve hours without use', async () => {
    const me = await screens.signedIn('member')
    server.advance(12 * HOUR_MS - 1000)
    assert.ok(await isIn(me))
    await server.store.write(() => undefined)
    server.advance(12 * HOUR_MS - 1000)
    assert.ok(await isIn(me), 'the use was noted')
    await server.store.write(() => undefined)
    server.advance(12 * HOUR_MS)
    assert.equal(await isIn(me), false)
  })

  attack('after thirty days, however often it was used', async () => {
    const me = await screens.signedIn('member')
    for (let half = 0; half < 60; half++) {
      assert.ok(await isIn(me), `half day ${half}`)
      await server.store.write(() => undefined)
      server.jump(DAY_MS / 2 - 1)
    }
    assert.ok(await isIn(me))
    server.jump(60)
    assert.equal(await isIn(me), false)
  })

  for (const [name, change] of [
    [
      'when the role is lowered by a command',
      (email: string) => cli(['member', 'set', email, '--role', 'viewer'], inFolder()),
    ],
    [
      'when the role is raised by a command',
      (email: string) => cli(['member', 'set', email, '--role', 'owner'], inFolder()),
    ],
    [
      'when the member is deactivated by a command',
      (email: string) => cli(['member', 'deactivate', email], inFolder()),
    ],
    ['when the password is reset by a command', (email: string) => cli(['member', 'reset', email], inFolder())],
    ['when sessions are ended by a command', (email: string) => cli(['sessions', 'end', email], inFolder())],
    [
      'when the settings give another role',
      (email: string) => {
        const { members } = showSettings(server.store, server.a.org)
        const others = members.map((each) => (each.email === email ? { ...each, role: 'viewer' } : each))
        applySettings(server.store, server.a.org, { members: others })
      },
    ],
    [
      'when the settings leave the member out',
      (email: string) => {
        const { members } = showSettings(server.store, server.a.org)
        applySettings(server.store, server.a.org, { members: members.filter((each) => each.email !== email) })
      },
    ],
  ] as const)
    attack(`${name}`, async () => {
      const me = await screens.signedIn('member')
      const bystander = await screens.signedIn('member')
      assert.ok(await isIn(me))
      const done = await change(me.email as string)
      if (done) assert.equal(done.code, 0, done.err)
      assert.deepEqual(answered(await me.call('GET', '/api/v1/deals')), SIGNED_OUT)
      assert.ok(await isIn(bystander))
    })

  attack('by planting a session in the browser of somebody who then signs in (fixation)', async () => {
    const planted = await screens.signedIn('viewer')
    const { email, id } = await screens.newMember('admin')
    const answer = await login({ email, password: PASSWORD }, { cookie: planted.cookie })
    const secret = cookiesOf(answer)[screens.names.session]?.value as string
    assert.notEqual(secret, secretOf(planted))
    assert.equal(await isIn(planted), false)
    assert.equal((await withCookie(`${screens.names.session}=${secret}`)).body.me.id, id)
  })

  attack('by planting a made-up secret', async () => {
    const { email } = await screens.newMember('admin')
    const cookie = `${screens.names.session}=${'B'.repeat(43)}`
    assert.equal((await login({ email, password: PASSWORD }, { cookie })).status, 200)
    assert.deepEqual(answered(await withCookie(cookie)), SIGNED_OUT)
  })

  attack('by using the cookie after signing out', async () => {
    const me = await screens.signedIn('member')
    assert.equal((await me.call('POST', '/app/logout')).status, 204)
    assert.equal(await isIn(me), false)
  })

  attack('by signing in without end: a member has 25 sessions at most, and the oldest goes', async () => {
    const me = await screens.signedIn('member')
    const more: SignedIn[] = []
    for (let count = 0; count < 25; count++) {
      server.advance(1000)
      more.push(await screens.signedIn(me))
    }
    assert.deepEqual([await isIn(me), await isIn(more[0] as SignedIn)], [false, true])
    assert.deepEqual(rows('SELECT count(*) AS n FROM sessions WHERE member_id = ?', me.id), [{ n: 25 }])
  })

  attack('by signing in without end: a session in use stays', async () => {
    const { id, email } = await screens.newMember('member')
    const signIn = async () => {
      server.advance(3000) // twenty attempts a minute
      const cookie = sessionOf(await login({ email, password: PASSWORD }))
      return { cookie, call: (method: string, path: string) => screens.send(method, path, undefined, { cookie }) }
    }
    const [used, unused, shown] = [await signIn(), await signIn(), await signIn()]
    const stream = await readStream(`${screens.url}/app/stream`, { cookie: shown.cookie })
    await stream.until(() => stream.messages.length > 0)
    const more: Awaited<ReturnType<typeof signIn>>[] = []
    for (let count = 0; count < 40; count++) {
      more.push(await signIn())
      if (count !== 30)
        assert.ok(await isIn(more[count] as { call: SignedIn['call'] }), 'the others are used, too, once')
      assert.ok(await isIn(used), `after ${count + 1} more`)
    }
    assert.deepEqual([await isIn(unused), await isIn(shown)], [false, true])
    const areIn = [15, 16, 29, 30, 31].map((count) => isIn(more[count] as { call: SignedIn['call'] }))
    assert.deepEqual(await Promise.all(areIn), [false, true, true, false, true], 'the oldest unused, then the oldest')
    assert.deepEqual(rows('SELECT count(*) AS n FROM sessions WHERE member_id = ?', id), [{ n: 25 }])
    stream.close()
  })

  attack('by ending the session of a colleague', async () => {
    const [me, colleague] = [await screens.signedIn('member'), await screens.signedIn('viewer')]
    assert.equal((await me.call('DELETE', `/app/sessions/${colleague.session}`)).status, 404)
    assert.ok(await isIn(colleague))
    assert.equal((await owner.call('DELETE', `/app/sessions/${colleague.session}`)).status, 204, 'an owner may')
    assert.equal(await isIn(colleague), false)
  })

  attack('by ending the session of another organisation', async () => {
    const stranger = await screens.signedIn('viewer', server.b)
    assert.equal((await owner.call('DELETE', `/app/sessions/${stranger.session}`)).status, 404)
    assert.ok(await isIn(stranger))
  })

  attack('by filling the disk with notes of use: one a minute', async () => {
    const me = await screens.signedIn('member')
    const seen = () => rows('SELECT seen_at FROM sessions WHERE id = ?', me.session)[0]?.seen_at
    const before = seen()
    server.advance(59_000)
    for (let count = 0; count < 5; count++) await isIn(me)
    await server.store.write(() => undefined)
    assert.equal(seen(), before)
    server.advance(1000)
    await isIn(me)
    await server.store.write(() => undefined)
    assert.equal(seen(), server.now())
  })
})

type Path = { method: string; path: string; role: string | null; body: boolean }

/** Every path of the browser app and of its API. */
function allPaths(): Path[] {
  const parts = screenParts(server)
  const named = (prefix: string, routes: Readonly<ReturnType<typeof screenRoutes>>): Path[] =>
    routes.map((route) => ({
      method: route.method.toUpperCase(),
      path: prefix + route.path.replace(/:\w+/g, UNKNOWN),
      role: route.role ?? (route.method === 'get' ? 'viewer' : 'member'),
      body: 'body' in route && route.body !== undefined,
    }))
  const own = screenHandlers(parts).map(({ method, path, role }) => ({
    method,
    path,
    role,
    body: method !== 'GET' && path !== '/app/logout' && !path.startsWith('/app/operation/'),
  }))
  return [...named('/app', screenRoutes(parts)), ...named('/api/v1', server.routes), ...own]
}

describe('sending requests from the page of another site', () => {
  for (const [name, headers] of [
    ['without saying where from', { origin: null }],
    ['from another host', { origin: 'https://evil.example' }],
    ['from a page without an origin', { origin: 'null' }],
    ['from another port', { origin: 'http://127.0.0.1:1' }],
    ['from a host that begins like ours', { origin: 'OWN.evil.example' }],
    ['from the same host by another scheme', { origin: 'HTTPS' }],
    ['marked as of another site', { 'sec-fetch-site': 'cross-site' }],
    ['marked as of another site, with our origin', { origin: 'OWN', 'sec-fetch-site': 'cross-site' }],
    ['marked as of a sibling site', { 'sec-fetch-site': 'same-site' }],
    ['marked as typed by the user', { 'sec-fetch-site': 'none' }],
  ] as [string, Record<string, string | null>][])
    attack(`${name}, to each path that writes`, async () => {
      const given = Object.entries(headers).map(([key, value]) => [
        key,
        value?.replace('OWN', screens.url).replace('HTTPS', screens.url.replace('http:', 'https:')) ?? null,
      ])
      const [seq, passwordsBefore] = [server.lastSeq(), screens.passwords.count()]
      for (const { method, path, body } of allPaths().filter((each) => each.method !== 'GET')) {
        const answer = await owner.call(method, path, body ? {} : undefined, Object.fromEntries(given))
        assert.deepEqual(answered(answer), [403, 'foreign_origin'], `${method} ${path}`)
      }
      assert.ok(await isIn(owner), 'nobody was signed out')
      assert.deepEqual([server.lastSeq(), screens.passwords.count()], [seq, passwordsBefore])
    })

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    null,
  ])
    attack(`with a form's Content-Type ${type}, to each path that takes a body`, async () => {
      const seq = server.lastSeq()
      for (const { method, path, body } of allPaths().filter((each) => each.body)) {
        const answer = await owner.call(method, path, '{}', { 'content-type': type })
        // Those that take files read it: what keeps other sites from sending one is that it comes from them.
        const isForm =
          type?.startsWith('multipart/') &&
          /^\/(api\/v1\/(messages|meetings\/[^/]+\/transcript)|app\/drafts\/[^/]+\/files)$/.test(path)
        const expected = isForm ? [400, 'malformed_form'] : [415, 'unsupported_media_type']
        assert.deepEqual(answered(answer), expected, `${method} ${path} ${body}`)
      }
      assert.equal(server.lastSeq(), seq)
    })

  attack('by reading: no answer allows another origin, and none has cookies for it', async () => {
    for (const path of ['/app/boot', '/api/v1/deals', '/app/sessions', '/', '/openapi.json']) {
      const { headers, status } = await owner.call('GET', path, undefined, { origin: 'https://evil.example' })
      assert.equal(status, 200)
      assert.equal(headers.get('access-control-allow-origin'), null, path)
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path)
    }
    const preflight = await owner.call('OPTIONS', '/api/v1/deals', undefined, { origin: 'https://evil.example' })
    assert.equal(preflight.headers.get('access-control-allow-methods'), null)
  })

  attack('by a page that reads its own address only: what is allowed', async () => {
    for (const headers of [{ origin: null, 'sec-fetch-site': 'same-origin' }, { origin: screens.url }])
      assert.equal(
        (await owner.call('POST', '/api/v1/tags', { name: `Own ${Object.values(headers)}` }, headers)).status,
        201,
      )
    const set = server.store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
    set.run(`https://${HOST}/`, server.a.org) // behind a proxy with TLS
    const proxied = { origin: `https://${HOST}` }
    assert.equal((await owner.call('POST', '/api/v1/tags', { name: 'Proxied' }, proxied)).status, 201)
    set.run(null, server.a.org)
    assert.equal((await owner.call('POST', '/api/v1/tags', { name: 'Proxied' }, proxied)).status, 403)
  })
})

describe('giving a foreign name to this server (DNS rebinding)', () => {
  /** With the cookie of the port that a browser would show. */
  const cookieAt = (host: string): string => {
    const port = /:(\d+)$/.exec(host)?.[1] ?? '80'
    return owner.cookie.replace(/-\d+=/, `-${port}=`)
  }
  const get = (path: string, host: string) => owner.call('GET', path, undefined, { host, cookie: cookieAt(host) })
  for (const host of [
    'evil.example',
    'evil.example:8081',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.localhost',
    'localhost.evil.example.',
    '192.168.7.7',
    '[fe80::1]',
    HOST,
    '127.0.0.2',
  ])
    attack(`as ${host}`, async () => {
      for (const path of ['/', '/app/boot', '/api/v1/deals', '/reference', '/openapi.json', '/nowhere']) {
        const answer = await get(path, host)
        assert.deepEqual(answered(answer), [421, 'unknown_host'], path)
        assert.match(answer.body.detail, / --host .*public_base_url/s)
      }
      const own = { host, origin: `http://${host}` }
      assert.equal((await owner.call('POST', '/app/logout', undefined, own)).status, 421)
      assert.ok(await isIn(owner))
    })

  attack('without a name, in HTTP/1.0', async () => {
    const socket = connect(Number(new URL(screens.url).port), '127.0.0.1')
    socket.end(`GET /app/boot HTTP/1.0\r\nCookie: ${owner.cookie}\r\n\r\n`)
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    assert.match(Buffer.concat(chunks).toString(), /^HTTP\/1\.1 421 /)
  })

  attack('with the true name in X-Forwarded-Host', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': '127.0.0.1', forwarded: 'host=127.0.0.1' }
    assert.equal((await owner.call('GET', '/app/boot', undefined, headers)).status, 421)
  })

  attack('in X-Forwarded-Host, with the true name in Host', async () => {
    for (const [host, status] of [
      ['evil.example', 421],
      ['added.example, evil.example', 421],
      ['', 421],
      ['added.example', 200],
    ] as const)
      assert.equal(
        (await owner.call('GET', '/app/boot', undefined, { 'x-forwarded-host': host, cookie: cookieAt(host) })).status,
        status,
        host,
      )
  })

  attack('by a name that is ours: it is taken, whatever its port and its case', async () => {
    const { port } = new URL(screens.url)
    const names = [
      '127.0.0.1',
      'localhost',
      'LOCALHOST:1',
      '[::1]',
      `[::1]:${port}`,
      'added.example',
      'Added.Example:443',
    ]
    for (const host of names) assert.equal((await get('/app/boot', host)).status, 200, host)
    const set = server.store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
    set.run(`https://${HOST}/`, server.b.org)
    assert.equal((await get('/app/boot', HOST)).status, 200)
    set.run(null, server.b.org)
  })

  attack('where nothing is to be had: probes and the links in mails work by any name', async () => {
    for (const [path, status] of [
      ['/livez', 200],
      ['/readyz', 200],
      ['/unsubscribe/none', 404],
    ] as const)
      assert.equal((await get(path, 'old.name.example')).status, status, path)
  })
})

describe("using links that are somebody else's", () => {
  const invite = async (by = owner) => {
    const { body } = await by.call('POST', '/app/invites', { role: 'admin' })
    return { id: body.id as string, token: (body.url as string).split('#')[1] as string }
  }
  const joining = (email: string) => ({ name: 'Mallory', email, password: PASSWORD })
  const signIn = (org = server.a) =>
    server.store.transaction(() => linkStore(server.store).makeSignIn(org.org, org.owner))
  const membersBefore = () => rows('SELECT count(*) AS n FROM members')[0]?.n

  for (const [name, forge] of [
    ['a made-up token', async () => 'C'.repeat(43)],
    ['an empty token', async () => ''],
    ['the id of the invitation', async () => (await invite()).id],
    ['the stored hash', async () => hashOf((await invite()).token)],
    [
      'the token with its last character changed',
      async () => {
        const { token } = await invite()
        return token.slice(0, -1) + (token.endsWith('A') ? 'E' : 'A')
      },
    ],
    ['the secret of a session', async () => secretOf(owner)],
    ['a setup link', async () => server.store.transaction(() => setupLink(server.store).make())],
  ] as const)
    attack(`with ${name}`, async () => {
      const count = membersBefore()
      assert.deepEqual(answered(await sent(await forge(), joining('mallory@people.example'))), [404, 'unknown_link'])
      assert.equal(membersBefore(), count)
    })

  for (const [name, token] of [
    ['an invitation', async () => (await invite()).token],
    ['a link that signs in', async () => signIn()],
  ] as const)
    attack(`setting up with ${name}`, async () => {
      const body = {
        token: await token(),
        org: { name: 'Mine', currency: 'EUR', timezone: 'UTC' },
        owner: { name: 'Mallory', email: 'm@people.example', password: PASSWORD },
        start: 'empty',
      }
      assert.deepEqual(answered(await screens.send('POST', '/app/setup', body)), [404, 'unknown_link'])
      assert.deepEqual(rows('SELECT count(*) AS n FROM orgs'), [{ n: 2 }])
    })

  attack('twice', async () => {
    const { token } = await invite()
    assert.equal((await sent(token, joining('first@people.example'))).status, 201)
    assert.deepEqual(answered(await sent(token, joining('second@people.example'))), [410, 'link_used'])
    const link = signIn()
    assert.equal((await sent(link)).status, 200)
    assert.deepEqual(answered(await sent(link)), [410, 'link_used'])
  })

  attack('after they have expired', async () => {
    const [{ token }, link] = [await invite(), signIn()]
    server.advance(DAY_MS)
    assert.deepEqual(answered(await sent(link)), [410, 'link_expired'])
    server.jump(6 * DAY_MS)
    assert.deepEqual(answered(await sent(token, joining('late@people.example'))), [410, 'link_expired'])
  })

  attack('by opening them: looking uses nothing up, and a GET does nothing', async () => {
    const { token } = await invite()
    for (const path of ['/join', `/join?${token}`, `/join/${token}`]) await screens.send('GET', path)
    for (let count = 0; count < 3; count++)
      assert.equal((await screens.send('POST', '/app/links/check', { token })).status, 200)
    assert.equal((await screens.send('GET', '/app/links/accept')).status, 405)
    assert.equal((await sent(token, joining('looked@people.example'))).status, 201)
  })

  attack('of another organisation: neither shown nor withdrawn', async () => {
    const stranger = await screens.signedIn('owner', server.b)
    const { id, token } = await invite(stranger)
    assert.ok(!(await owner.call('GET', '/app/invites')).text.includes(id))
    assert.equal((await owner.call('DELETE', `/app/invites/${id}`)).status, 404)
    const joined = await sent(token, joining('b@people.example'))
    const cookie = sessionOf(joined)
    assert.equal((await withCookie(cookie)).body.org.name, 'Birch', 'it leads where it was made')
  })

  attack('to a higher role: the body cannot name one', async () => {
    const { token } = await invite()
    assert.equal((await sent(token, { ...joining('r@people.example'), role: 'owner' })).status, 422)
  })

  attack('to take over an account that is there', async () => {
    const { token } = await invite()
    const { email, id } = await screens.newMember('member')
    assert.deepEqual(answered(await sent(token, joining(email))), [409, 'already_member'])
    assert.equal(rows('SELECT role FROM members WHERE id = ?', id)[0]?.role, 'member')
  })
})

describe('doing what the role does not allow', () => {
  for (const role of ROLES)
    attack(`as ${role}, on every path`, async () => {
      const me = await screens.signedIn(role)
      const mark = server.lastSeq()
      for (const { method, path, role: needed, body } of allPaths()) {
        if (needed === null || path === '/app/stream') continue // which would stay open
        const answer = await me.call(method, path, body ? {} : undefined)
        const isAllowed = ROLES.indexOf(role) <= ROLES.indexOf(needed as never)
        const [status, code] = answered(answer)
        // A backup of several organisations is no matter of the owner of one.
        const isOk = code === 'several_organisations' || ![401, 403, 500].includes(status)
        if (isAllowed) assert.ok(isOk, `${method} ${path}: ${answer.text}`)
        else {
          const wanted = path.startsWith('/app') ? 'insufficient_role' : 'insufficient_scope'
          assert.deepEqual([status, code], [403, wanted], `${method} ${path}`)
          assert.doesNotMatch(answer.body.detail, /token/)
        }
      }
      if (role === 'viewer') assert.equal(server.lastSeq(), mark, 'a viewer has changed nothing')
    })

  attack('without a session, on every path', async () => {
    for (const { method, path, role, body } of allPaths())
      if (role !== null)
        assert.deepEqual(
          answered(await screens.send(method, path, body ? {} : undefined)),
          SIGNED_OUT,
          `${method} ${path}`,
        )
  })

  attack('as the last owner, by leaving', async () => {
    const members = memberSettings(server.store)
    const owners = members.all(server.b.org).filter(({ role, status }) => role === 'owner' && status === 'active')
    const leave = () => {
      for (const { email } of owners) members.set(server.b.org, email, { role: 'member' })
    }
    assert.throws(() => server.store.transaction(leave), { code: 'last_owner' })
  })
})

describe('showing the app in a frame, and reading along', () => {
  for (const path of [
    '/',
    '/deals',
    '/login',
    '/setup',
    '/join',
    '/reference',
    '/app/boot',
    '/app/sessions',
    '/api/v1/deals',
    '/nowhere.txt',
    '/openapi.json',
  ])
    attack(`a frame of ${path}`, async () => {
      for (const { headers } of [await owner.call('GET', path), await screens.send('GET', path)]) {
        assert.equal(headers.get('x-frame-options'), 'DENY')
        assert.match(headers.get('content-security-policy') as string, /^default-src 'none'/)
        assert.equal(headers.get('x-content-type-options'), 'nosniff')
        assert.equal(headers.get('referrer-policy'), 'no-referrer')
        assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      }
    })

  attack('scripts of strangers in the page', async () => {
    const { headers } = await owner.call('GET', '/')
    const policy = headers.get('content-security-policy') as string
    for (const rule of [
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.split('; ').includes(rule), rule)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
  })

  attack('the page of a member from a cache', async () => {
    assert.equal((await owner.call('GET', '/')).headers.get('cache-control'), 'no-store')
    const { email } = await screens.newMember('member')
    assert.equal((await login({ email, password: PASSWORD })).headers.get('cache-control'), 'no-store')
  })

  attack('secrets in the log, in answers and in the database', async () => {
    const marker = 'zebra-crossing-at-noon'
    const admin = await screens.signedIn('admin')
    const { body: invited } = await admin.call('POST', '/app/invites', { role: 'member' }, { 'idempotency-key': 'k' })
    const token = invited.url.split('#')[1]
    const joined = await sent(token, { name: 'Z', email: 'z@people.example', password: marker })
    const secret = cookiesOf(joined)[screens.names.session]?.value as string
    const cookie = `${screens.names.session}=${secret}`
    const { body: totp } = await screens.send('POST', '/app/totp', { password: marker }, { cookie })
    const wrong = { current: `${marker}!`, new: `${marker}!` }
    const answers = [
      await screens.send('POST', '/app/password', wrong, { cookie, 'idempotency-key': 'p' }),
      await login({ email: 'z@people.example', password: `${marker}?` }),
      await sent(token, { name: 'Z', email: 'z@people.example', password: marker }),
      await screens.send('GET', `/app/${token}`),
      await screens.send('GET', '/app/boot', undefined, { cookie }),
      await screens.send('GET', '/app/sessions', undefined, { cookie }),
    ]
    const given = [marker, token, secret, totp.secret]
    const tables = new Set(
      foreignKeys(server.store.db)
        .map(({ table }) => table)
        .concat('orgs', 'setup_link', 'idempotency'),
    )
    const dump = [...tables].map((table) => JSON.stringify(rows(`SELECT * FROM ${table}`))).join('\n')
    assert.ok(tables.has('sessions') && tables.has('credentials') && logged.length > 100)
    for (const each of given) {
      assert.ok(!logged.join('\n').includes(each), `the log: ${each}`)
      assert.ok(!dump.includes(each), `the database: ${each}`)
      for (const { text } of answers) assert.ok(!text.includes(each), `an answer: ${text}`)
    }
    assert.ok(!dump.includes(hashOf(marker)), 'no fast hash of a password')
  })
})
