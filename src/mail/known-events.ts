import { type Deps, once } from '../deps.ts'
import { timeInUid } from '../lib/icalendar/series.ts'
import type { Invitation, Version } from '../lib/mail/mail.ts'
import { appointments } from '../meetings/appointments.ts'
import { calendarUids } from '../meetings/calendar-uids.ts'
import { invitationVersions, type KnownVersion } from '../meetings/invitation-versions.ts'
import { columns, type Meeting } from '../meetings/meeting.ts'
import { meetingStore } from '../meetings/meetings.ts'
import type { RawRow } from '../store/rows/columns.ts'

/** What is known about an event before a mail about it. */
export type KnownEvent = {
  main: KnownVersion | undefined
  /** Occurrences that were changed by themselves, by their uid. */
  parts: Map<string, KnownVersion>
  answers: KnownVersion[]
  /** The ids of its meetings by their uid. */
  meetings: Map<string, string>
}

/** Whether a version is newer than another one (RFC 5546, section 2.1.5). */
export const isAfter = (one: Version, other: Version | undefined): boolean =>
  other === undefined || one.sequence > other.sequence || (one.sequence === other.sequence && one.stamp > other.stamp)

/** Looks up the events that mails are about, and who may change them. */
export const knownEvents = once((deps: Deps) => {
  const { db } = deps
  const versions = invitationVersions(db)
  const uids = calendarUids(db)
  const meetings = meetingStore(deps)
  const { isPerson } = appointments(db)

  const meeting = (org: number, id: string): Meeting =>
    columns.present(meetings.find({ org, member: null }, id) as RawRow)

  /** `from` is the key of the email of who writes about the event. */
  function of(org: number, uid: string, from: string): KnownEvent {
    const all = versions.of(org, uid)
    // A stranger who cancels an event before its invitation arrives would keep it out: only their own versions count.
    const isInvited = all.some(({ texts }) => Object.keys(texts).length > 0)
    const ofOrganizer = all.filter(({ attendee, senders }) => attendee === '' && (isInvited || senders.includes(from)))
    const own = /^([0-9a-f-]{36})@dealbox$/.exec(uid)?.[1]
    const ownId = own && uids.idWithoutUid(org, own)
    const isOfEvent = ({ ical_uid }: { ical_uid: string }) =>
      ical_uid === uid || (ical_uid.lastIndexOf('/') === uid.length && timeInUid(ical_uid) !== undefined)
    return {
      main: ofOrganizer.find(({ recurrence }) => recurrence === ''),
      parts: new Map(ofOrganizer.flatMap((row) => (row.recurrence === '' ? [] : [[row.recurrence, row]]))),
      answers: all.filter(({ attendee }) => attendee !== ''),
      meetings: new Map([
        ...uids
          .ofSeries(org, uid)
          .filter(isOfEvent)
          .map(({ ical_uid, id }): [string, string] => [ical_uid, id]),
        ...(ownId ? [[uid, ownId] as [string, string]] : []),
      ]),
    }
  }

  /**
   * Whether the sender is the organizer of the event, sends for them, or sent it first; and the mail does not name
   * another organizer. For a meeting from elsewhere, its organizer counts.
   */
  function mayChange(org: number, from: string, { organizers }: Invitation, known: KnownEvent): boolean {
    const senders = sendersOf(known)
    if (senders.length > 0)
      return senders.includes(from) && (organizers.length === 0 || organizers.some((each) => senders.includes(each)))
    const [id] = known.meetings.values()
    if (id === undefined) return true
    const organizer = meeting(org, id).participants.find(({ role }) => role === 'organizer')
    return organizer !== undefined && isPerson(org, organizer, from)
  }

  return { of, meeting, mayChange, versions }
})

export const sendersOf = ({ main, parts }: KnownEvent): string[] => [
  ...new Set([...(main ? [main] : []), ...parts.values()].flatMap(({ senders }) => senders)),
]

const MAX_SENDERS = 20

/** Who may change the event from now on. `from` is the key of the sender's email; '' if unknown. */
export const sendersAfter = (known: KnownEvent, from: string, { organizers }: Invitation): string[] =>
  [...new Set([...sendersOf(known), from, ...organizers])].filter((each) => each !== '').slice(0, MAX_SENDERS)
