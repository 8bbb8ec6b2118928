import { type Deps, once } from '../../../deps.ts'
import { beginningOf } from '../../../lib/calendar/days.ts'
import { conflict } from '../../../lib/problem.ts'
import { noticeQueue } from '../../../personal/notices.ts'
import { jobQueue } from '../../../store/jobs/jobs.ts'
import { orgOf } from '../../../store/orgs/orgs.ts'

export const HAND_BACK = 'hand back'

/** Who is away: a member with a hand-over whose records come back on a date. */
export const awayStore = once((deps: Deps) => {
  const { db, clock } = deps
  const jobs = jobQueue(deps)
  const notices = noticeQueue(deps)
  const LENT = `FROM bulk_changes INDEXED BY bulk_changes_from
    WHERE org_id = ? AND from_id IS NOT NULL AND returns_on IS NOT NULL AND undo_started_at IS NULL`
  const all = db.prepare(`SELECT from_id AS member, max(returns_on) AS until ${LENT} GROUP BY from_id`)
  const lentBy = db.prepare(`SELECT id ${LENT} AND from_id = ? ORDER BY id`).pluck()
  const setDate = db.prepare('UPDATE bulk_changes SET returns_on = ? WHERE org_id = ? AND id = ?')

  /** The dates of return, by member. */
  const list = (org: number): Record<string, string> =>
    Object.fromEntries(
      (all.all(org) as { member: string; until: string }[]).map(({ member, until }) => [member, until]),
    )

  /** Puts the job that brings back what was lent, at the beginning of a day where the organisation is. */
  function plan(org: number, id: string, date: string): void {
    jobs.put(org, { kind: HAND_BACK, key: id, payload: {}, dueAt: beginningOf(date, orgOf(db, org).timezone) })
  }

  /** Another date for all that a member has lent, or now. Throws 409 if they are not away. */
  function change(org: number, member: string, date: string | null): void {
    const lent = lentBy.all(org, member) as string[]
    if (lent.length === 0) throw conflict('not_away', 'This member is not away.')
    for (const id of lent) {
      if (date === null) jobs.put(org, { kind: HAND_BACK, key: id, payload: { now: true }, dueAt: clock.now() })
      else {
        setDate.run(date, org, id)
        plan(org, id, date)
      }
    }
    notices.put(org, null, { kind: 'members' })
  }

  return { list, plan, change, cancel: (org: number, id: string): void => void jobs.cancel(org, HAND_BACK, id) }
})
