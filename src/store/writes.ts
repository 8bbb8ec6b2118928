import type { Sync, Write } from './commit.ts'
import type { Connection } from './driver.ts'
import type { StorageHealth } from './health.ts'

/** `frees`: the job deletes, so it also runs on a full disk. */
export type HealthyWrite = <T extends Sync>(job: () => T, options?: { frees?: boolean }) => Promise<T>

type Options = { db: Connection; commit: Write; health: StorageHealth; onCommit: () => void }

/** Both ways to write: they refuse to start while the storage must not be written, and note its errors. */
export function healthyWrites({ db, commit, health, onCommit }: Options) {
  function checkWritable(frees: boolean): void {
    const refusal = health.refusal(frees)
    if (refusal) throw refusal
  }

  const write: HealthyWrite = async (job, { frees = false } = {}) => {
    checkWritable(frees)
    const guarded = () => {
      checkWritable(frees) // it may have waited behind a write that detected damage
      return job()
    }
    try {
      return await (frees ? commitFreeing(guarded) : commit(guarded))
    } catch (error) {
      health.note(error)
      throw error
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

  function transaction<T>(job: () => T): T {
    if (db.inTransaction) return db.transaction(job).immediate()
    checkWritable(false)
    try {
      const value = db.transaction(job).immediate()
      onCommit()
      return value
    } catch (error) {
      health.note(error)
      throw error
    }
  }

  return { write, transaction, savepoint }
}
