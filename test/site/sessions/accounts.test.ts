import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { memberSettings } from '../../../src/crm/members/settings.ts'
import { auditLog } from '../../../src/events/audit/log.ts'
import { DAY_MS, HOUR_MS } from '../../../src/lib/time.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
import type { Org } from '../../support/org.ts'
import { type Answer, cookiesOf, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// An email may be that of members of several organisations, and the admin of one can make such a member. Each account
// counts for itself: nobody can guess at another one by signing in to their own.

let server: TestServer
let screens: Screens
let flush: () => void = () => undefined
let made = 0

before(async () => {
  server = await startServer()
  screens = await startScreens(server, {
    every: (_ms, job) => {
      flush = job
      return () => undefined
    },
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})
beforeEach(() => server.advance(HOUR_MS))

const VICTIM = 'what only the victim knows'
const OWN = 'what the attacker has chosen'
const PAUSED = [429, 'too_many_attempts']
const WRONG = [401, 'invalid_credentials']

type Account = { org: number; id: string; email: string }

/** The account of somebody at Acme, and the one that an admin of Birch has made with the same email. */
async function twins(): Promise<{ victim: Account; own: Account; email: string }> {
  const email = `twin${++made}@people.example`
  const make = async ({ org }: Org, password: string): Promise<Account> => {
    const hash = await screens.passwords.hash(password)
    return server.store.transaction(() => {
      const { id } = memberSettings(server.store).add(org, { email, name: 'Twin', role: 'member' })
      credentialStore(server.store).setPassword(org, id, hash)
      return { org, id, email }
    })
  }
  return { victim: await make(server.a, VICTIM), own: await make(server.b, OWN), email }
}

/** From another address each time, so that only accounts limit. */
const login = (email: string, password: string, more: { code?: string; device?: string | undefined } = {}) =>
  screens.send(
    'POST',
    '/app/login',
    { email, password, ...(more.code === undefined ? {} : { code: more.code }) },
    {
      'x-forwarded-for': `198.51.${Math.floor(++made / 250)}.${made % 250}`,
      cookie: more.device === undefined ? null : `${screens.names.device}=${more.device}`,
    },
  )
const deviceOf = (answer: Answer): string => cookiesOf(answer)[screens.names.device]?.value as string
const answered = ({ status, body }: Answer) => [status, body?.code]
const failuresOf = ({ org, id }: Account): number => credentialStore(server.store).get(org, id)?.failures ?? 0

async function withFactor({ org, id }: Account): Promise<(steps?: number) => string> {
  const me = await screens.signedIn({ id }, org === server.a.org ? server.a : server.b)
  const { body } = await me.call('POST', '/app/totp', { password: org === server.a.org ? VICTIM : OWN })
  await me.call('POST', '/app/totp/confirm', { code: authenticatorCode(body.secret, server.now()) })
  return (steps = 0) => authenticatorCode(body.secret, server.now(), steps)
}

describe('guessing at an account with the help of an own one of the same email', () => {
  for (const [name, hasDevice] of [
    ['in new browsers', false],
    ['in the browser of the own account', true],
  ] as const)
    test(`gives as many passwords as any stranger has, ${name}`, async () => {
      const { victim, own, email } = await twins()
      let device: string | undefined
      const GUESSES = 60
      let hashes = 0
      for (let guess = 0; guess < GUESSES; guess++) {
        const before = screens.passwords.count()
        await login(email, `guess number ${guess}`, { device })
        hashes += screens.passwords.count() - before
        const signedIn = await login(email, OWN, { device })
        assert.equal(signedIn.status, 200, 'the own account is held up by nothing')
        if (hasDevice) device = deviceOf(signedIn)
      }
      const checked = hashes - GUESSES // the own account, which a sign-in follows each time, checks all of them
      assert.ok(checked <= 5, `${checked} of ${GUESSES} guesses were checked`)
      assert.ok(failuresOf(victim) >= 5)
      assert.equal(failuresOf(own), 0)
      assert.deepEqual(answered(await login(email, VICTIM)), PAUSED)
    })

  test('neither takes the failures of the other account back, nor gives any to it that it did not judge', async () => {
    const { victim, email } = await twins()
    const device = deviceOf(await login(email, OWN))
    assert.equal(failuresOf(victim), 1, 'it was tried there first')
    for (let times = 0; times < 10; times++) assert.equal((await login(email, OWN, { device })).status, 200)
    assert.equal(failuresOf(victim), 1, 'the browser is known to the own one, which comes first')
  })

  test('gives no more codes of a second factor', async () => {
    const { victim, email } = await twins()
    const code = await withFactor(victim)
    const answers = []
    for (let guess = 0; guess < 60; guess++) {
      answers.push((await login(email, VICTIM, { code: String(guess).padStart(6, '0') })).body.code)
      assert.equal((await login(email, OWN)).status, 200)
    }
    const judged = answers.filter((each) => each === 'invalid_code').length
    assert.ok(judged <= 5, `${judged} of 60 codes were judged`)
    assert.deepEqual(answered(await login(email, VICTIM, { code: code(1) })), PAUSED)
  })

  test('is in the log of the organisation that it was tried at, and of no other', async () => {
    const { victim, own, email } = await twins()
    await login(email, OWN)
    await login(email, 'what nobody has chosen')
    flush()
    await server.store.write(() => undefined)
    const refusals = ({ org, id }: Account) =>
      [...auditLog(server.store).all(org === server.a.org ? server.a.id : server.b.id)]
        .filter(({ action, record_id }) => action === 'session.refused' && record_id === id)
        .map(({ detail }) => JSON.parse(detail).attempts)
    assert.deepEqual([refusals(victim), refusals(own)], [[2], [1]])
  })
})

describe('somebody with two accounts', () => {
  test('signs in to one while the other has to wait, and is told to wait, not that the password is wrong', async () => {
    const { email } = await twins()
    const device = deviceOf(await login(email, OWN))
    // One more was the sign-in, which was tried at the other account first.
    for (let times = 0; times < 4; times++) assert.deepEqual(answered(await login(email, 'a stranger')), WRONG)
    assert.deepEqual(answered(await login(email, VICTIM)), PAUSED)
    assert.equal((await login(email, OWN, { device })).status, 200)
    server.advance(30_000)
    assert.equal((await login(email, VICTIM)).status, 200)
  })

  test('has a browser that is known to both, and no other is', async () => {
    const { email, own } = await twins()
    const first = deviceOf(await login(email, OWN))
    const both = deviceOf(await login(email, VICTIM, { device: first }))
    assert.equal(both.split('~').length, 2)
    for (let times = 0; times < 6; times++) await login(email, 'a stranger')
    assert.deepEqual(answered(await login(email, VICTIM, { device: first })), PAUSED)
    assert.equal((await login(email, VICTIM, { device: both })).status, 200)
    assert.equal((await login(email, OWN, { device: both })).status, 200)
    const forged = both.replaceAll(own.id, (await twins()).own.id)
    assert.deepEqual(answered(await login(email, OWN, { device: forged })), PAUSED)
  })

  test('is known as the member of one organisation, not of another where the id is the same', async () => {
    const { store, b } = server
    const { victim, email } = await twins()
    const device = deviceOf(await login(email, VICTIM))
    const twin = store.db.prepare('SELECT id FROM members WHERE org_id = ? AND email = ?').pluck().get(b.org, email)
    const move = (from: unknown, to: unknown) => {
      store.db.pragma('foreign_keys = OFF')
      store.db.prepare('UPDATE members SET id = ? WHERE org_id = ? AND id = ?').run(to, b.org, from)
      store.db.prepare('UPDATE credentials SET member_id = ? WHERE org_id = ? AND member_id = ?').run(to, b.org, from)
      store.db.pragma('foreign_keys = ON')
    }
    move(twin, victim.id)
    for (let times = 0; times < 6; times++) await login(email, 'a stranger', { device })
    const failures = credentialStore(store).get(b.org, victim.id)?.failures
    move(victim.id, twin)
    assert.equal(failures, 5)
  })
})

describe('a clock that was set back', () => {
  test('does not make the pauses last until the time that it has shown', async () => {
    const { email } = await twins()
    server.jump(400 * DAY_MS)
    for (let times = 0; times < 6; times++) await login(email, 'a stranger')
    server.jump(-400 * DAY_MS)
    assert.deepEqual(answered(await login(email, VICTIM)), PAUSED)
    server.advance(30_000)
    assert.equal((await login(email, VICTIM)).status, 200)
  })

  test('does not keep refused attempts out of the audit log until then', async () => {
    const { victim, email } = await twins()
    const attempts = () =>
      [...auditLog(server.store).all(server.a.id)].filter(
        ({ action, record_id }) => action === 'session.refused' && record_id === victim.id,
      ).length
    const tryOnce = async () => {
      await login(email, 'a stranger')
      flush()
      await server.store.write(() => undefined)
    }
    server.jump(400 * DAY_MS)
    await tryOnce()
    server.jump(-400 * DAY_MS)
    const before = attempts()
    await tryOnce()
    assert.equal(attempts(), before + 1)
  })
})
