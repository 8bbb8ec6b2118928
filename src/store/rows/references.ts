import { type FieldError, field, invalid } from '../../lib/problem.ts'
import type { Database } from '../sqlite/driver.ts'

/** The targets of reference fields, in one place, so that a field name means the same on every resource. */
const TARGETS = {
  company_id: 'companies',
  parent_company_id: 'companies',
  primary_contact_id: 'contacts',
  tag_ids: 'tags',
  contact_ids: 'contacts',
  company_ids: 'companies',
  deal_ids: 'deals',
  deal_id: 'deals',
  contact_id: 'contacts',
  meeting_id: 'meetings',
  conversation_id: 'conversations',
  sequence_id: 'sequences',
} as const

export type References = ReturnType<typeof references>

/** Checks the references of a body against the caller's organisation, before anything is written. */
export function references(db: Database) {
  const existing = Object.fromEntries(
    [...new Set(Object.values(TARGETS))].map((table) => [
      table,
      db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck(),
    ]),
  )
  let returningTo: string | undefined
  const memberStatus = db.prepare('SELECT status FROM members WHERE org_id = ? AND id = ?').pluck()

  /** Throws 422 with a pointer for each reference that does not exist in the organisation. */
  function check(org: number, given: Record<string, unknown>): void {
    const errors: FieldError[] = []
    for (const [name, value] of Object.entries(given)) {
      if (value === null || value === undefined) continue
      if (name === 'owner_id' || name === 'sender_id') errors.push(...activeMember(org, `/${name}`, value as string))
      const table = TARGETS[name as keyof typeof TARGETS]
      if (!table) continue
      if (!Array.isArray(value)) {
        if (!existing[table]?.get(org, value)) errors.push(missing(`/${name}`))
        continue
      }
      value.forEach((id, index) => {
        if (!existing[table]?.get(org, id)) errors.push(missing(`/${name}/${index}`))
      })
    }
    if (errors.length > 0) throw invalid(...errors)
  }

  function activeMember(org: number, pointer: string, id: string): FieldError[] {
    const status = memberStatus.get(org, id)
    if (!status) return [missing(pointer)]
    if (status === 'active' || id === returningTo) return []
    return [field(pointer, 'member_deactivated', 'must be an active member; this member is deactivated')]
  }

  /** While it runs, records may come back to a member although they are deactivated: what is taken back is as before. */
  function returning<Done>(member: string, run: () => Done): Done {
    returningTo = member
    try {
      return run()
    } finally {
      returningTo = undefined
    }
  }

  return { check, returning }
}

export const missing = (pointer: string): FieldError =>
  field(pointer, 'reference_not_found', 'does not refer to a record of this organisation')
