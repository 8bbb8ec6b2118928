import { boot, me } from '../../../data/boot.ts'
import { record } from '../../../data/records.ts'
import type { Fields, Meeting } from '../../../data/types.ts'
import { locale } from '../../../lib/locale.ts'
import { now } from '../../../lib/now.ts'
import { dateIn, timeIn } from '../../../lib/zoned.ts'
import type { About } from '../address.ts'
import { addDays, momentAt, startOf, wholeDays } from '../days.ts'

export type Participant = Meeting['participants'][number]

/** What is typed: days are YYYY-MM-DD and times HH:MM in the member's zone. */
export type Draft = {
  title: string
  is_whole: boolean
  day: string
  last_day: string
  from: string
  to: string
  location: string
  conference_url: string
  description: string
  participants: Participant[]
  send_invitations: boolean
}

const HOUR_MS = 3_600_000

/** The next full hour, with oneself as the organizer. */
export function emptyDraft(about: { name: About; id: string } | undefined): Draft {
  const { timezone } = locale.peek()
  const start = Math.ceil((now.peek() + 1) / HOUR_MS) * HOUR_MS
  const { id, name, email } = me.peek()
  const own: Participant = { contact_id: null, member_id: id, email, name, role: 'organizer', response: 'accepted' }
  const contact = about?.name === 'contact_id' ? record('contacts', about.id).peek() : undefined
  const guest: Participant[] = contact
    ? [guestOf({ contact_id: contact.id, name: contact.name, email: contact.emails[0]?.email ?? null })]
    : []
  return {
    title: '',
    is_whole: false,
    day: dateIn(start, timezone),
    last_day: dateIn(start, timezone),
    from: timeIn(start, timezone),
    to: timeIn(start + HOUR_MS, timezone),
    location: '',
    conference_url: '',
    description: '',
    participants: [own, ...guest],
    send_invitations: false,
  }
}

export const guestOf = (given: Partial<Participant>): Participant => ({
  contact_id: null,
  member_id: null,
  email: null,
  name: null,
  role: 'attendee',
  response: 'pending',
  ...given,
})

export function draftOf(meeting: Meeting): Draft {
  const { timezone } = locale.peek()
  const whole = wholeDays(meeting)
  const [starts, ends] = [Date.parse(meeting.starts_at), Date.parse(meeting.ends_at)]
  return {
    title: meeting.title,
    is_whole: whole !== undefined,
    day: whole?.[0] ?? dateIn(starts, timezone),
    last_day: whole?.[1] ?? lastDay(starts, ends, timezone),
    from: whole ? '09:00' : timeIn(starts, timezone),
    to: whole ? '10:00' : timeIn(ends, timezone),
    location: meeting.location ?? '',
    conference_url: meeting.conference_url ?? '',
    description: meeting.description ?? '',
    participants: meeting.participants,
    send_invitations: meeting.send_invitations,
  }
}

/** An end before the time of the start is on the next day by itself: a shorter one is then not a day longer. */
function lastDay(starts: number, ends: number, timezone: string): string {
  const [first, last] = [dateIn(starts, timezone), dateIn(ends, timezone)]
  const isByItself = last === addDays(first, 1) && timeIn(ends, timezone) <= timeIn(starts, timezone)
  return isByItself ? first : last
}

/** What is sent to the server; undefined while a day or a time is missing. A time that nobody touched stays, to the second. */
export function fieldsOf(draft: Draft, before?: Meeting, about?: { name: About; id: string }): Fields | undefined {
  const { title, location, conference_url, description, participants, send_invitations } = draft
  const times = timesOf(draft, before)
  if (!times || title.trim() === '') return undefined
  const all: Fields = {
    title: title.trim(),
    ...times,
    location: location.trim() || null,
    conference_url: conference_url.trim() || null,
    description: description.trim() === '' ? null : description,
    participants,
    send_invitations,
  }
  if (!before) {
    const links = about && about.name !== 'contact_id' ? { [about.name]: about.id } : {}
    return { ...all, owner_id: me.peek().id, ...links }
  }
  const old = before as unknown as Fields
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value)),
  )
}

function timesOf(draft: Draft, before?: Meeting): Fields | undefined {
  const { is_whole, day, last_day, from, to } = draft
  if (before) {
    const same = draftOf(before)
    const names = is_whole
      ? (['is_whole', 'day', 'last_day'] as const)
      : (['is_whole', 'day', 'last_day', 'from', 'to'] as const)
    if (names.every((name) => draft[name] === same[name])) return {}
  }
  const { timezone } = locale.peek()
  const iso = (ms: number) => new Date(ms).toISOString()
  if (is_whole) {
    if (day === '' || last_day === '') return undefined
    const zone = before?.timezone ?? boot.peek().org.timezone
    return { starts_at: iso(startOf(day, zone)), ends_at: iso(startOf(addDays(last_day, 1), zone)), timezone: zone }
  }
  if (day === '' || from === '' || to === '') return undefined
  // An end before the start is on the next day, unless another day is given.
  const end = last_day > day ? last_day : to <= from ? addDays(day, 1) : day
  return {
    starts_at: iso(momentAt(day, from, timezone)),
    ends_at: iso(momentAt(end, to, timezone)),
    timezone: before?.timezone ?? timezone,
  }
}
