import type { Context } from 'koa'
import type * as v from 'valibot'
import { clientOf } from '../../auth/client.ts'
import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { auditLog } from '../../events/audit/log.ts'
import * as f from '../../lib/fields.ts'
import { Problem } from '../../lib/problem.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { answerJson, type Handler, readBody } from '../handler.ts'
import { refuseOther } from './access.ts'
import { addressLimit, PER_MINUTE_VIA, tooManyAttempts } from './attempts.ts'
import { sessionCookie } from './cookie.ts'
import type { Attempt, Counter } from './counters.ts'
import type { SignInParts } from './parts.ts'
import { codeRequired, invalidCode, signingIn } from './signing-in.ts'

const Login = f.object({
  email: f.line(254),
  password: f.line(1024),
  code: f.optional(f.line(50)),
  /** Whether the session outlives the browser window. */
  stay: f.optional(f.flag),
})
type Login = v.InferOutput<typeof Login>

/** Signing in with a password, and signing out. */
export function loginHandlers(parts: SignInParts): Handler[] {
  const { store, bodies, passwords, counters, refused } = parts
  const credentials = credentialStore(store)
  const sessions = sessionStore(store)
  const cookie = sessionCookie(store)
  const { start, answer, checkCode, known } = signingIn(parts)
  const limit = addressLimit(store.clock.now)
  const limitVia = addressLimit(store.clock.now, PER_MINUTE_VIA)
  const audit = auditLog(store)
  const gate = orgGate(store.db)

  async function login(ctx: Context): Promise<void> {
    const { address, via } = clientOf(ctx.req)
    limit(address)
    const given = await readBody(ctx, bodies, Login)
    const all = candidates(ctx, given.email)
    if (via !== undefined && !all.some(({ isKnown }) => isKnown)) limitVia(via)
    const found = await judged(all, given.password)
    gate(found.account.org)
    await signIn(ctx, found, given)
  }

  /** Without an account for a name that nobody has. */
  type Candidate = { account?: Credentials; counter: Counter; isKnown: boolean }

  /** The accounts with an email: first those of this browser, from the newest on, as most likely the password is theirs. */
  function candidates({ req }: Context, email: string): Candidate[] {
    const found = credentials.withEmail(email).map((account) => ({ account, device: known(req, account) }))
    if (found.length === 0) return [{ counter: counters.ofName(email), isKnown: false }]
    const place = ({ device }: (typeof found)[number]) => device?.place ?? found.length
    return found
      .toSorted((one, other) => one.account.is_moved - other.account.is_moved || place(one) - place(other))
      .map(({ account, device }) => ({
        account,
        counter: counters.ofAccount(account, device?.id),
        isKnown: device !== undefined,
      }))
  }

  /**
   * The account whose password this is. Each one counts for itself, and only what was checked there: so whoever has one
   * account of an email can try no more at another than a stranger. A name that nobody has takes the same time. Throws
   * Problem 401, and 429 if the password may be that of an account that has to wait.
   */
  async function judged(all: Candidate[], password: string): Promise<{ account: Credentials; attempt: Attempt }> {
    const pauses: number[] = []
    for (const { account, counter } of all) {
      const attempt = await counters.tryAt(counter)
      if (typeof attempt === 'number') pauses.push(attempt)
      else if ((await passwords.verify(password, account?.password ?? undefined)) && account)
        return { account, attempt }
      refused.note(account ? [account] : [])
    }
    throw pauses.length > 0 ? tooManyAttempts(Math.min(...pauses)) : invalidCredentials()
  }

  async function signIn(
    ctx: Context,
    { account, attempt }: { account: Credentials; attempt: Attempt },
    { code, stay = true }: Login,
  ): Promise<void> {
    const { org, member, password } = account
    const signedIn = await store.write(
      () => {
        const now = credentials.get(org, member)
        if (now?.password !== password) return 'changed'
        const checked = checkCode(now, code)
        return checked === 'right' ? start(ctx, org, member, 'password') : checked
      },
      { isSmall: true },
    )
    if (signedIn === 'code_required') {
      await attempt.takeBack()
      throw codeRequired()
    }
    if (signedIn === 'changed' || signedIn === 'invalid_code') {
      refused.note([account])
      throw signedIn === 'changed' ? invalidCredentials() : invalidCode()
    }
    await attempt.succeed()
    answer(ctx, 200, { ...signedIn, stay })
  }

  /** Both names of the cookie may hold the same. */
  function end(secret: string): undefined {
    const session = sessions.find(secret)
    if (!session) return
    const { org, id, member } = session
    sessions.end(org, id)
    const actor = { type: 'member', member, via: `session ${id}` } as const
    audit.record({ org, actor, action: 'session.ended', record: id })
  }

  async function logout(ctx: Context): Promise<void> {
    const { req } = ctx
    const found = cookie.all(req).flatMap((secret) => ({ secret, session: sessions.find(secret) }))
    for (const { session } of found) if (session) refuseOther(req, session)
    const open = found.flatMap(({ secret, session }) => (session ? secret : []))
    for (const secret of open) await store.write(() => end(secret), { frees: true })
    ctx.append('Set-Cookie', cookie.remove(req, open))
    answerJson(ctx, 204)
  }

  return [
    { method: 'POST', path: '/app/login', role: null, answer: login },
    { method: 'POST', path: '/app/logout', role: null, answer: logout },
  ]
}

const invalidCredentials = (): Problem =>
  new Problem(401, 'invalid_credentials', 'The email or the password is not right.')
