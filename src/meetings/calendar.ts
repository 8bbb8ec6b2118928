import ICAL from 'ical.js'
import type { Meeting } from './meetings.ts'
import type { Participant } from './participants.ts'

// A meeting as calendars have it: iCalendar (RFC 5545), one VEVENT.

/** A line of it, as jCal (RFC 7265). */
type Property = [name: string, parameters: Record<string, string>, type: string, value: string | number]
type Component = [name: string, properties: Property[], components: Component[]]

// A line that goes on begins with a space, which counts among its 75 octets; the library does not count it.
ICAL.foldLength = 74

const PARTSTAT: Record<Participant['response'], string> = {
  accepted: 'ACCEPTED',
  declined: 'DECLINED',
  tentative: 'TENTATIVE',
  pending: 'NEEDS-ACTION',
}

/** The text of the file. Times are in the zone of the meeting where it has one, to the second. */
export function meetingCalendar(meeting: Meeting): string {
  const { id, ical_uid, title, description, location, conference_url, status, participants, version } = meeting
  const [starts, ends] = secondsOf(meeting)
  const zone = meeting.timezone === null ? undefined : zoneOf(meeting.timezone, starts, ends)
  const event: Property[] = [
    text('uid', ical_uid ?? `${id}@dealbox`),
    ['dtstamp', {}, 'date-time', utc(Date.parse(meeting.updated_at))],
    time('dtstart', starts, zone),
    time('dtend', ends, zone),
    text('summary', title),
    ...(description ? [text('description', description)] : []),
    ...(location ? [text('location', location)] : []),
    ...(conference_url ? [['url', {}, 'uri', conference_url] satisfies Property] : []),
    text('status', status === 'canceled' ? 'CANCELLED' : 'CONFIRMED'),
    ...participants.filter(({ role }) => role === 'organizer').map(organizer),
    ...participants.map(attendee),
    ['sequence', {}, 'integer', version - 1],
    ['created', {}, 'date-time', utc(Date.parse(meeting.created_at))],
    ['last-modified', {}, 'date-time', utc(Date.parse(meeting.updated_at))],
  ]
  const calendar: Component = [
    'vcalendar',
    [text('version', '2.0'), text('prodid', '-//Dealbox//Dealbox//EN'), text('calscale', 'GREGORIAN')],
    [...(zone ? [timezone(zone)] : []), ['vevent', event, []]],
  ]
  return ICAL.stringify(calendar)
}

/** Whole seconds, in milliseconds; the end stays behind the start. */
function secondsOf({ starts_at, ends_at }: Meeting): [starts: number, ends: number] {
  const [starts, ends] = [starts_at, ends_at].map((at) => Math.floor(Date.parse(at) / 1000) * 1000) as [number, number]
  return [starts, Math.max(ends, starts + 1000)]
}

const text = (name: string, value: string): Property => [name, {}, 'text', clean(value)]

/** Line ends of one kind, which the library escapes, and none of the control characters that no line may have. */
const clean = (value: string): string =>
  value.replace(/\r\n?/g, '\n').replace(/[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')

const utc = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`

function time(name: string, ms: number, zone: Zone | undefined): Property {
  if (!zone) return [name, {}, 'date-time', utc(ms)]
  return [name, { tzid: zone.id }, 'date-time', wallClock(local(ms, zone.id))]
}

// Who takes part.

const organizer = (participant: Participant): Property => [
  'organizer',
  named(participant),
  'cal-address',
  addressOf(participant),
]

/** The organizer, too: nothing else says what they have answered. */
const attendee = (participant: Participant): Property => [
  'attendee',
  {
    ...named(participant),
    role: participant.role === 'organizer' ? 'CHAIR' : 'REQ-PARTICIPANT',
    partstat: PARTSTAT[participant.response],
  },
  'cal-address',
  addressOf(participant),
]

const named = ({ name }: Participant): Record<string, string> => (name ? { cn: clean(name).replaceAll('\t', ' ') } : {})

/** An address has to be a URI, also of somebody without an email. */
function addressOf({ email, contact_id, member_id }: Participant): string {
  const id = contact_id ?? member_id
  if (email === null) return id === null ? 'invalid:nomail' : `urn:uuid:${id}`
  return `mailto:${email.replace(/[%?#\u0001-\u001f\u007f]/g, encodeURIComponent)}`
}

// The zone.

/** `changes` are those of its clock that matter: the last one before the meeting, and those during it. */
type Zone = { id: string; changes: Change[] }
type Change = { before: number; after: number; at: Temporal.ZonedDateTime }

const MINUTE_NS = 60_000_000_000
/** Of ten years, mostly. */
const MAX_CHANGES = 20

/**
 * Undefined where the times are better told in UTC: in zones whose clock was never changed before, in hours that come
 * twice, in times of old whose offsets were no whole minutes, and over more changes than a few.
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

/** Whether the wall clock shows the time once only, in a year of four digits. */
function isOnce(moment: Temporal.ZonedDateTime): boolean {
  if (moment.year < 1 || moment.year > 9999) return false
  const [one, other] = (['earlier', 'later'] as const).map((disambiguation) =>
    moment.toPlainDateTime().toZonedDateTime(moment.timeZoneId, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime]
  return one.equals(other)
}

const wallClock = (moment: Temporal.ZonedDateTime): string =>
  moment.toPlainDateTime().toString({ smallestUnit: 'second' })

/** Begins with the change that was the last one before the meeting, so that no time in it is without an offset. */
const timezone = ({ id, changes }: Zone): Component => [
  'vtimezone',
  [['tzid', {}, 'text', id]],
  changes.map(
    ({ before, after, at }): Component => [
      after > before ? 'daylight' : 'standard',
      [
        // The onset is told by the clock as it was before.
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
