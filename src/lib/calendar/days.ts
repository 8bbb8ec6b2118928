// Calendar days, as numbers and in the time zone of an organisation.

import { DAY_MS } from '../time.ts'

/** Days since 1970-01-01. */
export type Day = number

/** A month outside of 1 to 12 falls into another year, and a date outside of the month into another month. */
export const dayOf = (year: number, month: number, date: number): Day =>
  new Date(0).setUTCFullYear(year, month - 1, date) / DAY_MS

/** Parses YYYY-MM-DD. */
export const parseDay = (date: string): Day => Date.parse(`${date}T00:00:00.000Z`) / DAY_MS

/** The day in UTC. */
export const dayAt = (ms: number): Day => Math.floor(ms / DAY_MS)

/** The date in a time zone, as YYYY-MM-DD. */
export const dateIn = (timezone: string, ms: number): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()

export const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

/** The first moment of a day, which is not midnight if a clock change skips that; a time is returned unchanged. */
export const beginningOf = (moment: string, timezone: string): number =>
  moment.includes('T')
    ? Date.parse(moment)
    : Temporal.PlainDate.from(moment).toZonedDateTime(timezone).epochMilliseconds
