import { totalChanges } from './sqlite/changes.ts'
import type { Database } from './sqlite/driver.ts'
import { failureOf, storageProblem } from './sqlite/failures.ts'

/** The result of a job: anything but a promise, so that an asynchronous job does not compile. */
export type Sync = null | undefined | boolean | number | string | { then?: never; [other: string]: unknown }

export type Write = <T extends Sync>(job: () => T) => Promise<T>

type Waiting = {
  job: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
  /** When it started to wait for another process, on the clock of the timer. */
  lockedSince?: number
}
type Outcome = { value: unknown } | { error: unknown }

/** A committed batch: how many jobs it had, and how long COMMIT took, which is the fsync above all. */
export type CommittedBatch = { jobs: number; commitMs: number }

/** A monotonic clock, in milliseconds, and a timer. */
export type LockTimer = { now: () => number; later: (job: () => void, ms: number) => void }

const lockTimer: LockTimer = { now: () => performance.now(), later: (job, ms) => void setTimeout(job, ms) }

/** Limits how long a batch occupies a turn of the event loop, and with it every reader. */
const BATCH = 128

/** How often a lock held by another process is tried; commands leave a longer gap between two transactions. */
export const LOCK_RETRY_MS = 2
/** A write that has waited this long for another process is refused. */
export const MAX_LOCK_WAIT_MS = 5000

/**
 * Group commit: writes that arrive close together share one transaction, and so one fsync. A batch grows until a turn
 * of the event loop brings no more writes. None resolves before COMMIT, and a batch runs synchronously: no reader sees
 * half of it. A job that fails rolls back alone.
 *
 * Most jobs that fail have written nothing, so there is nothing to undo. Otherwise the whole batch is rolled back and
 * run again, each job in its own savepoint: savepoints for all batches would copy every page once more, which took an
 * eighth of a write.
 *
 * While another process holds the write lock, the writes wait on a timer, and the event loop continues: SQLite's
 * busy_timeout would block it, so a server sets that to 0.
 *
 * `check` throws if nothing may be committed any more. It is asked just before COMMIT, and after it once more: the process
 * may have been stopped in between, and what is not confirmed then is not answered as done.
 */
export function groupCommit(
  db: Database,
  onCommit: (batch: CommittedBatch) => void = () => undefined,
  { now, later }: LockTimer = lockTimer,
  check: () => void = () => undefined,
): Write {
  const begin = db.prepare('BEGIN IMMEDIATE')
  const commit = db.prepare('COMMIT')
  const rollback = db.prepare('ROLLBACK')
  const changes = totalChanges(db)
  const savepoint = db.prepare('SAVEPOINT one')
  const release = db.prepare('RELEASE one')
  const undo = db.prepare('ROLLBACK TO one')
  let waiting: Waiting[] = []
  /** The first batch had to be rolled back, and runs in savepoints now. */
  let isUndone = false
  let lockError: unknown

  /** Waits until the batch is full, or a turn of the event loop has brought no more writes. */
  function gather(seen: number): void {
    if (waiting.length > seen && waiting.length < BATCH) setImmediate(gather, waiting.length)
    else flush()
  }

  function flush(): void {
    const batch = waiting.slice(0, BATCH)
    let outcomes: Outcome[] | 'locked' | undefined
    let problem: unknown
    try {
      if (!isUndone) outcomes = inTransaction(batch, runPlain)
      isUndone = outcomes === undefined
      outcomes ??= inTransaction(batch, runInSavepoint)
      if (outcomes === 'locked') {
        waitForLock()
        return
      }
    } catch (error) {
      problem = storageProblem(error)
    }
    isUndone = false
    waiting = waiting.slice(batch.length)
    if (waiting.length > 0) setImmediate(gather, 0)
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = (outcomes as Outcome[] | undefined)?.[index]
      if (!outcome) reject(problem)
      else if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value as never)
    }
  }

  /** Retries soon, and refuses writes that have waited too long. */
  function waitForLock(): void {
    const at = now()
    for (const each of waiting) each.lockedSince ??= at
    const firstPatient = waiting.findIndex(({ lockedSince }) => at - (lockedSince as number) < MAX_LOCK_WAIT_MS)
    const refused = waiting.splice(0, firstPatient < 0 ? waiting.length : firstPatient)
    if (waiting.length > 0) later(flush, LOCK_RETRY_MS)
    const problem = storageProblem(lockError)
    for (const { reject } of refused) reject(problem)
  }

  /** The outcomes after COMMIT; undefined, with everything rolled back, if a failed job had written something. */
  function inTransaction(
    batch: Waiting[],
    run: (job: () => unknown) => Outcome | undefined,
  ): Outcome[] | 'locked' | undefined {
    const outcomes: Outcome[] = []
    try {
      if (!isBegun()) return 'locked'
      for (const { job } of batch) {
        const outcome = run(job)
        if (!outcome) {
          rollback.run()
          return undefined
        }
        outcomes.push(outcome)
      }
      const began = performance.now()
      check()
      commit.run()
      onCommit({ jobs: batch.length, commitMs: performance.now() - began })
      check()
      return outcomes
    } catch (error) {
      if (db.inTransaction) rollback.run()
      throw error
    }
  }

  function isBegun(): boolean {
    try {
      begin.run()
      return true
    } catch (error) {
      if (failureOf(error) !== 'locked') throw error
      lockError = error
      return false
    }
  }

  function runPlain(job: () => unknown): Outcome | undefined {
    const before = changes()
    try {
      return { value: job() }
    } catch (error) {
      throwIfBatchIsLost(error)
      return changes() === before ? { error } : undefined
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
    if (!db.inTransaction || failureOf(error)) throw error
  }

  return (job) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(gather, 0)
      waiting.push({ job, resolve, reject })
    })
}
