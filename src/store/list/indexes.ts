import type { Database } from '../sqlite/driver.ts'

/**
 * Finds the index for the values of a column: it starts with org_id and the column, or with org_id, the column `only`
 * with one value, and the column. If the column belongs to the record's own table, the index contains the rows of one
 * value in the order of their ids. One that has only some of the rows comes last: not every condition can use it. Throws if there is none, so that a filter or a sort without an index stops the
 * server before it listens.
 */
export function indexes(db: Database): (table: string, column: string, only?: string) => string {
  const cached = new Map<string, string>()
  const find = db
    .prepare(
      `SELECT i.name FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
       GROUP BY i.name HAVING max(c.name = 'org_id' AND c.seqno = 0) AND max(c.name = ? AND c.seqno = 1)
         AND (? IS NULL OR max(c.name = ? AND c.seqno = 2))
       ORDER BY i.partial, count(*), i.name LIMIT 1`,
    )
    .pluck()

  const isTable = (name: string): boolean =>
    db.prepare('SELECT 1 FROM pragma_table_list WHERE name = ?').get(name) !== undefined

  return function indexOf(table, column, only) {
    const columns = only === undefined ? [column] : [only, column]
    const place = `${table} (org_id, ${columns.join(', ')})`
    const name =
      cached.get(place) ?? (find.get(table, columns[0], columns[1] ?? null, columns[1]) as string | undefined)
    if (!name) throw new Error(isTable(table) ? `There is no index on ${place}.` : `schema.sql has no table ${table}.`)
    cached.set(place, name)
    return name
  }
}

/** Whether an index has a column besides those that it is ordered by. */
export function indexColumns(db: Database): (index: string, column: string) => boolean {
  const cached = new Map<string, boolean>()
  const find = db.prepare('SELECT 1 FROM pragma_index_info(?) WHERE name = ?').pluck()

  return function hasColumn(index, column) {
    const place = `${index} ${column}`
    const has = cached.get(place) ?? find.get(index, column) !== undefined
    cached.set(place, has)
    return has
  }
}
