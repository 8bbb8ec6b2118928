import { Problem } from '../lib/problem.ts'
import type { Store } from '../store/open.ts'

/** Records in a transaction: a server that runs on the folder waits while one is written. */
export const BATCH = 500
/** Of the time that a transaction took, for others. */
const SHARE = 0.2

/**
 * Lets a server that runs on the folder write. SQLite does not queue those who wait: they look again every few
 * milliseconds, and a short pause is mostly over when they do.
 */
export const turnOfOthers = (tookMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.ceil(tookMs * SHARE)))

/** For writing many records: rows land all over the indexes, and with little memory pages are written many times. */
export async function inBulk<T>({ db }: Pick<Store, 'db'>, job: () => Promise<T>): Promise<T> {
  const usual = ['cache_size', 'wal_autocheckpoint'].map((name) => [name, db.pragma(name, { simple: true })])
  db.pragma('cache_size = -131072')
  db.pragma('wal_autocheckpoint = 16384')
  try {
    return await job()
  } finally {
    for (const [name, value] of usual) db.pragma(`${name} = ${value}`)
  }
}

const UNDO = Symbol('something was written')

export type Alone = <T>(job: () => T, refused: (problem: Problem) => T) => T

/**
 * Runs a batch in one transaction, in which `alone` runs what may be refused, leaving nothing behind then. What is
 * refused has mostly written nothing yet. Where it has, the batch is undone and run again with a savepoint for each:
 * savepoints for all would make the search index write what it has gathered to disk at each of them.
 */
export function inBatch<T>({ db, transaction }: Pick<Store, 'db' | 'transaction'>, batch: (alone: Alone) => T): T {
  const changes = db.prepare('SELECT total_changes()').pluck()
  const plain: Alone = (job, refused) => {
    const before = changes.get()
    try {
      return job()
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (changes.get() !== before) throw UNDO
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
    return transaction(() => batch(plain))
  } catch (error) {
    if (error !== UNDO) throw error
    return transaction(() => batch(inSavepoint))
  }
}
