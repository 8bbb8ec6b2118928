import type { Database } from '../sqlite/driver.ts'

/** A table with one row per record and linked value, updated together with the record's JSON array. */
export function links(db: Database, table: string, record: string, value: string) {
  const add = db.prepare(`INSERT INTO ${table} (org_id, ${record}, ${value}) VALUES (?, ?, ?)`)
  const remove = db.prepare(`DELETE FROM ${table} WHERE org_id = ? AND ${record} = ? AND ${value} = ?`)

  return function set(org: number, id: string, before: readonly string[], after: readonly string[]): void {
    for (const old of before) if (!after.includes(old)) remove.run(org, id, old)
    for (const fresh of after) if (!before.includes(fresh)) add.run(org, id, fresh)
  }
}
