import { setTimeout as sleep } from 'node:timers/promises'
import type { Sync, Write } from './commit.ts'
import type { Allowed, StorageHealth } from './health.ts'
import { isPaused, pausedProblem } from './orgs/org-states.ts'
import type { Connection } from './sqlite/driver.ts'

/** Runs the job unless the storage must not be written; `allowed` is what it may do while space is short. */
export type HealthyWrite = <T extends Sync>(job: () => T, allowed?: Allowed) => Promise<T>

/** How long a write waits while its organisation is paused, see departing.ts, and how often it looks again. */
export const MAX_PAUSE_MS = 10_000
const LOOK_EVERY_MS = 20

const cell = new Int32Array(new SharedArrayBuffer(4))

type Options = { db: Connection; commit: Write; health: StorageHealth; onCommit: () => void }

/** Throws Problem 503 if another server may be the primary. */
export function checkFence({ fencedOff }: Pick<StorageHealth, 'fencedOff'>): void {
  const problem = fencedOff()
  if (problem) throw problem
}

/** Both ways to write: they refuse to start while the storage must not be written, and note its errors. */
export function healthyWrites({ db, commit, health, onCommit }: Options) {
  function checkWritable(allowed?: Allowed): void {
    const refusal = health.refusal(allowed)
    if (refusal) throw refusal
  }

  const write: HealthyWrite = async (job, allowed) => {
    checkWritable(allowed)
    const guarded = () => {
      checkWritable(allowed) // it may have waited behind a write that detected damage
      return job()
    }
    const began = performance.now()
    for (;;) {
      try {
        return await (allowed?.frees ? commitFreeing(guarded) : commit(guarded))
      } catch (error) {
        if (isPaused(error)) {
          if (performance.now() - began > MAX_PAUSE_MS) throw pausedProblem()
          await sleep(LOOK_EVERY_MS)
          continue
        }
        health.note(error)
        throw error
      }
    }
  }

  async function commitFreeing<T extends Sync>(job: () => T): Promise<T> {
    const wasFull = health.isDiskFull()
    const value = await commit(job).catch((error) => {
      health.note(error)
      if (wasFull || !health.isDiskFull()) throw error
      return commit(job) // the failed write has released the reserve
    })
    if (health.isDiskFull()) checkpoint()
    return value
  }

  /** Restarts the write-ahead log, so that it never takes all the space needed for deletions. */
  function checkpoint(): void {
    try {
      db.pragma('wal_checkpoint(PASSIVE)')
    } catch (error) {
      health.note(error)
    }
  }

  function savepoint<T>(job: () => T): T {
    if (!db.inTransaction) throw new Error('A savepoint is part of a transaction.')
    return db.transaction(job)()
  }

  /** Errors of a pause are left to the caller. */
  function once<T>(job: () => T): T {
    if (db.inTransaction) return db.transaction(job).immediate()
    checkWritable()
    try {
      const value = db
        .transaction(() => {
          const made = job()
          checkFence(health)
          return made
        })
        .immediate()
      onCommit()
      checkFence(health)
      return value
    } catch (error) {
      if (!isPaused(error)) health.note(error)
      throw error
    }
  }

  function writeAtOnce<T>(job: () => T): T {
    try {
      return once(job)
    } catch (error) {
      throw isPaused(error) && !db.inTransaction ? pausedProblem() : error
    }
  }

  /** Only for commands: see `CommandStore`. */
  function transaction<T>(job: () => T): T {
    const began = performance.now()
    for (;;) {
      try {
        return once(job)
      } catch (error) {
        if (!isPaused(error) || db.inTransaction) throw error
        if (performance.now() - began > MAX_PAUSE_MS) throw pausedProblem()
        Atomics.wait(cell, 0, 0, LOOK_EVERY_MS)
      }
    }
  }

  return { write, writeAtOnce, transaction, savepoint }
}
