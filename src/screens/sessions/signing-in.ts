import type { Context } from 'koa'
import { clientOf } from '../../auth/client.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { answerJson } from '../handler.ts'
import type { ScreenParts } from '../parts.ts'
import { cookieOf, readCookie } from './cookie.ts'
import { devices } from './device.ts'

/** Starting a session, which is the same however somebody signs in. */
export function signingIn({ store }: Pick<ScreenParts, 'store'>) {
  const sessions = sessionStore(store)
  const device = devices(store)

  /**
   * Starts a session in the caller's transaction and ends the one that the browser had before: an id that somebody
   * planted there never becomes one of the member. Returns the secret for the cookie.
   */
  function start({ req }: Context, org: number, member: string): string {
    const previous = sessions.find(readCookie(req) ?? '')
    if (previous) sessions.end(previous.org, previous.id)
    const { address } = clientOf(req)
    return sessions.start(org, member, { userAgent: req.headers['user-agent'], address }).secret
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
