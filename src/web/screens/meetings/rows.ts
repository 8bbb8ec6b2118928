import type { Meeting } from '../../data/types.ts'
import { addDays, daysBetween, daysOf, wholeDays } from './days.ts'

export type Row = { kind: 'day'; day: string; count: number } | { kind: 'meeting'; day: string; meeting: Meeting }

export type Span = {
  /** The first and the last day that are shown; without one, all. */
  from?: string | undefined
  to?: string | undefined
  isDescending?: boolean | undefined
}

/** Days and what stands on each: one of several days stands on each of them, and those of whole days come first. */
export function rowsOf(meetings: readonly Meeting[], { from, to, isDescending }: Span): Row[] {
  const byDay = new Map<string, Meeting[]>()
  for (const meeting of meetings) {
    const [first, last] = daysOf(meeting)
    const ends = wholeDays(meeting) ? last : first
    // A long one begins at the first day that is shown; what was over before stands on none.
    const begins = from !== undefined && from > first ? from : first
    for (const day of daysBetween(begins, to !== undefined && to < ends ? to : ends))
      byDay.set(day, [...(byDay.get(day) ?? []), meeting])
  }
  const days = [...byDay.keys()].sort()
  if (isDescending) days.reverse()
  return days.flatMap((day): Row[] => {
    const found = (byDay.get(day) ?? []).sort(inOrder)
    return [
      { kind: 'day', day, count: found.length },
      ...found.map((meeting): Row => ({ kind: 'meeting', day, meeting })),
    ]
  })
}

export const keyOf = (row: Row): string => (row.kind === 'day' ? row.day : `${row.day}/${row.meeting.id}`)

function inOrder(one: Meeting, other: Meeting): number {
  const whole = Number(wholeDays(one) === undefined) - Number(wholeDays(other) === undefined)
  if (whole !== 0) return whole
  if (one.starts_at !== other.starts_at) return one.starts_at < other.starts_at ? -1 : 1
  return one.id < other.id ? -1 : 1
}

/** The first day of the week that a day is in; 1 is Monday. */
export function weekOf(day: string, firstWeekday: number): string {
  const weekday = new Date(Date.parse(day)).getUTCDay() || 7
  return addDays(day, -((weekday - firstWeekday + 7) % 7))
}
