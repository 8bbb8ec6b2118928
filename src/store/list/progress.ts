import { admitsNull, type Comparison, type Condition, emptyOf, isComparison, isSearch } from './conditions.ts'
import type { ListQuery, Sort } from './query.ts'

// How far a walk along a sort has come, and what is left of its conditions.

/** Whether the condition compares the sort key. */
export const isOf = ({ column, link }: Sort, condition: Condition): boolean =>
  isComparison(condition) &&
  condition.column === column &&
  condition.link?.table === link?.table &&
  condition.link?.only?.value === link?.only?.value

/** Whether the index contains each matching record only once. */
export const hasEachOnce = (condition: Condition): boolean =>
  isSearch(condition) || (isComparison(condition) && (!condition.link || condition.link.single === true))

/** A bound that the previous page has already passed: left out, since SQLite would start from it again. */
export function isPassed({ sort, descending, after }: ListQuery, condition: Condition): boolean {
  if (!after || !isComparison(condition) || !isOf(sort, condition)) return false
  const { operator } = condition
  return descending ? operator === 'lt' || operator === 'lte' : operator === 'gt' || operator === 'gte'
}

export const isBound = (condition: Condition): boolean =>
  isComparison(condition) && /^[gl]te?$/.test(condition.operator)

/**
 * Several values of the key: after the first page it is only a test, since SQLite would start from the first of each.
 */
export const isScattered = ({ sort, after }: ListQuery, condition: Condition): boolean =>
  after !== undefined && isOf(sort, condition) && (condition as Comparison).operator === 'in'

/** A nullable key splits a list in two: first the rows with a key, then those without. */
export function parts({ sort, conditions, after }: ListQuery): boolean[] {
  if (!sort.nullable) return [false]
  const own = conditions.filter((condition) => isOf(sort, condition)) as Comparison[]
  const keyed = after?.key !== null && !conditions.map(emptyOf).some((each) => each && isOf(sort, each))
  return [...(keyed ? [false] : []), ...(own.every(admitsNull) ? [true] : [])]
}
