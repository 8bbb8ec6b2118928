import { wholeDaysOf } from '../../../lib/written/days/whole-days.ts'
import { boot } from '../../data/boot.ts'
import type { Meeting } from '../../data/types.ts'
import { format, locale } from '../../lib/locale.ts'
import { dateIn, momentOf } from '../../lib/zoned.ts'
import { texts } from './texts.ts'

// On which days a meeting stands: those of the member's zone, or its own if it takes whole days.

type Timed = Pick<Meeting, 'starts_at' | 'ends_at' | 'timezone'>

const DAY_MS = 86_400_000

export const wholeDays = (meeting: Timed): [string, string] | undefined => wholeDaysOf(meeting, boot.value.org.timezone)

/** The first and the last day, as YYYY-MM-DD. One that ends at midnight does not stand on the next day. */
export function daysOf(meeting: Timed): [string, string] {
  const { timezone } = locale.value
  return (
    wholeDays(meeting) ?? [
      dateIn(Date.parse(meeting.starts_at), timezone),
      dateIn(Date.parse(meeting.ends_at) - 1, timezone),
    ]
  )
}

export function addDays(day: string, count: number): string {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10)
}

/** The days from the first to the last, at most so many. */
export function daysBetween(first: string, last: string, most = 100): string[] {
  const days: string[] = []
  for (let day = first; day <= last && days.length < most; day = addDays(day, 1)) days.push(day)
  return days
}

/** The moment at which a day begins in a zone. */
export const startOf = (day: string, timezone: string): number => momentAt(day, '00:00', timezone)

/** `time` is HH:MM. */
export function momentAt(day: string, time: string, timezone: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return momentOf({ year, month, day: date, hour, minute, second: 0 }, timezone)
}

/** "09:30", or that it takes the whole day. */
export const timeOf = (meeting: Timed): string =>
  wholeDays(meeting) ? texts().wholeDay : format.value.time(meeting.starts_at)

/** "Thu 19 Nov 2026, 10:00 to 10:52", or the days alone. */
export function whenOf(meeting: Timed): string {
  const { date, time } = format.value
  const words = texts()
  const whole = wholeDays(meeting)
  const [first, last] = daysOf(meeting)
  if (whole) return first === last ? date(first) : words.fromTo(date(first), date(last))
  const start = `${date(first)}, ${time(meeting.starts_at)}`
  const isOneDay = dateIn(Date.parse(meeting.ends_at), locale.value.timezone) === first
  return words.fromTo(start, isOneDay ? time(meeting.ends_at) : `${date(last)}, ${time(meeting.ends_at)}`)
}

/** How long it takes in words; nothing for whole days, which are no hours of meetings. */
export const lengthOf = (meeting: Timed): string =>
  wholeDays(meeting) ? '' : format.value.duration(Date.parse(meeting.ends_at) - Date.parse(meeting.starts_at))
