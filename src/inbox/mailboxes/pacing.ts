import type { Deps } from '../../deps.ts'
import { beginningOf, dateIn, nextDay } from '../../lib/calendar/days.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Mailbox, State } from './mailboxes.ts'

type States = {
  state: (org: number, id: string) => State
  saveState: (org: number, id: string, some: Partial<State>) => void
}

/** How fast the mails of sequences leave a mailbox: no faster than its daily limit and its spacing allow. */
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
   * When the next mail of a sequence may go: at `at` or later, never in the past. It counts for its day and holds its
   * place: with a spacing, whoever asks next gets a moment behind it. `allowedFrom` says when, from a moment on, it may
   * go for other reasons, such as the hours of a sequence.
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
      day = dateIn(timezone, moment) // perhaps another one: not every day has such a moment
    }
    count.run(org, id, day)
    forget.run(org, id, dateIn(timezone, now - DAY_MS)) // today may be yesterday yet, where the organisation moves to
    if (spacing_s > 0) saveState(org, id, { free_at: moment + spacing_s * 1000 })
    return moment
  }
}

/** The next day that is none of those. */
function nextBut(days: ReadonlySet<string>, day: string): string {
  let next = day
  while (days.has(next)) next = nextDay(next)
  return next
}
