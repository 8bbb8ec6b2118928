import { hash } from 'node:crypto'
import { usage } from '../../lib/problem.ts'

/** Such as 03:15. */
export type TimeOfDay = string

/** A time in the night by which the folders of a host do not meet. */
export const NIGHT = 'night'
const NIGHT_FROM_MINUTES = 3 * 60 + 15
const NIGHT_MINUTES = 90

/** For each installation the same, between 03:15 and 04:44. */
export function timeOf(at: TimeOfDay, installation: string): TimeOfDay {
  if (at !== NIGHT) return at
  const minutes = NIGHT_FROM_MINUTES + (Number.parseInt(hash('sha256', installation).slice(0, 8), 16) % NIGHT_MINUTES)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/** Parses the time of the nightly backup; null for `off`. Throws a usage Problem. */
export function parseBackupAt(text: string): TimeOfDay | null {
  if (text === 'off') return null
  if (text === NIGHT) return NIGHT
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(text)) return text
  throw usage('--backup-at must be a time of the day such as 03:15, night, or off.')
}

/**
 * The first moment after another one at which clocks show that time: where they are set forward over it, as much later;
 * where they show it twice, the first time.
 */
export function nextAt(at: TimeOfDay, timezone: string, after: number): number {
  const day = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timezone).toPlainDate()
  const on = (date: Temporal.PlainDate) => date.toZonedDateTime({ timeZone: timezone, plainTime: at }).epochMilliseconds
  const today = on(day)
  return today > after ? today : on(day.add({ days: 1 }))
}
