import type { Store } from '../../store/open.ts'
import type { Jump } from '../../store/wall-clock.ts'

/** No pause that is worked out from the time of a try is longer. */
const MAX_PAUSE_MS = 27 * 3_600_000

/**
 * What the sender has worked out from a time that was wrong: the next tries, and how long receivers have been down. Also
 * where no server ran meanwhile, as nobody was refused in that time.
 */
export function scheduleAfterJump({ db }: Pick<Store, 'db'>, { from, to }: Jump): void {
  const given = { to, by: to - from, latest: to + MAX_PAUSE_MS }
  const tries = db.prepare(
    'UPDATE deliveries SET due_at = +@to WHERE org_id = +@org AND webhook_id = +@id AND due_at > +@latest',
  )
  const health = db.prepare(
    `UPDATE webhook_states SET failing_since = min(failing_since + @by, @to),
       held_until = CASE WHEN held_until > @latest THEN @to ELSE held_until END
     WHERE org_id = +@org AND webhook_id = +@id`,
  )
  for (const webhook of db.prepare('SELECT org_id AS org, id FROM webhooks').all() as { org: number; id: string }[]) {
    tries.run({ ...webhook, to, latest: given.latest })
    health.run({ ...webhook, ...given })
  }
}
