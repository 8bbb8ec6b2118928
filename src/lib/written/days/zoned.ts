// Moments in a time zone and back, without Temporal, which some browsers lack. It imports nothing: the first page needs it.

const SECOND_MS = 1000

export type DayParts = { year: number; month: number; day: number; hour: number; minute: number; second: number }

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the calendar and the clock of a zone show at a moment. */
export function zoned(ms: number, timeZone: string): DayParts {
  const parts: Partial<Record<string, number>> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(ms)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return { year, month, day, hour, minute, second }
}

/** The milliseconds that the clock of a zone is ahead of UTC at a moment. */
export const offsetAt = (ms: number, timeZone: string): number =>
  utcOf(zoned(ms, timeZone)) - Math.floor(ms / SECOND_MS) * SECOND_MS

/** Not by Date.UTC alone, which takes the years 0 to 99 for 1900 to 1999. */
export function utcOf({ year, month, day, hour, minute, second }: DayParts): number {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return date.setUTCHours(hour, minute, second, 0)
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}
