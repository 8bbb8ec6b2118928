import { HOUR_MS } from '../../lib/time.ts'
import type { Database } from '../sqlite/driver.ts'

// When jobs are tried: the next one, and the pause after an attempt that failed.

const FIRST_PAUSE_MS = 1000
export const MAX_PAUSE_MS = HOUR_MS

/** Jobs that have neither failed permanently nor are running: the condition of the index jobs_due. */
export const WAITING = 'failed_at IS NULL AND leased_until IS NULL'

export type NextJob = { kind: string; id: string; key: string; dueAt: number }

/** The next job of an organisation for each kind, whether due or not. */
export function nextJobOf(db: Database, org: number): (kind: string) => NextJob | undefined {
  const next = db.prepare(
    `SELECT kind, id, key, due_at AS dueAt FROM jobs INDEXED BY jobs_due
     WHERE kind = ? AND org_id = ? AND ${WAITING} ORDER BY due_at, id LIMIT 1`,
  )
  return (kind) => next.get(kind, org) as NextJob | undefined
}

/**
 * Milliseconds until the next attempt: doubled with each one up to an hour, half of it random, so that jobs that failed
 * together are not retried together.
 */
export function pauseAfter(tries: number, random: () => number): number {
  const whole = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries - 1, 30), MAX_PAUSE_MS)
  return Math.round((whole / 2) * (1 + random()))
}
