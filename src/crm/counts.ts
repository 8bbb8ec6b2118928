import type { Database } from '../store/sqlite/driver.ts'

/** Counted up to here, so that a count takes at most a millisecond. */
export const MAX_COUNT = 10_000

export type Counts = Record<'deals' | 'contacts' | 'companies' | 'tasks_late' | 'tasks_today', number>

/**
 * How many records there are, at most MAX_COUNT of each, which then means "as many or more"; deals are the open ones. And
 * how many of the newest tasks of a member are open and late, or due until `endOfDay`.
 */
export function countsOf(db: Database): (org: number, member: string, now: number, endOfDay: number) => Counts {
  const count = (what: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${what} LIMIT ${MAX_COUNT}))`
  const all = db.prepare(
    `SELECT ${count("deals WHERE org_id = @org AND status = 'open'")} AS deals,
       ${count('contacts WHERE org_id = @org')} AS contacts, ${count('companies WHERE org_id = @org')} AS companies,
       count(*) FILTER (WHERE due_at < @now) AS tasks_late, count(*) FILTER (WHERE due_at >= @now) AS tasks_today
     FROM (SELECT status, due_at FROM tasks WHERE org_id = @org AND owner_id = @member ORDER BY id DESC LIMIT ${MAX_COUNT})
     WHERE status = 'open' AND due_at < @endOfDay`,
  )
  return (org, member, now, endOfDay) => all.get({ org, member, now, endOfDay }) as Counts
}
