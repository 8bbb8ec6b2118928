import { DAY_MS } from '../../time.ts'
import type { Context } from '../reading.ts'
import { datesElsewhere, shortDateElsewhere } from './calendars.ts'
import { dayIn } from './instants.ts'

// Which year is meant by two digits, or by none.

/** A close date is rarely further ahead, and what is written with two digits is rarely further back. */
const AHEAD = 30
/** Where nothing is known of the field, a year this near is meant; another century only if it is nearer by far. */
const NEAR = 20
const FAR = 40

/** YYYY-MM-DD of a day that exists. */
export function dateOf(year: number, month: number, day: number): string | undefined {
  const at = new Date(Date.UTC(2000, month - 1, day))
  at.setUTCFullYear(year, month - 1, day)
  const exists = year > 0 && year < 10_000 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
  return exists ? at.toISOString().slice(0, 10) : undefined
}

export const todayOf = ({ now = Date.now(), zone = 'UTC' }: Context): string => dayIn(now, zone)

/** The days that a year of four digits may mean: in the calendar of who wrote it, or else in each that has such a year. */
export function datesOfYear(year: number, month: number, day: number, context: Context): string[] {
  const { dates, isOwn } = datesElsewhere(year, month, day, context)
  return isOwn ? dates : [...new Set([dateOf(year, month, day) ?? [], dates].flat())]
}

/**
 * The days that a year of two digits may mean: a birthday is past, the close date of a deal mostly ahead, and other days are
 * near, or in either century.
 */
export function datesOfShortYear(short: number, month: number, day: number, context: Context): string[] {
  const elsewhere = shortDateElsewhere(short, month, day, todayOf(context), context)
  return [...new Set([...elsewhere, ...gregorianOfShortYear(short, month, day, context)])]
}

function gregorianOfShortYear(short: number, month: number, day: number, context: Context): string[] {
  const today = todayOf(context)
  const year = Number(today.slice(0, 4))
  const century = year - (year % 100)
  const years = [century - 100, century, century + 100].map((each) => each + short)
  const dates = (some: readonly number[]) => some.flatMap((each) => dateOf(each, month, day) ?? [])
  if (context.lies === 'past')
    return dates(years)
      .filter((date) => date <= today)
      .slice(-1)
  if (context.lies === 'ahead') return dates(years.filter((each) => each < year + AHEAD)).slice(-1)
  const near = years.filter((each) => Math.abs(each - year) <= NEAR)
  if (near.length > 0) return dates(near)
  const past = years.filter((each) => each < year).slice(-1)
  return dates([...past, ...years.filter((each) => each > year && each <= year + FAR)])
}

/** The day that a day and a month mean to somebody who writes no year: the next one, or the nearest. */
export function datesWithoutYear(month: number, day: number, context: Context): string[] {
  const today = todayOf(context)
  const year = Number(today.slice(0, 4))
  // A leap day may be years ahead.
  const all = Array.from({ length: 10 }, (_, index) => dateOf(year - 1 + index, month, day) ?? []).flat()
  const away = (date: string): number => Math.abs(Date.parse(date) - Date.parse(today)) / DAY_MS
  if (context.lies === 'ahead') return all.filter((date) => date >= today).slice(0, 1)
  return all.toSorted((one, other) => away(one) - away(other)).slice(0, 1)
}
