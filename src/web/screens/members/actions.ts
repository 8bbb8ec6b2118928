import type { InviteInfo as Invite } from '../../../auth/links.ts'
import { boot, me, page } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { words } from '../../lib/texts/words/texts.ts'
import { change } from '../../shell/pages/attempt.ts'
import { texts } from './texts.ts'

// Who may change whom, and what the page does with it. Members are no records of the stream: boot has them.

export type { InviteInfo as Invite } from '../../../auth/links.ts'
export type Role = Member['role']
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

/** What making an invitation answers: the link is shown this once. */
export type NewInvite = Pick<Invite, 'id' | 'email' | 'role' | 'expires_at'> & {
  url: string
  qr_svg: string
  warning: 'loopback' | null
}

const rank = (role: Role): number => ROLES.indexOf(role)

/** Roles that I may give, my own at most. */
export const givableRoles = (): readonly Role[] => ROLES.filter((role) => rank(role) >= rank(me.value.role))

/** Nobody changes a member above them, or their own role. */
export const mayChange = (member: Member): boolean =>
  isAdmin() && member.id !== me.value.id && rank(member.role) >= rank(me.value.role)

/** Throws ApiProblem and NoAnswer. */
export const invite = async (given: Pick<Invite, 'email' | 'role'>): Promise<NewInvite> =>
  (await client().api.request<NewInvite>('POST', '/app/invites', { body: given })).body

export const withdraw = (id: string): Promise<unknown> => client().api.request('DELETE', `/app/invites/${id}`)

export const changeMember = (member: Member, changes: Partial<Member>, said: string): Promise<void> =>
  change({ path: `/app/members/${member.id}`, before: member, changes, said, take: noteMember })

export const setRole = (member: Member, role: Role): Promise<void> =>
  changeMember(member, { role }, texts().roleChanged(member.name, words().roles[role]))

function noteMember(member: Member): void {
  const now = boot.peek()
  const members = now.members.map((each) => (each.id === member.id ? member : each))
  page.value = { ...now, members, me: member.id === now.me.id ? { ...now.me, ...member } : now.me }
}
