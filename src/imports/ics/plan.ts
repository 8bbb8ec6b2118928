import { setImmediate as turn } from 'node:timers/promises'
import { eventsIn, methodOf } from '../../lib/icalendar/calendar.ts'
import type { CalendarEvent } from '../../lib/icalendar/event.ts'
import type { Block, CalendarText } from '../../lib/icalendar/lines.ts'
import { MAX_OCCURRENCES, type Series, seriesOf, timeInUid, type Window } from '../../lib/icalendar/series.ts'
import { conflict, Problem } from '../../lib/problem.ts'
import { DAY_MS } from '../../lib/time.ts'
import { calendarUids } from '../../meetings/calendar-uids.ts'
import type { Store } from '../../store/open.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { readCalendars } from './file.ts'
import type { Draft } from './take.ts'

/** A row of an import: one meeting or an error, with the blocks of the file that it comes from. */
export type Row = { blocks: Block[] } & ({ draft: Draft } | { error: string })

export type Plan = {
  fingerprint: string
  calendars: CalendarText[]
  /**
   * `now` is the centre of the window of two years. Throws Problem 422 if there are too many meetings, and 409 if the
   * signal aborts.
   */
  rows: (now: number, signal?: AbortSignal) => Promise<Row[]>
}

/** Limit per file, including occurrences of series: they are in memory at once, and take minutes to import. */
export const MAX_MEETINGS = 100_000
/** Events per turn of the event loop: reading them takes seconds, in which an abort signal has to arrive. */
const EVENTS_A_TURN = 100

const YEAR_MS = 365 * DAY_MS

/** Reads the whole file, so that no format error occurs halfway through the import. Throws Problem 404 and 422. */
export async function planMeetings({ db }: Pick<Store, 'db'>, org: number, file: string): Promise<Plan> {
  const { fingerprint, calendars } = await readCalendars(file)
  if (calendars.reduce((sum, { events }) => sum + events.length, 0) > MAX_MEETINGS) throw tooMany(file)
  const own = orgOf(db, org).timezone
  const importedMeetings = knownOccurrences(db, org)

  async function rows(now: number, signal?: AbortSignal): Promise<Row[]> {
    const window = { from: now - YEAR_MS, to: now + YEAR_MS }
    const found: Row[] = []
    const pause = pausing(signal)
    for (const calendar of calendars) {
      const { events, errors, isCanceled } = await eventsOf(calendar, own, pause)
      for (const [uid, all] of Map.groupBy(events, ({ uid }) => uid)) {
        found.push(...rowsOf(uid, all, seriesOf(all, window), isCanceled, window))
        if (found.length > MAX_MEETINGS) throw tooMany(file)
        await pause()
      }
      found.push(...errors)
    }
    return found
  }

  function rowsOf(uid: string, all: CalendarEvent[], series: Series, isCanceled: boolean, window: Window): Row[] {
    const blocks = all.map(({ block }) => block)
    const taken = series.occurrences.map((occurrence): Row => {
      const draft = { occurrence, isCanceled: isCanceled || occurrence.event.isCanceled }
      return { blocks, draft }
    })
    if (series.isCut) {
      const error = `recurs more than ${MAX_OCCURRENCES} times within a year from now; the later ones are left out`
      return [...taken, { blocks, error }]
    }
    if (!series.isWhole) return taken
    const there = new Set(series.occurrences.map((each) => each.uid))
    const missing = importedMeetings(uid, window).filter(({ ical_uid }) => !there.has(ical_uid))
    return [...taken, ...missing.map(({ id }): Row => ({ blocks, draft: { goneId: id } }))]
  }

  return { fingerprint, calendars, rows }
}

const tooMany = (file: string): Problem =>
  new Problem(
    422,
    'too_many_meetings',
    `${file} has more than ${MAX_MEETINGS} meetings, including occurrences of recurring ones within a year from now. Split it, or remove events that recur daily. Nothing was imported.`,
  )

/** Returns a function to call for each event. It rejects with Problem 409 once the signal aborts. */
function pausing(signal: AbortSignal | undefined): () => Promise<void> {
  let events = 0
  return async () => {
    if (++events % EVENTS_A_TURN > 0) return
    await turn()
    if (signal?.aborted) throw conflict('stopped', 'Stopped while reading the file.')
  }
}

/**
 * Returns the meetings of a UID imported before, within the window; the result stays the same while rows are imported.
 */
function knownOccurrences(db: Store['db'], org: number) {
  const { ofSeries } = calendarUids(db)

  return (uid: string, { from, to }: Window): { id: string; ical_uid: string }[] =>
    ofSeries(org, uid).filter(({ ical_uid }) => {
      if (ical_uid === uid) return true
      const ms = ical_uid.lastIndexOf('/') === uid.length ? timeInUid(ical_uid) : undefined
      return ms !== undefined && ms >= from && ms <= to
    })
}

async function eventsOf(
  calendar: CalendarText,
  own: string,
  pause: () => Promise<void>,
): Promise<{ events: CalendarEvent[]; errors: Row[]; isCanceled: boolean }> {
  const method = methodOf(calendar) ?? 'PUBLISH'
  if (ANSWERS.has(method)) {
    const error = `is a reply to an invitation (METHOD:${method}), not an event`
    return { events: [], errors: calendar.events.map((block) => ({ blocks: [block], error })), isCanceled: false }
  }
  const events: CalendarEvent[] = []
  const errors: Row[] = []
  for (const read of eventsIn(calendar, own)) {
    await pause()
    // Whoever imports a file can mend it, other than who receives a mail: an event is taken over whole or not at all.
    const error = read.error ?? read.event.notes[0]
    if (error !== undefined) errors.push({ blocks: [read.block], error })
    else if (read.error === undefined) events.push(read.event)
  }
  return { events, errors, isCanceled: method === 'CANCEL' }
}

/** Answers to an invitation, which are no events of their own. */
const ANSWERS = new Set(['REPLY', 'COUNTER', 'DECLINECOUNTER', 'REFRESH'])
