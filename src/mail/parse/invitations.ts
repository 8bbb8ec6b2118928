import { appointmentOf } from '../../lib/icalendar/appointment.ts'
import { eventsIn, methodOf } from '../../lib/icalendar/calendar.ts'
import type { CalendarEvent } from '../../lib/icalendar/event.ts'
import { type Block, type CalendarText, calendarsIn } from '../../lib/icalendar/lines.ts'
import { MAX_OCCURRENCES, seriesOf, type Window } from '../../lib/icalendar/series.ts'
import { Problem } from '../../lib/problem.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Invitation, Version } from '../mail.ts'
import { textOf } from './body.ts'
import type { Leaf } from './mime.ts'
import { cutBytes, oneLine, plainText } from './text.ts'

// The invitations in a mail (RFC 5546 and 6047): which meetings an organizer sends, changes or cancels, and who answers.

/** What the times of a calendar depend on: times in milliseconds, and the zone of the organisation. */
export type CalendarView = { timezone: string; now: number; arrivedAt: number }

export type Invitations = { invitations: Invitation[]; notes: string[] }

const MAX_CALENDARS = 10
const MAX_CALENDAR_BYTES = 1_048_576
const MAX_EVENTS = 200
/** A calendar describes the zones that it uses, and each rule of a description is evaluated from its first year. */
const MAX_ZONES = 5
const MAX_ZONE_LINES = 120
const EARLY = /^DTSTART[^:]*:(?:0|1[0-5])/i
/** Each rule is evaluated day by day, from the first occurrence if it has a count. */
const MAX_SERIES = 20
const MAX_RULES = 2
const MAX_COUNTED_YEARS = 20
const MAX_NOTES = 5
const MAX_PEOPLE = 500
const MAX_DESCRIPTION_BYTES = 65_536
/** An occurrence adds its time to the UID, and together they are the `ical_uid` of a meeting. */
const MAX_UID = 230
const YEAR_MS = 365 * DAY_MS

/** Reads the calendars of a mail. What cannot be read is left out with a note, and the rest is read. */
export function readInvitations(source: Buffer, leaves: readonly Leaf[], view: CalendarView): Invitations {
  const notes = new Set<string>()
  const texts = new Set<string>()
  const groups = new Map<string, { method: Invitation['method']; events: CalendarEvent[] }>()
  let count = 0
  for (const leaf of leaves.slice(0, MAX_CALENDARS)) {
    if (leaf.end - leaf.start > 2 * MAX_CALENDAR_BYTES) {
      notes.add('A calendar in this mail was not read because it is larger than 1 MiB.')
      continue
    }
    const text = textOf(source, leaf).trim()
    if (texts.has(text)) continue // most programs send it twice: as a form of the body, and as a file
    texts.add(text)
    const stated = leaf.contentType.params.get('method')?.toUpperCase()
    for (const calendar of calendarsOf(text, notes)) {
      const method = METHODS.find((each) => each === (methodOf(calendar) ?? stated))
      if (!method) continue
      for (const read of eventsIn(bounded(calendar, method), view.timezone)) {
        if (++count > MAX_EVENTS) break
        const error = read.error ?? excess(read.event, view)
        if (error !== undefined) notes.add(`A meeting in this mail was not imported: it ${error}.`)
        if (error !== undefined || read.error !== undefined) continue
        const key = `${method} ${read.event.uid}`
        const group = groups.get(key) ?? { method, events: [] }
        group.events.push(read.event)
        groups.set(key, group)
      }
    }
  }
  if (count > MAX_EVENTS) notes.add(`Only the first ${MAX_EVENTS} events of the calendars in this mail were read.`)
  const invitations = expanded([...groups.values()], view, notes)
  return { invitations, notes: [...notes].slice(0, MAX_NOTES) }
}

/** A calendar for publication invites nobody, and a counter proposal is for people to read. */
const METHODS = ['REQUEST', 'CANCEL', 'REPLY'] as const

/** Why an event is not read although it is valid. */
function excess({ uid, rules, starts }: CalendarEvent, { now }: CalendarView): string | undefined {
  if (uid.length > MAX_UID) return `has a UID of more than ${MAX_UID} characters`
  if (rules.length > MAX_RULES) return `has more than ${MAX_RULES} rules`
  const isOld = starts.ms < now - MAX_COUNTED_YEARS * YEAR_MS
  return isOld && rules.some(({ count }) => count !== undefined)
    ? `began more than ${MAX_COUNTED_YEARS} years ago, with a number of occurrences`
    : undefined
}

function calendarsOf(text: string, notes: Set<string>): CalendarText[] {
  try {
    return calendarsIn('A calendar in this mail', Buffer.from(text.toWellFormed()))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    notes.add(error.message)
    return []
  }
}

const bounded = ({ zones, events, ...calendar }: CalendarText, method: Invitation['method']): CalendarText => ({
  ...calendar,
  events: method === 'REQUEST' ? events : events.map(timed),
  zones: zones
    .slice(0, MAX_ZONES)
    .filter(({ lines }) => lines.length <= MAX_ZONE_LINES && !lines.some((line) => EARLY.test(line))),
})

/** Cancellations and answers may leave out the times of the event. */
function timed({ lines, ...block }: Block): Block {
  const has = (name: RegExp) => lines.some((line) => name.test(line))
  const start = has(/^DTSTART[:;]/i) ? [] : ['DTSTART:19700101T000000Z']
  const own = start.length > 0 ? lines.filter((line) => !/^(?:DTEND|DURATION)[:;]/i.test(line)) : lines
  const length = start.length > 0 || !has(/^(?:DTEND|DURATION)[:;]/i) ? ['DURATION:PT1H'] : []
  return { ...block, lines: [...own.slice(0, 1), ...start, ...length, ...own.slice(1)] }
}

/** Expands series from when the mail arrived, as what was before is over, to a year from now. */
function expanded(
  groups: readonly { method: Invitation['method']; events: CalendarEvent[] }[],
  { now, arrivedAt }: CalendarView,
  notes: Set<string>,
): Invitation[] {
  const window = { from: Math.max(Math.min(arrivedAt, now), now - YEAR_MS), to: now + YEAR_MS }
  const isSeries = ({ events }: { events: CalendarEvent[] }) => events.some(({ rules }) => rules.length > 0)
  const left = new Set(groups.filter(isSeries).slice(MAX_SERIES))
  if (left.size > 0) notes.add(`Only the first ${MAX_SERIES} recurring meetings of this mail were imported.`)
  let room = MAX_OCCURRENCES
  return groups
    .filter((group) => !left.has(group))
    .map(({ method, events }) => {
      const invitation = invitationOf(method, events, window)
      const isCut = invitation.isCut || invitation.occurrences.length > room
      if (isCut)
        notes.add(`The meetings in this mail take place more than ${MAX_OCCURRENCES} times; the rest was left out.`)
      const occurrences = invitation.occurrences.slice(0, room)
      room -= occurrences.length
      return { ...invitation, isCut, occurrences }
    })
}

function invitationOf(method: Invitation['method'], events: readonly CalendarEvent[], window: Window): Invitation {
  const mains = events.filter(({ recurrence }) => !recurrence)
  const main = mains.toSorted((one, other) => one.sequence - other.sequence || one.stamp - other.stamp).at(-1)
  const { occurrences, isCut } = seriesOf(
    main ? [main, ...events.filter(({ recurrence }) => recurrence)] : events,
    window,
  )
  return {
    method,
    uid: events[0]?.uid as string,
    organizers: [...new Set(events.flatMap(({ organizers }) => organizers))],
    main: main ? versionOf(main) : null,
    isSeries: main ? main.rules.length + main.extra.length > 0 : true,
    until: window.to,
    isCut,
    occurrences: occurrences.map((occurrence) => {
      const { event } = occurrence
      const { title, description, location, people, ...rest } = appointmentOf(occurrence)
      return {
        appointment: {
          ...rest,
          title: oneLine(title),
          description: description && cutBytes(plainText(description), MAX_DESCRIPTION_BYTES),
          location: location && oneLine(location),
          people: people.slice(0, MAX_PEOPLE).map((each) => ({ ...each, name: each.name && oneLine(each.name) })),
        },
        isCanceled: method === 'CANCEL' || event.isCanceled,
        own: event.recurrence ? versionOf(event) : null,
        isOnward: event.isOnward,
      }
    }),
  }
}

/** Integers of RFC 5545 have 32 bits. */
const versionOf = ({ sequence, stamp }: CalendarEvent): Version => ({
  sequence: Math.trunc(Math.max(0, Math.min(sequence, 2_147_483_647))),
  stamp,
})
