import type * as c from '../store/rows/columns.ts'
import { rows } from '../store/rows/rows.ts'
import { inserter } from '../store/schema/tables.ts'
import type { Database } from '../store/sqlite/driver.ts'

/** The rows of one table: how to export them to a file and restore them. */
export type Part = {
  /** Name of its file, without the suffix. */
  name: string
  table: string
  columns: Pick<c.Columns<never>, 'select' | 'stored'>
  /** Columns that order the rows, after org_id in the key. */
  order: string
  /** Leaves out rows without content. */
  where?: string
  /** Fields that only older formats have. */
  former?: readonly string[]
  /** Whether it is also exported as CSV. */
  hasSheet?: true
  restore: (org: number, record: never) => void
}

/** A table that is exported to a file of its name. */
export const named = (table: string) => ({ name: table, table })

/** A table whose rows have an id and no dependent rows. */
export function record<Shape extends { id: string }>(db: Database, table: string, columns: c.Columns<Shape>): Part {
  return { ...named(table), columns, order: 'id', restore: rows(db, table, columns).insert }
}

/** Any other table. `order` lists the columns of its key. */
export function journal<Shape>(db: Database, table: string, order: string, columns: c.Columns<Shape>): Part {
  const { names, values, stored } = columns
  const id = stored.fields.includes('id') ? ['id'] : []
  const all = ['org_id', ...id, ...names]
  const insert = inserter(db, table, all)

  function restore(org: number, row: Shape & { id?: string }): void {
    insert([org, ...id.map(() => row.id), ...values(row)])
  }

  return { ...named(table), columns, order, restore }
}
