import { pendingWords } from './search/search-index.ts'
import { totalChanges } from './sqlite/changes.ts'
import type { Connection } from './sqlite/driver.ts'
import { failureOf } from './sqlite/failures.ts'
import { pendingStageChanges } from './stage-changes.ts'

/**
 * So much that is pending is moved, however busy the server is. Searches test each pending document, and with more of them
 * a write has more pages to change; of fewer, a move would share fewer pages.
 */
export const MANY = 64
/** A command moves so much at once. */
const MANY_AT_ONCE = 512
/** The index merges this many pages in one transaction. A word of many records is not divided. */
const MERGE_PAGES = 200
/** Commits after which it merges even if no words were pending: removals write to the index themselves. */
const MERGE_EVERY = 16
const IDLE_MS = 100
/** Of PRAGMA synchronous: commits are written to the log, but not synced. FULL is 2. */
const NORMAL = 1

export type Upkeep = ReturnType<typeof upkeep>

type Options = { isWritable?: () => boolean; note?: (error: unknown) => void }

/**
 * What is done behind the commits of records: it moves words into the search index, and stage changes into the history of
 * their deals, and merges the segments of the index, of which each move adds one. Each step is a small transaction of its
 * own, between other writes or when there are none.
 *
 * FTS5 can merge within commits, but not in bounds: once 16 segments of a size had gathered, one commit wrote all of them
 * anew, up to 41 MB for 100,000 deals.
 */
export function upkeep(db: Connection, { isWritable = () => true, note = () => undefined }: Options = {}) {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const mergePages = db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
  const changes = totalChanges(db)
  const words = pendingWords(db)
  const stageChanges = pendingStageChanges(db)
  let commits = 0
  let turn: NodeJS.Immediate | undefined
  let idle: NodeJS.Timeout | undefined

  /**
   * Runs the job in a transaction; not while another process writes, since there is always a next time. It is not synced:
   * a power cut may undo it, which changes nothing, and the next commit of a record syncs it too.
   */
  function inTransaction<T>(job: () => T, otherwise: T): T {
    if (!db.open || db.inTransaction || !isWritable()) return otherwise
    let synchronous: number
    try {
      synchronous = db.pragma('synchronous', { simple: true }) as number
    } catch {
      return otherwise // somebody is still reading rows one by one, as an import its rejected rows
    }
    try {
      db.pragma(`synchronous = ${Math.min(synchronous, NORMAL)}`)
      begin.run()
      const value = job()
      commit.run()
      return value
    } catch (error) {
      if (db.inTransaction) rollback.run()
      if (failureOf(error) !== 'locked') note(error)
      return otherwise
    } finally {
      db.pragma(`synchronous = ${synchronous}`)
    }
  }

  const isBehind = (): boolean => words.has(MANY) || stageChanges.has(MANY)

  /** Returns false if it could not be done. */
  const move = (most: number): boolean =>
    inTransaction(() => {
      if (words.has(MANY)) words.index(most)
      if (stageChanges.has(MANY)) stageChanges.move(most)
      return true
    }, false)

  function merge(): boolean {
    commits = 0
    const mergeSome = () => {
      const before = changes()
      mergePages.run(MERGE_PAGES)
      return changes() - before > 1 // the command itself is one
    }
    return inTransaction(mergeSome, false)
  }

  const isDue = (): boolean => commits >= MERGE_EVERY || isBehind()

  /** One step in each turn of the event loop, until nothing is due; when idle, until nothing is left to merge. */
  function start(isIdle: boolean): void {
    turn ??= setImmediate(() => {
      turn = undefined
      const goesOn = isBehind() ? move(MANY) : merge() && isIdle
      if (goesOn) start(isIdle)
    })
  }

  /** After each commit. A server answers its requests first. */
  function written(): void {
    commits++
    if (isDue()) start(false)
    if (idle) idle.refresh()
    else idle = setTimeout(start, IDLE_MS, true).unref()
  }

  return {
    written,
    isDue,
    /** A larger step, for a command, whose event loop may not turn. Returns false if it could not be done. */
    stepOfCommand(): boolean {
      const isDone = !isBehind() || move(MANY_AT_ONCE)
      merge()
      return isDone
    },
    stop(): void {
      clearImmediate(turn)
      clearTimeout(idle)
    },
  }
}
