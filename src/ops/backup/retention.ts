import { dateIn, parseDay } from '../../lib/calendar/days.ts'
import { usage } from '../../lib/problem.ts'
import { DAY_MS, HOUR_MS } from '../../lib/time.ts'
import type { Reason } from './reasons.ts'

/** How many backups are kept: the newest of each of the last days, weeks and months that have one. */
export type Keep = { days: number; weeks: number; months: number }

export const USUAL_KEEP = '7,4,6'

/** An update that turns out to be wrong can be undone for so long. */
export const KEEP_MIGRATION_MS = 90 * DAY_MS

const MAX = 1000

/** Parses `7,4,6`. Throws a usage Problem that names the option. */
export function parseKeep(text: string, option = '--backup-keep'): Keep {
  const [, days, weeks, months] = /^(\d{1,4}),(\d{1,4}),(\d{1,4})$/.exec(text)?.map(Number) ?? []
  if (days === undefined || weeks === undefined || months === undefined || Math.max(days, weeks, months) > MAX)
    throw usage(`${option} must be three numbers of days, weeks and months, up to ${MAX}, such as ${USUAL_KEEP}.`)
  return { days, weeks, months }
}

type Made = { made: number; reason: Reason }

/** Clocks of processes differ by less than this. */
const AHEAD_MS = HOUR_MS

/** Whether a backup was made while the clock was ahead, so that nobody knows when that was. */
export const isOfFuture = (made: number, now: number): boolean => made > now + AHEAD_MS

/** Sorts the newest first, and those of the future last: none of them is newer than the others for that. */
export const newestFirst =
  (now: number) =>
  (one: { made: number }, other: { made: number }): number =>
    Number(isOfFuture(one.made, now)) - Number(isOfFuture(other.made, now)) || other.made - one.made

/**
 * The backups that are kept. Days, weeks and months count only if they have a backup, so time without any deletes nothing,
 * and neither does a clock that was far ahead. The newest one is always kept.
 */
export function kept<Each extends Made>(
  backups: readonly Each[],
  keep: Keep,
  timezone: string,
  now: number,
): Set<Each> {
  const sorted = backups.toSorted(newestFirst(now))
  const [newest] = sorted
  if (!newest) return new Set()
  const dates = new Map(sorted.map((each) => [each, dateIn(timezone, each.made)]))
  const dateOf = (each: Each): string => dates.get(each) as string
  return new Set([
    newest,
    ...sorted.filter(({ made, reason }) => reason === 'migration' && newest.made - made < KEEP_MIGRATION_MS),
    ...newestOfEach(sorted, keep.days, dateOf),
    ...newestOfEach(sorted, keep.weeks, (each) => weekOf(dateOf(each))),
    ...newestOfEach(sorted, keep.months, (each) => dateOf(each).slice(0, 7)),
  ])
}

function newestOfEach<Each>(sorted: readonly Each[], count: number, periodOf: (each: Each) => string): Each[] {
  const found = new Map<string, Each>()
  for (const each of sorted) {
    const period = periodOf(each)
    if (!found.has(period)) found.set(period, each)
  }
  return [...found.values()].slice(0, count)
}

/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const weekOf = (date: string): string => String(Math.floor((parseDay(date) + 3) / 7))
