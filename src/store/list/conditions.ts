import type { Caller } from '../../lib/caller.ts'
import { firstIdAt } from '../../lib/id.ts'
import type { Kind } from '../search.ts'

export type Operator = 'eq' | 'ne' | 'in' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'starts_with'

/** Rows of another table that belong to a record: `key` is the record's id there, `column` what is compared. */
export type Link = {
  table: string
  key: string
  column: string
  /** Only rows with this value in this column, which stands between org_id and `column` in the index. */
  only?: { column: string; value: string }
  /** At most one row belongs to a record. */
  single?: boolean
}

/** A filter that a list offers: how its value is read from the query, and where it stands in the store. */
export type Filter = {
  type: 'id' | 'text' | 'choice' | 'amount' | 'number' | 'date' | 'time' | 'flag' | 'search'
  /** Its own name where left out. `created_at` stands in the id. */
  column?: string
  /** Matches rows of a link table instead of a column. */
  link?: Link
  nullable?: boolean
  choices?: readonly string[]
  /** What a text has to look like. */
  pattern?: RegExp
  /** Brings a text or a choice into the form in which the column keeps it. */
  normal?: (text: string) => string | number
  /** A flag that lifts a condition instead of being one: `include_inactive`. */
  disablesDefault?: string
  /** False for columns of settings tables, which are small. */
  indexed?: boolean
  /** The kind of record in the search index, or the columns that are searched without one. */
  search?: Kind | readonly string[]
  /** Makes the conditions itself, from the value as the query reader gives it. */
  resolve?: (who: Caller, value: Value) => Condition[]
  description?: string
}

export type Value = string | number | bigint | null

/** A comparison of one column, of the record or of a link table. */
export type Comparison = {
  column: string
  link?: Link | undefined
  operator: Operator
  /** One for each ? of the comparison; null is IS NULL. */
  values: Value[]
  /** Whether an index may lead to the rows that meet it. */
  indexed: boolean
  /** Compares a member of a column that holds JSON; of each item of an array where `each` is set. */
  json?: { path: string; each?: boolean }
  /** Compares the column folded: without case and accents. */
  folded?: boolean
  /** Compares that many characters from the start of the column. */
  start?: number
  /** Of `in`, over several rows or items: each of the values has to be there. */
  every?: boolean
  /** Follows the clock: what it is met by may change although no row does. */
  timeDependent?: boolean
}

/**
 * What rows have to meet. Nothing is half true: where a column has no value, a comparison is false and its `not` true.
 * `of` looks at the one record of another table that a column refers to.
 */
export type Condition =
  | Comparison
  | { any: Condition[] }
  | { all: Condition[] }
  | { not: Condition }
  | { of: { table: string; column: string }; meets: Condition }
  | { search: Kind | readonly string[]; text: string }

/** Where a filter of this name looks. Ids carry the time of creation, so it needs no index of its own. */
export const columnOf = (name: string, { column }: Filter): string => column ?? (name === 'created_at' ? 'id' : name)

/** The conditions of a filter, with values that the query reader has already brought into the column's form. */
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

/** Bounds of `created_at`, in milliseconds, as bounds of the id. */
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

/** The same for one of several times: more ranges than a few would take longer to plan than to test. */
export function createdIn(times: number[]): Comparison {
  const stamps = times.map((ms) => firstIdAt(ms).slice(0, STAMP_LENGTH))
  return { column: 'id', operator: 'in', values: stamps, start: STAMP_LENGTH, indexed: false }
}

/** So much of an id says when it was made. */
const STAMP_LENGTH = 13

export const isComparison = (condition: Condition): condition is Comparison => 'operator' in condition

/** Whether what meets the condition may change although no row does. */
export function isTimeDependent(condition: Condition): boolean {
  if (isComparison(condition)) return condition.timeDependent === true
  if ('any' in condition) return condition.any.some(isTimeDependent)
  if ('all' in condition) return condition.all.some(isTimeDependent)
  if ('not' in condition) return isTimeDependent(condition.not)
  return 'meets' in condition && isTimeDependent(condition.meets)
}

/** The comparison of the column that has no value in any row that meets the condition, where it asks for just that. */
export function emptyOf(condition: Condition): Comparison | undefined {
  const [one, operator] = 'not' in condition ? [condition.not, 'ne'] : [condition, 'eq']
  return isComparison(one) && one.operator === operator && one.values[0] === null ? one : undefined
}

/** Whether a row without a value can meet the condition. */
export function admitsNull(condition: Condition): boolean {
  if (!isComparison(condition)) return true
  const { operator, values } = condition
  return operator === 'ne' ? values[0] !== null : operator === 'eq' && values[0] === null
}
