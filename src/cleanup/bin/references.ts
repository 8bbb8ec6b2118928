import type { Stored } from '../../store/rows/record-store.ts'
import type { Database } from '../../store/sqlite/driver.ts'

/** What could not be given back, and why; the rest of the record is there again. */
export type LeftOut = { object: string; id: string; field: string; reason: string; other?: string }

const TARGETS: Record<string, string> = {
  contact_ids: 'contacts',
  company_ids: 'companies',
  deal_ids: 'deals',
  company_id: 'companies',
  deal_id: 'deals',
  owner_id: 'members',
  author_id: 'members',
  meeting_id: 'meetings',
  conversation_id: 'conversations',
  enrollment_id: 'enrollments',
}

/** Leaves the references out of a note, a task or a meeting whose target is gone. */
export function presentReferences(db: Database) {
  const exists = Object.fromEntries(
    [...new Set(Object.values(TARGETS))].map((table) => [
      table,
      db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND id = ?`).pluck(),
    ]),
  )

  return function check(org: number, object: string, record: Stored): { record: Stored; left: LeftOut[] } {
    const left: LeftOut[] = []
    const checked = Object.entries(record).map(([field, value]) => {
      const table = TARGETS[field]
      if (!table || value === null) return [field, value]
      const isThere = (id: unknown): boolean => exists[table]?.get(org, id) === 1
      const kept = Array.isArray(value) ? value.filter(isThere) : isThere(value) ? value : null
      if (Array.isArray(kept) ? kept.length < (value as unknown[]).length : kept === null)
        left.push({ object, id: record.id, field, reason: 'deleted' })
      return [field, kept]
    })
    return { record: Object.fromEntries(checked), left }
  }
}
