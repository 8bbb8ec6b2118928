// Days and times of day in a zone: the calendar's side of a moment, and back.

export type DayParts = { year: number; month: number; day: number; hour: number; minute: number; second: number }

const formats = new Map<string, Intl.DateTimeFormat>()

/** What the calendar and the clock of a zone show at a moment. */
export function zoned(ms: number, timeZone: string): DayParts {
  const parts: Partial<Record<string, number>> = {}
  for (const { type, value } of formatOf(timeZone).formatToParts(ms)) parts[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return { year, month, day, hour, minute, second }
}

/** The moment at which the clock of a zone shows this; after the gap, where it jumps over it. */
export function momentOf(parts: DayParts, timeZone: string): number {
  const wanted = utcOf(parts)
  // The offset of the zone at the moment itself is not known yet: the second look takes the one of the first.
  const offset = offsetAt(wanted, timeZone)
  const guess = wanted - offset
  const again = offsetAt(guess, timeZone)
  if (again === offset) return guess
  const other = wanted - again
  return offsetAt(other, timeZone) === again ? other : Math.max(guess, other)
}

/** Days since 1970 of a calendar day, to count between days. */
export function dayNumber({ year, month, day }: DayParts): number {
  return Date.UTC(year, month - 1, day) / 86_400_000
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
const utcOf = ({ year, month, day, hour, minute, second }: DayParts): number =>
  Date.UTC(year, month - 1, day, hour, minute, second)
const offsetAt = (ms: number, timeZone: string): number => utcOf(zoned(ms, timeZone)) - Math.floor(ms / 1000) * 1000

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
