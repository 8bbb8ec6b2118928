import { totalChanges } from './changes.ts'
import type { Connection } from './driver.ts'
import { failureOf } from './failures.ts'
import { wordsPutInto } from './search.ts'
import { pendingWords } from './search-index.ts'

/**
 * When the words of so many documents are pending, they are indexed, however busy the server is. Searches test each of them,
 * and each is on some page that a write may have to change; of fewer, the pages of a transaction would be more.
 */
export const MANY = 160
/** A command indexes so many at once. */
const MANY_AT_ONCE = 512
/** The index merges this many pages in one transaction. A word of many records is not divided. */
const MERGE_PAGES = 200
/** Commits after which it merges even if nothing was pending: removals write to the index themselves. */
const MERGE_EVERY = 16
const IDLE_MS = 100

export type SearchUpkeep = ReturnType<typeof searchUpkeep>

type Options = { isWritable?: () => boolean; note?: (error: unknown) => void }

/**
 * Keeps up the search index behind the commits of the records: moves their words into it, and merges its segments, one of
 * which comes with each move. Each step is a small transaction of its own, between other writes or when there are none.
 *
 * FTS5 can merge within commits, but not in bounds: once 16 segments of a size had gathered, one commit wrote all of them
 * anew, up to 41 MB for 100,000 deals.
 */
export function searchUpkeep(db: Connection, { isWritable = () => true, note = () => undefined }: Options = {}) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const mergePages = db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
  const changes = totalChanges(db)
  const pending = pendingWords(db)
  let seen = wordsPutInto(db)
  let commits = 0
  let turn: NodeJS.Immediate | undefined
  let idle: NodeJS.Timeout | undefined

  /** Runs the job in a transaction; not while another process writes, since there is always a next time. */
  function inTransaction<T>(job: () => T, otherwise: T): T {
    if (!db.open || db.inTransaction || !isWritable()) return otherwise
    try {
      begin.run()
      const value = job()
      commit.run()
      return value
    } catch (error) {
      if (db.inTransaction) rollback.run()
      if (failureOf(error) !== 'locked') note(error)
      return otherwise
    }
  }

  const index = (most: number): boolean => inTransaction(() => pending.index(most) > 0, false)

  function merge(): boolean {
    commits = 0
    const mergeSome = () => {
      const before = changes()
      mergePages.run(MERGE_PAGES)
      return changes() - before > 1 // the command itself is one
    }
    return inTransaction(mergeSome, false)
  }

  const isDue = (): boolean => commits >= MERGE_EVERY || pending.has(MANY)

  /** One step in each turn of the event loop, until nothing is due; when idle, until nothing is left to merge. */
  function start(isIdle: boolean): void {
    turn ??= setImmediate(() => {
      turn = undefined
      const goesOn = pending.has(MANY) ? index(MANY) : merge() && isIdle
      if (goesOn) start(isIdle)
    })
  }

  /** After each commit. A server answers its requests first. */
  function written(): void {
    commits++
    const puts = wordsPutInto(db)
    if (commits >= MERGE_EVERY || (puts !== seen && pending.has(MANY))) start(false)
    seen = puts
    if (idle) idle.refresh()
    else idle = setTimeout(start, IDLE_MS, true).unref()
  }

  return {
    written,
    isDue,
    /** A larger step, for a command, whose event loop may not turn. Returns false if it could not be done. */
    stepOfCommand(): boolean {
      const isDone = !pending.has(MANY) || index(MANY_AT_ONCE)
      merge()
      return isDone
    },
    stop(): void {
      clearImmediate(turn)
      clearTimeout(idle)
    },
  }
}
