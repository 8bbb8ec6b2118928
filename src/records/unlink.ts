import type { Caller } from '../lib/caller.ts'
import type { Columns, RawRow } from '../store/rows/columns.ts'
import type { Database } from '../store/sqlite/driver.ts'

/**
 * Clears a reference to a record that is about to be deleted. Each referring record is patched as by a caller, so that
 * it gets its own version and event. They are found by the index of the filter by that field.
 */
export function unlinking<Shape>(
  db: Database,
  table: string,
  columns: Columns<Shape>,
  field: string,
  clear: (who: Caller, record: Shape) => void,
) {
  const referring = db.prepare(`SELECT ${columns.select} FROM ${table} WHERE org_id = ? AND ${field} = ?`).raw()

  return function unlink(who: Caller, id: string): void {
    for (const row of referring.all(who.org, id) as RawRow[]) clear(who, columns.present(row))
  }
}
