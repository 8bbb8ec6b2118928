import type { Context } from '../../../lib/written/reading.ts'
import { timeOfDay } from '../../../lib/written/times-of-day.ts'
import { dayIn, momentIn, quoted, refused } from '../figures.ts'
import { isBlank } from '../values.ts'

/** When something is due: a day, which may have its time in a column of its own. */
export function dueOf(text: string, clock: string, format: Context): string {
  if (isBlank(clock) || !isDay(text, format)) return momentIn(text, format)
  if (timeOfDay(clock) === undefined)
    throw refused('invalid_time', `must have a time of day beside it, not ${quoted(clock)}`)
  return momentIn(`${text} ${clock}`, format)
}

function isDay(text: string, format: Context): boolean {
  try {
    return dayIn(text, format) !== ''
  } catch {
    return false
  }
}
