import type { IncomingMessage } from 'node:http'
import type { Access, Authentication } from '../../auth/access.ts'
import { effectiveScopes, SCOPES, scopeKey } from '../../auth/scopes.ts'
import { type OpenSession, sessionStore } from '../../auth/sessions.ts'
import { Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { orgGate } from '../../store/org-states.ts'
import { orgExists } from '../../store/orgs.ts'
import { ownOrigin, readCookie } from './cookie.ts'

export type SessionAccess = Omit<Authentication, 'authenticate'> & {
  /** The open session of a request, if any. Notes its use. */
  current: (req: IncomingMessage) => OpenSession | undefined
  authenticate: (req: IncomingMessage) => Access
}

/** Authenticates requests by the cookie of a session: its scopes are all that the role of its member has. */
export function sessionAccess(store: Pick<Store, 'db' | 'clock' | 'write' | 'health'>): SessionAccess {
  const sessions = sessionStore(store)
  const isThere = orgExists(store.db)
  const refuseMoved = orgGate(store.db)
  /** Sessions whose use is being written. */
  const noting = new Set<string>()

  function current(req: IncomingMessage): OpenSession | undefined {
    const secret = readCookie(req)
    const session = secret === undefined ? undefined : sessions.find(secret)
    if (session?.isSeenLate && !noting.has(session.id)) note(session)
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

  function authenticate(req: IncomingMessage): Access {
    const session = current(req)
    if (!session) throw /^bearer /i.test(req.headers.authorization ?? '') ? noTokens() : signedOut(readCookie(req))
    const { org, id, member, role, expiresAt } = session
    refuseMoved(org)
    const scopes = effectiveScopes(SCOPES, role)
    return {
      who: { org, member, scopes, session: { id, role, origin: ownOrigin(req) } },
      scopeKey: scopeKey(scopes),
      role,
      token: id,
      keyOwner: member,
      expiresAt,
    }
  }

  return { current, authenticate, isCurrent: ({ who }) => isThere(who.org), refuseMoved }
}

const noTokens = (): Problem =>
  new Problem(401, 'signed_out', 'This address is for the browser app and takes no tokens. Use the address of the API.')

const signedOut = (cookie: string | undefined): Problem =>
  new Problem(401, 'signed_out', cookie ? 'Your session has ended. Sign in again.' : 'Sign in first.')
