import type { Database } from './driver.ts'

/**
 * The greatest id in the store, so that ids go on ascending after a restart, whatever the wall clock says.
 * One look at the end of each key: the tables with an `id` behind `org_id`, and the events.
 */
export function newestId(db: Database): string | undefined {
  const tables = db
    .prepare(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND c.name IN ('org_id', 'id') AND c.pk > 0 GROUP BY m.name HAVING count(*) = 2`,
    )
    .pluck()
    .all() as string[]
  let newest: string | undefined
  for (const org of db.prepare('SELECT id FROM orgs').pluck().all()) {
    for (const table of tables) {
      const id = db.prepare(`SELECT max(id) FROM ${table} WHERE org_id = ?`).pluck().get(org) as string | null
      if (id && (!newest || id > newest)) newest = id
    }
  }
  const event = db.prepare('SELECT id FROM events ORDER BY n DESC LIMIT 1').pluck().get() as string | undefined
  return event && (!newest || event > newest) ? event : newest
}
