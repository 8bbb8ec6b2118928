import { dayAt } from '../../lib/calendar/days.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'

const OPENS_MS = 8 * HOUR_MS

/** A working day lasts from 08:00 to 16:00 UTC: office hours all over Europe, in summer and in winter. */
export const WORKING_DAY_MS = 8 * HOUR_MS

/**
 * The working time between two instants, without weekends and the days around New Year. All planning uses this axis of
 * milliseconds from 0 to `total`; `at` converts it to epoch milliseconds, preserving order, and `of` converts back.
 */
export function workingTime(from: number, to: number) {
  const days: number[] = []
  for (let day = Math.ceil(from / DAY_MS); day * DAY_MS + OPENS_MS < to; day++) {
    if (weekday(day) === day && !isHoliday(day)) days.push(day)
  }
  const lastDay = days.at(-1)
  if (lastDay === undefined) throw new RangeError('a life needs at least one working day')
  const lastPart = Math.min(WORKING_DAY_MS, to - lastDay * DAY_MS - OPENS_MS)
  const total = (days.length - 1) * WORKING_DAY_MS + lastPart
  const places = new Map(days.map((day, index) => [day, index]))

  function at(work: number): number {
    const index = Math.min(Math.floor(work / WORKING_DAY_MS), days.length - 1)
    return (days[index] as number) * DAY_MS + OPENS_MS + Math.floor(work - index * WORKING_DAY_MS)
  }

  /** Returns the working time of an instant; outside working hours, that of the next opening. */
  function of(at: number): number {
    let day = dayAt(at)
    while (day * DAY_MS < to && !places.has(day)) day++
    const index = places.get(day)
    if (index === undefined) return total
    const sinceOpening = at - day * DAY_MS - OPENS_MS
    return Math.min(index * WORKING_DAY_MS + Math.min(Math.max(sinceOpening, 0), WORKING_DAY_MS), total)
  }

  return { total, at, of }
}

export type WorkingTime = ReturnType<typeof workingTime>

export function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear()
}

/** Returns the last weekday of the day's month, a usual deadline in sales. */
export function endOfMonth(day: number): number {
  const date = new Date(day * DAY_MS)
  return weekday(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0) / DAY_MS)
}

/** Returns the day itself, the Friday before a weekend, or the end of the year instead of the holidays around it. */
export function workingDay(day: number): number {
  return isHoliday(weekday(day)) ? endOfMonth(day - 9) : weekday(day)
}

const written = new Map<number, string>()

/** YYYY-MM-DD */
export function dateText(day: number): string {
  let text = written.get(day)
  if (text === undefined) {
    text = new Date(day * DAY_MS).toISOString().slice(0, 10)
    written.set(day, text)
  }
  return text
}

function weekday(day: number): number {
  const ofWeek = (day + 4) % 7
  return ofWeek === 0 ? day - 2 : ofWeek === 6 ? day - 1 : day
}

function isHoliday(day: number): boolean {
  const date = new Date(day * DAY_MS)
  const [month, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()]
  return (month === 11 && dayOfMonth >= 24) || (month === 0 && dayOfMonth === 1)
}
