import type { Meeting } from '../../data/types.ts'
import { zoned } from '../../lib/zoned.ts'
import { addDays, startOf, wholeDays } from './days.ts'

/** Where a meeting stands on a day: minutes of the day, and beside how many others. */
export type Placed = { meeting: Meeting; start: number; end: number; lane: number; lanes: number }

const MINUTE_MS = 60_000
const DAY_MINUTES = 1440
/** A shorter one still needs a line of text. */
const LEAST_MINUTES = 25

/**
 * The meetings of a day with their times: one over midnight stands on both days, and those at the same time beside each other.
 * Minutes are those of the clock, also on days that have 23 or 25 hours.
 */
export function placed(meetings: readonly Meeting[], day: string, timezone: string): Placed[] {
  const [from, to] = [startOf(day, timezone), startOf(addDays(day, 1), timezone)]
  const found = meetings
    .filter((meeting) => wholeDays(meeting) === undefined)
    .flatMap((meeting) => {
      const [start, end] = [Math.max(from, Date.parse(meeting.starts_at)), Math.min(to, Date.parse(meeting.ends_at))]
      if (start >= end) return []
      const { hour, minute } = zoned(start, timezone)
      const first = hour * 60 + minute
      const last = Math.min(DAY_MINUTES, first + (end - start) / MINUTE_MS)
      return [{ meeting, start: first, end: Math.max(first + LEAST_MINUTES, last) }]
    })
    .sort((one, other) => one.start - other.start || other.end - one.end)
  return groupsOf(found).flatMap(inLanes)
}

type Timed = Pick<Placed, 'meeting' | 'start' | 'end'>

/** Those that touch each other, directly or by others. */
function groupsOf(all: readonly Timed[]): Timed[][] {
  const groups: Timed[][] = []
  let until = -1
  for (const each of all) {
    if (each.start >= until) groups.push([])
    groups.at(-1)?.push(each)
    until = Math.max(until, each.end)
  }
  return groups
}

function inLanes(group: readonly Timed[]): Placed[] {
  const ends: number[] = []
  const found = group.map((each) => {
    const free = ends.findIndex((end) => end <= each.start)
    const lane = free < 0 ? ends.length : free
    ends[lane] = each.end
    return { ...each, lane }
  })
  return found.map((each) => ({ ...each, lanes: ends.length }))
}
