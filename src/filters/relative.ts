import { beginningOf, dateIn, nextDay } from '../lib/calendar/days.ts'
import { ME } from '../lib/caller.ts'
import { daysOf, isPeriod, PERIODS, type Period } from '../lib/written/days/periods.ts'
import type { ListField } from '../records/list-field.ts'
import type { Calendar } from '../store/orgs/calendars.ts'
import type { ListOperator } from './catalog.ts'

// Values that mean something else for each reader or at each time. They are stored as they are, and resolved when somebody asks.

export { ME, PERIODS }

/** Whether a value of the field is one of those. A text may well be called "today". */
export const isRelative = ({ kind, target }: Pick<ListField, 'kind' | 'target'>, value: unknown): boolean =>
  kind === 'date' || kind === 'time' ? isPeriod(value) : target === 'members' && value === ME

/** Who asks, and when. */
export type Asked = {
  now: number
  calendar: Calendar
  /** Null if nobody does: then `me` is no member. */
  member: string | null
}

/** A comparison that a period stands for. */
type Bound = { op: ListOperator; value: string }

/**
 * The comparisons that a period stands for, all of which must be met: `eq` is any day of it, `lt` any before its first one,
 * `gt` any after its last one. Of a time, a day ends where the next one begins: it has 23 to 25 hours.
 */
export function boundsOf(kind: 'date' | 'time', op: ListOperator, period: Period, { now, calendar }: Asked): Bound[] {
  const { timezone, firstWeekday } = calendar
  const [first, last] = daysOf(period, dateIn(timezone, now), firstWeekday)
  const isTime = kind === 'time'
  const start = isTime ? momentOf(first, timezone) : first
  const end = isTime ? momentOf(nextDay(last), timezone) : last
  const from: Bound = { op: 'gte', value: start }
  const to: Bound = { op: isTime ? 'lt' : 'lte', value: end }
  if (op === 'gte') return [from]
  if (op === 'lte') return [to]
  if (op === 'lt') return [{ op: 'lt', value: start }]
  if (op === 'gt') return [{ op: isTime ? 'gte' : 'gt', value: end }]
  return [from, to]
}

const momentOf = (day: string, timezone: string): string => new Date(beginningOf(day, timezone)).toISOString()
