import type { Deps } from '../../deps.ts'
import { beginningOf, dateIn, nextDay } from '../../lib/calendar/days.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Mailbox, State } from './mailbox.ts'

type States = {
  state: (org: number, id: string) => State
  saveState: (org: number, id: string, some: Partial<State>) => void
}

/** Limits how fast a mailbox sends the mails of sequences, by its daily limit and its spacing. */
export function pacing({ db, clock }: Pick<Deps, 'db' | 'clock'>, { state, saveState }: States) {
  const timezoneOf = db.prepare('SELECT timezone FROM orgs WHERE id = ?').pluck()
  const fullFrom = db
    .prepare('SELECT day FROM mailbox_days WHERE org_id = ? AND mailbox_id = ? AND day >= ? AND planned >= ?')
    .pluck()
  const count = db.prepare(
    `INSERT INTO mailbox_days (org_id, mailbox_id, day, planned) VALUES (?, ?, ?, 1)
     ON CONFLICT (org_id, mailbox_id, day) DO UPDATE SET planned = planned + 1`,
  )
  const forget = db.prepare('DELETE FROM mailbox_days WHERE org_id = ? AND mailbox_id = ? AND day < ?')

  /**
   * Returns when the next mail of a sequence may be sent: at `at` or later, never in the past. It counts towards the
   * limit of its day and reserves its slot: with a spacing, the next call returns a later moment. `allowedFrom` returns
   * the first moment, from a given one on, that is allowed for other reasons, such as the hours of a sequence.
   */
  return function plan(
    org: number,
    { id, daily_limit, spacing_s }: Mailbox,
    at: number,
    allowedFrom: (ms: number) => number = (ms) => ms,
  ): number {
    const now = clock.now()
    const timezone = timezoneOf.get(org) as string
    let moment = allowedFrom(Math.max(at, now, spacing_s > 0 ? state(org, id).free_at : 0))
    let day = dateIn(timezone, moment)
    const full = new Set(daily_limit === null ? [] : (fullFrom.all(org, id, day, daily_limit) as string[]))
    while (full.has(day)) {
      moment = allowedFrom(beginningOf(nextBut(full, day), timezone))
      day = dateIn(timezone, moment) // may be a later day: not every day has an allowed moment
    }
    count.run(org, id, day)
    forget.run(org, id, dateIn(timezone, now - DAY_MS)) // a new time zone may make yesterday today
    if (spacing_s > 0) saveState(org, id, { free_at: moment + spacing_s * 1000 })
    return moment
  }
}

/** The next day that is not among the given ones. */
function nextBut(days: ReadonlySet<string>, day: string): string {
  let next = day
  while (days.has(next)) next = nextDay(next)
  return next
}
