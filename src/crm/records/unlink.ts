import type { Caller } from '../../lib/caller.ts'
import type { Columns, RawRow } from '../../store/columns.ts'
import type { Database } from '../../store/driver.ts'

/**
 * Clears a field on every record that refers to one that is about to go. Each is patched as a caller would do it, so
 * that it gets its own version and event. The index of the field's filter finds them.
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
