import type { BoardRow } from '../../data/board-row.ts'
import { type Condition, type FieldKind, type Filter, leavesOf, type Tree } from '../filters/conditions.ts'
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

/** A question to the server, by its number. */
type Asked = { asked: number }
/** A filter as the browser decides it. */
export type Local = Tree<Condition | Asked>

const isHere = ({ field }: Condition): boolean => field in fieldKinds
/** Days in a stage are the time since when it is there: these operators can be asked of the server so. */
const AS_TIME = /^([gl]te?|eq)$/

/** What the table cannot ask for: the next step, above all, is known to the board alone. */
export const isOfBoardShape = (filter: Filter): boolean =>
  leavesOf(filter).some(({ field, op }) => BOARD_ONLY.has(field) && !(field === 'days_in_stage' && AS_TIME.test(op)))

/** What the server cannot be asked for as it is. */
export const isBoardOnly = (filter: Filter): boolean => leavesOf(filter).some(({ field }) => BOARD_ONLY.has(field))

/** Leaves to the server what the rows do not have: as few questions as possible, none of them with what only the board knows. */
export function divide(parts: readonly Filter[]): { here: Local[]; there: Filter[] } {
  const there: Filter[] = []
  const here = (filter: Filter): Local => {
    if ('not' in filter) return { not: here(filter.not) }
    if ('all' in filter) return { all: split(filter.all, (all) => ({ all })) }
    return 'any' in filter ? { any: split(filter.any, (any) => ({ any })) } : filter
  }
  function split(nodes: readonly Filter[], join: (nodes: Filter[]) => Filter): Local[] {
    const isTheirs = (node: Filter) => !isBoardOnly(node) && !leavesOf(node).every(isHere)
    const theirs = nodes.filter(isTheirs)
    const ours = nodes.filter((node) => !isTheirs(node)).map(here)
    const [one] = theirs
    return one ? [...ours, { asked: there.push(theirs.length > 1 ? join(theirs) : one) - 1 }] : ours
  }
  return { here: split(parts, (all) => ({ all })), there }
}
