import { firstIdAt } from '../lib/id.ts'
import type { Database } from './driver.ts'
import { SEARCHED_TABLES } from './erase.ts'
import { failureOf } from './failures.ts'
import { numbersOf } from './search.ts'
import { IS_WHOLE } from './staged.ts'

/** An organisation that was restored may have written this many events last, older than those of others before them. */
const LAST_EVENTS = 1000

/**
 * The greatest id in the store before a time, so that ids keep ascending after a restart: ids further ahead than
 * allowed were made by a wrong clock. A damaged table is noted and skipped: the others can still be read.
 *
 * Every command waits for it, with any number of organisations. So the records, which are many, are not looked up in each: the
 * search index has the newest of all at its end, and so have the events. Only the other tables with an `id` after `org_id` cost
 * a lookup at the end of each key.
 */
export function newestId(
  db: Database,
  before = Number.POSITIVE_INFINITY,
  note: (error: unknown) => void = throwIt,
): string | undefined {
  const bound = firstIdAt(before)
  const orgs = unlessDamaged([], () => db.prepare(`SELECT id FROM orgs WHERE ${IS_WHOLE}`).pluck().all() as number[])
  let newest: string | undefined
  const look = (read: () => unknown): void => {
    const id = unlessDamaged(null, read) as string | null | undefined
    if (id && (!newest || id > newest)) newest = id
  }
  look(() => newestRecord(db, bound))
  look(() => newestEvent(db, bound, orgs))
  for (const table of otherTables(db)) {
    const last = db.prepare(`SELECT max(id) FROM ${table} WHERE org_id = ? AND id < ?`).pluck()
    for (const org of orgs) look(() => last.get(org, bound))
  }
  return newest

  function unlessDamaged<T>(others: T, read: () => T): T {
    return readUnlessDamaged(note, others, read)
  }
}

/** Of the records that can be searched: the numbers of their documents follow their ids. */
function newestRecord(db: Database, bound: string): unknown {
  const [, end] = numbersOf(bound)
  return db
    .prepare(
      `SELECT record_id FROM search_docs
       WHERE docid < ? AND record_id < ? AND org_id IN (SELECT id FROM orgs WHERE ${IS_WHOLE})
       ORDER BY docid DESC LIMIT 1`,
    )
    .pluck()
    .get(end, bound)
}

function newestEvent(db: Database, bound: string, orgs: readonly number[]): string | undefined {
  const whole = new Set(orgs)
  const last = db
    .prepare('SELECT org_id AS org, id FROM events WHERE id < ? ORDER BY commit_seq DESC LIMIT ?')
    .all(bound, LAST_EVENTS) as { org: number; id: string }[]
  const ids = last.filter(({ org }) => whole.has(org)).map(({ id }) => id)
  if (last.length === LAST_EVENTS && new Set(last.map(({ org }) => org)).size === 1) {
    const ofOrg = db.prepare('SELECT id FROM events WHERE org_id = ? AND id < ? ORDER BY seq DESC LIMIT 1').pluck()
    ids.push(...orgs.flatMap((org) => (ofOrg.get(org, bound) as string | undefined) ?? []))
  }
  return ids.reduce<string | undefined>((max, id) => (max === undefined || id > max ? id : max), undefined)
}

function otherTables(db: Database): string[] {
  const searched = Object.values(SEARCHED_TABLES)
  const tables = db
    .prepare(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c
       WHERE m.type = 'table' AND c.name IN ('org_id', 'id') AND c.pk > 0 GROUP BY m.name HAVING count(*) = 2`,
    )
    .pluck()
    .all() as string[]
  return tables.filter((table) => !searched.includes(table))
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
