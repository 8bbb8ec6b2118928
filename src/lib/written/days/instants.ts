import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time.ts'
import { offsetAt } from './zoned.ts'

// The moments at which the clock of a zone shows something.

/**
 * The moments at which the clock of a zone shows what UTC shows at `wanted`: none in an hour that it skips, two in one that
 * it repeats.
 */
export function instantsAt(wanted: number, timeZone: string): number[] {
  const offsets = new Set([offsetAt(wanted - DAY_MS, timeZone), offsetAt(wanted + DAY_MS, timeZone)])
  return [...offsets]
    .map((offset) => wanted - offset)
    .filter((ms) => offsetAt(ms, timeZone) === wanted - ms)
    .toSorted((one, other) => one - other)
}

/** The first moment of a day, which is not midnight if a clock change skips that. `day` is midnight of it in UTC. */
export function beginningAt(day: number, timeZone: string): number {
  for (let minutes = 0; minutes < 180; minutes += 30) {
    const [first] = instantsAt(day + minutes * MINUTE_MS, timeZone)
    if (first !== undefined) return first
  }
  return day - HOUR_MS * Math.round(offsetAt(day, timeZone) / HOUR_MS)
}

/** The day of a moment in a zone, as YYYY-MM-DD. */
export const dayIn = (ms: number, timeZone: string): string => dateText(ms + offsetAt(ms, timeZone))

/** The day of a moment in UTC, as YYYY-MM-DD. */
export const dateText = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
