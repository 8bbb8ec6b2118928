import type { Database } from '../../store/sqlite/driver.ts'
import { DOWN_AFTER } from './retry-policy.ts'

/** The status of a webhook; an active one whose receiver is down is `failing`. */
export const WEBHOOK_STATES = ['active', 'failing', 'paused', 'disabled'] as const
export type WebhookState = (typeof WEBHOOK_STATES)[number]

/** At most so many deliveries are counted. */
const MOST_COUNTED = 10_000

/** How many webhooks there are in each state, and how many deliveries wait, in all organisations. */
export function webhookCounts({ db }: { db: Database }) {
  const states = db.prepare(
    `SELECT CASE WHEN status = 'active' AND failures >= ${DOWN_AFTER} THEN 'failing' ELSE status END AS state,
       count(*) AS count
     FROM webhooks JOIN webhook_states ON webhook_states.org_id = webhooks.org_id AND webhook_id = id GROUP BY state`,
  )
  const pending = db
    .prepare(
      `SELECT count(*) FROM (SELECT 1 FROM deliveries INDEXED BY deliveries_record
       WHERE status = 'pending' AND is_ordered = 1 LIMIT ${MOST_COUNTED})`,
    )
    .pluck()

  function byState(): Record<WebhookState, number> {
    const found = states.all() as { state: WebhookState; count: number }[]
    return {
      active: 0,
      failing: 0,
      paused: 0,
      disabled: 0,
      ...Object.fromEntries(found.map((o) => [o.state, o.count])),
    }
  }

  return {
    byState,
    /** Deliveries of events that are not delivered yet; tests and repeats by hand do not count. */
    pending: (): number => pending.get() as number,
  }
}
