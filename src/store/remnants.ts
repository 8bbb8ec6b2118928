import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Batch } from './batches.ts'
import { emptyLog } from './checkpoint.ts'
import { DATABASE } from './open.ts'
import { pendingWords } from './search/search-index.ts'
import { totalChanges } from './sqlite/changes.ts'
import { connection, type Database } from './sqlite/driver.ts'
import { failureOf } from './sqlite/failures.ts'

// What is left of deleted rows in the file: in free space, in old segments of the search index, and in the write-ahead
// log. Only the erasure of a person has to care.

/** Pages of the index that are merged in one transaction. */
const MERGE_PAGES = 200

/** Overwrites what is deleted with zeros, until the returned function is called. */
export function overwriteDeleted(db: Database): () => void {
  const opened = connection(db)
  opened.pragma('secure_delete = ON')
  return () => void opened.pragma('secure_delete = OFF')
}

/**
 * Merges the search index into one segment: in others, entries of removed documents are only marked. Then deletes the
 * words that no document has any more from those that complete a prefix.
 */
export function forgetWords(db: Database, batch: Batch): void {
  const opened = connection(db)
  const pending = pendingWords(db)
  const merge = db.prepare("INSERT INTO search (search, rank) VALUES ('merge', ?)")
  const changes = totalChanges(db)
  const step = (pages: number): boolean =>
    batch(() => {
      const before = changes()
      merge.run(pages)
      return changes() - before > 1 // the command itself is one
    })
  while (batch(() => pending.index(MERGE_PAGES)) > 0); // until then the index has the old words of changed records
  step(-MERGE_PAGES) // negative: all segments become one
  while (step(MERGE_PAGES));

  opened.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_vocabulary USING fts5vocab('main', 'search', 'row')")
  try {
    const unused = db
      .prepare('SELECT org_id, word FROM search_words WHERE word NOT IN (SELECT term FROM temp.search_vocabulary)')
      .all() as { org_id: number; word: string }[]
    const isUsed = db.prepare('SELECT 1 FROM search WHERE search MATCH ? LIMIT 1').pluck()
    const remove = db.prepare('DELETE FROM search_words WHERE org_id = ? AND word = ?')
    for (let next = unused.pop(); next; )
      batch((isFull) => {
        for (; next; next = unused.pop()) {
          if (!isUsed.get(`"${next.word}"`)) remove.run(next.org_id, next.word)
          if (isFull()) break
        }
      })
  } finally {
    opened.exec('DROP TABLE IF EXISTS temp.search_vocabulary')
  }
}

/** Writes the whole file anew, without its free space, and empties the log. Returns false if there is no space for it. */
export function compact(db: Database): boolean {
  const opened = connection(db)
  const store = opened.pragma('temp_store', { simple: true })
  try {
    opened.pragma('temp_store = FILE') // not in memory: it may have gigabytes
    opened.exec('VACUUM')
    emptyLog(db)
    return true
  } catch (error) {
    if (failureOf(error) !== 'full') throw error
    return false
  } finally {
    opened.pragma(`temp_store = ${store}`)
  }
}

export const databaseBytes = (dataDir: string): number => statSync(join(dataDir, DATABASE)).size
