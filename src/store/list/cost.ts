import type { SqlPart } from './conditions.ts'
import { type Condition, isComparison } from './conditions.ts'

// What it costs to test one row, for `affordable` in store/sqlite/work.ts: a comparison of a column of the row costs 1.

/** To find another row, or to parse JSON. */
const ELSEWHERE = 4
const FOLDED = 6
const PHONE = 60
/** So many values of an `in` cost as much as one comparison. */
const VALUES = 20

/**
 * A test that counts, if it is more than a comparison. SQLite leaves the order within CASE alone, so that a test that is not
 * reached does not count.
 */
export function counting(condition: Condition, { sql, values }: SqlPart): SqlPart {
  const cost = costOf(condition)
  return cost < ELSEWHERE ? { sql, values } : { sql: `CASE WHEN affordable(${cost}) THEN ${sql} END`, values }
}

function costOf(condition: Condition): number {
  if (isComparison(condition)) {
    const { link, json, folded, phone, values } = condition
    return (
      (link || json ? ELSEWHERE : 1) + (folded ? FOLDED : 0) + (phone ? PHONE : 0) + Math.floor(values.length / VALUES)
    )
  }
  if ('any' in condition) return sumOf(condition.any)
  if ('all' in condition) return sumOf(condition.all)
  if ('not' in condition) return costOf(condition.not)
  // A search has its own bounds: see NARROW_SEARCH in page.ts.
  return 'meets' in condition ? ELSEWHERE + costOf(condition.meets) : 0
}

const sumOf = (conditions: readonly Condition[]): number =>
  conditions.reduce((sum, condition) => sum + costOf(condition), 0)
