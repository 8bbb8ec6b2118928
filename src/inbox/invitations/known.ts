import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import { timeInUid } from '../../lib/icalendar/series.ts'
import { uidOf } from '../../meetings/calendar.ts'
import { invitationVersions, type KnownVersion, textsOf } from '../../meetings/invitation-versions.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import type { Participant } from '../../meetings/participants.ts'
import { mailboxStore } from '../mailboxes/mailboxes.ts'

/** What calendars have of a meeting. */
export type Known = {
  uid: string
  /** The uid of an occurrence; '' for an event that does not recur. */
  recurrence: string
  /** The newest version that was sent or received. */
  version: KnownVersion | undefined
  /** Keys of the emails that may change it: of our mailboxes, if we organize it. */
  senders: string[]
  sequence: number
  /** Somebody outside organizes it: what we change here is not theirs, and they get answers only. */
  isTheirs: boolean
  /** Its participants have it in their calendars, from here. */
  isSent: boolean
}

/** The mark of a version that canceled the event for everybody: the next one invites anew. */
const CANCELED = { status: 'canceled' }

export const knownMeetings = once((deps: Deps) => {
  const versions = invitationVersions(deps.db)
  const { addresses } = mailboxStore(deps)

  const ever = deps.db
    .prepare(
      `SELECT address FROM mailboxes WHERE org_id = @org
       UNION ALL SELECT value FROM mailboxes, json_each(aliases) WHERE org_id = @org`,
    )
    .pluck()

  /** The keys of our addresses. */
  const own = (org: number): ReadonlySet<string> => new Set([...addresses(org)].map(emailKey))

  function of(org: number, meeting: Meeting): Known {
    // A meeting stays ours when its mailbox is switched off.
    const ours = new Set((ever.all({ org }) as string[]).map(emailKey))
    const whole = uidOf(meeting)
    const isOccurrence = timeInUid(whole) !== undefined && versions.of(org, whole).length === 0
    const uid = isOccurrence ? whole.slice(0, whole.lastIndexOf('/')) : whole
    const recurrence = isOccurrence ? whole : ''
    const ofOrganizer = versions.of(org, uid).filter(({ attendee }) => attendee === '')
    const [main, part] = ['', recurrence].map((name) => ofOrganizer.find((each) => each.recurrence === name))
    const version = part ?? main
    const senders = (version?.senders ?? []).filter((each) => ours.has(each))
    const isTheirs = meeting.ical_uid !== null && isByOther(meeting, version?.senders, ours)
    const isSent = senders.length > 0 && version?.texts.status !== CANCELED.status
    const sequence = Math.max(main?.sequence ?? -1, part?.sequence ?? -1)
    return { uid, recurrence, version, senders, sequence, isTheirs, isSent }
  }

  /** Remembers what was sent to everybody: an answer to an earlier version no longer counts, and a copy is no news. */
  function keep(org: number, { uid, recurrence, version, senders }: Known, sent: Sent): void {
    const { meeting, from, sequence, stamp, isCanceled } = sent
    const { title, description, location, conference_url } = meeting
    const texts = textsOf({
      title,
      description: description ?? undefined,
      location: location ?? undefined,
      conferenceUrl: conference_url ?? undefined,
    })
    versions.keep(org, {
      uid,
      recurrence,
      attendee: '',
      sequence,
      stamp,
      senders: [...new Set([emailKey(from), ...senders])],
      texts: isCanceled ? { ...texts, ...CANCELED } : texts,
      until: version?.recurrence === recurrence ? version.until : null,
    })
  }

  return { own, of, keep }
})

type Sent = { meeting: Meeting; from: string; sequence: number; stamp: number; isCanceled: boolean }

export const organizerOf = ({ participants }: Pick<Meeting, 'participants'>): Participant | undefined =>
  participants.find(({ role }) => role === 'organizer')

/**
 * Whether somebody outside organizes a meeting from another calendar. A colleague who passed its invitation on is among its senders,
 * and does not organize it.
 */
function isByOther(meeting: Meeting, senders: readonly string[] | undefined, ours: ReadonlySet<string>): boolean {
  if (senders && !senders.some((each) => ours.has(each))) return true
  const organizer = organizerOf(meeting)
  if (!organizer?.email || organizer.member_id !== null) return false
  const key = emailKey(organizer.email)
  return !ours.has(key) && (senders?.includes(key) ?? true)
}
