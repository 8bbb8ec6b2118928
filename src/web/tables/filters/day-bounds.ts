import { format } from '../../lib/locale.ts'
import { dateIn, momentOf } from '../../lib/zoned.ts'
import type { Operator } from './conditions.ts'

// Conditions on moments are set by days: "on or before a day" and "after a day" look at its last millisecond, "before" and
// "on or after" at its first one. Days are those of the member's time zone, as everywhere on the page.

const isLast = (op: Operator): boolean => op === 'lte' || op === 'gt'

/** The moment that a condition on this day, YYYY-MM-DD, compares with, as the API has times. */
export function boundOf(date: string, op: Operator): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  const at = { year, month, day: isLast(op) ? day + 1 : day, hour: 0, minute: 0, second: 0 }
  return new Date(momentOf(at, format.value.timezone) - (isLast(op) ? 1 : 0)).toISOString()
}

export const dayOfBound = (moment: string): string => dateIn(Date.parse(moment), format.value.timezone)
