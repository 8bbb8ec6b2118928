import { timeOfId } from '../../lib/id.ts'
import { change } from '../../lib/merge.ts'
import { rfc3339 } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import type { Columns, RawRow } from '../rows/columns.ts'
import { rows } from '../rows/rows.ts'
import { isForeignKeyViolation } from '../sqlite/constraints.ts'

/** The columns of every row. */
export type Stored = { id: string; created_at: string; updated_at: string; version: number }

/** A table of settings. It has few rows: they are all read, and matched in memory. */
export function settingsTable<Row extends Stored>(
  { db, clock }: Pick<Store, 'db' | 'clock'>,
  name: string,
  columns: Columns<Row>,
  order: string,
) {
  const { insert, update, remove } = rows(db, name, columns)
  const select = db.prepare(`SELECT ${columns.select} FROM ${name} WHERE org_id = ? ORDER BY ${order}`).raw()

  const all = (org: number): Row[] => (select.all(org) as RawRow[]).map(columns.present)

  /** `again` is what it was called before it was removed. */
  function create(
    org: number,
    given: Omit<Row, keyof Stored>,
    again: Pick<Stored, 'id' | 'version'> = { id: clock.id(), version: 1 },
  ): Row {
    const { id, version } = again
    const now = rfc3339(timeOfId(id))
    const row = { id, ...given, created_at: now, updated_at: now, version } as Row
    insert(org, row)
    return row
  }

  /** Writes the row only if it differs, or if `shown` is set because related data that is shown with it does. */
  function save(org: number, before: Row, given: Partial<Omit<Row, keyof Stored>>, shown = false): Row {
    const { after, changed } = change(before, given as Partial<Row>)
    if (changed.length === 0 && !shown) return before
    after.updated_at = rfc3339(clock.now())
    after.version++
    update(org, before, after)
    return after
  }

  /** Writes what is no change of the row for whoever reads it, such as its place among others. */
  function place(org: number, before: Row, given: Partial<Omit<Row, keyof Stored>>): Row {
    const after = { ...before, ...given }
    update(org, before, after)
    return after
  }

  /** Returns false and keeps the row if another row refers to it: SQLite checks all references. */
  function removeUnused(org: number, id: string): boolean {
    try {
      remove(org, id)
      return true
    } catch (error) {
      if (isForeignKeyViolation(error)) return false
      throw error
    }
  }

  return { all, create, save, place, remove, removeUnused }
}
