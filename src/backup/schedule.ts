import { usage } from '../config.ts'
import { isTimezone } from '../lib/time.ts'

/** Such as 03:15. */
export type TimeOfDay = string

/** Parses the time of the nightly backup; null for `off`. Throws a usage Problem. */
export function parseBackupAt(text: string): TimeOfDay | null {
  if (text === 'off') return null
  if (/^([01]\d|2[0-3]):[0-5]\d$/.test(text)) return text
  throw usage('--backup-at must be a time of the day such as 03:15, or off.')
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

/** The zone of this machine. */
export function machineTimezone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  return isTimezone(timeZone) ? timeZone : 'UTC'
}
