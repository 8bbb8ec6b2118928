import { firstIdAt } from '../lib/id.ts'
import type { Database } from './driver.ts'
import { failureOf } from './failures.ts'
import { IS_WHOLE } from './staged.ts'

/**
 * The greatest id in the store before a time, so that ids keep ascending after a restart: ids further ahead than
 * allowed were made by a wrong clock. One lookup at the end of each key: the tables with an `id` after `org_id`, and
 * the events. A damaged table is noted and skipped: the others can still be read.
 */
export function newestId(
  db: Database,
  before = Number.POSITIVE_INFINITY,
  note: (error: unknown) => void = throwIt,
): string | undefined {
  const bound = firstIdAt(before)
  const tables = db
    .prepare(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND c.name IN ('org_id', 'id') AND c.pk > 0 GROUP BY m.name HAVING count(*) = 2`,
    )
    .pluck()
    .all() as string[]
  const lastEvent = db.prepare('SELECT id FROM events WHERE org_id = ? AND id < ? ORDER BY seq DESC LIMIT 1').pluck()
  let newest: string | undefined
  const orgs = db.prepare(`SELECT id FROM orgs WHERE ${IS_WHOLE}`).pluck()
  for (const org of unlessDamaged([], () => orgs.all())) {
    const lastIds = tables.map((table) =>
      db.prepare(`SELECT max(id) FROM ${table} WHERE org_id = ? AND id < ?`).pluck(),
    )
    for (const last of [...lastIds, lastEvent]) {
      const id = unlessDamaged(null, () => last.get(org, bound) as string | null | undefined)
      if (id && (!newest || id > newest)) newest = id
    }
  }
  return newest

  function unlessDamaged<T>(others: T, read: () => T): T {
    return readUnlessDamaged(note, others, read)
  }
}

/** Returns what `read` returns, or `others` if it fails on a damaged part, which is noted. */
export function readUnlessDamaged<T>(note: (error: unknown) => void, others: T, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (failureOf(error) !== 'damaged') throw error
    note(error)
    return others
  }
}

function throwIt(error: unknown): never {
  throw error
}
