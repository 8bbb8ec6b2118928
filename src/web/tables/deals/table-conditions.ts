import { type Condition, type Filter, fromFilter, type Operator } from '../filters/conditions.ts'
import { isOfBoardShape } from './fields.ts'
import { DAY_MS } from './model.ts'

/** What the server is asked for when deals are a table: the open stages, and days in a stage as the time since when. */
export const conditionsForTable = (conditions: readonly Filter[], stages: readonly string[], now: number): Filter[] => [
  { field: 'stage', op: 'in', value: [...stages] },
  ...conditions.filter((each) => !isOfBoardShape(each)).flatMap((each) => fromFilter(filterForTable(each, now))),
]

function filterForTable(filter: Filter, now: number): Filter {
  if ('all' in filter) return { all: filter.all.map((each) => filterForTable(each, now)) }
  if ('any' in filter) return { any: filter.any.map((each) => filterForTable(each, now)) }
  return 'not' in filter ? { not: filterForTable(filter.not, now) } : conditionForTable(filter, now)
}

function conditionForTable(condition: Condition, now: number): Filter {
  const { field, op, value } = condition
  if (field !== 'days_in_stage') return condition
  // A deal is in its stage for n days from n days after it came until a day later.
  const at = (days: number, by: Operator): Condition => ({
    field: 'stage_changed_at',
    op: by,
    value: new Date(now - days * DAY_MS).toISOString(),
  })
  const days = Number(value)
  if (op === 'gt') return at(days + 1, 'lte')
  if (op === 'gte') return at(days, 'lte')
  if (op === 'lt') return at(days, 'gt')
  if (op === 'lte') return at(days + 1, 'gt')
  return { all: [at(days, 'lte'), at(days + 1, 'gt')] }
}
