import { DAY_MS } from '../../time.ts'
import type { Context } from '../reading.ts'

// Years of other calendars than the Gregorian one: 2569, 1405 and 1448 are all 2026.

/** `begins`: the first day of the first year as a Gregorian year; `year`: how long a year is in days. */
const CALENDARS = {
  buddhist: { begins: -543, year: 365.2425, name: 'buddhist' },
  persian: { begins: 622.22, year: 365.2422, name: 'persian' },
  islamic: { begins: 622.54, year: 354.367, name: 'islamic-umalqura' },
} as const

export type Calendar = keyof typeof CALENDARS

/** Years that people write of are these; others are those of history, or never. */
const [FIRST, LAST] = [1900, 2100]
/** How far the estimate of a day may be off. */
const OFF = 8

const YEAR_MS = 365.2425 * DAY_MS

/** Returns the calendar by which a locale writes days: "th-TH" has the Buddhist one. Undefined for the Gregorian one. */
export function calendarOf(locale: string): Calendar | undefined {
  if (!known.has(locale)) {
    const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions()
    known.set(
      locale,
      CALENDAR_NAMES.find((name) => calendar.startsWith(name)),
    )
  }
  return known.get(locale)
}

const CALENDAR_NAMES = Object.keys(CALENDARS) as Calendar[]
const known = new Map<string, Calendar | undefined>()

/** The calendar of whoever wrote a text. */
export const ownCalendar = ({ calendar, locale }: Context): Calendar | undefined =>
  calendar ?? (locale === undefined ? undefined : calendarOf(locale))

/**
 * The days, YYYY-MM-DD, that a year of four digits may mean in other calendars: in that of the locale alone, if it is one of
 * its years; else in all of which it is one. Empty for most years, which are Gregorian alone.
 */
export function datesElsewhere(
  year: number,
  month: number,
  day: number,
  context: Context,
): { dates: string[]; isOwn: boolean } {
  if (year > FIRST - 1 && year < LAST + 1) return { dates: [], isOwn: false }
  const own = ownCalendar(context)
  const found = (calendar: Calendar) => dateIn(calendar, year, month, day) ?? []
  if (own !== undefined && year >= yearIn(own, `${FIRST}-01-01`) && year <= yearIn(own, `${LAST}-12-31`))
    return { dates: [found(own)].flat(), isOwn: true }
  return { dates: CALENDAR_NAMES.flatMap(found), isOwn: false }
}

/** What a year of two digits means in the calendar of the locale: the nearest one. */
export function shortDateElsewhere(
  short: number,
  month: number,
  day: number,
  today: string,
  context: Context,
): string[] {
  const own = ownCalendar(context)
  if (own === undefined) return []
  const now = yearIn(own, today)
  const years = [-100, 0, 100].map((more) => now - (now % 100) + more + short)
  const [nearest = now] = years.toSorted((one, other) => Math.abs(one - now) - Math.abs(other - now))
  return [dateIn(own, nearest, month, day) ?? []].flat()
}

/** The Gregorian day of a day in a calendar; undefined if there is none of these years. */
function dateIn(calendar: Calendar, year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 32) return undefined
  const { begins, year: length } = CALENDARS[calendar]
  const elapsed = ((year - 1) * length + ((month - 1) * length) / 12 + day - 1) * DAY_MS
  const about = calendar === 'buddhist' ? Date.UTC(year + begins, month - 1, day) : (begins - 1970) * YEAR_MS + elapsed
  const middle = Math.round(about / DAY_MS)
  for (let off = -OFF; off <= OFF; off++) {
    const date = new Date((middle + off) * DAY_MS)
    if (date.getUTCFullYear() < FIRST || date.getUTCFullYear() > LAST) continue
    const shown = partsIn(calendar, date)
    if (shown.year === year && shown.month === month && shown.day === day) return date.toISOString().slice(0, 10)
  }
  return undefined
}

const yearIn = (calendar: Calendar, date: string): number => partsIn(calendar, new Date(date)).year

const formats = new Map<Calendar, Intl.DateTimeFormat>()

function partsIn(calendar: Calendar, date: Date): { year: number; month: number; day: number } {
  let format = formats.get(calendar)
  if (!format) {
    const options = { timeZone: 'UTC', year: 'numeric', month: 'numeric', day: 'numeric' } as const
    format = new Intl.DateTimeFormat(`en-u-ca-${CALENDARS[calendar].name}-nu-latn`, options)
    formats.set(calendar, format)
  }
  const found = { year: 0, month: 0, day: 0 }
  for (const { type, value } of format.formatToParts(date)) {
    if (type === 'year' || type === 'month' || type === 'day') found[type] = Number(value)
  }
  return found
}
