import { totalChanges } from './changes.ts'
import type { Connection } from './driver.ts'
import { failureOf } from './failures.ts'

/** The search index merges this many pages in one transaction. A word of many records is not divided. */
const MERGE_PAGES = 200
/**
 * The number of commits after which it merges, however busy the server is: more than 4 batches of writes add, so that the
 * segments never get many.
 */
export const MERGE_EVERY = 4
const IDLE_MS = 100

type Options = { isWritable?: () => boolean; note?: (error: unknown) => void }

/**
 * Merges the segments of the search index, of which each commit adds some. FTS5 could do it within commits, but not in
 * bounds: once 16 segments of a size had gathered, one commit wrote all of them anew, up to 41 MB for 100,000 deals.
 * Here it has transactions of its own, of some pages each: between writes, and when there are none.
 */
export function searchMerges(db: Connection, { isWritable = () => true, note = () => undefined }: Options = {}) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const merge = db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
  const changes = totalChanges(db)
  let commits = 0
  let turn: NodeJS.Immediate | undefined
  let idle: NodeJS.Timeout | undefined

  /** Merges some pages, and returns whether there were any. While another process writes, it is left for later. */
  function step(): boolean {
    turn = undefined
    commits = 0
    if (db.inTransaction || !isWritable()) return false
    try {
      begin.run()
      const before = changes()
      merge.run(MERGE_PAGES)
      commit.run()
      return changes() - before > 1 // the command itself is one
    } catch (error) {
      if (db.inTransaction) rollback.run()
      if (failureOf(error) !== 'locked') note(error)
      return false
    }
  }

  function mergeAll(): void {
    if (step()) turn = setImmediate(mergeAll)
  }

  /** After a commit of a server, which then answers first. */
  function written(): void {
    if (++commits >= MERGE_EVERY) turn ??= setImmediate(step)
    if (idle) idle.refresh()
    else idle = setTimeout(mergeAll, IDLE_MS).unref()
  }

  /** After a commit of a command, which may never wait for anything. */
  function writtenByCommand(): void {
    if (++commits >= MERGE_EVERY) step()
  }

  function stop(): void {
    clearImmediate(turn)
    clearTimeout(idle)
  }

  return { step, written, writtenByCommand, stop }
}
