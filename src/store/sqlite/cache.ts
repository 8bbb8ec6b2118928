import { connection, type Database } from './driver.ts'

/** SQLite interprets negative values as kibibytes, positive ones as pages. */
const MEBIBYTE = -1024

/**
 * For writing many records: rows are spread over all indexes, and with a small cache each page is written to the log
 * many times. Returns a function that restores the size.
 */
export function enlargeCache(db: Database, mebibytes: number): () => void {
  const opened = connection(db)
  const usual = opened.pragma('cache_size', { simple: true })
  opened.pragma(`cache_size = ${mebibytes * MEBIBYTE}`)
  return () => void opened.pragma(`cache_size = ${usual}`)
}
