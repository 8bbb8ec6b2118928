import { firstIdAt } from '../lib/id.ts'
import type { Database } from './driver.ts'
import { failureOf } from './failures.ts'

/**
/**
 * The greatest id in the store before a time, so that ids go on ascending after a restart: those further ahead than ids
 * may be were made by a clock that was wrong. One look at the end of each key: the tables with an `id` behind `org_id`,
 * and the events. A table that is damaged is noted and passed over: what is in the others can still be read.
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
  let newest: string | undefined
  for (const org of unlessDamaged([], () => db.prepare('SELECT id FROM orgs').pluck().all())) {
    for (const table of tables) {
      const last = db.prepare(`SELECT max(id) FROM ${table} WHERE org_id = +? AND id < +?`).pluck()
      const id = unlessDamaged(null, () => last.get(org, bound) as string | null)
      if (id && (!newest || id > newest)) newest = id
    }
  }
  const lastEvent = db.prepare('SELECT id FROM events WHERE id < +? ORDER BY n DESC LIMIT 1').pluck()
  const event = unlessDamaged(undefined, () => lastEvent.get(bound) as string | undefined)
  return event && (!newest || event > newest) ? event : newest

  function unlessDamaged<T>(others: T, read: () => T): T {
    return readUnlessDamaged(note, others, read)
  }
}

/** What is read, or `others` where it lies in a part that is damaged, which is noted. */
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
