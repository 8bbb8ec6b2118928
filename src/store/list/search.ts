import { type Query, queryOf } from '../../lib/words.ts'
import type { Database } from '../driver.ts'
import { isLookedUp, KINDS, type Kind, markOf, numbersOf, SAME_RANK } from '../search.ts'
import type { SqlPart } from './condition-sql.ts'
import type { Filter, Operator } from './conditions.ts'

/** A prefix with more completions than this is left to the prefix index. */
const MAX_ENDINGS = 64

/** Full-text search over the words of the records of one kind; the words are those of `wordsOf`. */
export const searchFilter = (kind: Kind, fields: string): Filter => ({
  type: 'search',
  search: kind,
  description: `Full-text search in ${fields}. Each word must be the beginning of a word in the record, ignoring case and accents.`,
})

/** A search in the records of an organisation: for the index, and for testing one record. */
export type Search = { kind: Kind; match: string; query: Query }

/**
 * Parses a search text. For whole words, the index returns records at once and newest first; for a prefix it has to
 * collect all records first, which took 70 ms for 300,000. So a prefix is replaced by its completions among the
 * existing words, unless there are too many.
 */
export function searches(db: Database): (org: number, kind: Kind, text: string) => Search {
  const endings = db
    .prepare('SELECT word FROM search_words WHERE org_id = ? AND word >= ? AND word < ? LIMIT ?')
    .pluck()

  return function read(org, kind, text) {
    const mark = markOf(org, kind)
    const query = queryOf(text).map((words) => words.map((word) => mark + word))
    const match = query.map((words) => `(${words.map((word) => termOf(org, kind, word)).join(' AND ')})`)
    // No record has the mark alone as a word.
    return { kind, match: match.join(' OR ') || `"${mark}"`, query }
  }

  /** Words contain only letters and digits, so they need no escaping. */
  function termOf(org: number, kind: Kind, word: string): string {
    const beginning = `"${word}" *`
    if (!isLookedUp(word, kind)) return beginning
    const all = endings.all(org, word, `${word}\u{10ffff}`, MAX_ENDINGS + 1) as string[]
    if (all.length > MAX_ENDINGS) return beginning
    return all.length > 0 ? `(${all.map((each) => `"${each}"`).join(' OR ')})` : `"${word}"`
  }
}

/** The ids of the records, newest first by default. */
export const idsOfSearch = ({ match }: Search): SqlPart => ({
  sql: 'SELECT doc.record_id FROM search CROSS JOIN search_docs AS doc ON doc.docid = search.rowid WHERE search MATCH ?',
  values: [match],
})

/** The same number of rows, without reading a record. */
export const entriesOfSearch = ({ match }: Search): SqlPart => ({
  sql: 'SELECT 1 FROM search WHERE search MATCH ?',
  values: [match],
})

/** Walks the index in the order of the records' ids; `where` belongs to `from`. */
export function searchWalk(table: string, { match }: Search): { from: string; where: SqlPart } {
  const from = `search CROSS JOIN search_docs AS doc ON doc.docid = search.rowid CROSS JOIN ${table} ON ${table}.org_id = doc.org_id AND ${table}.id = doc.record_id`
  return { from, where: { sql: 'search MATCH ?', values: [match] } }
}

/** A comparison of ids as a limit of the walk. Other ids may have the same number. */
export function walkBound(operator: Operator, id: string): SqlPart {
  const [first, end] = numbersOf(id)
  return operator === 'gt' || operator === 'gte'
    ? { sql: 'search.rowid >= ?', values: [first] }
    : { sql: 'search.rowid < ?', values: [end] }
}

/** Whether one record matches the search. */
export function testOfSearch(table: string, { kind, query }: Search): SqlPart {
  const first = `number_of(${table}.id)`
  const words = `SELECT words FROM search_docs WHERE docid >= ${first} AND docid < ${first} + ${SAME_RANK}`
  const own = `record_id = ${table}.id AND org_id = ${table}.org_id AND kind = ${KINDS[kind]}`
  return { sql: `has_words((${words} AND ${own}), ?)`, values: [JSON.stringify(query)] }
}

/** The same for columns of a table that is too small to need the index. */
export function testOfWords(table: string, columns: readonly string[], text: string): SqlPart {
  const all = columns.map((column) => `${table}.${column}`).join(', ')
  return { sql: `has_words(words_of(${all}), ?)`, values: [JSON.stringify(queryOf(text))] }
}
