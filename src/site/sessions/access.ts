import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import type { Access, Authentication } from '../../auth/access.ts'
import { basePathOf } from '../../auth/client.ts'
import { effectiveScopes, SCOPES, scopeKey } from '../../auth/scopes.ts'
import { type OpenSession, sessionStore } from '../../auth/sessions.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { orgGate } from '../../store/orgs/org-states.ts'
import { orgExists } from '../../store/orgs/orgs.ts'
import { ownOrigin, sessionCookie } from './cookie.ts'
import { devices } from './device.ts'

/** Whose page sends a request: browsers send the cookie of whoever has signed in last, whichever page asks. */
export const MEMBER = 'Dealbox-Member'
/** With any value: the page asks by itself, and nobody uses it. A session that was not used for long ends. */
export const BACKGROUND = 'Dealbox-Background'

const isBackground = ({ headers }: IncomingMessage): boolean => headers[BACKGROUND.toLowerCase()] !== undefined

/** Throws Problem 409 for a request of a page on which another member was signed in than the session is of. */
export function refuseOther({ headers }: IncomingMessage, { member }: OpenSession): void {
  const named = headers[MEMBER.toLowerCase()]
  if (named !== undefined && named !== member)
    throw conflict('other_member', 'Somebody else has signed in in this browser since this page was opened.')
}

export type SessionAccess = Omit<Authentication, 'authenticate'> & {
  /** The open session of a request, if any. Notes its use. Throws Problem 409 if its page is of another member. */
  current: (req: IncomingMessage) => OpenSession | undefined
  takeOver: (ctx: Context) => void
  authenticate: (req: IncomingMessage) => Access
}

/** Authenticates requests by the cookie of a session: its scopes are all that the role of its member has. */
export function sessionAccess(
  store: Pick<Store, 'db' | 'clock' | 'write' | 'health' | 'installation' | 'vault'>,
): SessionAccess {
  const sessions = sessionStore(store)
  const cookie = sessionCookie(store)
  const device = devices(store)
  const isThere = orgExists(store.db)
  const refuseMoved = orgGate(store.db)
  /** Sessions whose use is being written. */
  const noting = new Set<string>()

  function current(req: IncomingMessage): OpenSession | undefined {
    const secret = cookie.read(req)
    const session = secret === undefined ? undefined : sessions.find(secret)
    if (session) refuseOther(req, session)
    if (!session || isBackground(req)) return session
    sessions.use(session.id)
    if (session.isSeenLate && !noting.has(session.id)) note(session)
    return session
  }

  /** The request does not wait for it, and does not fail with it: a full disk must not sign anybody out. */
  function note({ org, id }: OpenSession): void {
    noting.add(id)
    store
      .write(() => void sessions.see(org, id))
      .catch(store.health.note)
      .finally(() => noting.delete(id))
  }

  /**
   * Gives the cookies of an earlier version the names of today, with a request that reads: others may set cookies themselves.
   * The old one stays: it alone knows whether the session outlives the browser window, which forgets the new one. After that
   * it is taken over again.
   */
  function takeOver(ctx: Context): void {
    const { req } = ctx
    const secret = ctx.method === 'GET' ? cookie.onlyOld(req) : undefined
    const session = secret === undefined ? undefined : sessions.find(secret)
    if (secret === undefined || !session) return
    ctx.append('Set-Cookie', [cookie.set(req, secret), ...device.takeOver(req, session)])
  }

  function authenticate(req: IncomingMessage): Access {
    const session = current(req)
    if (!session) throw /^bearer /i.test(req.headers.authorization ?? '') ? noTokens() : signedOut(cookie.read(req))
    const { org, id, member, role, expiresAt } = session
    refuseMoved(org)
    const scopes = effectiveScopes(SCOPES, role)
    return {
      who: { org, member, scopes, session: { id, role, address: ownOrigin(req) + basePathOf(req) } },
      scopeKey: scopeKey(scopes),
      role,
      token: id,
      keyOwner: member,
      expiresAt,
    }
  }

  return { current, takeOver, authenticate, isCurrent: ({ who }) => isThere(who.org), refuseMoved }
}

const noTokens = (): Problem =>
  new Problem(401, 'signed_out', 'This address is for the browser app and takes no tokens. Use the address of the API.')

const signedOut = (secret: string | undefined): Problem =>
  new Problem(401, 'signed_out', secret ? 'Your session has ended. Sign in again.' : 'Sign in first.')
