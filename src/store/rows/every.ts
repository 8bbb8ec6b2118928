import type { Database } from '../sqlite/driver.ts'
import type { RawRow, Readable } from './columns.ts'

/** Tables read as a whole have a few dozen rows; nothing but this keeps tags and lists few. */
const MAX = 5000

/** Returns a function that reads all rows of an organisation as one JSON array, in the order of `by`. */
export function everyRow(
  db: Database,
  table: string,
  { select, json }: Readable,
  { by, where = '', from = table }: { by: string; where?: string; from?: string },
): (org: number) => string {
  const all = db
    .prepare(
      `SELECT ${select} FROM ${from} WHERE ${table}.org_id = ?${where && ` AND ${where}`} ORDER BY ${by} LIMIT ${MAX}`,
    )
    .raw()
  return (org) => `[${(all.all(org) as RawRow[]).map(json).join()}]`
}
