import { type DayParts, offsetAt, utcOf, zoned } from '../../lib/written/days/zoned.ts'

// Days and times of day in a zone: the calendar's side of a moment, and back.

export { type DayParts, utcOf, zoned }

/**
 * The moment at which the clock of a zone shows this: the first of two, where it is set back, and after the gap, where it
 * jumps over it.
 */
export function momentOf(parts: DayParts, timeZone: string): number {
  const wanted = utcOf(parts)
  const [before, after] = [offsetAt(wanted - DAY_MS, timeZone), offsetAt(wanted + DAY_MS, timeZone)]
  const isAfter = offsetAt(wanted - before, timeZone) !== before && offsetAt(wanted - after, timeZone) === after
  return wanted - (isAfter ? after : before)
}

const DAY_MS = 86_400_000

/** Days since 1970 of a calendar day, to count between days. */
export function dayNumber({ year, month, day }: DayParts): number {
  return utcOf({ year, month, day, hour: 0, minute: 0, second: 0 }) / DAY_MS
}

/** YYYY-MM-DD of a moment in a zone. */
export function dateIn(ms: number, timeZone: string): string {
  const { year, month, day } = zoned(ms, timeZone)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** HH:MM of a moment in a zone. */
export function timeIn(ms: number, timeZone: string): string {
  const { hour, minute } = zoned(ms, timeZone)
  return `${two(hour)}:${two(minute)}`
}

const two = (number: number): string => String(number).padStart(2, '0')
