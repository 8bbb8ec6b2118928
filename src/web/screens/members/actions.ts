import { signal } from '@preact/signals'
import { sayWhy } from '../../components/say-why.ts'
import { showToast } from '../../components/toast.tsx'
import { boot, me, page } from '../../data/boot.ts'
import { client } from '../../data/current.ts'
import { isAdmin } from '../../data/may.ts'
import type { Member } from '../../data/types.ts'
import { offerLocal } from '../../shell/steps/local.ts'
import { texts } from './texts.ts'

// What the screen of members reads and changes. Members are no records of the stream: the page's own list is kept current.

export type Role = Member['role']
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

export type Invite = {
  id: string
  email: string | null
  role: Role
  invited_by: string | null
  created_at: string
  expires_at: string
}

/** What making an invitation answers: the link is shown this once. */
export type NewInvite = Pick<Invite, 'id' | 'email' | 'role' | 'expires_at'> & {
  url: string
  qr_svg: string
  warning: 'loopback' | null
}

export const invites = signal<readonly Invite[]>([])
export const seen = signal<ReadonlyMap<string, string>>(new Map())

const api = () => client().api

const rank = (role: Role): number => ROLES.indexOf(role)

/** Roles that I may give, my own at most. */
export const givableRoles = (): readonly Role[] => ROLES.filter((role) => rank(role) >= rank(me.value.role))

/** Nobody changes a member above them, or their own role. */
export const mayChange = (member: Member): boolean =>
  isAdmin() && member.id !== me.value.id && rank(member.role) >= rank(me.value.role)

export async function readInvites(): Promise<void> {
  if (!isAdmin()) return
  const [open, last] = await Promise.all([
    api().get<{ data: Invite[] }>('/app/invites'),
    api().get<{ data: { id: string; seen_at: string }[] }>('/app/members/seen'),
  ])
  invites.value = open.data
  seen.value = new Map(last.data.map(({ id, seen_at }) => [id, seen_at]))
}

/** Throws ApiProblem and NoAnswer. */
export async function invite(given: { email: string | null; role: Role }): Promise<NewInvite> {
  const { body } = await api().request<NewInvite>('POST', '/app/invites', { body: given })
  await readInvites().catch(() => undefined)
  return body
}

export async function withdraw({ id }: Pick<Invite, 'id'>): Promise<void> {
  await api().request('DELETE', `/app/invites/${id}`)
  invites.value = invites.value.filter((each) => each.id !== id)
}

/** A new link for the same person: the old one stops working. */
export async function renew(old: Invite): Promise<NewInvite> {
  await withdraw(old)
  return invite({ email: old.email, role: old.role })
}

/** Throws ApiProblem and NoAnswer. */
export async function change(member: Member, changes: Partial<Member>, version?: number): Promise<Member> {
  const { body } = await api().request<Member>('PATCH', `/app/members/${member.id}`, { body: changes, version })
  const now = boot.peek()
  const members = now.members.map((each) => (each.id === body.id ? body : each))
  page.value = { ...now, members, me: body.id === now.me.id ? { ...now.me, ...body } : now.me }
  return body
}

/** Changes and says so, with a way back. */
export async function changeWithUndo(member: Member, changes: Partial<Member>, text: string): Promise<void> {
  const back = Object.fromEntries(Object.keys(changes).map((name) => [name, member[name as keyof Member]]))
  try {
    const after = await change(member, changes)
    // Of another version since, it is refused: somebody has changed the member again.
    offerLocal(text, () => change(after, back as Partial<Member>, after.version).then(() => undefined, failed))
  } catch (error) {
    failed(error)
  }
}

export const setRole = (member: Member, role: Role): Promise<void> =>
  changeWithUndo(member, { role }, texts().roleChanged(member.name, texts().roles[role]))

export function failed(error: unknown): void {
  showToast({ kind: 'error', text: sayWhy(error) })
}
