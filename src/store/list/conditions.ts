import type { Caller } from '../../lib/caller.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { Kind } from '../search/search.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'starts_with'

/**
 * Rows of another table linked to a record: `key` is the column of the record's id there, `column` the compared one.
 */
export type Link = {
  table: string
  key: string
  column: string
  /** Only rows with this value in this column, which is between org_id and `column` in the index. */
  only?: { column: string; value: string }
  /** A record has at most one row. */
  single?: boolean
}

/** A filter of a list: how its value is parsed from the query, and its place in the store. */
export type Filter = {
  type: 'id' | 'text' | 'choice' | 'amount' | 'number' | 'date' | 'time' | 'flag' | 'search'
  /** The name of the filter by default. `created_at` is part of the id. */
  column?: string
  /** Matches rows of a link table instead of a column. */
  link?: Link
  nullable?: boolean
  /** An id of a member: `me` is the one who asks. */
  isMember?: boolean
  choices?: readonly string[]
  /** The pattern of a text. */
  pattern?: RegExp
  /** What a text has to be; `name` continues "must be". */
  form?: { is: (text: string) => boolean; name: string }
  /** Of a text, instead of 2048. */
  maxLength?: number
  /** Converts a text or a choice to its stored form. */
  normal?: (text: string) => string | number
  /** A flag that removes a default condition, such as `include_inactive`. */
  disablesDefault?: string
  /** False for columns of settings tables, which are small. */
  indexed?: boolean
  /** The kind of record in the search index, or the columns to search without one. */
  search?: Kind | readonly string[]
  /** Makes the conditions itself, from the parsed value. */
  resolve?: (who: Caller, value: Value) => Condition[]
  description?: string
}

export type Value = string | number | bigint | null

/** A comparison of one column, of the record or of a link table. */
export type Comparison = {
  column: string
  link?: Link | undefined
  operator: Operator
  /** One for each ? of the comparison; null means IS NULL. */
  values: Value[]
  /** Whether an index may select the rows that meet it. */
  indexed: boolean
  /** Compares a member of a JSON column; with `each`, a member of each item of an array. */
  json?: { path: string; each?: boolean }
  /** Compares the column folded: without case and accents. */
  folded?: boolean
  /** Compares the phone in the column with numbers, given as their `phoneKeys`, by the rules of this country. */
  phone?: { country: string | null }
  /** Compares this many characters from the start of the column. */
  start?: number
  /** For `in` over several rows or items: all of the values are required. */
  every?: boolean
  /** Depends on the time, so that the matching rows change without any write, or on who asks: no answer is kept for others. */
  timeDependent?: boolean
}

/**
 * A condition on rows. There is no third truth value: if a column is null, a comparison is false and its `not` true.
 * `of` is the record of another table that a column refers to.
 */
export type Condition =
  | Comparison
  | { any: Condition[] }
  | { all: Condition[] }
  | { not: Condition }
  | { of: { table: string; column: string }; meets: Condition }
  | Search

/** Words that a record has, and its owner, if that is one of the words: see `OWNED`. */
export type Search = { search: Kind | readonly string[]; text: string; owner?: string }

/** A condition for the search index. */
export type SearchIn = Search & { search: Kind }

/** SQL with the values of its parameters. */
export type SqlPart = { sql: string; values: unknown[] }

/** The column of a filter. Ids contain the time of creation, so `created_at` needs no index of its own. */
export const columnOf = (name: string, { column }: Filter): string => column ?? (name === 'created_at' ? 'id' : name)

/** The conditions of a filter, with values already parsed and converted to the form of the column. */
export function conditionsOf(
  who: Caller,
  name: string,
  filter: Filter,
  operator: Operator,
  values: Value[],
): Condition[] {
  if (filter.resolve) return filter.resolve(who, values[0] as Value)
  if (filter.search) return [{ search: filter.search, text: values[0] as string }]
  const column = columnOf(name, filter)
  if (column === 'id') return createdConditions(operator, values[0] as number)
  const { link } = filter
  if (link && operator === 'ne' && values[0] !== null) {
    return [{ not: { column, link, operator: 'eq', values, indexed: true } }]
  }
  if (link && operator === 'eq' && values[0] === null) {
    return [{ not: { column, link, operator: 'ne', values, indexed: true } }]
  }
  const indexed = filter.indexed !== false && (operator !== 'ne' || values[0] === null)
  return [{ column, link, operator, values, indexed }]
}

/** Limits on `created_at`, in milliseconds, as limits on the id. */
export function createdConditions(operator: Operator, ms: number): Comparison[] {
  const on = (bound: Operator, at: number): Comparison => ({
    column: 'id',
    operator: bound,
    values: [firstIdAt(at)],
    indexed: true,
  })
  if (operator === 'gte') return [on('gte', ms)]
  if (operator === 'gt') return [on('gte', ms + 1)]
  if (operator === 'lt') return [on('lt', ms)]
  if (operator === 'lte') return [on('lt', ms + 1)]
  return [on('gte', ms), on('lt', ms + 1)]
}

/** The same for one of several times: more than a few ranges would take longer to plan than to test. */
export function createdIn(times: number[]): Comparison {
  const stamps = times.map((ms) => firstIdAt(ms).slice(0, STAMP_LENGTH))
  return { column: 'id', operator: 'in', values: stamps, start: STAMP_LENGTH, indexed: false }
}

/** The length of the timestamp in an id. */
const STAMP_LENGTH = 13

export const isComparison = (condition: Condition): condition is Comparison => 'operator' in condition

export const isSearch = (condition: Condition): condition is SearchIn =>
  'search' in condition && typeof condition.search === 'string'

/** Whether the matching rows can change without any write. */
export function isTimeDependent(condition: Condition): boolean {
  if (isComparison(condition)) return condition.timeDependent === true
  if ('any' in condition) return condition.any.some(isTimeDependent)
  if ('all' in condition) return condition.all.some(isTimeDependent)
  if ('not' in condition) return isTimeDependent(condition.not)
  return 'meets' in condition && isTimeDependent(condition.meets)
}

/** The comparison that requires a column to be null in all matching rows, if the condition is one. */
export function emptyOf(condition: Condition): Comparison | undefined {
  const [one, operator] = 'not' in condition ? [condition.not, 'ne'] : [condition, 'eq']
  return isComparison(one) && one.operator === operator && one.values[0] === null ? one : undefined
}

/** Whether a row with a null can meet the condition. */
export function admitsNull(condition: Condition): boolean {
  if (!isComparison(condition)) return true
  const { operator, values } = condition
  return operator === 'ne' ? values[0] !== null : operator === 'eq' && values[0] === null
}
