import type { Caller } from '../../lib/caller.ts'
import { notFound } from '../../lib/problem.ts'
import type { Database } from '../sqlite/driver.ts'
import type { RawRow, Readable } from './columns.ts'

/**
 * Finds a row of the caller's organisation by its id. Throws 404, the same for a row of another organisation and for
 * one that never existed.
 */
export function finder(db: Database, table: string, { select }: Readable, from = table) {
  const byId = db.prepare(`SELECT ${select} FROM ${from} WHERE ${table}.org_id = ? AND ${table}.id = ?`).raw()

  return function find(who: Caller, id: string): RawRow {
    const row = byId.get(who.org, id) as RawRow | undefined
    if (!row) throw notFound()
    return row
  }
}
