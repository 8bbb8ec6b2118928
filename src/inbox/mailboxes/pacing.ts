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
  const plannedFrom = db
    .prepare('SELECT day, planned FROM mailbox_days WHERE org_id = ? AND mailbox_id = ? AND day >= ?')
    .raw()
  const count = db.prepare(
    `INSERT INTO mailbox_days (org_id, mailbox_id, day, planned) VALUES (?, ?, ?, 1)
     ON CONFLICT (org_id, mailbox_id, day) DO UPDATE SET planned = planned + 1`,
  )
  const forget = db.prepare('DELETE FROM mailbox_days WHERE org_id = ? AND mailbox_id = ? AND day < ?')

  /**
   * Returns a function that says when the next mail of a sequence may be sent: at `at` or later, never in the past. Each
   * answer counts towards the limit of its day, and with a spacing makes the next one later, but for this function only:
   * nothing is written. `allowedFrom` returns the first moment, from a given one on, that is allowed for other reasons, such
   * as the hours of a sequence.
   */
  function lookAhead(org: number, { id, daily_limit, spacing_s }: Mailbox): Book {
    const timezone = timezoneOf.get(org) as string
    const today = dateIn(timezone, clock.now())
    const planned = new Map(
      daily_limit === null ? [] : (plannedFrom.all(org, id, today) as [day: string, planned: number][]),
    )
    const isFull = (day: string): boolean => daily_limit !== null && (planned.get(day) ?? 0) >= daily_limit
    let free = spacing_s > 0 ? state(org, id).free_at : 0
    return (at, allowedFrom = (ms) => ms) => {
      let moment = allowedFrom(Math.max(at, clock.now(), free))
      let day = dateIn(timezone, moment)
      while (isFull(day)) {
        moment = allowedFrom(beginningOf(nextBut(isFull, day), timezone))
        day = dateIn(timezone, moment) // may be a later day: not every day has an allowed moment
      }
      planned.set(day, (planned.get(day) ?? 0) + 1)
      if (spacing_s > 0) free = moment + spacing_s * 1000
      return moment
    }
  }

  /** The same for one mail, whose slot is reserved. */
  function plan(org: number, mailbox: Mailbox, at: number, allowedFrom?: (ms: number) => number): number {
    const { id, spacing_s } = mailbox
    const timezone = timezoneOf.get(org) as string
    const moment = lookAhead(org, mailbox)(at, allowedFrom)
    count.run(org, id, dateIn(timezone, moment))
    forget.run(org, id, dateIn(timezone, clock.now() - DAY_MS)) // a new time zone may make yesterday today
    if (spacing_s > 0) saveState(org, id, { free_at: moment + spacing_s * 1000 })
    return moment
  }

  return { lookAhead, plan }
}

type Book = (at: number, allowedFrom?: (ms: number) => number) => number

/** The next day that is not full. */
function nextBut(isFull: (day: string) => boolean, day: string): string {
  let next = day
  while (isFull(next)) next = nextDay(next)
  return next
}
