import { MINUTE_MS } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import { IS_HERE } from './moved-jobs.ts'

/** Of each kind at most so many jobs are counted, since to count a million takes a tenth of a second. */
export const MOST_COUNTED = 10_000
/** All jobs that were given up are counted, so that none of a newer version is missed. */
const COUNTED_EVERY_MS = MINUTE_MS

/** How many jobs wait, run or were given up, in all organisations. */
export function jobCounts({ db, clock }: Pick<Store, 'db' | 'clock'>) {
  const waiting = `FROM jobs INDEXED BY jobs_due WHERE kind = ? AND failed_at IS NULL AND leased_until IS NULL`
  const due = db.prepare(`SELECT count(*) FROM (SELECT 1 ${waiting} AND due_at <= ? LIMIT ${MOST_COUNTED})`).pluck()
  const later = db.prepare(`SELECT count(*) FROM (SELECT 1 ${waiting} AND due_at > ? LIMIT ${MOST_COUNTED})`).pluck()
  const leased = db.prepare(
    'SELECT kind, count(*) AS count FROM jobs INDEXED BY jobs_leased WHERE leased_until IS NOT NULL GROUP BY kind',
  )
  const failed = db.prepare(
    `SELECT kind, count(*) AS count FROM jobs INDEXED BY jobs_failed WHERE failed_at IS NOT NULL AND ${IS_HERE} GROUP BY kind`,
  )
  let known: { at: number; byKind: Map<string, number> } | undefined

  /** Jobs of a kind that wait: those that are due, and those for a later time. */
  function waitingOf(kind: string): { due: number; later: number } {
    const now = clock.now()
    return { due: due.get(kind, now) as number, later: later.get(kind, now) as number }
  }

  /** Jobs after their last attempt, by kind. Counted once a minute at most. */
  function givenUp(): ReadonlyMap<string, number> {
    const now = clock.now()
    // Also if the clock was set back in the meantime.
    if (!known || Math.abs(now - known.at) >= COUNTED_EVERY_MS) known = { at: now, byKind: byKind(failed.all()) }
    return known.byKind
  }

  return { waitingOf, givenUp, running: (): ReadonlyMap<string, number> => byKind(leased.all()) }
}

const byKind = (rows: unknown[]): Map<string, number> =>
  new Map((rows as { kind: string; count: number }[]).map(({ kind, count }) => [kind, count]))
