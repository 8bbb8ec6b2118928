import { connection, type Database } from './driver.ts'

/** SQLite takes kibibytes, below zero, or else pages. */
const MEBIBYTE = -1024

/**
 * For writing many records: rows land all over the indexes, and with little memory pages are written to the log many
 * times. Answers what puts the usual size back.
 */
export function enlargeCache(db: Database, mebibytes: number): () => void {
  const opened = connection(db)
  const usual = opened.pragma('cache_size', { simple: true })
  opened.pragma(`cache_size = ${mebibytes * MEBIBYTE}`)
  return () => void opened.pragma(`cache_size = ${usual}`)
}
