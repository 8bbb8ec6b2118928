import { appointmentOf } from '../../icalendar/appointment.ts'
import { eventsIn, methodOf, PRODUCT, programOf } from '../../icalendar/calendar.ts'
import type { CalendarEvent } from '../../icalendar/event.ts'
import { type Block, type CalendarText, calendarsIn } from '../../icalendar/lines.ts'
import type { Moment } from '../../icalendar/moment.ts'
import { MAX_OCCURRENCES, seriesOf, type Window } from '../../icalendar/series.ts'
import { Problem } from '../../problem.ts'
import { DAY_MS } from '../../time.ts'
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

/** The events of one UID. */
type Group = Pick<Invitation, 'method' | 'isByOutlook' | 'isByDealbox'> & { events: CalendarEvent[] }

/** Reads the calendars of a mail. What cannot be read is left out with a note, and the rest is read. */
export function readInvitations(source: Buffer, leaves: readonly Leaf[], view: CalendarView): Invitations {
  const notes = new Set<string>()
  const texts = new Set<string>()
  const groups = new Map<string, Group>()
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
      const method = METHODS.find((each) => each === (methodOf(calendar) ?? stated ?? 'PUBLISH'))
      if (!method) continue
      for (const read of eventsIn(bounded(calendar, method), view.timezone)) {
        if (++count > MAX_EVENTS) break
        const error = read.error ?? excess(read.event, view)
        if (error !== undefined) notes.add(`A meeting in this mail was not imported: it ${error}.`)
        if (error !== undefined || read.error !== undefined) continue
        for (const note of read.event.notes) notes.add(`A line of a meeting in this mail was left out: it ${note}.`)
        const key = `${method} ${read.event.uid}`
        const program = programOf(calendar)
        const by = { isByOutlook: /microsoft/i.test(program), isByDealbox: program === PRODUCT }
        const group = groups.get(key) ?? { method, events: [], ...by }
        group.events.push(read.event)
        groups.set(key, group)
      }
    }
  }
  if (count > MAX_EVENTS) notes.add(`Only the first ${MAX_EVENTS} events of the calendars in this mail were read.`)
  const invitations = expanded([...groups.values()], view, notes)
  return { invitations, notes: [...notes].slice(0, MAX_NOTES) }
}

/** A counter proposal is for people to read. */
const METHODS = ['REQUEST', 'CANCEL', 'REPLY', 'PUBLISH'] as const

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
  events: method === 'CANCEL' || method === 'REPLY' ? events.map(timed) : events,
  zones: zones
    .slice(0, MAX_ZONES)
    .filter(({ lines }) => lines.length <= MAX_ZONE_LINES && !lines.some((line) => EARLY.test(line))),
})

/** Cancellations and answers may leave out the times of the event. */
function timed({ lines, ...block }: Block): Block {
  const has = (name: RegExp) => lines.some((line) => name.test(line))
  const start = has(/^DTSTART[:;]/i) ? [] : ['DTSTART:19700101T000000']
  const own = start.length > 0 ? lines.filter((line) => !/^(?:DTEND|DURATION)[:;]/i.test(line)) : lines
  const length = start.length > 0 || !has(/^(?:DTEND|DURATION)[:;]/i) ? ['DURATION:PT1H'] : []
  return { ...block, lines: [...own.slice(0, 1), ...start, ...length, ...own.slice(1)] }
}

/** Expands series from when the mail arrived, as what was before is over, to a year from now. */
function expanded(groups: readonly Group[], { now, arrivedAt }: CalendarView, notes: Set<string>): Invitation[] {
  const window = { from: Math.max(Math.min(arrivedAt, now), now - YEAR_MS), to: now + YEAR_MS }
  const isSeries = ({ events }: Group) => events.some(({ rules }) => rules.length > 0)
  const left = new Set(groups.filter(isSeries).slice(MAX_SERIES))
  if (left.size > 0) notes.add(`Only the first ${MAX_SERIES} recurring meetings of this mail were imported.`)
  let room = MAX_OCCURRENCES
  return groups
    .filter((group) => !left.has(group))
    .map((group) => {
      const { isLong, ...invitation } = invitationOf(group, window)
      const isOver = isLong || invitation.occurrences.length > room
      const isCut = invitation.isCut || isOver
      if (isOver)
        notes.add(`The meetings in this mail take place more than ${MAX_OCCURRENCES} times; the rest was left out.`)
      const occurrences = invitation.occurrences.slice(0, room)
      room -= occurrences.length
      return { ...invitation, isCut, occurrences }
    })
}

function invitationOf(
  { method, events, isByOutlook, isByDealbox }: Group,
  window: Window,
): Invitation & { isLong: boolean } {
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
    comment: commentIn(events),
    isByOutlook,
    isByDealbox,
    main: main ? versionOf(main) : null,
    isSeries: main ? main.isPartial || main.rules.length + main.extra.length > 0 : true,
    until: window.to,
    isCut: isCut || main?.isPartial === true,
    isLong: isCut,
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
        named: main || !event.recurrence ? null : nameOf(event.recurrence),
        isOnward: event.isOnward,
      }
    }),
  }
}

function commentIn(events: readonly CalendarEvent[]): string | null {
  const comment = events.map((each) => each.comment).find((each) => each !== undefined)
  return comment === undefined ? null : cutBytes(plainText(comment), MAX_DESCRIPTION_BYTES)
}

const nameOf = ({ local, isDay, isFloating }: Moment) => ({ local: local.toString(), isDay, isFloating })

/** Integers of RFC 5545 have 32 bits. */
const versionOf = ({ sequence, stamp }: CalendarEvent): Version => ({
  sequence: Math.trunc(Math.max(0, Math.min(sequence, 2_147_483_647))),
  stamp,
})
