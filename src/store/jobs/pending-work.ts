import type { Database } from '../sqlite/driver.ts'

/** How much waits, and since when in milliseconds; null if nothing does. */
export type Waiting = { count: number; since: number | null }

/** Work that leaves the server and was due by a time, in all organisations. */
export function pendingWork(db: Database, now: number) {
  const due = `FROM jobs WHERE kind = ? AND failed_at IS NULL AND due_at <= ${Math.floor(now)}`
  const jobs = db.prepare(`SELECT count(*) AS count, min(due_at) AS since ${due}`)
  const rows = db.prepare(`SELECT org_id AS org, id, key ${due} ORDER BY org_id, id`)
  const deliveries = db.prepare(
    "SELECT count(*) AS count, min(created_at) AS since FROM deliveries WHERE status = 'pending'",
  )
  const unplanned = db
    .prepare(
      `SELECT coalesce(sum(max(0, last_seq - planned_seq)), 0) FROM webhook_states AS state
       JOIN webhooks ON webhooks.org_id = state.org_id AND webhooks.id = state.webhook_id AND webhooks.status = 'active'
       JOIN orgs ON orgs.id = state.org_id`,
    )
    .pluck()
  const giveUp = db.prepare(
    `UPDATE deliveries SET status = 'failed', due_at = NULL, leased_until = NULL, updated_at = ?, version = version + 1
     WHERE status = 'pending'`,
  )
  const skip = db.prepare(
    'UPDATE webhook_states SET planned_seq = (SELECT last_seq FROM orgs WHERE id = webhook_states.org_id)',
  )

  return {
    jobs: (kind: string): Waiting => jobs.get(kind) as Waiting,
    jobsOf: (kind: string) => rows.all(kind) as { org: number; id: string; key: string }[],
    /** Events count that no webhook may want: nobody has looked yet. */
    deliveries: (): Waiting => {
      const { count, since } = deliveries.get() as Waiting
      return { count: count + (unplanned.get() as number), since }
    },
    /** They can be sent again one by one, or replayed. */
    giveUpDeliveries(): void {
      giveUp.run(now)
      skip.run()
    },
  }
}
