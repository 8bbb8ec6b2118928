import { HOUR_MS } from '../../lib/time.ts'
import type { Store } from '../../store/open.ts'
import type { Jump } from '../../store/wall-clock.ts'

/** Upper bound of any pause computed from the time of an attempt. */
const MAX_PAUSE_MS = 27 * HOUR_MS

/**
 * Corrects what was computed from a wrong clock: the next attempts, and since when receivers have been failing. The
 * time without a running server is shifted as well: no receiver failed then.
 */
export function scheduleAfterJump({ db }: Pick<Store, 'db'>, { from, to }: Jump): void {
  const times = { to, by: to - from, latest: to + MAX_PAUSE_MS }
  const tries = db.prepare(
    'UPDATE deliveries SET due_at = +@to WHERE org_id = +@org AND webhook_id = +@id AND due_at > +@latest',
  )
  const health = db.prepare(
    `UPDATE webhook_states SET failing_since = min(failing_since + @by, @to),
       held_until = CASE WHEN held_until > @latest THEN @to ELSE held_until END
     WHERE org_id = +@org AND webhook_id = +@id`,
  )
  for (const webhook of db.prepare('SELECT org_id AS org, id FROM webhooks').all() as { org: number; id: string }[]) {
    tries.run({ ...webhook, to, latest: times.latest })
    health.run({ ...webhook, ...times })
  }
}
