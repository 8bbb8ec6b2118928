import { dayAt, dayOf } from '../calendar/days.ts'
import { daysOf } from '../calendar/recurrence.ts'
import type { CalendarEvent } from './event.ts'
import { inFormOf } from './exception.ts'
import { endOf, type Moment } from './moment.ts'

// Expands recurring events into their occurrences.

/** One occurrence of an event; `starts` and `ends` are milliseconds. */
export type Occurrence = { uid: string; event: CalendarEvent; starts: number; ends: number; zone: Moment['zone'] }

/** The result for all events with the same UID. */
export type Series = {
  occurrences: Occurrence[]
  /** The limit of occurrences was exceeded. */
  isCut: boolean
  /** It contains everything in the window, not only some changed occurrences. */
  isWhole: boolean
}

/** The period for which occurrences are expanded. */
export type Window = { from: number; to: number }

export const MAX_OCCURRENCES = 1000

/** Expands a series. Occurrences are identified by their original time, even if they were moved. */
export function seriesOf(events: readonly CalendarEvent[], window: Window): Series {
  const main = events.filter(({ recurrence }) => !recurrence).reduce(latest, undefined)
  const moved = new Map<number, CalendarEvent>()
  for (const given of events) {
    if (!given.recurrence) continue
    const recurrence = main ? inFormOf(given.recurrence, main) : given.recurrence
    const event = { ...given, recurrence }
    moved.set(recurrence.ms, latest(moved.get(recurrence.ms), event))
  }
  const onward = [...moved.values()].filter(({ isOnward }) => isOnward)
  const recurs = main !== undefined && (main.isPartial || main.rules.length + main.extra.length > 0)
  const planned = recurs ? plannedTimes(main, window) : []
  const all = planned.filter(({ ms }) => !moved.has(ms)).map((at) => occurrenceOf(main as CalendarEvent, at, onward))
  // Changed occurrences without their series are imported whatever their time.
  const own = [...moved.values()].filter(
    ({ recurrence, starts }) => !recurs || [recurrence, starts].some((at) => at && isWithin(at.ms, window)),
  )
  all.push(...own.map(ownOccurrence))
  all.sort((one, other) => one.starts - other.starts)
  const single = main && !recurs ? [{ ...ownOccurrence(main), uid: main.uid }] : []
  const isCut = all.length > MAX_OCCURRENCES
  const isWhole = main !== undefined && !isCut
  return { occurrences: [...single, ...all.slice(0, MAX_OCCURRENCES)], isCut, isWhole }
}

/** Returns the version of an event with the higher sequence number. */
const latest = (one: CalendarEvent | undefined, other: CalendarEvent): CalendarEvent =>
  one && one.sequence > other.sequence ? one : other

/** Returns the times in the window that the rules produce, without the excluded ones. */
function plannedTimes(main: CalendarEvent, window: Window): Moment[] {
  const { starts, rules, extra, except } = main
  const { year, month, day } = starts.local
  const first = dayOf(year, month, day)
  const lastDay = dayAt(window.to) + 1
  const firstDay = dayAt(window.from) - 1
  const found = new Map<number, Moment>()
  const add = (at: Moment): void => void (isWithin(at.ms, window) && found.set(at.ms, at))
  add(starts)
  for (const rule of rules) {
    for (const each of daysOf(rule, first, lastDay, firstDay)) {
      if (each < firstDay) continue
      const local = starts.local.add({ days: each - first })
      // At a time that clocks skip, it takes place after the gap. RFC 5545 leaves it out; here no meeting is lost.
      add({ ...starts, local, ms: starts.zone.toMs(local) })
      if (found.size > MAX_OCCURRENCES + except.length) break
    }
  }
  extra.forEach(add)
  // An excluded day removes everything on it.
  const days = new Set(except.filter(({ isDay }) => isDay).map(dateOf))
  const times = new Set(except.map((each) => inFormOf(each, main).ms))
  return [...found.values()].filter((at) => !times.has(at.ms) && (days.size === 0 || !days.has(dateOf(at))))
}

const dateOf = ({ local }: Moment): string => local.toPlainDate().toString()

const isWithin = (ms: number, { from, to }: Window): boolean => ms >= from && ms <= to

/**
 * Returns an occurrence as the event defines it, or as the last earlier change of "this and future" occurrences does.
 */
function occurrenceOf(main: CalendarEvent, at: Moment, onward: readonly CalendarEvent[]): Occurrence {
  const uid = uidOf(main.uid, at)
  const event = onward
    .filter(({ recurrence }) => recurrence && recurrence.ms <= at.ms)
    .reduce((one, other) => ((other.recurrence?.ms ?? 0) > (one.recurrence?.ms ?? 0) ? other : one), main)
  if (event === main || !event.recurrence) return placed(uid, main, at)
  const local = at.local.add(event.recurrence.local.until(event.starts.local))
  return placed(uid, event, { ...event.starts, local, ms: event.starts.zone.toMs(local) })
}

const ownOccurrence = (event: CalendarEvent): Occurrence =>
  placed(uidOf(event.uid, event.recurrence ?? event.starts), event, event.starts)

const placed = (uid: string, event: CalendarEvent, at: Moment): Occurrence => ({
  uid,
  event,
  starts: at.ms,
  ends: endOf(at, event.length),
  zone: at.zone,
})

/** Returns `uid/20261120T083600Z`, or `uid/20261120` for whole days. */
function uidOf(uid: string, { local, isDay, ms }: Moment): string {
  const text = isDay ? local.toPlainDate().toString() : `${new Date(ms).toISOString().slice(0, 19)}Z`
  return `${uid}/${text.replace(/[-:]/g, '')}`
}

/** Returns the time in the uid of an occurrence; undefined for other uids. */
export function timeInUid(uid: string): number | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    /\/(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(uid) ?? []
  return year === undefined ? undefined : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
