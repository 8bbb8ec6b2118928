import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { linkStore } from '../../../src/auth/links.ts'
import { memberSettings } from '../../../src/crm/members/settings.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/time.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { type Answer, cookiesOf, type Screens, startScreens } from '../../support/screens.ts'
import { examples } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { type Said, SignInModel } from './sign-in-model.ts'

// Members of three organisations with one email, two of them with a second factor: passwords, codes, known browsers and
// links in any order, while the clock is set back and forth. The answers and the stored failures are those of the model.

const FACTORS = [true, false, true]
const BROWSERS = 3
const OFFSETS = [0, MINUTE_MS, HOUR_MS, -2 * HOUR_MS, 3 * DAY_MS, -3 * DAY_MS, 400 * DAY_MS]
const STEPS = [1000, 30_000, 2 * MINUTE_MS, 16 * MINUTE_MS, 25 * HOUR_MS]
const NO_CODE = 'none'

const account = fc.nat(FACTORS.length - 1)
const browser = fc.nat(BROWSERS) // the last one is new each time
const code = fc.oneof(
  { weight: 2, arbitrary: fc.constant(NO_CODE) },
  { weight: 3, arbitrary: fc.integer({ min: -1, max: 1 }) },
  { weight: 1, arbitrary: fc.constant('wrong') },
  { weight: 2, arbitrary: fc.constant('again') },
)
const move = fc.oneof(
  { weight: 8, arbitrary: fc.record({ is: fc.constant('login'), browser, of: fc.option(account), code }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('burst'), browser, times: fc.integer({ min: 2, max: 7 }) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('link'), of: account, isNew: fc.boolean(), code }) },
  { weight: 3, arbitrary: fc.record({ is: fc.constant('wait'), ms: fc.constantFrom(...STEPS) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('set'), to: fc.constantFrom(...OFFSETS) }) },
) as fc.Arbitrary<Move>

type Code = number | 'none' | 'wrong' | 'again'
type Move =
  | { is: 'login'; browser: number; of: number | null; code: Code }
  | { is: 'burst'; browser: number; times: number }
  | { is: 'link'; of: number; isNew: boolean; code: Code }
  | { is: 'wait'; ms: number }
  | { is: 'set'; to: number }

let server: TestServer
let screens: Screens
let orgs: Org[]
let sent = 0
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  orgs = [server.a, server.b, await makeOrg(server.store, server.dataDir, 'Cedar')]
})
after(async () => {
  await screens.stop()
  await server.stop()
})

/** The clock stands still for a small step back. */
const now = (): number => server.store.clock.now()
const passwordOf = (at: number): string => `the password of account ${at}`

async function start() {
  const email = `walker${++sent}@people.example`
  const members: string[] = []
  const secrets: string[] = []
  const model = new SignInModel(FACTORS)
  for (const [at, org] of orgs.entries()) {
    const hash = await screens.passwords.hash(passwordOf(at))
    const id = server.store.transaction(() => {
      const made = memberSettings(server.store).add(org.org, { email, name: 'Walker', role: 'member' })
      credentialStore(server.store).setPassword(org.org, made.id, hash)
      return made.id
    })
    members.push(id)
    if (!FACTORS[at]) continue
    const { call } = await screens.signedIn({ id }, org)
    const { body } = await call('POST', '/app/totp', { password: passwordOf(at) })
    const confirmed = await call('POST', '/app/totp/confirm', { code: authenticatorCode(body.secret, now()) })
    assert.equal(confirmed.status, 200, confirmed.text)
    secrets[at] = body.secret
    model.factors[at]?.used.push(Math.floor(now() / 30_000))
  }

  const cookies: string[] = []
  const links: (string | undefined)[] = []
  let offset = 0

  /** The counters of the accounts, in the order in which they are tried in a browser. */
  function countersIn(at: number): [number, string][] {
    const known = (at === BROWSERS ? '' : (cookies[at] ?? '')).split('~').map((each) => each.split('.'))
    const place = (id: string) => known.findIndex(([member]) => member === id)
    return members
      .map((id, of) => ({
        of,
        place: place(id),
        key: place(id) < 0 ? `account ${of}` : `${of} ${known[place(id)]?.[1]}`,
      }))
      .toSorted((one, other) => (one.place < 0 ? 9 : one.place) - (other.place < 0 ? 9 : other.place))
      .map(({ of, key }) => [of, key])
  }

  /** What is sent for a code, and its time step: null for one that is wrong, undefined for none. */
  function codeFor(of: number, code: Code): [string | undefined, number | null | undefined] {
    const secret = secrets[of]
    if (code === NO_CODE) return [undefined, undefined]
    const current = Math.floor(now() / 30_000)
    const last = model.factors[of]?.used.at(-1)
    if (secret === undefined || code === 'wrong' || (code === 'again' && last === undefined)) return ['00 0000x', null]
    const step = code === 'again' ? (last as number) : current + (code as number)
    return [authenticatorCode(secret, step * 30_000), step]
  }

  const post = (path: string, body: object, cookie?: string): Promise<Answer> =>
    screens.send('POST', path, body, {
      'x-forwarded-for': `10.${(++sent >> 16) & 255}.${(sent >> 8) & 255}.${sent & 255}`,
      cookie: cookie ? `${screens.names.device}=${cookie}` : null,
    })
  const said = ({ status, body }: Answer): Said => (status === 200 ? 'in' : body.code)

  async function login({ browser, of, code }: Extract<Move, { is: 'login' }>): Promise<void> {
    const [text, step] = of === null ? [undefined, undefined] : codeFor(of, code)
    const [hashes, checked] = [screens.passwords.count(), model.checked]
    const wanted = model.login(countersIn(browser), of, step)
    const body = { email, password: of === null ? 'of none of them' : passwordOf(of), ...(text ? { code: text } : {}) }
    const answer = await post('/app/login', body, browser === BROWSERS ? undefined : cookies[browser])
    assert.equal(said(answer), wanted.said)
    assert.equal(screens.passwords.count() - hashes, model.checked - checked, 'passwords that were compared')
    if (wanted.said !== 'in') return
    assert.equal(answer.body.member_id, members[of as number])
    if (browser < BROWSERS) cookies[browser] = cookiesOf(answer)[screens.names.device]?.value as string
  }

  async function burst({ browser, times }: Extract<Move, { is: 'burst' }>): Promise<void> {
    const [hashes, checked] = [screens.passwords.count(), model.checked]
    const wanted = Array.from({ length: times }, () => model.login(countersIn(browser), null))
    const body = { email, password: 'of none of them' }
    const cookie = browser === BROWSERS ? undefined : cookies[browser]
    const answers = await Promise.all(wanted.map(() => post('/app/login', body, cookie)))
    assert.equal(screens.passwords.count() - hashes, model.checked - checked, 'checked at once')
    assert.ok(answers.every((answer) => ['invalid_credentials', 'too_many_attempts'].includes(said(answer))))
  }

  async function link({ of, isNew, code }: Extract<Move, { is: 'link' }>): Promise<void> {
    const { store } = server
    if (isNew)
      links[of] = store.transaction(() => linkStore(store).makeSignIn((orgs[of] as Org).org, members[of] as string))
    const token = links[of]
    if (token === undefined) return
    const found = linkStore(store).find(token)
    const [text, step] = codeFor(of, code)
    const answer = await post('/app/links/accept', { token, ...(text ? { code: text } : {}) })
    if (!found || found.used_at !== null || found.expires_at <= now()) {
      assert.ok([404, 410].includes(answer.status))
      return
    }
    assert.equal(said(answer), model.link(`link ${token}`, of, step))
  }

  /** What is stored of each account is what the model has of it, whatever happened at the others. */
  function check(): void {
    for (const [of, id] of members.entries()) {
      const stored = credentialStore(server.store).get((orgs[of] as Org).org, id)
      assert.equal(stored?.failures, model.failures(`account ${of}`), `failures of account ${of}`)
      if (FACTORS[of]) assert.deepEqual(JSON.parse(stored?.totp_used as string), model.factors[of]?.used)
    }
  }

  return {
    async step(each: Move): Promise<void> {
      model.now = now()
      if (each.is === 'login') await login(each)
      else if (each.is === 'burst') await burst(each)
      else if (each.is === 'link') await link(each)
      else if (each.is === 'wait') server.advance(each.ms)
      else {
        server.jump(each.to - offset)
        offset = each.to
      }
      check()
    },
    stop: () => server.jump(-offset),
  }
}

test('whoever tries what: each account of an email has its own limit, and no code is taken twice', async () => {
  const walk = async (moves: Move[]): Promise<void> => {
    const { step, stop } = await start()
    try {
      for (const each of moves) await step(each)
    } finally {
      stop()
    }
  }
  const property = fc.asyncProperty(fc.array(move, { minLength: 10, maxLength: 60, size: 'max' }), walk)
  await fc.assert(property, { numRuns: examples(60) })
})
