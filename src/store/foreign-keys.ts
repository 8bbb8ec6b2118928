import { connection, type Database } from './driver.ts'
import { tablesOfOrgs } from './tables.ts'

/** A foreign key: the columns of a table that refer to those of another, in pairs. */
export type ForeignKey = {
  table: string
  target: string
  columns: readonly { from: string; to: string }[]
  /** Whether the row goes when the one goes that it refers to. */
  isCascade: boolean
}

type Reference = { id: number; table: string; from: string; to: string; on_delete: string }

/** The foreign keys of every table that has rows of organisations. */
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

/** Whether any row of a table refers to a record by this column. */
export function referrer(db: Database, table: string, column: string): (org: number, id: string) => boolean {
  const any = db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? AND ${column} = ? LIMIT 1`)
  return (org, id) => any.get(org, id) !== undefined
}

/** Until what it answers is called, rows may refer to rows that are not there. To be called outside of transactions. */
export function suspendForeignKeys(db: Database): () => void {
  const opened = connection(db)
  opened.pragma('foreign_keys = OFF')
  return () => void opened.pragma('foreign_keys = ON')
}

/**
 * Whether every reference in the rows of an organisation leads to a row, for who has suspended foreign keys: SQLite
 * looks within one transaction alone.
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
