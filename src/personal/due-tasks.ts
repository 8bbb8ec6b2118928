import type { Deps } from '../deps.ts'
import { DAY_MS } from '../lib/time.ts'
import { notificationStore } from './notifications.ts'

/** Requests wait for at most one batch. */
const BATCH = 200
/** Tasks that became due while no server ran. */
const MAX_BACK_MS = DAY_MS

export const DUE_TASKS = 'tell about due tasks'

type Task = { org_id: number; id: string; title: string; owner_id: string; due_at: number }

/** Tells the owners of tasks that have become due since the last run; call the function again after 'more'. */
export function dueTasks(deps: Deps): () => 'more' | undefined {
  const { db, clock } = deps
  const { taskDue } = notificationStore(deps)
  const orgs = db.prepare('SELECT id FROM orgs ORDER BY id').pluck()
  const finished = db.prepare('SELECT last_finished_at FROM recurring_jobs WHERE name = ?').pluck()
  const due = db.prepare(
    `SELECT org_id, id, title, owner_id, due_at FROM tasks INDEXED BY tasks_due
     WHERE org_id = ? AND (due_at, id) > (?, ?) AND due_at <= ? AND status = 'open' AND owner_id IS NOT NULL
     ORDER BY due_at, id LIMIT ?`,
  )
  /** How far the current run has come. */
  let place: { org: number; until: number; dueAt: number; id: string } | undefined

  return function run() {
    const now = clock.now()
    const last = (finished.get(DUE_TASKS) as number | null | undefined) ?? now
    const from = Math.max(last, now - MAX_BACK_MS)
    const until = place?.until ?? now
    for (const org of orgs.all() as number[]) {
      if (place && org < place.org) continue
      const after = place?.org === org ? place : { dueAt: from, id: '~' }
      const tasks = due.all(org, after.dueAt, after.id, until, BATCH) as Task[]
      for (const task of tasks) taskDue(org, task)
      const newest = tasks.at(-1)
      if (newest && tasks.length === BATCH) {
        place = { org, until, dueAt: newest.due_at, id: newest.id }
        return 'more'
      }
    }
    place = undefined
    return undefined
  }
}
