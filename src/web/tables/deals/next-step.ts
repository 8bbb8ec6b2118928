import type { BoardRow, NextTask } from '../../data/board-row.ts'
import { DAY_MS } from './model.ts'

/** What the last line of a card says. Late wins over idle, idle over what is next. */
export type NextStep =
  | { kind: 'late'; task: NextTask; late_ms: number }
  | { kind: 'idle'; days: number }
  | { kind: 'next'; task: NextTask }
  | { kind: 'none' }

export type StepRow = Pick<BoardRow, 'next_task' | 'last_activity_at' | 'stage_changed_at'>

/** `usualDays` is that of the stage; while it is not known, no deal is idle. */
export function nextStep(row: StepRow, usualDays: number | null, now: number): NextStep {
  const task = row.next_task
  if (task && task.due_at !== null && task.due_at < now) return { kind: 'late', task, late_ms: now - task.due_at }
  const days = idleDays(row, now)
  if (usualDays !== null && days > usualDays) return { kind: 'idle', days }
  return task ? { kind: 'next', task } : { kind: 'none' }
}

/** Whole days since something happened with the deal. Coming into its stage counts. */
function idleDays({ last_activity_at, stage_changed_at }: StepRow, now: number): number {
  return Math.max(0, Math.floor((now - Math.max(last_activity_at ?? 0, stage_changed_at)) / DAY_MS))
}
