import ICAL from 'ical.js'
import { PRODUCT } from '../lib/icalendar/calendar.ts'
import { timeInUid } from '../lib/icalendar/series.ts'
import { type Times, wholeDaysOf } from '../lib/written/days/whole-days.ts'
import type { Meeting } from './meeting.ts'
import type { Participant } from './participants.ts'

// A meeting in iCalendar (RFC 5545): one VEVENT.

/** One of its lines as jCal (RFC 7265). */
type Property = [name: string, parameters: Record<string, string>, type: string, value: string | number]
type Component = [name: string, properties: Property[], components: Component[]]

// A continuation line begins with a space, which counts towards its 75 octets; the library does not count it.
ICAL.foldLength = 74

const PARTSTAT: Record<Participant['response'], string> = {
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
  pending: 'NEEDS-ACTION',
}

export type Method = 'REQUEST' | 'CANCEL' | 'REPLY'

/** What the calendar in a mail is to do in those of its recipients (RFC 5546), instead of being a file of the meeting. */
export type Scheduling = {
  method: Method
  uid: string
  /** The uid of an occurrence, which contains its original time; '' for the event itself. */
  recurrence: string
  sequence: number
  /** Milliseconds. */
  stamp: number
  organizer: { email: string; name: string | null }
  attendees: readonly Participant[]
  /** Who sends an answer for its attendee, if that is somebody else. */
  sentBy?: string | undefined
}

export const uidOf = ({ id, ical_uid }: Pick<Meeting, 'id' | 'ical_uid'>): string => ical_uid ?? `${id}@dealbox`

/** Returns the text of the file. Times are in the zone of the meeting, if any, to the second. */
export function meetingCalendar(meeting: Meeting, mail?: Scheduling): string {
  const { title, description, location, conference_url, status, participants, version } = meeting
  const organizers = mail ? [mail.organizer] : participants.filter(({ role }) => role === 'organizer')
  const [starts, ends] = secondsOf(meeting)
  // An occurrence is named by its day only where it takes whole days: then its times are days, too.
  const isWhole = mail?.recurrence ? !mail.recurrence.endsWith('Z') : wholeDaysIn(meeting) !== undefined
  const days = isWhole ? (meeting.timezone ?? 'UTC') : undefined
  const zone = meeting.timezone === null || days ? undefined : zoneOf(meeting.timezone, starts, ends)
  const event: Property[] = [
    text('uid', mail?.uid ?? uidOf(meeting)),
    ['dtstamp', {}, 'date-time', utc(mail?.stamp ?? Date.parse(meeting.updated_at))],
    ...(mail?.recurrence ? [originalTime(mail.recurrence)] : []),
    days ? day('dtstart', starts, days) : time('dtstart', starts, zone),
    days ? day('dtend', ends, days) : time('dtend', ends, zone),
    text('summary', title),
    ...(description ? [text('description', description)] : []),
    ...(location ? [text('location', location)] : []),
    ...(conference_url ? [['url', {}, 'uri', conference_url] satisfies Property] : []),
    text('status', (mail ? mail.method === 'CANCEL' : status === 'canceled') ? 'CANCELLED' : 'CONFIRMED'),
    ...organizers.map(organizer),
    ...(mail?.attendees ?? participants).map((each) => attendee(each, mail)),
    ['sequence', {}, 'integer', mail?.sequence ?? version - 1],
    ['created', {}, 'date-time', utc(Date.parse(meeting.created_at))],
    ['last-modified', {}, 'date-time', utc(Date.parse(meeting.updated_at))],
  ]
  const calendar: Component = [
    'vcalendar',
    [
      text('version', '2.0'),
      text('prodid', PRODUCT),
      text('calscale', 'GREGORIAN'),
      ...(mail ? [text('method', mail.method)] : []),
    ],
    [...(zone ? [timezone(zone)] : []), ['vevent', event, []]],
  ]
  return ICAL.stringify(calendar)
}

/** The days of a meeting that takes whole days: those of its own zone, without which nobody knows where its midnights are. */
export const wholeDaysIn = (meeting: Times): [string, string] | undefined =>
  meeting.timezone === null ? undefined : wholeDaysOf(meeting, meeting.timezone)

/** Whole seconds, in milliseconds; the end stays after the start. */
function secondsOf({ starts_at, ends_at }: Meeting): [starts: number, ends: number] {
  const [starts, ends] = [starts_at, ends_at].map((at) => Math.floor(Date.parse(at) / 1000) * 1000) as [number, number]
  return [starts, Math.max(ends, starts + 1000)]
}

const text = (name: string, value: string): Property => [name, {}, 'text', clean(value)]

/**
 * Makes line ends uniform, which the library escapes, and removes control characters that are not allowed in a line.
 */
const clean = (value: string): string =>
  value.replace(/\r\n?/g, '\n').replace(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')

const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function time(name: string, ms: number, zone: Zone | undefined): Property {
  if (!zone) return [name, {}, 'date-time', utc(ms)]
  return [name, { tzid: zone.id }, 'date-time', wallClock(local(ms, zone.id))]
}

const day = (name: string, ms: number, zone: string): Property => [
  name,
  {},
  'date',
  local(ms, zone).toPlainDate().toString(),
]

function originalTime(uid: string): Property {
  const ms = timeInUid(uid) as number
  return uid.endsWith('Z')
    ? ['recurrence-id', {}, 'date-time', utc(ms)]
    : ['recurrence-id', {}, 'date', utc(ms).slice(0, 10)]
}

// Participants.

type Addressed = Pick<Participant, 'email' | 'name'> & Partial<Pick<Participant, 'contact_id' | 'member_id'>>

const organizer = (participant: Addressed): Property => [
  'organizer',
  named(participant),
  'cal-address',
  addressOf(participant),
]

/** The organizer is listed, too: their response appears nowhere else. */
const attendee = (participant: Participant, mail: Scheduling | undefined): Property => [
  'attendee',
  {
    ...named(participant),
    role: participant.role === 'organizer' ? 'CHAIR' : 'REQ-PARTICIPANT',
    partstat: PARTSTAT[participant.response],
    ...(mail?.method === 'REQUEST' ? { rsvp: 'TRUE' } : {}),
    ...(mail?.sentBy ? { 'sent-by': mailto(mail.sentBy) } : {}),
  },
  'cal-address',
  addressOf(participant),
]

const named = ({ name }: Addressed): Record<string, string> => (name ? { cn: clean(name).replaceAll('\t', ' ') } : {})

/** An address must be a URI, even for participants without an email. */
function addressOf({ email, contact_id = null, member_id = null }: Addressed): string {
  const id = contact_id ?? member_id
  if (email === null) return id === null ? 'invalid:nomail' : `urn:uuid:${id}`
  return mailto(email)
}

const mailto = (email: string): string => `mailto:${email.replace(/[%?#\u0001-\u001f\u007f]/g, encodeURIComponent)}`

// The time zone.

/** `changes` are the relevant clock changes: the last one before the meeting, and those during it. */
type Zone = { id: string; changes: Change[] }
type Change = { before: number; after: number; at: Temporal.ZonedDateTime }

const MINUTE_NS = 60_000_000_000
/** Those of about ten years. */
const MAX_CHANGES = 20

/**
 * Returns undefined if UTC is the better choice: for zones without an earlier clock change, times that occur twice,
 * historical offsets that are not whole minutes, and more than a few changes.
 */
function zoneOf(name: string, starts: number, ends: number): Zone | undefined {
  const first = local(starts, name)
  const last = local(ends, name)
  const changes: Change[] = []
  for (let at: Temporal.ZonedDateTime | null = last.add({ nanoseconds: 1 }); at; ) {
    at = at.getTimeZoneTransition('previous')
    if (!at || changes.length === MAX_CHANGES) return undefined
    const before = at.subtract({ nanoseconds: 1 }).offsetNanoseconds
    changes.unshift({ before, after: at.offsetNanoseconds, at })
    if (Temporal.ZonedDateTime.compare(at, first) <= 0) break
  }
  const isWhole = changes.every(({ before, after }) => before % MINUTE_NS === 0 && after % MINUTE_NS === 0)
  return isWhole && isOnce(first) && isOnce(last) ? { id: first.timeZoneId, changes } : undefined
}

const local = (ms: number, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)

/** Whether the wall clock shows the time only once, in a year from 1 to 9999. */
function isOnce(moment: Temporal.ZonedDateTime): boolean {
  if (moment.year < 1 || moment.year > 9999) return false
  const [one, other] = (['earlier', 'later'] as const).map((disambiguation) =>
    moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime]
  return one.equals(other)
}

const wallClock = (moment: Temporal.ZonedDateTime): string =>
  moment.toPlainDateTime().toString({ smallestUnit: 'second' })

/** Begins with the last change before the meeting, so that every time in it has an offset. */
const timezone = ({ id, changes }: Zone): Component => [
  'vtimezone',
  [['tzid', {}, 'text', id]],
  changes.map(
    ({ before, after, at }): Component => [
      after > before ? 'daylight' : 'standard',
      [
        // The onset is given in the local time before the change.
        ['dtstart', {}, 'date-time', utc(at.epochMilliseconds + before / 1_000_000).slice(0, -1)],
        ['tzoffsetfrom', {}, 'utc-offset', offset(before)],
        ['tzoffsetto', {}, 'utc-offset', offset(after)],
      ],
      [],
    ],
  ),
]

function offset(ns: number): string {
  const minutes = Math.abs(ns) / MINUTE_NS
  const two = (number: number): string => String(Math.floor(number)).padStart(2, '0')
  return `${ns < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
