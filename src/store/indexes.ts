import type { Database } from './driver.ts'

/**
 * Names the index that leads to the rows of a column's value: it starts with org_id and the column, and for a column of
 * the record's own table it holds the rows of one value in the order of their ids. Throws where there is none, so that
 * a filter or a sort without its index stops the server before it listens.
 */
export function indexes(db: Database): (table: string, column: string) => string {
  const known = new Map<string, string>()
  const find = db
    .prepare(
      `SELECT i.name FROM pragma_index_list(?) AS i, pragma_index_info(i.name) AS c
       GROUP BY i.name HAVING max(c.name = 'org_id' AND c.seqno = 0) AND max(c.name = ? AND c.seqno = 1)
       ORDER BY count(*), i.name LIMIT 1`,
    )
    .pluck()

  return function indexOf(table, column) {
    const place = `${table}.${column}`
    const name = known.get(place) ?? (find.get(table, column) as string | undefined)
    if (!name) throw new Error(`There is no index on ${table} (org_id, ${column}).`)
    known.set(place, name)
    return name
  }
}
