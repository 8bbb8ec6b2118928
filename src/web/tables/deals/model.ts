import type { BoardRow } from '../../data/board-row.ts'

// What the board works with, as plain data: the tests run it without a page.

export type TaskType = 'todo' | 'call' | 'email' | 'meeting'

export type BoardStage = {
  id: string
  name: string
  probability: number
  /** How long deals usually stay; null while too few have passed. */
  usual_days: number | null
}

export const DAY_MS = 86_400_000

/** Whole days that the deal has been in its stage. */
export const daysInStage = (row: Pick<BoardRow, 'stage_changed_at'>, now: number): number =>
  Math.max(0, Math.floor((now - row.stage_changed_at) / DAY_MS))
