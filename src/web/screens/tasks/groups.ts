import { type DayParts, dayNumber, momentOf, zoned } from '../../lib/zoned.ts'

/** In the order of the page. `week` ends with the sixth day from now; those without a time come last. */
export const GROUPS = ['late', 'today', 'tomorrow', 'week', 'later', 'whenever'] as const
export type Group = (typeof GROUPS)[number]

export type Due = { due_at: string | null; status: string; completed_at: string | null }

/** A task without a time of day is due at the last minute of its day, which screens leave out. */
export const isAnyTime = (dueAt: string, timezone: string): boolean => {
  const { hour, minute } = zoned(Date.parse(dueAt), timezone)
  return hour === 23 && minute === 59
}

/** Where a task stands. One that is done stays where it was until the day is over. */
export function groupOf({ due_at, status }: Due, now: number, timezone: string): Group {
  if (due_at === null) return 'whenever'
  const due = Date.parse(due_at)
  if (due < now && status === 'open') return 'late'
  const away = dayNumber(zoned(due, timezone)) - dayNumber(zoned(now, timezone))
  if (away <= 0) return 'today'
  if (away === 1) return 'tomorrow'
  return away <= 6 ? 'week' : 'later'
}

/** The first moment of the day that `now` is in, as the API takes it: days have 23 and 25 hours, too. */
export function startOfDay(now: number, timezone: string): string {
  return new Date(momentOf({ ...zoned(now, timezone), ...MIDNIGHT }, timezone)).toISOString()
}

const MIDNIGHT = { hour: 0, minute: 0, second: 0 }

/** The same day in so many days; without a time of day unless the task had one. */
export function shifted(now: number, days: number, timezone: string): DayParts {
  const here = zoned(now, timezone)
  const then = new Date(Date.UTC(here.year, here.month - 1, here.day + days))
  return {
    year: then.getUTCFullYear(),
    month: then.getUTCMonth() + 1,
    day: then.getUTCDate(),
    hour: 23,
    minute: 59,
    second: 0,
  }
}

export type Row<T> = { kind: 'head'; group: Group; count: number; open: number } | { kind: 'task'; task: T }

/** Heads and tasks in the order of the page: by time, those done at the end of their group. */
export function rowsOf<T extends Due & { id: string }>(tasks: readonly T[], now: number, timezone: string): Row<T>[] {
  const byGroup = Map.groupBy(tasks, (task) => groupOf(task, now, timezone))
  return GROUPS.flatMap((group): Row<T>[] => {
    const found = byGroup.get(group)
    if (!found) return []
    const sorted = [...found].sort(inOrder)
    const open = sorted.filter(({ status }) => status === 'open').length
    return [
      { kind: 'head', group, count: sorted.length, open },
      ...sorted.map((task): Row<T> => ({ kind: 'task', task })),
    ]
  })
}

function inOrder(one: Due & { id: string }, other: Due & { id: string }): number {
  const done = Number(one.status !== 'open') - Number(other.status !== 'open')
  if (done !== 0) return done
  const [first, second] = [one.due_at ?? '', other.due_at ?? '']
  if (first !== second) return first < second ? -1 : 1
  return one.id < other.id ? -1 : 1
}
