import { emailKey } from '../lib/email.ts'
import type { Appointment } from '../lib/icalendar/appointment.ts'
import type { Person } from '../lib/icalendar/people.ts'
import { rfc3339 } from '../lib/time.ts'
import type { Database } from '../store/sqlite/driver.ts'
import type { Meeting } from './meeting.ts'
import { type Participant, type ParticipantGiven, participantReader } from './participants.ts'

/** The fields of a meeting that a calendar contains. */
export type AppointmentFields = Pick<Meeting, 'title' | 'starts_at' | 'ends_at' | 'status'> &
  Partial<Pick<Meeting, 'timezone' | 'description' | 'location' | 'conference_url'>> & {
    participants?: ParticipantGiven[]
  }

/** Returns the functions that turn an appointment of a calendar into the fields of a meeting. */
export function appointments(db: Database) {
  const { whoHas } = participantReader(db)

  /** `before` is the existing meeting; fields missing in the calendar are missing in the result. */
  function fieldsOf(org: number, given: Appointment, status: Meeting['status'], before?: Meeting): AppointmentFields {
    const { title, starts, ends, timezone, description, location, conferenceUrl, people } = given
    return {
      title: title || (before?.title ?? ''),
      starts_at: rfc3339(starts),
      ends_at: rfc3339(ends),
      status,
      ...(timezone === null ? {} : { timezone }),
      ...(description === undefined ? {} : { description }),
      ...(location === undefined ? {} : { location }),
      ...(conferenceUrl === undefined ? {} : { conference_url: conferenceUrl }),
      ...(people.length === 0 ? {} : { participants: joined(org, people, before?.participants ?? []) }),
    }
  }

  /** Whether the participant is the person with this email, which may be written differently, or be another of theirs. */
  function isPerson(org: number, { email, contact_id, member_id }: Participant, other: string): boolean {
    if (email !== null && emailKey(email) === emailKey(other)) return true
    return (contact_id ?? member_id) === whoHas(org, other)
  }

  /**
   * Merges the participants of the calendar with the existing ones, who keep their references even if their email is
   * written differently. Participants without an email cannot be in a calendar, and are kept at the end.
   */
  function joined(org: number, people: readonly Person[], before: readonly Participant[]): ParticipantGiven[] {
    const all = new Map<string, ParticipantGiven>()
    for (const { email, name, role, response } of people) {
      const key = whoHas(org, email)
      const existing =
        before.find((each) => each.email !== null && emailKey(each.email) === emailKey(email)) ??
        before.find(({ contact_id, member_id }) => (contact_id ?? member_id) === key)
      const place = existing ? (existing.contact_id ?? existing.member_id ?? key) : key
      if (all.has(place)) continue
      const given = existing ? { ...existing, name: name ?? existing.name, role, response } : { email, role, response }
      all.set(place, existing || name === undefined ? given : { ...given, name })
    }
    const hasOrganizer = people.some(({ role }) => role === 'organizer')
    const others = before.filter(({ email, role }) => email === null && !(hasOrganizer && role === 'organizer'))
    return [...all.values(), ...others.filter((each) => !all.has(each.contact_id ?? each.member_id ?? ''))]
  }

  /** Whether both emails are of one contact or member. */
  const isSame = (org: number, one: string, other: string): boolean => whoHas(org, one) === whoHas(org, other)

  return { fieldsOf, isPerson, isSame }
}

/** A meeting in the past counts as completed, unless it was marked as a no-show. */
export function statusOf(
  isCanceled: boolean,
  isOver: boolean,
  before: Meeting['status'] | undefined,
): Meeting['status'] {
  if (isCanceled) return 'canceled'
  if (!isOver) return 'scheduled'
  return before === 'no_show' ? before : 'completed'
}
