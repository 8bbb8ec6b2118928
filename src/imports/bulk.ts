import { Problem } from '../lib/problem.ts'
import type { Batch } from '../store/batches.ts'
import { enlargeCache } from '../store/cache.ts'
import { totalChanges } from '../store/changes.ts'
import type { Store } from '../store/open.ts'

/** Rows that are held for a transaction; it takes as many of them as its time allows. */
export const MAX_BATCH = 500

/** Runs a job that writes many records. */
export async function inBulk<T>({ db }: Pick<Store, 'db'>, job: () => Promise<T>): Promise<T> {
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
 * Runs a batch in one transaction, in which `alone` runs what may be refused, leaving nothing behind then. What is
 * refused has mostly written nothing yet. Where it has, the batch is undone and run again with a savepoint for each:
 * savepoints for all would make the search index write what it has gathered to disk at each of them.
 */
export function inBatch<T>(
  { db, transaction }: Pick<Store, 'db' | 'transaction'>,
  batch: Batch,
  job: (single: Alone, isFull: () => boolean) => T,
): T {
  const changes = totalChanges(db)
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
    return batch((isFull) => job(plain, isFull))
  } catch (error) {
    if (error !== UNDO) throw error
    return batch((isFull) => job(inSavepoint, isFull))
  }
}

/** So many of them, from the first one on, as the batch has time for: one at least. */
export function whileRoom<Given, Made>(
  all: readonly Given[],
  isFull: () => boolean,
  each: (given: Given) => Made,
): Made[] {
  const made: Made[] = []
  for (const given of all) {
    made.push(each(given))
    if (isFull()) break
  }
  return made
}
