import type { Context } from 'koa'
import { auditLog } from '../../audit/log.ts'
import { clientOf } from '../../auth/client.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { answerJson } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { cookieOf, readCookie } from './cookie.ts'
import { devices } from './device.ts'

type SignInWay = 'password' | 'link' | 'invitation' | 'setup'

/** Starting a session, which is the same however somebody signs in. */
export function signingIn({ store }: Pick<ScreenParts, 'store'>) {
  const sessions = sessionStore(store)
  const device = devices(store)
  const audit = auditLog(store)

  /**
   * Starts a session in the caller's transaction and ends the one that the browser had before: an id that somebody
   * planted there never becomes one of the member. Returns the secret for the cookie. `by` says how they signed in.
   */
  function start({ req }: Context, org: number, member: string, by: SignInWay): string {
    const previous = sessions.find(readCookie(req) ?? '')
    if (previous) sessions.end(previous.org, previous.id)
    const { address } = clientOf(req)
    const { id, secret } = sessions.start(org, member, { userAgent: req.headers['user-agent'], address })
    const actor = { type: 'member', member, via: `session ${id}` } as const
    audit.record({ org, actor, action: 'session.started', record: id, detail: { by } })
    return secret
  }

  /** Answers with the cookies of the session, after its commit. */
  function answer(
    ctx: Context,
    status: 200 | 201,
    { member, secret, stay = true }: { member: string; secret: string; stay?: boolean },
  ): void {
    ctx.append('Set-Cookie', cookieOf(ctx.req, secret, stay))
    ctx.append('Set-Cookie', device.remember(ctx.req, member))
    answerJson(ctx, status, { member_id: member })
  }

  return { start, answer, known: device.known }
}
