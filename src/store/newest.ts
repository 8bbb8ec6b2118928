import { firstIdAt } from '../lib/id.ts'
import { SEARCHED_TABLES } from './orgs/erase.ts'
import { IS_WHOLE } from './orgs/staged.ts'
import { numbersOf } from './sqlite/doc-numbers.ts'
import type { Database } from './sqlite/driver.ts'
import { failureOf } from './sqlite/failures.ts'

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
  let newest: string | undefined
  const look = (read: () => unknown): void => {
    const id = readUnlessDamaged(note, null, read) as string | null | undefined
    if (id && (!newest || id > newest)) newest = id
  }
  look(() => newestRecord(db, bound))
  look(() => newestEvent(db, bound))
  for (const table of otherTables(db))
    look(() => ofEachOrg(db, `(SELECT max(id) FROM ${table} WHERE org_id = orgs.id AND id < ?)`, bound))
  return newest
}

/** The greatest of what a subquery finds for each organisation: one statement, since a call costs more than its lookup. */
const ofEachOrg = (db: Database, subquery: string, bound: string): unknown =>
  db.prepare(`SELECT max(id) FROM (SELECT ${subquery} AS id FROM orgs WHERE ${IS_WHOLE})`).pluck().get(bound)

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

function newestEvent(db: Database, bound: string): unknown {
  const last = db
    .prepare(
      `SELECT max(id) AS id, count(*) AS count, count(DISTINCT org_id) AS orgs
       FROM (SELECT org_id, id FROM events NOT INDEXED
             WHERE id < ? AND org_id IN (SELECT id FROM orgs WHERE ${IS_WHOLE}) ORDER BY commit_seq DESC LIMIT ?)`,
    )
    .get(bound, LAST_EVENTS) as { id: string | null; count: number; orgs: number }
  if (last.count < LAST_EVENTS || last.orgs > 1) return last.id
  return ofEachOrg(db, '(SELECT id FROM events WHERE org_id = orgs.id AND id < ? ORDER BY seq DESC LIMIT 1)', bound)
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

/** The number of the newest event by the order of commits, also if it was purged. */
export const lastCommit = (db: Database): number =>
  (db.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck().get() as number | undefined) ?? 0
