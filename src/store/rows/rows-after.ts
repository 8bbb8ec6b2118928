import type { Database } from '../sqlite/driver.ts'

/** The next rows of an organisation behind an id, in the order of the ids: to walk through a table in pieces. */
export function rowsAfter<Row>(db: Database, table: string, columns: string) {
  const some = db.prepare(`SELECT id, ${columns} FROM ${table} WHERE org_id = ? AND id > ? ORDER BY id LIMIT ?`)
  return (org: number, after: string, most: number): Row[] => some.all(org, after, most) as Row[]
}
