import * as v from 'valibot'
import { ROLES } from '../../auth/roles.ts'
import { sessionStore } from '../../auth/sessions.ts'
import { emailKey } from '../../lib/email.ts'
import * as f from '../../lib/fields.ts'
import { conflict, type FieldError, Problem } from '../../lib/problem.ts'
import type { Store } from '../../store/open.ts'
import { type Change, changesOf, repeatedKeys } from '../../store/settings/changes.ts'
import { settingsTable } from '../../store/settings/table.ts'
import { columns, type Member } from './members.ts'

const email = v.pipe(f.email, v.transform(emailKey))

export const MemberSettings = f.object({
  email,
  name: f.title,
  role: f.oneOf(ROLES),
  timezone: f.optional(f.timezone),
})
export type MemberSettings = v.InferOutput<typeof MemberSettings>

export const MemberPatch = f.patchOf({ name: f.title, role: f.oneOf(ROLES), timezone: f.timezone })
export type MemberPatch = v.InferOutput<typeof MemberPatch>

export const checkMembers = (given: readonly MemberSettings[]): FieldError[] =>
  repeatedKeys(
    '/members',
    given.map((member) => member.email),
    'email',
  )

const FIELDS = ['name', 'role', 'status', 'timezone']

/** The functions that write must be called in a transaction. */
export function memberSettings(store: Pick<Store, 'db' | 'clock' | 'accessChanged'>) {
  const { db, accessChanged } = store
  const table = settingsTable(store, 'members', columns, 'id')
  const { all, create, removeUnused } = table
  const sessions = sessionStore(store)
  const orgTimezone = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  const activeOwner = db
    .prepare("SELECT 1 FROM members WHERE org_id = ? AND role = 'owner' AND status = 'active' LIMIT 1")
    .pluck()
  // What refers to a member without a foreign key, with the cheapest query first.
  const traces = [
    'SELECT 1 FROM tokens WHERE org_id = ? AND member_id = ? LIMIT 1',
    'SELECT 1 FROM events WHERE org_id = ? AND actor_id = ? LIMIT 1',
    'SELECT 1 FROM messages WHERE org_id = ? AND author_id = ? LIMIT 1',
    ...['contact', 'company', 'deal'].map(
      (object) =>
        `SELECT 1 FROM custom_fields AS field CROSS JOIN ${object}_values AS held
           ON held.org_id = field.org_id AND held.field_id = field.id
         WHERE field.org_id = ? AND field.type = 'member' AND held.value = ? LIMIT 1`,
    ),
  ].map((sql) => db.prepare(sql).pluck())

  /** Returns the active members: those in the document are. */
  function show(org: number): MemberSettings[] {
    return all(org)
      .filter(({ status }) => status === 'active')
      .map(({ email, name, role, timezone }) => ({ email, name, role, timezone }))
  }

  function apply(org: number, given: readonly MemberSettings[]): Change[] {
    const before = new Map(all(org).map((member) => [member.email, member]))
    const changes: Change[] = []
    for (const wanted of given) {
      const known = before.get(wanted.email)
      before.delete(wanted.email)
      const after = write(org, known, wanted)
      changes.push(...changesOf('members', wanted.email, known, after, FIELDS))
    }
    for (const left of before.values()) {
      if (left.status === 'active') changes.push(...changesOf('members', left.email, left, leave(org, left), FIELDS))
    }
    if (changes.length > 0) changed(org)
    return changes
  }

  function write(org: number, known: Member | undefined, { timezone, ...wanted }: MemberSettings): Member {
    const fields = { ...wanted, status: 'active', timezone: timezone ?? (orgTimezone.get(org) as string) } as const
    return known ? save(org, known, fields) : create(org, fields)
  }

  /** Whoever gets another role or is deactivated has to sign in again. */
  function save(org: number, before: Member, given: Partial<Member>): Member {
    const after = table.save(org, before, given)
    if (after.role !== before.role || after.status !== before.status) sessions.endAll(org, after.id)
    return after
  }

  /** Removes the member if nothing refers to them, else deactivates them. */
  function leave(org: number, member: Member): Member | undefined {
    const isTraced = traces.some((trace) => trace.get(org, member.id))
    if (!isTraced && removeUnused(org, member.id)) return undefined
    return save(org, member, { status: 'deactivated' })
  }

  /** Throws 409 if the email is taken, even by a deactivated member. */
  function add(org: number, given: MemberSettings): Member {
    if (all(org).some((member) => member.email === given.email)) {
      throw conflict(
        'duplicate',
        `There is already a member ${given.email}. Change it with "dealbox member set", or reactivate it with "dealbox member activate".`,
      )
    }
    const member = write(org, undefined, given)
    changed(org)
    return member
  }

  /** Throws 404, and 409 if no active owner would be left. */
  function set(org: number, email: string, given: Partial<Pick<Member, 'name' | 'role' | 'timezone' | 'status'>>) {
    const before = all(org).find((member) => member.email === emailKey(email))
    if (!before) {
      throw new Problem(404, 'no_such_member', `There is no member ${email}. "dealbox member list" shows all members.`)
    }
    const after = save(org, before, given)
    if (after !== before) changed(org)
    return after
  }

  function changed(org: number): void {
    if (!activeOwner.get(org))
      throw conflict('last_owner', 'At least one owner must stay active. Make another member an owner first.')
    accessChanged()
  }

  return { all, show, apply, add, set }
}
