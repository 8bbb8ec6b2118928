import { connection, type Database } from '../sqlite/driver.ts'
import { tablesOfOrgs } from './tables.ts'

/** A foreign key: pairs of a column and the column that it refers to. */
export type ForeignKey = {
  table: string
  target: string
  columns: readonly { from: string; to: string }[]
  /** Whether the row is deleted with the row that it refers to. */
  isCascade: boolean
}

type Reference = { id: number; table: string; from: string; to: string; on_delete: string }

/** The foreign keys of all tables with rows of organisations. */
export function foreignKeys(db: Database): ForeignKey[] {
  return tablesOfOrgs(db).flatMap((table) => {
    const rows = connection(db).pragma(`main.foreign_key_list(${table})`) as Reference[]
    const keys = [...Map.groupBy(rows, ({ id }) => id).values()] as [Reference, ...Reference[]][]
    return keys.map((columns) => {
      const [{ table: target, on_delete }] = columns
      return { table, target, columns, isCascade: on_delete === 'CASCADE' }
    })
  })
}

/** Whether any row of a table refers to a record in this column. */
export function referrer(db: Database, table: string, column: string): (org: number, id: string) => boolean {
  const any = db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND ${column} = ? LIMIT 1`)
  return (org, id) => any.get(org, id) !== undefined
}

/**
 * Turns foreign keys off, so that references may dangle, until the returned function is called. Call this outside of
 * transactions.
 */
export function suspendForeignKeys(db: Database): () => void {
  const opened = connection(db)
  opened.pragma('foreign_keys = OFF')
  return () => void opened.pragma('foreign_keys = ON')
}

/**
 * Whether all references in the rows of an organisation are valid, after foreign keys were suspended: SQLite checks
 * them only within a transaction.
 */
export function isWhole(db: Database, org: number): boolean {
  return foreignKeys(db).every(({ table, target, columns }) => {
    const same = columns.map(({ from, to }) => `target.${to} = source.${from}`).join(' AND ')
    const isSet = columns.map(({ from }) => `source.${from} IS NOT NULL`).join(' AND ')
    const dangling = db.prepare(
      `SELECT 1 FROM ${table} AS source WHERE org_id = ? AND ${isSet}
         AND NOT EXISTS (SELECT 1 FROM ${target} AS target WHERE ${same}) LIMIT 1`,
    )
    return dangling.get(org) === undefined
  })
}
