import type { Context } from 'koa'
import type * as v from 'valibot'
import { auditLog } from '../../audit/log.ts'
import { clientOf } from '../../auth/client.ts'
import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { type OpenSession, sessionStore } from '../../auth/sessions.ts'
import * as f from '../../lib/fields.ts'
import { Problem } from '../../lib/problem.ts'
import { orgGate } from '../../store/org-states.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import {
  addressLimit,
  counting,
  type Failures,
  failuresInMemory,
  PER_MINUTE_VIA,
  pauseAfter,
  tooManyAttempts,
} from './attempts.ts'
import { noCookie, readCookie } from './cookie.ts'
import { refusedSignIns } from './refusals.ts'
import { signingIn } from './signing-in.ts'

const Login = f.object({
  email: f.line(254),
  password: f.line(1024),
  code: f.optional(f.line(50)),
  /** Whether the session outlives the browser window. */
  stay: f.optional(f.flag),
})

type SignedIn = { member: string; secret: string }

/** Signing in with a password, and signing out. */
export function loginHandlers(parts: ScreenParts): Handler[] {
  const { store, bodies, passwords } = parts
  const credentials = credentialStore(store)
  const sessions = sessionStore(store)
  const { start, answer, known: knownDevice } = signingIn({ store })
  const limit = addressLimit(store.clock.now)
  const limitVia = addressLimit(store.clock.now, PER_MINUTE_VIA)
  const memory = failuresInMemory()
  const audit = auditLog(store)
  const refused = refusedSignIns(parts)
  const gate = orgGate(store.db)

  async function login(ctx: Context): Promise<void> {
    const { req } = ctx
    const { address, via } = clientOf(req)
    limit(address)
    const { email, password, code, stay = true } = await readBody(ctx, bodies, Login)
    const found = credentials.withEmail(email)
    const known = knownDevice(
      req,
      found.map(({ member }) => member),
    )
    if (via !== undefined && known === undefined) limitVia(via)
    try {
      await attempt(ctx, { found, known, email, password, code, stay })
    } catch (error) {
      if (isRefusal(error)) refused.note(found)
      throw error
    }
  }

  type Attempt = Required<Pick<v.InferOutput<typeof Login>, 'email' | 'password' | 'stay'>> & {
    found: Credentials[]
    known: string | undefined
    code: string | undefined
  }

  async function attempt(ctx: Context, { found, known, email, password, code, stay }: Attempt): Promise<void> {
    const counted = await begin(found, known, email)
    const member = await verified(found, password)
    if (!member) throw invalidCredentials()
    gate(member.org)
    const signedIn = await store.write(() => signIn(ctx, member, code), { isSmall: true })
    if (signedIn === 'code_required') {
      await counted.takeBack()
      throw new Problem(401, 'code_required', 'Enter the code of your authenticator app.')
    }
    if (signedIn === 'invalid_code')
      throw new Problem(401, 'invalid_code', 'This code is not right, or was used before.')
    if (signedIn === 'changed') throw invalidCredentials()
    await counted.succeed()
    answer(ctx, 200, { ...signedIn, stay })
  }

  /** Counts the attempt as failed before the password is checked, so that many at once count, too. Throws Problem 429. */
  async function begin(found: Credentials[], known: string | undefined, email: string) {
    const key = known ?? (found.length === 0 ? email.toLowerCase() : undefined)
    const read = (each: Credentials): Failures => credentials.get(each.org, each.member) ?? each
    const states = () => (key === undefined ? found.map(read) : [memory.get(key)])
    const before = states()
    const at = store.clock.now()

    function set(next: (state: Failures, before: Failures) => Failures): void {
      for (const [index, state] of states().entries()) {
        const { failures, failed_at } = next(state, before[index] as Failures)
        if (key !== undefined) memory.set(key, { failures, failed_at })
        else credentials.setFailures(found[index] as Credentials, failures, failed_at)
      }
    }
    const write = async (job: () => void): Promise<void> => {
      if (key === undefined) await store.write(() => void job(), { isSmall: true })
      else job()
    }
    await write(() => {
      const pause = Math.max(...states().map((state) => pauseAfter(state, at)))
      if (pause > 0) throw tooManyAttempts(pause)
      set((state) => ({ failures: counting(state, at) + 1, failed_at: at }))
    })
    return {
      succeed: () => write(() => set(() => ({ failures: 0, failed_at: null }))),
      /** Others may have failed meanwhile, and those still count. */
      takeBack: () =>
        write(() =>
          set(({ failures, failed_at }, before) => ({
            failures: Math.max(0, failures - 1),
            failed_at: failed_at === at ? before.failed_at : failed_at,
          })),
        ),
    }
  }

  /** The member whose password this is. Checks one even for a name that nobody has, so that both take the same time. */
  async function verified(found: readonly Credentials[], password: string): Promise<Credentials | undefined> {
    if (found.length === 0) await passwords.verify(password)
    for (const each of found) if (await passwords.verify(password, each.password as string)) return each
    return undefined
  }

  /** Runs in a transaction. */
  function signIn(
    ctx: Context,
    { org, member, password }: Credentials,
    code: string | undefined,
  ): SignedIn | 'code_required' | 'invalid_code' | 'changed' {
    const now = credentials.get(org, member)
    if (now?.password !== password) return 'changed'
    if (now.totp_confirmed_at !== null) {
      if (code === undefined) return 'code_required'
      if (!credentials.useCode(now, code)) return 'invalid_code'
    }
    return { member, secret: start(ctx, org, member, 'password') }
  }

  function end({ org, id, member }: OpenSession): void {
    sessions.end(org, id)
    const actor = { type: 'member', member, via: `session ${id}` } as const
    audit.record({ org, actor, action: 'session.ended', record: id })
  }

  async function logout(ctx: Context): Promise<void> {
    const { req } = ctx
    const session = sessions.find(readCookie(req) ?? '')
    if (session) await store.write(() => void end(session), { frees: true })
    ctx.append('Set-Cookie', noCookie(req))
    answerJson(ctx, 204)
  }

  return [
    { method: 'POST', path: '/app/login', role: null, answer: login },
    { method: 'POST', path: '/app/logout', role: null, answer: logout },
  ]
}

/** A password without the code of the second factor is no refusal: the code follows. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Problem && ['invalid_credentials', 'invalid_code', 'too_many_attempts'].includes(error.code)

const invalidCredentials = (): Problem =>
  new Problem(401, 'invalid_credentials', 'The email or the password is not right.')
