import type { Database } from '../store/sqlite/driver.ts'

const NAMES = { contacts: 'name', companies: 'name', deals: 'title, stage_id AS stage' } as const
export type Named = keyof typeof NAMES
export const NAMED = Object.keys(NAMES) as Named[]

/** Returns the ids, names and versions of those records that exist; the name of a deal is its title, with its stage. */
export function recordNames(
  db: Database,
): (org: number, kind: Named, ids: readonly string[]) => Record<string, unknown>[] {
  const find = (table: Named) =>
    db.prepare(
      `SELECT id, ${NAMES[table]}, version FROM ${table} WHERE org_id = ? AND id IN (SELECT value FROM json_each(?))`,
    )
  const all = { contacts: find('contacts'), companies: find('companies'), deals: find('deals') }
  return (org, kind, ids) => all[kind].all(org, JSON.stringify(ids)) as Record<string, unknown>[]
}
