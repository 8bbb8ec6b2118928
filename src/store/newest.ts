import type { Database } from './driver.ts'
import { failureOf } from './failures.ts'

/**
 * The greatest id in the store, so that ids go on ascending after a restart, whatever the wall clock says.
 * One look at the end of each key: the tables with an `id` behind `org_id`, and the events. A table that is damaged is
 * noted and passed over: what is in the others can still be read.
 */
export function newestId(db: Database, note: (error: unknown) => void = throwIt): string | undefined {
  const tables = db
    .prepare(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND c.name IN ('org_id', 'id') AND c.pk > 0 GROUP BY m.name HAVING count(*) = 2`,
    )
    .pluck()
    .all() as string[]
  let newest: string | undefined
  for (const org of unlessDamaged([], () => db.prepare('SELECT id FROM orgs').pluck().all())) {
    for (const table of tables) {
      const last = db.prepare(`SELECT max(id) FROM ${table} WHERE org_id = ?`).pluck()
      const id = unlessDamaged(null, () => last.get(org) as string | null)
      if (id && (!newest || id > newest)) newest = id
    }
  }
  const lastEvent = db.prepare('SELECT id FROM events ORDER BY n DESC LIMIT 1').pluck()
  const event = unlessDamaged(undefined, () => lastEvent.get() as string | undefined)
  return event && (!newest || event > newest) ? event : newest

  function unlessDamaged<T>(others: T, read: () => T): T {
    try {
      return read()
    } catch (error) {
      if (failureOf(error) !== 'damaged') throw error
      note(error)
      return others
    }
  }
}

function throwIt(error: unknown): never {
  throw error
}
