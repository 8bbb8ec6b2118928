import type { Condition, Operator } from '../../components/filters/conditions.ts'
import { DAY_MS } from './model.ts'

/** What the server is asked for when deals are a table: the open stages, and days in a stage as the time since when. */
export const conditionsForTable = (
  conditions: readonly Condition[],
  stages: readonly string[],
  now: number,
): Condition[] => [
  { field: 'stage', op: 'in', value: [...stages] },
  ...conditions.flatMap((condition) => conditionForTable(condition, now) ?? []),
]

/** What the table cannot ask for: the next step is known to the board alone. */
export const boardOnly = (conditions: readonly Condition[]): Condition[] =>
  conditions.filter((condition) => conditionForTable(condition, 0) === null)

function conditionForTable(condition: Condition, now: number): Condition[] | null {
  const { field, op, value } = condition
  if (field === 'next_step') return null
  if (field !== 'days_in_stage') return [condition]
  // A deal is in its stage for n days from n days after it came until a day later.
  const at = (days: number, by: Operator): Condition => ({
    field: 'stage_changed_at',
    op: by,
    value: new Date(now - days * DAY_MS).toISOString(),
  })
  const days = Number(value)
  if (op === 'gt') return [at(days + 1, 'lte')]
  if (op === 'gte') return [at(days, 'lte')]
  if (op === 'lt') return [at(days, 'gt')]
  if (op === 'lte') return [at(days + 1, 'gt')]
  if (op === 'eq') return [at(days, 'lte'), at(days + 1, 'gt')]
  return null
}
