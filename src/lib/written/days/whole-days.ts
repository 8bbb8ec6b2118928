import { type DayParts, zoned } from './zoned.ts'

// Meetings have times only: one of whole days goes from midnight to midnight in its own zone, as calendars bring it.

export type Times = { starts_at: string; ends_at: string; timezone: string | null }

/**
 * The first and the last day, as YYYY-MM-DD, of a meeting that takes whole days; undefined for one with times of day. Its days
 * are those of its own zone for everybody: a day has no time that could be shifted. `own` is the zone of the organisation.
 */
export function wholeDaysOf({ starts_at, ends_at, timezone }: Times, own: string): [string, string] | undefined {
  const [starts, ends] = [Date.parse(starts_at), Date.parse(ends_at)]
  const zone = timezone ?? own
  if (!isMidnight(zoned(starts, zone)) || !isMidnight(zoned(ends, zone)) || ends <= starts) return undefined
  return [dateOf(zoned(starts, zone)), dateOf(zoned(ends - 1, zone))]
}

const isMidnight = ({ hour, minute, second }: DayParts): boolean => hour === 0 && minute === 0 && second === 0

const dateOf = ({ year, month, day }: DayParts): string =>
  [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-')
