import { SEARCHED_TABLES } from '../../../store/orgs/erase.ts'
import { IS_WHOLE } from '../../../store/orgs/staged.ts'
import { indexesOf, isLookedUp, KINDS, type Kind, placeOf } from '../../../store/search/search.ts'
import { connection, type Database } from '../../../store/sqlite/driver.ts'
import { pageErrors } from './inspect.ts'
import { searchTables } from './search-tables.ts'

// How it stands with the tables of the search, which have nothing that the records do not have.

/** Whether the pages of all other tables are whole. SQLite stops at a damaged index of FTS5, so each is checked alone. */
export function areOthersWhole(db: Database, isFull: boolean): boolean {
  const own = searchTables()
  const kinds = connection(db).pragma('main.table_list') as { name: string; type: string }[]
  const others = kinds.filter(({ name, type }) => type !== 'virtual' && type !== 'view' && !own.includes(name))
  return others.every(({ name }) => pageErrors(db, isFull, `"${name}"`).length === 0)
}

/** Not those that are being restored, or that have moved: something of them is missing. */
const DONE = `SELECT id FROM orgs WHERE ${IS_WHOLE} AND state <> 'moved'`

export const wholeOrgs = (db: Database): number[] => db.prepare(DONE).pluck().all() as number[]

/** Also those: when they are whole, they must be found. */
export const everyOrg = (db: Database): number[] => db.prepare('SELECT id FROM orgs').pluck().all() as number[]

/** Records that the search has no document for. */
export function missingDocs(db: Database): number {
  const isDone = `org_id IN (${DONE})`
  const count = db.prepare(`SELECT count(*) FROM search_docs WHERE kind = ? AND ${isDone}`).pluck()
  return (Object.keys(KINDS) as Kind[]).reduce((sum, kind) => {
    const records = db.prepare(`SELECT count(*) FROM ${SEARCHED_TABLES[kind]} WHERE ${isDone}`).pluck().get() as number
    return sum + Math.max(0, records - (count.get(KINDS[kind]) as number))
  }, 0)
}

/**
 * Whether the index has the words of the documents, each of them and no others, and whether each that can be completed is
 * among those. FTS5 would compare them, too, but only by writing.
 */
export function isIndexRight(db: Database): boolean {
  const opened = connection(db)
  opened.pragma('query_only = OFF') // for the table in memory
  try {
    opened.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_seen USING fts5vocab('main', 'search', 'instance')")
  } finally {
    opened.pragma('query_only = ON')
  }
  return opened.transaction(() => {
    const held = sums()
    const hasWord = db.prepare('SELECT 1 FROM search_words WHERE org_id = ? AND word = ?').pluck()
    let last = ''
    for (const [term, doc] of db.prepare('SELECT term, doc FROM temp.search_seen').raw().iterate() as Seen) {
      held.add(term, doc)
      if (term === last) continue
      last = term
      const { org, kind } = placeOf(term)
      if (isLookedUp(term, kind) && hasWord.get(org, term) === undefined) return false
    }
    const wanted = sums()
    for (const [docid, words] of db.prepare('SELECT docid, words FROM search_docs').raw().iterate() as Docs)
      for (const word of words ? words.split(' ') : []) wanted.add(word, docid)
    return held.text() === wanted.text()
  })()
}

type Seen = IterableIterator<[term: string, doc: number]>
type Docs = IterableIterator<[docid: number, words: string]>

/** Numbers that are the same for the same pairs, in any order. */
function sums() {
  let count = 0
  let [one, other] = [0, 0]
  return {
    add(word: string, doc: number): void {
      let a = (doc % 4_294_967_296) | 0
      let b = Math.floor(doc / 4_294_967_296) | 0
      for (let at = 0; at < word.length; at++) {
        const code = word.charCodeAt(at)
        a = Math.imul(a ^ code, 0x01000193)
        b = Math.imul(b + code, 0x85ebca6b) ^ (b >>> 13)
      }
      count++
      one = (one + (a ^ (a >>> 15))) | 0
      other = (other + (b ^ (b >>> 15))) | 0
    },
    text: () => `${count} ${one} ${other}`,
  }
}

type Wanted = { kind: Kind; id: string; words: readonly string[] }

/** Documents with other words than `wanted` makes of their records. */
export function differingDocs(
  db: Database,
  orgs: readonly number[],
  wanted: (org: number) => Iterable<Wanted>,
): number {
  const indexes = indexesOf(db)
  return connection(db).transaction(() => {
    let count = 0
    for (const org of orgs)
      for (const { kind, id, words } of wanted(org)) {
        const held = new Set(indexes[kind].wordsOf(org, id))
        if (held.size !== words.length || !words.every((word) => held.has(word))) count++
      }
    return count
  })()
}
