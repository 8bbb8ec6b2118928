import { hasRole, refuseHigher } from '../../auth/roles.ts'
import { type SessionInfo, sessionStore } from '../../auth/sessions.ts'
import { columns, memberStore } from '../../crm/members/members.ts'
import type { Need, Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import type { ScreenParts } from '../parts.ts'

/** The places where a member is signed in. */
export function sessionRoutes({ store, deps }: ScreenParts): Route<Need>[] {
  const sessions = sessionStore(store)
  const members = memberStore(deps)

  /** One of the own, or for administrators one of a member who is not above them. Throws Problem 403 and 404. */
  function find(who: Caller, id: string): SessionInfo {
    const { role } = who.session as Session
    const found = sessions.get(who.org, id)
    if (found?.member_id === who.member) return found as SessionInfo
    if (!found || !hasRole(role, 'admin')) throw notFound()
    refuseHigher(role, columns.present(members.find(who, found.member_id)).role)
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
