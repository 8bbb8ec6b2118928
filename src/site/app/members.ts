import type * as v from 'valibot'
import { hasRole, refuseHigher } from '../../auth/roles.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { columns, Member, memberStore, STATUSES } from '../../crm/members/members.ts'
import { memberSettings } from '../../crm/members/settings.ts'
import { changeRoute, type Need, type Route } from '../../http/route.ts'
import type { Caller, Session } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { field, invalid } from '../../lib/problem.ts'
import { noticeQueue } from '../../personal/notices.ts'
import type { ScreenParts } from '../parts.ts'

const MemberChange = f.patchOf({
  name: Member.entries.name,
  role: Member.entries.role,
  status: f.oneOf(STATUSES),
  timezone: Member.entries.timezone,
})
type MemberChange = v.InferOutput<typeof MemberChange>

/** Members for administrators: their roles, whether they are active, and where they are signed in. */
export function memberRoutes({ store, deps }: Pick<ScreenParts, 'store' | 'deps'>): Route<Need>[] {
  const { find } = memberStore(deps)
  const settings = memberSettings(store)
  const sessions = sessionStore(store)
  const notices = noticeQueue(deps)

  /** Nobody gives a role above their own, or changes a member who has one. Throws Problem 403 and 422. */
  function checkRank(who: Caller, before: Member, given: MemberChange): void {
    const own = (who.session as Session).role
    refuseHigher(own, before.role)
    if (given.role !== undefined && !hasRole(own, given.role))
      throw invalid(field('/role', 'role_too_high', `must not be above your own role, which is ${own}`))
  }

  function change(who: Caller, before: Member, given: MemberChange): Member {
    checkRank(who, before, given)
    const after = settings.set(who.org, before.email, given)
    notices.put(who.org, null, { kind: 'members' })
    return after
  }

  /** The newest use of a session by each member: those who were never seen are left out. */
  function seen(org: number): { id: string; seen_at: string; sessions: number }[] {
    const byMember = Map.groupBy(sessions.listAll(org), ({ member_id }) => member_id)
    return [...byMember].map(([id, own]) => ({ id, seen_at: own[0]?.seen_at as string, sessions: own.length }))
  }

  const common = { role: 'admin', name: 'member' } as const
  const one = { ...common, find, columns }
  return [
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/members/seen',
      summary: 'List when each member was last here',
      read: ({ org }) => ({ json: JSON.stringify({ data: seen(org) }) }),
    },
    changeRoute({
      ...one,
      method: 'patch',
      path: '/members/:id',
      summary: 'Change the name, role, zone or status of a member',
      body: MemberChange,
      returns: Member,
      status: 200,
      audit: { action: 'member.changed', detail: ({ body }) => memberDetail(body as MemberChange) },
      run: ({ who, record, body }) => change(who, record, body),
    }),
    {
      ...common,
      kind: 'data',
      method: 'get',
      path: '/members/:id/sessions',
      summary: 'List where a member is signed in',
      read: (who, [id = '']) => {
        find(who, id)
        const open = sessions.list(who.org, id)
        const data = open.map((each) => ({ ...each, is_current: each.id === who.session?.id }))
        return { json: JSON.stringify({ data }) }
      },
    },
    {
      ...common,
      kind: 'write',
      method: 'delete',
      path: '/members/:id/sessions',
      summary: 'Sign a member out everywhere',
      status: 204,
      audit: { action: 'sessions.ended' },
      find: (who, id = '') => columns.present(find(who, id)),
      run: ({ who, record }) => {
        const { id, role } = record as Member
        refuseHigher((who.session as Session).role, role)
        sessions.endAll(who.org, id, who.session?.id)
      },
    },
  ]
}

/** What a change of a member means for others; not the name. */
const memberDetail = (given: MemberChange) => ({
  fields: Object.keys(given),
  ...(given.role && { role: given.role }),
  ...(given.status && { status: given.status }),
})
