import type { BoardRow, NextTask } from '../../../src/web/data/board-row.ts'

export const NOW = Date.UTC(2026, 10, 24, 9, 6)
export const DAY = 86_400_000
export const HOUR = 3_600_000

/** Who looks, by what calendar. */
export const LOOKING = { timezone: 'Europe/Berlin', firstWeekday: 1, me: 'member-me' } as const

let made = 0

/** A row of the board, three days in its stage. */
export const rowOf = (given: Partial<BoardRow> = {}): BoardRow => ({
  id: `deal-${String(made++).padStart(5, '0')}`,
  title: 'Rollout',
  amount: 1000,
  currency: 'EUR',
  stage_id: 'lead',
  company_id: null,
  company_name: null,
  owner_id: null,
  expected_close_date: null,
  stage_changed_at: NOW - 3 * DAY,
  last_activity_at: NOW - 3 * DAY,
  next_task: null,
  tag_ids: [],
  version: 1,
  ...given,
})

export const taskOf = (due_at: number | null, given: Partial<NextTask> = {}): NextTask => ({
  id: `task-${made++}`,
  title: 'Call back',
  type: 'call',
  due_at,
  ...given,
})
