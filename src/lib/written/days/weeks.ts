import type { Weekday } from './periods.ts'

const MONDAY = 1
const known = new Map<string, Weekday>()

/** The day on which weeks begin in a country, as ISO 3166 alpha-2; Monday where no country is known, as in ISO 8601. */
export function firstWeekdayOf(country: string | undefined): Weekday {
  if (country === undefined) return MONDAY
  const found = known.get(country) ?? (new Intl.Locale(`und-${country}`).getWeekInfo().firstDay as Weekday)
  known.set(country, found)
  return found
}
