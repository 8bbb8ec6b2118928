import { LOCK_RETRY_MS } from './commit.ts'
import type { CommandStore } from './open.ts'

/** There is one write lock: a command with many writes releases it after this time. COMMIT has the rest of 50 ms. */
export const MAX_BATCH_MS = 35
/**
 * The gap between two batches. SQLite has no queue: a server that tries every LOCK_RETRY_MS has several tries in it.
 */
export const BATCH_GAP_MS = 5 * LOCK_RETRY_MS

/** A monotonic clock and a pause, both in milliseconds. */
export type Pace = { now: () => number; sleep: (ms: number) => void }

const cell = new Int32Array(new SharedArrayBuffer(4))

const pace: Pace = { now: () => performance.now(), sleep: (ms) => void Atomics.wait(cell, 0, 0, ms) }

export type Batch = ReturnType<typeof batches>

/**
 * For commands with many writes: each call is a transaction, followed by a gap in which a server on the same folder can
 * write, whether the job succeeds or throws. Between two records the job checks whether the batch `isFull`.
 */
export function batches(
  { db, transaction, upkeep }: Pick<CommandStore, 'db' | 'transaction' | 'upkeep'>,
  { now, sleep }: Pace = pace,
) {
  function rest(): void {
    sleep(BATCH_GAP_MS)
    for (let works = true; works && upkeep.isDue(); sleep(BATCH_GAP_MS)) works = upkeep.stepOfCommand()
  }

  return <T>(job: (isFull: () => boolean) => T): T => {
    try {
      return transaction(() => {
        const began = now()
        return job(() => now() - began >= MAX_BATCH_MS)
      })
    } finally {
      if (!db.inTransaction) rest() // inside of another transaction it releases nothing
    }
  }
}
