import { Problem } from '../lib/problem.ts'
import type { Database } from './driver.ts'

/** What a job may give back: anything but a promise, so that an asynchronous job does not compile. */
export type Sync = null | undefined | boolean | number | string | { then?: never; [other: string]: unknown }

export type Write = <T extends Sync>(job: () => T) => Promise<T>

type Waiting = { job: () => unknown; resolve: (value: never) => void; reject: (error: unknown) => void }
type Outcome = { value: unknown } | { error: unknown }

/** So that one turn of the event loop, and with it every reader, is not held up without bound. */
const BATCH = 128

/**
 * Group commit: the writes that arrive in one turn of the event loop share one transaction, and so one fsync.
 * Each runs in a savepoint of its own, so that a failing one rolls back alone, and none is answered before COMMIT.
 * All of it is synchronous: nobody sees half a batch.
 */
export function groupCommit(db: Database): Write {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const undo = db.prepare('ROLLBACK TO one')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  let waiting: Waiting[] = []

  function flush(): void {
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    if (waiting.length > 0) setImmediate(flush)
    const outcomes: Outcome[] = []
    try {
      begin.run()
      for (const { job } of batch) outcomes.push(runOne(job))
      commit.run()
    } catch (error) {
      if (db.inTransaction) rollback.run()
      const problem = storageProblem(error)
      for (const { reject } of batch) reject(problem)
      return
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index] as Outcome
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value as never)
    }
  }

  function runOne(job: () => unknown): Outcome {
    savepoint.run()
    try {
      const value = job()
      release.run()
      return { value }
    } catch (error) {
      // A full disk or an I/O error may have ended the whole transaction: then the batch is lost, not one job.
      if (!db.inTransaction || isStorageError(error)) throw error
      undo.run()
      release.run()
      return { error }
    }
  }

  return (job) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush)
      waiting.push({ job, resolve, reject })
    })
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

function isStorageError(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|BUSY|LOCKED|NOMEM|READONLY|CANTOPEN|CORRUPT|PROTOCOL)/.test(codeOf(error))
}

/** 503 for a store that cannot write at the moment; anything else is passed on as it is. */
export function storageProblem(error: unknown): unknown {
  if (!isStorageError(error)) return error
  const code = codeOf(error)
  const [name, detail] = code.startsWith('SQLITE_FULL')
    ? ['storage_full', 'The disk of the server is full; nothing was written. Free some space and try again.']
    : code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')
      ? ['busy', 'Another command holds the database; nothing was written. Try again in a moment.']
      : ['storage_failed', 'The store of the server cannot be written; nothing was written.']
  return new Problem(503, name as string, detail as string, { headers: { 'Retry-After': '5' } })
}
