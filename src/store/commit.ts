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
 * Group commit: writes that arrive close together share one transaction, and so one fsync: a batch is gathered until a
 * turn of the event loop brings no more. None is answered before COMMIT, and all of it is synchronous: nobody sees half
 * a batch. A job that fails rolls back alone.
 * Most that fail have written nothing yet, and there is nothing to undo. For one that has, the whole batch is undone
 * and run again, each job in a savepoint of its own: savepoints for all would copy every page once more, which was an
 * eighth of a write.
 */
export function groupCommit(db: Database, onCommit: () => void = () => undefined): Write {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const changes = db.prepare('SELECT total_changes()').pluck()
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const undo = db.prepare('ROLLBACK TO one')
  let waiting: Waiting[] = []

  /** A batch is full, or complete: a turn of the event loop has brought no further write. */
  function gather(seen: number): void {
    if (waiting.length > seen && waiting.length < BATCH) setImmediate(gather, waiting.length)
    else flush()
  }

  function flush(): void {
    const batch = waiting.slice(0, BATCH)
    waiting = waiting.slice(BATCH)
    if (waiting.length > 0) setImmediate(gather, 0)
    let outcomes: Outcome[]
    try {
      outcomes = inTransaction(batch, runPlain) ?? (inTransaction(batch, runInSavepoint) as Outcome[])
    } catch (error) {
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

  /** The outcomes after COMMIT; undefined, with everything undone, where a job left something to undo. */
  function inTransaction(batch: Waiting[], run: (job: () => unknown) => Outcome | undefined): Outcome[] | undefined {
    const outcomes: Outcome[] = []
    try {
      begin.run()
      for (const { job } of batch) {
        const outcome = run(job)
        if (!outcome) {
          rollback.run()
          return undefined
        }
        outcomes.push(outcome)
      }
      commit.run()
      onCommit()
      return outcomes
    } catch (error) {
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  function runPlain(job: () => unknown): Outcome | undefined {
    const before = changes.get()
    try {
      return { value: job() }
    } catch (error) {
      throwIfBatchIsLost(error)
      return changes.get() === before ? { error } : undefined
    }
  }

  function runInSavepoint(job: () => unknown): Outcome {
    savepoint.run()
    try {
      const value = job()
      release.run()
      return { value }
    } catch (error) {
      throwIfBatchIsLost(error)
      undo.run()
      release.run()
      return { error }
    }
  }

  /** A full disk or an I/O error may have ended the whole transaction: then the batch is lost, not one job. */
  function throwIfBatchIsLost(error: unknown): void {
    if (!db.inTransaction || isStorageError(error)) throw error
  }

  return (job) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(gather, 0)
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
