import type { RawRow } from '../rows/columns.ts'
import type { Database } from '../sqlite/driver.ts'

/** The tables with rows of organisations, by name; temporary tables of the same name are ignored. */
export const tablesOfOrgs = (db: Database): string[] =>
  db
    .prepare(
      `SELECT m.name FROM main.sqlite_schema AS m JOIN pragma_table_info(m.name, 'main') AS c
       WHERE m.type = 'table' AND c.name = 'org_id'`,
    )
    .pluck()
    .all() as string[]

/** Whether a table has any row of an organisation. */
export const hasRows = (db: Database, table: string, org: number): boolean =>
  db.prepare(`SELECT 1 FROM ${table} WHERE org_id = ? LIMIT 1`).get(org) !== undefined

/** The number of an organisation's rows in a table. */
export const countRows = (db: Database, table: string, org: number): number =>
  db.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(org) as number

type Reading = { table: string; select: string; where?: string | undefined; order: string }

/** Iterates over the rows of an organisation, so that they are never in memory at once. */
export function eachRow(db: Database, { table, select, where, order }: Reading, org: number): IterableIterator<RawRow> {
  const rows = db.prepare(
    `SELECT ${select} FROM ${table} WHERE org_id = ? ${where ? `AND ${where} ` : ''}ORDER BY ${order}`,
  )
  return rows.raw().iterate(org) as IterableIterator<RawRow>
}

/** Reads one column of a row by its id; undefined if there is no such row. */
export function columnOf(db: Database, table: string, column: string): (org: number, id: string) => unknown {
  const value = db.prepare(`SELECT ${column} FROM ${table} WHERE org_id = ? AND id = ?`).pluck()
  return (org, id) => value.get(org, id)
}

/** Adds rows with these columns; for tables whose rows never change or have no id. */
export function inserter(db: Database, table: string, columns: readonly string[]): (values: unknown[]) => void {
  const marks = columns.map(() => '?').join(', ')
  const insert = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`)
  return (values) => void insert.run(...values)
}

/** A table of organisations with the columns of its key and those that hold text. */
export type TextTable = { table: string; key: readonly string[]; texts: readonly string[] }

/** Every place where a text may be, read from the schema, so that no new table is forgotten. */
export const textTables = (db: Database): TextTable[] =>
  tablesOfOrgs(db).map((table) => {
    const columns = db.prepare("SELECT name, type, pk FROM pragma_table_info(?, 'main') ORDER BY pk").all(table) as {
      name: string
      type: string
      pk: number
    }[]
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
    const texts = columns.filter(({ type }) => type === 'TEXT' || type === 'ANY').map(({ name }) => name)
    return { table, key, texts }
  })
