// Calendar days in the time zone of an organisation.

const DAY_MS = 86_400_000

/** YYYY-MM-DD. */
export const dayOf = (ms: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()

export const nextDay = (day: string): string => new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10)

/** The first moment of a day, which is not midnight if a clock change skips that; a time is returned unchanged. */
export const beginningOf = (moment: string, timezone: string): number =>
  moment.includes('T')
    ? Date.parse(moment)
    : Temporal.PlainDate.from(moment).toZonedDateTime(timezone).epochMilliseconds
