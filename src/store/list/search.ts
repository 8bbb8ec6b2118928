import { type Query, queryOf } from '../../lib/words.ts'
import type { Database } from '../driver.ts'
import { isLookedUp, KINDS, type Kind, markOf, numbersOf, SAME_RANK } from '../search.ts'
import type { SqlPart } from './condition-sql.ts'
import type { Filter, Operator } from './conditions.ts'

/** A word that goes on in more ways than this is left to the index of beginnings. */
const MAX_ENDINGS = 64

/** Full text search over the words of the records of one kind; the words are those of `wordsOf`. */
export const searchFilter = (kind: Kind, fields: string): Filter => ({
  type: 'search',
  search: kind,
  description: `Full text search over ${fields}: each word begins a word of the record, without regard to case and accents.`,
})

/** What is looked for in the records of an org: as the index is asked, and to test one record. */
export type Search = { kind: Kind; match: string; query: Query }

/**
 * Reads what people search for. The index answers whole words at once and newest first, but has to gather all records
 * first for the beginning of a word, which took 70 ms for 300,000. So a beginning is looked up among the words there
 * are, and searched for by its endings where they are not too many.
 */
export function searches(db: Database): (org: number, kind: Kind, text: string) => Search {
  const endings = db
    .prepare('SELECT word FROM search_words WHERE org_id = ? AND word >= ? AND word < ? LIMIT ?')
    .pluck()

  return function read(org, kind, text) {
    const mark = markOf(org, kind)
    const query = queryOf(text).map((words) => words.map((word) => mark + word))
    const match = query.map((words) => `(${words.map((word) => termOf(org, kind, word)).join(' AND ')})`)
    // No record has the mark alone for a word.
    return { kind, match: match.join(' OR ') || `"${mark}"`, query }
  }

  /** Words hold letters and digits alone: there is nothing to escape. */
  function termOf(org: number, kind: Kind, word: string): string {
    const beginning = `"${word}" *`
    if (!isLookedUp(word, kind)) return beginning
    const all = endings.all(org, word, `${word}\u{10ffff}`, MAX_ENDINGS + 1) as string[]
    if (all.length > MAX_ENDINGS) return beginning
    return all.length > 0 ? `(${all.map((each) => `"${each}"`).join(' OR ')})` : `"${word}"`
  }
}

/** The ids of the records, newest first where nothing else is asked. */
export const idsOfSearch = ({ match }: Search): SqlPart => ({
  sql: 'SELECT doc.record_id FROM search CROSS JOIN search_docs AS doc ON doc.docid = search.rowid WHERE search MATCH ?',
  values: [match],
})

/** As many rows as there are such records, without reading one. */
export const entriesOfSearch = ({ match }: Search): SqlPart => ({
  sql: 'SELECT 1 FROM search WHERE search MATCH ?',
  values: [match],
})

/** The way along the index, in the order of the records' ids; `where` belongs to it. */
export function searchWalk(table: string, { match }: Search): { from: string; where: SqlPart } {
  const from = `search CROSS JOIN search_docs AS doc ON doc.docid = search.rowid CROSS JOIN ${table} ON ${table}.org_id = doc.org_id AND ${table}.id = doc.record_id`
  return { from, where: { sql: 'search MATCH ?', values: [match] } }
}

/** A comparison of ids, for the way along the index: where it starts or ends. Others may have the same number. */
export function walkBound(operator: Operator, id: string): SqlPart {
  const [first, end] = numbersOf(id)
  return operator === 'gt' || operator === 'gte'
    ? { sql: 'search.rowid >= ?', values: [first] }
    : { sql: 'search.rowid < ?', values: [end] }
}

/** Whether one record is what is looked for. */
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
