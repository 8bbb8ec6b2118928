import { HOUR_MS, isTimezone, MINUTE_MS } from '../../time.ts'
import type { Context, Why } from '../reading.ts'
import { instantsAt } from './instants.ts'
import type { Split } from './times-of-day.ts'
import { instantsOfName, isZoneName } from './zone-names.ts'
import { offsetAt } from './zoned.ts'

const FARTHEST_MS = 14 * HOUR_MS

const OFFSET = /^(?:UTC|GMT)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/i

export const isUtc = (zone: string): boolean => /^(?:Z|UTC|GMT)$|^(?:UTC|GMT)? ?[+-]00(?::?00)?$/i.test(zone)

/** Returns the moments of a day and a time; `unread` if the zone is unknown or contradicts, or the clock skips that. */
export function instantsIn(
  date: string,
  { times, zone, named }: Split,
  context: Context,
): { instants: number[] } | { unread: Why } {
  const own = context.zone ?? 'UTC'
  const instants: number[] = []
  for (const time of times) {
    const wanted = Date.parse(`${date}T00:00:00Z`) + time
    const found = at(wanted, zone, named, own)
    if (!Array.isArray(found)) return found
    instants.push(...found)
  }
  return instants.length === 0 ? { unread: 'no_such' } : { instants }
}

function at(wanted: number, zone: string, named: string, own: string): number[] | { unread: Why } {
  // The milliseconds are not those of a zone.
  const rest = wanted % 1000
  const shown = wanted - rest
  const withRest = (all: number[]) => all.map((ms) => ms + rest)
  if (named !== '' && !isTimezone(named)) return { unread: 'rest' }
  const [, sign, hours = '0', minutes = '0'] = OFFSET.exec(zone) ?? []
  if (sign !== undefined) {
    const size = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS
    if (size > FARTHEST_MS || Number(minutes) > 59) return { unread: 'rest' }
    const offset = sign === '-' ? -size : size
    const isOther = named !== '' && offsetAt(shown - offset, named) !== offset
    return isOther ? { unread: 'contradicts' } : [wanted - offset]
  }
  if (named !== '') return zone === '' ? withRest(instantsAt(shown, named)) : { unread: 'rest' }
  if (zone === '') return withRest(instantsAt(shown, own))
  if (isUtc(zone)) return [wanted]
  if (zone.includes('/')) return isTimezone(zone) ? withRest(instantsAt(shown, zone)) : { unread: 'rest' }
  const name = zone.toUpperCase()
  return isZoneName(name) ? withRest(instantsOfName(shown, name, own)) : { unread: 'rest' }
}

/** Days before 1970-01-01 on which spreadsheets begin to count. */
const SHEET_EPOCH = 25_569

/** The day, or the moment, of a plain number in a column of such; undefined for other texts. */
export function countedAt(text: string, { counted }: Context): { days?: number; instant?: number } | undefined {
  if (counted === undefined || !COUNTED[counted].test(text)) return undefined
  if (counted === 'days') return { days: Math.round((Number(text.replace(',', '.')) - SHEET_EPOCH) * 86_400) * 1000 }
  return { instant: counted === 's' ? Number(text) * 1000 : Number(text) }
}

/** Numbers of about 1955 to 2119, as a spreadsheet counts days, and of 2001 to 2286 in seconds and milliseconds. */
export const COUNTED = { days: /^[2-7]\d{4}(?:[.,]\d+)?$/, s: /^\d{10}$/, ms: /^\d{13}$/ } as const
