import { type Query, queryOf } from '../../lib/words.ts'
import { digitsOf } from '../../lib/written/people/phone-countries.ts'
import { countryOf } from '../orgs/orgs.ts'
import { isLookedUp, isOwnerWord, KINDS, type Kind, markOf, ownerWord, WITH_PHONES } from '../search/search.ts'
import { numbersOf, SAME_RANK } from '../sqlite/doc-numbers.ts'
import type { Database } from '../sqlite/driver.ts'
import type { Filter, Operator, SearchIn, SqlPart } from './conditions.ts'

/** A prefix with more completions than this is left to the prefix index. */
const MAX_ENDINGS = 64

/** Full-text search over the words of the records of one kind; the words are those of `wordsOf`. */
export const searchFilter = (kind: Kind, fields: string): Filter => ({
  type: 'search',
  search: kind,
  description: `Full-text search in ${fields}. Each word must be the beginning of a word in the record, ignoring case and accents.`,
})

/** Fewer digits are the beginning of many numbers. */
const FEWEST_DIGITS = 6

/** A number that is asked for is found in all notations: by what these have in common. */
export function numbersIn(kind: Kind, text: string, country: () => string | undefined): string[] {
  const isPhone = !/\p{L}/u.test(text) && (text.match(/\p{Nd}/gu) ?? []).length >= FEWEST_DIGITS
  return isPhone && WITH_PHONES.includes(kind) ? digitsOf(text, country()) : []
}

/** A search in the records of an organisation: for the index, and for testing one record. */
export type Search = { kind: Kind; match: string; query: Query }

/**
 * Parses a search text. For whole words, the index returns records at once and newest first; for a prefix it has to
 * collect all records first, which took 70 ms for 300,000. So a prefix is replaced by its completions among the
 * existing words, unless there are too many.
 */
export function searches(db: Database): (org: number, asked: SearchIn) => Search {
  const endings = db
    .prepare('SELECT word FROM search_words WHERE org_id = ? AND word >= ? AND word < ? LIMIT ?')
    .pluck()
  const country = countryOf(db)

  return function read(org, { search: kind, text, owner }) {
    const mark = markOf(org, kind)
    const owners = owner === undefined ? [] : [mark + ownerWord(owner)]
    const query = queryOf(
      text,
      numbersIn(kind, text, () => country(org)),
    ).map((words) => [...words.map((word) => mark + word), ...owners])
    const match = query.map((words) => `(${words.map((word) => termOf(org, kind, word)).join(' AND ')})`)
    // No record has the mark alone as a word.
    return { kind, match: match.join(' OR ') || `"${mark}"`, query }
  }

  /** Words contain only letters and digits, so they need no escaping. */
  function termOf(org: number, kind: Kind, word: string): string {
    const beginning = `"${word}" *`
    if (isOwnerWord(word)) return `"${word}"`
    if (!isLookedUp(word, KINDS[kind])) return beginning
    const all = endings.all(org, word, `${word}\u{10ffff}`, MAX_ENDINGS + 1) as string[]
    if (all.length > MAX_ENDINGS) return beginning
    return all.length > 0 ? `(${all.map((each) => `"${each}"`).join(' OR ')})` : `"${word}"`
  }
}

/** What a search found: the number of its document. */
const FOUND = 'found.docid'

/**
 * The numbers of the documents that match: those of the index, but for documents whose words are pending, which are tested
 * by these. Each bound is a comparison that follows the number.
 */
function matching({ match, query }: Search, bounds: readonly SqlPart[] = []): SqlPart {
  const within = (docid: string) => bounds.map(({ sql }) => ` AND ${docid} ${sql}`).join('')
  const given = bounds.flatMap(({ values }) => values)
  const indexed = `SELECT search.rowid AS docid FROM search WHERE search MATCH ?${within('search.rowid')}`
  const decided = 'NOT EXISTS (SELECT 1 FROM search_pending AS other WHERE other.docid = search.rowid)'
  const pending = `SELECT docid FROM search_pending AS pending WHERE has_words(words, ?)${within('docid')}`
  return {
    sql: `${indexed} AND ${decided} UNION ALL ${pending}`,
    values: [match, ...given, JSON.stringify(query), ...given],
  }
}

/** The ids of the records, and the number of each document as `found.docid`. */
export function idsOfSearch(search: Search): SqlPart {
  const { sql, values } = matching(search)
  return {
    sql: `SELECT doc.record_id FROM (${sql}) AS found CROSS JOIN search_docs AS doc ON doc.docid = ${FOUND}`,
    values,
  }
}

/**
 * The first characters of the ids of the records, and of some others with almost the same time: no document has to be read
 * for them. `isAmong` tests an id.
 */
export function startsOfSearch(search: Search): SqlPart {
  const { sql, values } = matching(search)
  const rank = (bits: number) => `found.docid >> ${RANK_BITS + bits}`
  const time = `${rank(31)}, ${rank(15)} & 65535, ${rank(3)} & 4095, 8 + (${rank(1)} & 3)`
  return { sql: `SELECT format('%08x-%04x-7%03x-%x', ${time}) FROM (${sql}) AS found`, values }
}

export const isAmong = (id: string, { sql, values }: SqlPart): SqlPart => ({
  sql: `substr(${id}, 1, ${START_LENGTH}) IN (${sql})`,
  values,
})

const START_LENGTH = '01890000-0000-7000-8'.length
/** The bits of a document number that come after the time and the counter of its id: see `SAME_RANK`. */
const RANK_BITS = 6

/** The same number of rows, without reading a record. */
export const entriesOfSearch = (search: Search): SqlPart => matching(search)

/** Bounds of the ids of a walk. */
export type WalkBound = { operator: Operator; id: string }

/**
 * Walks what was found in the order of the records' ids, between bounds. With its LIMIT, SQLite takes the order of the
 * subquery for that of the list, and reads both of its parts side by side instead of sorting all that was found.
 */
export function searchWalk(table: string, search: Search, bounds: readonly WalkBound[], descending: boolean) {
  const { sql, values } = matching(search, bounds.map(boundOf))
  const found = `(${sql} ORDER BY 1${descending ? ' DESC' : ''} LIMIT -1) AS found`
  const from = `${found} CROSS JOIN search_docs AS doc ON doc.docid = ${FOUND} CROSS JOIN ${table} ON ${table}.org_id = doc.org_id AND ${table}.id = doc.record_id`
  return { from, given: values, id: FOUND }
}

/** A comparison of ids as one of document numbers. Other ids may have the same number. */
function boundOf({ operator, id }: WalkBound): SqlPart {
  const [first, end] = numbersOf(id)
  return operator === 'gt' || operator === 'gte' ? { sql: '>= ?', values: [first] } : { sql: '< ?', values: [end] }
}

/** Whether one record matches the search. */
export function testOfSearch(table: string, { kind, query }: Search): SqlPart {
  const first = `number_of(${table}.id)`
  const pending = 'SELECT words FROM search_pending AS pending WHERE pending.docid = doc.docid'
  const words = `SELECT coalesce((${pending}), words) FROM search_docs AS doc WHERE docid >= ${first} AND docid < ${first} + ${SAME_RANK}`
  const own = `record_id = ${table}.id AND org_id = ${table}.org_id AND kind = ${KINDS[kind]}`
  return { sql: `has_words((${words} AND ${own}), ?)`, values: [JSON.stringify(query)] }
}

/** The same for columns of a table that is too small to need the index. */
export function testOfWords(table: string, columns: readonly string[], text: string): SqlPart {
  const all = columns.map((column) => `${table}.${column}`).join(', ')
  return { sql: `has_words(words_of(${all}), ?)`, values: [JSON.stringify(queryOf(text))] }
}
