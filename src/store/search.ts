import { rankOfId } from '../lib/id.ts'
import type { Database } from './driver.ts'

/**
 * Kinds of searchable records; `meeting_alone` is a meeting without the words of its transcript. The index contains
 * these numbers: never change one.
 */
export const KINDS = {
  deal: 0,
  contact: 1,
  company: 2,
  note: 3,
  task: 4,
  conversation: 5,
  meeting: 6,
  meeting_alone: 7,
} as const
export type Kind = keyof typeof KINDS

/**
 * How many documents can share a rank (see `rankOfId`): an id of another clock may have the same, and an imported
 * organisation has the same ids as the original.
 */
export const SAME_RANK = 64n
/** Ids from 2109 on share one rank: numbers have 63 bits, including the one after the last. */
const LAST_RANK = 2n ** 57n - 2n
/** The first character of every word in the index: it separates organisations and kinds. */
export function markOf(org: number, kind: Kind): string {
  return String.fromCodePoint(0x10000 + org * 16 + KINDS[kind])
}

/** The range of possible document numbers for a record with this id: from the first up to but excluding the second. */
export function numbersOf(id: string): [bigint, bigint] {
  const rank = rankOfId(id)
  const first = (rank < LAST_RANK ? rank : LAST_RANK) * SAME_RANK
  return [first, first + SAME_RANK]
}

type Doc = { docid: bigint; org: bigint; kind: bigint; id: string; words: string }

/** Updates the index of one kind together with its records, inside their transactions. */
export function searchIndex(db: Database, kind: Kind) {
  const ofRank = db
    .prepare(
      'SELECT docid, org_id AS org, kind, record_id AS id, words FROM search_docs WHERE docid >= ? AND docid < ? ORDER BY docid',
    )
    .safeIntegers()
  const insert = db.prepare('INSERT INTO search_docs (docid, org_id, kind, record_id, words) VALUES (?, ?, ?, ?, ?)')
  const renumber = db.prepare('UPDATE search_docs SET docid = ? WHERE docid = ?')
  const update = db.prepare('UPDATE search_docs SET words = ? WHERE docid = ?')
  const remove = db.prepare('DELETE FROM search_docs WHERE docid = ?')
  // Not by triggers: with them the index would write its words to disk for each record instead of once before COMMIT,
  // since SQLite can undo each statement that has a trigger. The index stores no texts, so deleting an entry needs its
  // words.
  const addEntry = db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)')
  const removeEntry = db.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)")
  const hasWord = db.prepare('SELECT 1 FROM search_words WHERE org_id = ? AND word = ?').pluck()
  const addWord = db.prepare('INSERT INTO search_words (org_id, word) VALUES (?, ?)')

  function put(org: number, id: string, words: readonly string[]): void {
    const mark = markOf(org, kind)
    const marked = words.map((word) => mark + word)
    const text = marked.join(' ')
    const docs = ofRank.all(...numbersOf(id)) as Doc[]
    const own = docs.find((doc) => isOwn(doc, org, id))
    if (own?.words === text) return
    for (const word of marked) {
      if (isLookedUp(word, kind) && hasWord.get(org, word) === undefined) addWord.run(org, word)
    }
    const docid = own?.docid ?? makeRoom(docs, id)
    if (own) {
      removeEntry.run(docid, own.words)
      update.run(text, docid)
    } else insert.run(docid, org, KINDS[kind], id, text)
    addEntry.run(docid, text)
  }

  /**
   * Adds words and keeps the present ones: for a record whose words arrive one after the other. Each call writes all of
   * them again, so their number is limited to `most`.
   */
  function add(org: number, id: string, words: readonly string[], most: number): void {
    const mark = markOf(org, kind)
    const docs = ofRank.all(...numbersOf(id)) as Doc[]
    const own = docs.find((doc) => isOwn(doc, org, id))
    const present = own?.words ? own.words.split(' ').map((word) => word.slice(mark.length)) : []
    if (present.length < most) put(org, id, [...new Set([...present, ...words])].slice(0, most))
  }

  /** Returns a number after all smaller ids of the same rank; documents already there move up by one. */
  function makeRoom(docs: Doc[], id: string): bigint {
    const [first, end] = numbersOf(id)
    const last = docs.findLast((doc) => doc.id <= id)
    const docid = last ? last.docid + 1n : first
    let free = docid
    while (docs.some((doc) => doc.docid === free)) free++
    if (free === end) throw new Error(`There are too many ids of the rank of ${id}.`)
    for (; free > docid; free--) moveOn(docs.find((doc) => doc.docid === free - 1n) as Doc)
    return docid
  }

  function moveOn({ docid, words }: Doc): void {
    removeEntry.run(docid, words)
    renumber.run(docid + 1n, docid)
    addEntry.run(docid + 1n, words)
  }

  const isOwn = (doc: Doc, org: number, id: string): boolean =>
    doc.id === id && doc.org === BigInt(org) && doc.kind === BigInt(KINDS[kind])

  return {
    put,
    add,
    remove: (org: number, id: string): void => {
      const doc = (ofRank.all(...numbersOf(id)) as Doc[]).find((each) => isOwn(each, org, id))
      if (!doc) return
      removeEntry.run(doc.docid, doc.words)
      remove.run(doc.docid)
    },
  }
}

/** Whether search_words contains the word. It omits the many suffixes of phone numbers, each in few records. */
export function isLookedUp(marked: string, kind: Kind): boolean {
  return !((kind === 'contact' || kind === 'company') && /^.\d+$/u.test(marked))
}
