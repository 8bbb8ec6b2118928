import { rankOfId } from '../lib/id.ts'
import type { Database } from './driver.ts'

/**
 * Kinds of records that can be searched, and `meeting_alone` without the words of transcripts. Their numbers stand in the
 * index: never change one.
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
 * How many documents can stand at one rank (see `rankOfId`): an id of another clock may have the same, and an org that
 * came from an export has the very ids of the first one.
 */
export const SAME_RANK = 64n
/** The ranks from 2109 on are one: numbers have 63 bits, also the one behind the last. */
const LAST_RANK = 2n ** 57n - 2n
/** The first character of every word in the index: it keeps orgs and kinds apart. */
export function markOf(org: number, kind: Kind): string {
  return String.fromCodePoint(0x10000 + org * 16 + KINDS[kind])
}

/** The numbers of the documents that a record of this id can have: from the first one on, below the second. */
export function numbersOf(id: string): [bigint, bigint] {
  const rank = rankOfId(id)
  const first = (rank < LAST_RANK ? rank : LAST_RANK) * SAME_RANK
  return [first, first + SAME_RANK]
}

type Doc = { docid: bigint; org: bigint; kind: bigint; id: string; words: string }

/** Keeps the index of one kind in step with its records, inside their transactions. */
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
  // By triggers the index would write its words to disk for each record, instead of once before COMMIT: every statement
  // with a trigger can be undone on its own. It keeps no texts, so it has to be told what to forget.
  const learn = db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)')
  const forget = db.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)")
  const isKnown = db.prepare('SELECT 1 FROM search_words WHERE org_id = ? AND word = ?').pluck()
  const remember = db.prepare('INSERT INTO search_words (org_id, word) VALUES (?, ?)')

  function put(org: number, id: string, words: readonly string[]): void {
    const mark = markOf(org, kind)
    const marked = words.map((word) => mark + word)
    const text = marked.join(' ')
    const docs = ofRank.all(...numbersOf(id)) as Doc[]
    const own = docs.find((doc) => isOwn(doc, org, id))
    if (own?.words === text) return
    for (const word of marked) {
      if (isLookedUp(word, kind) && isKnown.get(org, word) === undefined) remember.run(org, word)
    }
    const docid = own?.docid ?? makeRoom(docs, id)
    if (own) {
      forget.run(docid, own.words)
      update.run(text, docid)
    } else insert.run(docid, org, KINDS[kind], id, text)
    learn.run(docid, text)
  }

  /**
   * The same with what was found so far kept: of a record whose words come one after the other. All of them are written
   * again each time, so that there are at most so many.
   */
  function add(org: number, id: string, words: readonly string[], most: number): void {
    const mark = markOf(org, kind)
    const docs = ofRank.all(...numbersOf(id)) as Doc[]
    const own = docs.find((doc) => isOwn(doc, org, id))
    const known = own?.words ? own.words.split(' ').map((word) => word.slice(mark.length)) : []
    if (known.length < most) put(org, id, [...new Set([...known, ...words])].slice(0, most))
  }

  /** A number behind the smaller ids of the same rank; those that stand there already move on by one. */
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
    forget.run(docid, words)
    renumber.run(docid + 1n, docid)
    learn.run(docid + 1n, words)
  }

  const isOwn = (doc: Doc, org: number, id: string): boolean =>
    doc.id === id && doc.org === BigInt(org) && doc.kind === BigInt(KINDS[kind])

  return {
    put,
    add,
    remove: (org: number, id: string): void => {
      const doc = (ofRank.all(...numbersOf(id)) as Doc[]).find((each) => isOwn(each, org, id))
      if (!doc) return
      forget.run(doc.docid, doc.words)
      remove.run(doc.docid)
    },
  }
}

/** Whether search_words has the word: the many ends of phone numbers, each in few records, would only fill it. */
export function isLookedUp(marked: string, kind: Kind): boolean {
  return !((kind === 'contact' || kind === 'company') && /^.\d+$/u.test(marked))
}
