// Days as they are where an organisation is.

const DAY_MS = 86_400_000

/** YYYY-MM-DD. */
export const dayOf = (ms: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()

export const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

/** Of a day, the first moment, which is not midnight where the clocks skip that; a time is its own beginning. */
export const beginningOf = (moment: string, timezone: string): number =>
  moment.includes('T')
    ? Date.parse(moment)
    : Temporal.PlainDate.from(moment).toZonedDateTime(timezone).epochMilliseconds
