import { Problem } from '../lib/problem.ts'
import type { Batch } from '../store/batches.ts'
import type { CommandStore } from '../store/open.ts'
import { orgGate } from '../store/orgs/org-states.ts'
import { enlargeCache } from '../store/sqlite/cache.ts'
import { totalChanges } from '../store/sqlite/changes.ts'

/** Rows buffered for one transaction, which takes as many of them as its time allows. */
export const MAX_BATCH = 500

/** Runs a job that writes many records, with a larger cache. */
export async function inBulk<T>({ db }: Pick<CommandStore, 'db'>, job: () => Promise<T>): Promise<T> {
  const resetCache = enlargeCache(db, 128)
  try {
    return await job()
  } finally {
    resetCache()
  }
}

const UNDO = Symbol('something was written')

export type Alone = <T>(job: () => T, refused: (problem: Problem) => T) => T

/**
 * Runs a batch in one transaction. Within it, `alone` runs a job that may be rejected, and leaves nothing behind then.
 * Most rejected jobs have written nothing yet. If one has, the batch is rolled back and repeated with a savepoint per
 * job: with savepoints from the start, the search index would flush its buffer to disk at each of them. Throws Problem 421
 * if the organisation has moved to another server since the last batch.
 */
export function inBatch<T>(
  { db, transaction }: Pick<CommandStore, 'db' | 'transaction'>,
  batch: Batch,
  org: number,
  job: (single: Alone, isFull: () => boolean) => T,
): T {
  const refuseMoved = orgGate(db)
  const changes = totalChanges(db)
  const checked = (job: (isFull: () => boolean) => T): T =>
    batch((isFull) => {
      refuseMoved(org)
      return job(isFull)
    })
  const plain: Alone = (job, refused) => {
    const before = changes()
    try {
      return job()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (changes() !== before) throw UNDO
      return refused(error)
    }
  }
  const inSavepoint: Alone = (job, refused) => {
    try {
      return transaction(job)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      return refused(error)
    }
  }
  try {
    return checked((isFull) => job(plain, isFull))
  } catch (error) {
    if (error !== UNDO) throw error
    return checked((isFull) => job(inSavepoint, isFull))
  }
}

/** Processes items in order while the batch has time, at least one. Returns the results. */
export function whileRoom<Item, Result>(
  all: readonly Item[],
  isFull: () => boolean,
  each: (item: Item) => Result,
): Result[] {
  const results: Result[] = []
  for (const item of all) {
    results.push(each(item))
    if (isFull()) break
  }
  return results
}
