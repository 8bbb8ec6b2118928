import type { Database } from '../sqlite/driver.ts'
import { indexEntries, isLookedUp } from './search.ts'

/** Documents read at once; the words of a transcript are many. */
const SOME = 32
/** Texts of this many characters are enough for one transaction. */
const MAX_TEXT = 500_000

type Pending = { docid: bigint; org: bigint; kind: bigint; words: string; fresh: string }

/** Moves pending words into the index. */
export function pendingWords(db: Database) {
  const counted = db.prepare('SELECT count(*) FROM (SELECT 1 FROM search_pending LIMIT ?)').pluck()
  const pendingAfter = db
    .prepare(
      `SELECT pending.docid, doc.org_id AS org, kind, doc.words, pending.words AS fresh
       FROM search_pending AS pending CROSS JOIN search_docs AS doc ON doc.docid = pending.docid
       WHERE pending.docid > ? ORDER BY pending.docid LIMIT ?`,
    )
    .safeIntegers()
  const update = db.prepare('UPDATE search_docs SET words = ? WHERE docid = ?')
  const remove = db.prepare('DELETE FROM search_pending WHERE docid <= ?')
  const hasWord = db.prepare('SELECT 1 FROM search_words WHERE org_id = ? AND word = ?').pluck()
  const addWord = db.prepare('INSERT INTO search_words (org_id, word) VALUES (?, ?)')
  const { addEntry, removeEntry } = indexEntries(db)

  /**
   * Indexes up to `most` documents in the order of their numbers: for another order FTS5 would write to disk each time the
   * numbers go back. Returns how many; runs in the caller's transaction.
   */
  function index(most: number): number {
    let count = 0
    let text = 0
    let last = -1n
    while (count < most && text < MAX_TEXT) {
      const some = pendingAfter.all(last, Math.min(SOME, most - count)) as Pending[]
      for (const each of some) {
        move(each)
        last = each.docid
        text += each.words.length + each.fresh.length
      }
      count += some.length
      if (some.length < SOME) break
    }
    remove.run(last)
    return count
  }

  function move({ docid, org, kind, words, fresh }: Pending): void {
    const present = new Set(words.split(' '))
    for (const word of fresh ? fresh.split(' ') : []) {
      if (present.has(word) || !isLookedUp(word, Number(kind))) continue
      if (hasWord.get(org, word) === undefined) addWord.run(org, word)
    }
    removeEntry(docid, words)
    update.run(fresh, docid)
    addEntry(docid, fresh)
  }

  return {
    index,
    /** Whether so many documents are pending. */
    has: (count: number): boolean => counted.get(count) === count,
  }
}
