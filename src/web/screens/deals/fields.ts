import type { Condition, FieldKind } from '../../components/filters/conditions.ts'
import type { BoardRow } from '../../data/board.ts'
import { daysInStage } from './model.ts'
import { nextStep } from './next-step.ts'

/** The fields that the rows of the board have, so that the browser decides by itself which fit. */
export const fieldKinds: Readonly<Record<string, FieldKind>> = {
  title: 'text',
  owner_id: 'id',
  company_id: 'id',
  stage: 'id',
  tag_ids: 'ids',
  amount: 'amount',
  currency: 'text',
  expected_close_date: 'date',
  stage_changed_at: 'time',
  next_step: 'choice',
  days_in_stage: 'number',
}

/** Fields of the board alone: smart lists do not know them. */
export const BOARD_ONLY = new Set(['next_step', 'days_in_stage'])

export const NEXT_STEPS = ['late', 'idle', 'next', 'none'] as const

export function valueIn(row: BoardRow, field: string, usualDays: number | null, now: number): unknown {
  if (field === 'stage') return row.stage_id
  if (field === 'next_step') return nextStep(row, usualDays, now).kind
  if (field === 'days_in_stage') return daysInStage(row, now)
  return row[field as keyof BoardRow]
}

/** Splits the conditions into those that the browser decides and those that the server must. */
export function divide(conditions: readonly Condition[]): { here: Condition[]; there: Condition[] } {
  const here = conditions.filter(({ field }) => fieldKinds[field])
  return { here, there: conditions.filter((condition) => !here.includes(condition)) }
}
