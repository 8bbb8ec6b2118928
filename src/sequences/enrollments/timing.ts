import type { BusinessTime } from '../../lib/calendar/business-time.ts'
import { DAY_MS } from '../../lib/time.ts'

// When a step is due. Pure: the calendar is an argument.

/** When a sequence may execute steps: within its hours, if any. */
export type Window = {
  /** The time zone of its hours, else of the org: decides when days begin. */
  timezone: string
  hours: BusinessTime | undefined
}

export type Delay = { delay_s: number; business_days_only: boolean }

const DAY_S = 86_400
/** After this many days without a business day, the step is tried again later. */
const MAX_CLOSED_DAYS = 800

/**
 * When a step is due, counted from the end of the previous one. Whole days of the delay are calendar days, so that the
 * time of day survives clock changes, and business days only if the step requires them; the rest is elapsed time.
 */
export function dueAt(from: number, { delay_s, business_days_only }: Delay, window: Window): number {
  const days = Math.floor(delay_s / DAY_S)
  const start = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(window.timezone)
  const day = business_days_only ? daysLater(start, days, window) : start.add({ days })
  return allowedFrom(day.add({ seconds: delay_s - days * DAY_S }).epochMilliseconds, { business_days_only }, window)
}

/**
 * The first moment, from the given one on, at which a step may be done. On a day that is not a business day, that is on
 * the next one: when the hours open, or at the same time of day if there are no hours.
 */
export function allowedFrom(ms: number, { business_days_only }: Omit<Delay, 'delay_s'>, window: Window): number {
  const { hours, timezone } = window
  // With hours, business days are the days on which they open: the next opening is always on one.
  if (hours) return hours.isOpen(ms) ? ms : (hours.nextOpenAt(ms) ?? ms + DAY_MS)
  if (!business_days_only) return ms
  const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
  return (isBusinessDay(there, window) ? there : daysLater(there, 1, window)).epochMilliseconds
}

function daysLater(from: Temporal.ZonedDateTime, count: number, window: Window): Temporal.ZonedDateTime {
  let days = 0
  for (let left = count, closed = 0; left > 0 && closed < MAX_CLOSED_DAYS; ) {
    days++
    if (isBusinessDay(from.add({ days }), window)) {
      left--
      closed = 0
    } else closed++
  }
  return from.add({ days })
}

/** A day on which the hours open at all; without hours, Monday to Friday. */
function isBusinessDay(day: Temporal.ZonedDateTime, { hours }: Window): boolean {
  if (!hours) return day.dayOfWeek <= 5
  const start = day.startOfDay()
  return hours.between(start.epochMilliseconds, start.add({ days: 1 }).startOfDay().epochMilliseconds) > 0
}
