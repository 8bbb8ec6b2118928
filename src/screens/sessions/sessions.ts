import { hasRole } from '../../auth/roles.ts'
import { type SessionInfo, sessionStore } from '../../auth/sessions.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import type { ScreenParts } from '../parts.ts'

/** The places where a member is signed in. */
export function sessionRoutes({ store }: ScreenParts): Route<Need>[] {
  const sessions = sessionStore(store)

  function find(who: Caller, id: string): SessionInfo {
    const found = sessions.get(who.org, id)
    const isAdmin = hasRole((who.session as Session).role, 'admin')
    if (!found || (found.member_id !== who.member && !isAdmin)) throw notFound()
    return found
  }

  return [
    {
      kind: 'data',
      method: 'get',
      path: '/sessions',
      role: 'viewer',
      name: 'session',
      summary: 'List the own sessions',
      read: ({ org, member, session }) => {
        const own = sessions.list(org, member as string)
        return { json: JSON.stringify({ data: own.map((each) => ({ ...each, is_current: each.id === session?.id })) }) }
      },
    },
    {
      kind: 'write',
      method: 'delete',
      path: '/sessions/:id',
      role: 'viewer',
      name: 'session',
      summary: 'End a session',
      status: 204,
      audit: { action: 'session.ended' },
      find: (who, id = '') => ({ ...find(who, id), version: 1 }),
      run: ({ who, record }) => void sessions.end(who.org, record.id),
    },
  ]
}
