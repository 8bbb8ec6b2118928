import type { Context } from 'koa'
import { clientOf } from '../../auth/client.ts'
import { type Credentials, credentialStore } from '../../auth/credentials.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { auditLog } from '../../events/audit/log.ts'
import { Problem } from '../../lib/problem.ts'
import { answerJson } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { sessionCookie } from './cookie.ts'
import { devices } from './device.ts'

/** The longest that a session lasts. */
const MAX_AGE_S = 30 * 24 * 3600

type SignInWay = 'password' | 'link' | 'invitation' | 'setup'

export type SignedIn = { org: number; member: string; secret: string }

/** Starting a session, which is the same however somebody signs in. */
export function signingIn({ store, hub }: Pick<ScreenParts, 'store' | 'hub'>) {
  const sessions = sessionStore(store)
  const credentials = credentialStore(store)
  const device = devices(store)
  const cookie = sessionCookie(store)
  const audit = auditLog(store)

  /** What the second factor of an account makes of a code, if it is on. In the caller's transaction. */
  function checkCode(
    now: Credentials | undefined,
    code: string | undefined,
  ): 'code_required' | 'invalid_code' | 'right' {
    if (!now || now.totp_confirmed_at === null) return 'right'
    if (code === undefined) return 'code_required'
    return credentials.useCode(now, code) ? 'right' : 'invalid_code'
  }

  /**
   * Starts a session in the caller's transaction and ends the one that the browser had before: an id that somebody
   * planted there never becomes one of the member. Returns what `answer` needs. `by` says how they signed in.
   */
  function start({ req }: Context, org: number, member: string, by: SignInWay): SignedIn {
    for (const secret of cookie.all(req)) {
      const previous = sessions.find(secret)
      if (previous) sessions.end(previous.org, previous.id)
    }
    const { address } = clientOf(req)
    const inUse = new Set([...hub.of(org)].map(({ session }) => session))
    const { id, secret } = sessions.start(org, member, { userAgent: req.headers['user-agent'], address }, inUse)
    const actor = { type: 'member', member, via: `session ${id}` } as const
    audit.record({ org, actor, action: 'session.started', record: id, detail: { by } })
    return { org, member, secret }
  }

  /** Answers with the cookies of the session, after its commit. */
  function answer(ctx: Context, status: 200 | 201, given: SignedIn & { stay?: boolean }): void {
    const { member, secret, stay = true } = given
    ctx.append('Set-Cookie', cookie.set(ctx.req, secret, stay ? MAX_AGE_S : undefined))
    ctx.append('Set-Cookie', device.remember(ctx.req, given))
    answerJson(ctx, status, { member_id: member })
  }

  return { start, answer, checkCode, known: device.known }
}

export const codeRequired = (): Problem =>
  new Problem(401, 'code_required', 'Enter the code of your authenticator app, or one of your recovery codes.')

export const invalidCode = (): Problem =>
  new Problem(401, 'invalid_code', 'This code is not right, or was used before.')
