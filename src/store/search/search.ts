import { conflict } from '../../lib/problem.ts'
import { numbersOf } from '../sqlite/doc-numbers.ts'
import type { Database } from '../sqlite/driver.ts'

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

/** The greatest number of an organisation whose words have a first character, of which Unicode has 1,048,576 of this sort. */
const MAX_ORG = 2 ** 16 - 1
/**
 * Refuses the number of a new organisation that the search index has no character for, before it gets a record. Numbers are
 * not used twice.
 */
export function checkOrgNumber(org: number | bigint): number {
  if (org <= MAX_ORG) return Number(org)
  throw conflict(
    'too_many_organisations',
    `A data folder can have ${MAX_ORG} organisations in its life. Use another data folder for further ones.`,
  )
}

/** The first character of every word in the index: it separates organisations and kinds. */
export function markOf(org: number, kind: Kind): string {
  return String.fromCodePoint(0x10000 + org * 16 + KINDS[kind])
}

/** The organisation and the number of the kind that a word in the index belongs to. */
export function placeOf(marked: string): { org: number; kind: number } {
  const mark = (marked.codePointAt(0) as number) - 0x10000
  return { org: Math.floor(mark / 16), kind: mark % 16 }
}

/** In code units: the character is beyond the first plane. */
const MARK_LENGTH = 2

/** Kinds whose records are also found by their owner: the word of `ownerWord` is among those of the record. */
export const OWNED: readonly Kind[] = ['deal']

/** No letter and no digit, so that no text has it and no search can ask for it. */
const OWNER_MARK = '\ue000'

/** The word for an owner: `q` together with an owner is answered by the index alone. */
export const ownerWord = (owner: string): string => OWNER_MARK + owner.replaceAll('-', '')

export const isOwnerWord = (marked: string): boolean => marked.includes(OWNER_MARK)

/** `words` are those in the index; `pending` is null if they are the ones of the record. */
type Doc = { docid: bigint; org: bigint; kind: bigint; id: string; words: string; pending: string | null }

/**
 * The words of the records of one kind, written with the records, inside their transactions. They wait in search_pending
 * for the index, which would make each write half as expensive again; searches test what is pending. Only removals write
 * to the index at once, so that no word of a removed record stays anywhere.
 */
export function searchIndex(db: Database, kind: Kind) {
  const ofRank = db
    .prepare(
      `SELECT doc.docid, doc.org_id AS org, kind, record_id AS id, doc.words, pending.words AS pending
       FROM search_docs AS doc LEFT JOIN search_pending AS pending ON pending.docid = doc.docid
       WHERE doc.docid >= ? AND doc.docid < ? ORDER BY doc.docid`,
    )
    .safeIntegers()
  const insert = db.prepare("INSERT INTO search_docs (docid, org_id, kind, record_id, words) VALUES (?, ?, ?, ?, '')")
  const renumber = db.prepare('UPDATE search_docs SET docid = ? WHERE docid = ?')
  const remove = db.prepare('DELETE FROM search_docs WHERE docid = ?')
  const setPending = db.prepare(
    'INSERT INTO search_pending (docid, org_id, words) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET words = excluded.words',
  )
  const renumberPending = db.prepare('UPDATE search_pending SET docid = ? WHERE docid = ?')
  const removePending = db.prepare('DELETE FROM search_pending WHERE docid = ?')
  const { addEntry, removeEntry } = indexEntries(db)

  function put(org: number, id: string, words: readonly string[]): void {
    const docs = docsOfRank(id)
    const own = docs.find((doc) => isOwn(doc, org, id))
    const mark = markOf(org, kind)
    const text = words.map((word) => mark + word).join(' ')
    if (own && (own.pending ?? own.words) === text) return
    const docid = own?.docid ?? makeRoom(docs, id)
    if (!own) insert.run(docid, org, KINDS[kind], id)
    setPending.run(docid, org, text)
  }

  /**
   * Adds words and keeps the present ones: for a record whose words arrive one after the other. Each call writes all of
   * them again, so their number is limited to `most`.
   */
  function add(org: number, id: string, words: readonly string[], most: number): void {
    const mark = markOf(org, kind)
    const own = docsOfRank(id).find((doc) => isOwn(doc, org, id))
    const text = own ? (own.pending ?? own.words) : ''
    const present = text ? text.split(' ').map((word) => word.slice(mark.length)) : []
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
    removeEntry(docid, words)
    renumber.run(docid + 1n, docid)
    renumberPending.run(docid + 1n, docid)
    addEntry(docid + 1n, words)
  }

  function removeWords(org: number, id: string): void {
    const own = docsOfRank(id).find((doc) => isOwn(doc, org, id))
    if (!own) return
    removeEntry(own.docid, own.words)
    remove.run(own.docid)
    removePending.run(own.docid)
  }

  const docsOfRank = (id: string): Doc[] => ofRank.all(...numbersOf(id)) as Doc[]

  const isOwn = (doc: Doc, org: number, id: string): boolean =>
    doc.id === id && doc.org === BigInt(org) && doc.kind === BigInt(KINDS[kind])

  /** The words of a record; undefined if it has none here. */
  function wordsOf(org: number, id: string): string[] | undefined {
    const own = docsOfRank(id).find((doc) => isOwn(doc, org, id))
    return own && unmarked(own.pending ?? own.words)
  }

  return { put, add, remove: removeWords, wordsOf }
}

/** Those of all kinds. */
export const indexesOf = (db: Database): Record<Kind, ReturnType<typeof searchIndex>> =>
  Object.fromEntries((Object.keys(KINDS) as Kind[]).map((kind) => [kind, searchIndex(db, kind)])) as never

/** The words of a text in the index, without their marks. */
const unmarked = (text: string): string[] => (text === '' ? [] : text.split(' ').map((word) => word.slice(MARK_LENGTH)))

/**
 * Writes the entries of documents in the index. Not by triggers: with them the index would write its words to disk for each
 * document instead of once before COMMIT, since SQLite can undo each statement that has a trigger. The index stores no
 * texts, so removing an entry needs its words.
 */
export function indexEntries(db: Database) {
  const add = db.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)')
  const remove = db.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)")

  return {
    addEntry: (docid: bigint, words: string): void => {
      if (words) add.run(docid, words)
    },
    removeEntry: (docid: bigint, words: string): void => {
      if (words) remove.run(docid, words)
    },
  }
}

/** Kinds whose records have phones: in a field, or in what was written. */
export const WITH_PHONES: readonly Kind[] = ['contact', 'company', 'note', 'task']
const PHONE_KINDS: ReadonlySet<number> = new Set(WITH_PHONES.map((kind) => KINDS[kind]))

/**
 * Whether search_words contains the word. It omits owners, which are never completed, and the many suffixes of phone
 * numbers, each in few records.
 */
export function isLookedUp(marked: string, kind: number): boolean {
  if (isOwnerWord(marked)) return false
  return !(PHONE_KINDS.has(kind) && /^.\d+$/u.test(marked))
}
