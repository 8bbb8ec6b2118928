import { LOCK_RETRY_MS } from './commit.ts'
import type { Store } from './open.ts'

/** There is one write lock: a command that writes much frees it after so long. COMMIT has the rest of 50 ms. */
export const MAX_BATCH_MS = 35
/** Between two batches. SQLite has no queue: a server that tries every LOCK_RETRY_MS has several tries in it. */
export const BATCH_GAP_MS = 5 * LOCK_RETRY_MS

/** A clock that only goes forward, and a pause, both in milliseconds. */
export type Pace = { now: () => number; sleep: (ms: number) => void }

const cell = new Int32Array(new SharedArrayBuffer(4))

const pace: Pace = { now: () => performance.now(), sleep: (ms) => void Atomics.wait(cell, 0, 0, ms) }

export type Batch = ReturnType<typeof batches>

/**
 * For commands that write much: each call is a transaction, with a gap behind it in which a server on the same folder
 * has its turn, whether the job succeeds or throws. The job looks between two records whether the batch `isFull`.
 */
export function batches({ db, transaction }: Pick<Store, 'db' | 'transaction'>, { now, sleep }: Pace = pace) {
  return <T>(job: (isFull: () => boolean) => T): T => {
    try {
      return transaction(() => {
        const began = now()
        return job(() => now() - began >= MAX_BATCH_MS)
      })
    } finally {
      if (!db.inTransaction) sleep(BATCH_GAP_MS) // inside of another it frees nothing
    }
  }
}
