import type { Task } from './types.ts'

export type NextTask = {
  id: string
  title: string
  type: Task['type']
  /** Milliseconds. */
  due_at: number | null
}

/** Times are milliseconds. */
export type BoardRow = {
  id: string
  title: string
  amount: number | null
  currency: string | null
  stage_id: string
  company_id: string | null
  company_name: string | null
  owner_id: string | null
  /** YYYY-MM-DD. */
  expected_close_date: string | null
  stage_changed_at: number
  last_activity_at: number | null
  next_task: NextTask | null
  tag_ids: readonly string[]
  version: number
}
