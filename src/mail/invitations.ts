import { type Deps, once } from '../deps.ts'
import type { Ours } from '../inbox/mailboxes/whose.ts'
import type { Authentication, Invitation, MailIn } from '../lib/mail/mail.ts'
import { isForged } from '../lib/mail/verdicts.ts'
import { appointments } from '../meetings/appointments.ts'
import { orgOf } from '../store/orgs/orgs.ts'
import { answerStore } from './answers.ts'
import { speakerOf } from './calendar-answers.ts'
import { isAfter, type KnownEvent, knownEvents } from './known-events.ts'
import type { Link } from './meeting-writer.ts'
import { asKnown } from './occurrence-names.ts'
import { organizerStore } from './organizers.ts'

// The meetings in received mails (RFC 5546): docs/decisions/029-invitations.md has the rules.

/** The invitations of a mail that count, and why others do not. */
export type Accepted = {
  from: string
  invitations: Invitation[]
  notes: string[]
  /** The meeting that it answers, if any. */
  answered: { conversation_id: string | null } | undefined
}

const NOT_INVITED =
  'The calendar in this mail names nobody of us, so it made no meeting. If it concerns you, import its file.'
const FORGED =
  'The meetings in this mail were not changed: according to the mail server, it is not from the sender that it names.'

/** Call the functions in the transaction that imports the mail. */
export const invitationStore = once((deps: Deps) => {
  const events = knownEvents(deps)
  const { isPerson } = appointments(deps.db)
  const organizers = organizerStore(deps)
  const answers = answerStore(deps)

  function accept(org: number, mail: MailIn, results: Authentication | null, { isMailbox, whose }: Ours): Accepted {
    const notes = new Set<string>()
    const from = speakerOf(mail, results)
    const invitations = mail.report ? [] : mail.invitations
    const counting = invitations.map(requested).filter((given) => {
      const { method } = given
      const { known, invitation } = knownOf(org, given, from)
      // What we wrote is known here, and a copy of it is no news: a cancellation to one participant does not cancel the meeting.
      if (given.isByDealbox && isMailbox(from)) return false
      if (method === 'PUBLISH') notes.add(NOT_INVITED)
      if (method === 'PUBLISH') return false
      if (known.meetings.size === 0 && method !== 'CANCEL') return method === 'REQUEST'
      if (!isNews(invitation, known)) return false
      if (isForged(results)) notes.add(FORGED)
      else if (method === 'REPLY' || events.mayChange(org, from, invitation, known)) return true
      else notes.add(`The meeting${titleOf(invitation)} was not changed: this mail is not from its organizer.`)
      return false
    })
    return { from, invitations: counting, notes: [...notes], answered: answeredBy(org, from, counting) }

    /** Booking services publish what they have booked for us, or state no method at all. */
    function requested(invitation: Invitation): Invitation {
      if (invitation.method !== 'PUBLISH') return invitation
      const { occurrences, organizers, uid } = invitation
      const people = occurrences.flatMap(({ appointment }) => appointment.people.map(({ email }) => email))
      const isForUs = [...organizers, ...people].some((email) => isMailbox(email) || whose(email) === 'member')
      return isForUs || events.of(org, uid, from).meetings.size > 0 ? { ...invitation, method: 'REQUEST' } : invitation
    }
  }

  /** Returns the conversation of the meeting that a participant answers; undefined if there is no such meeting. */
  function answeredBy(org: number, from: string, counting: readonly Invitation[]): Accepted['answered'] {
    const meetings = counting
      .filter(({ method }) => method === 'REPLY')
      .flatMap(({ uid }) => [...events.of(org, uid, from).meetings.values()].slice(0, 1))
      .map((id) => events.meeting(org, id))
      .filter(({ participants }) => participants.some((each) => isPerson(org, each, from)))
    return (
      meetings[0] && {
        conversation_id: meetings.map((each) => each.conversation_id ?? null).find((id) => id !== null) ?? null,
      }
    )
  }

  function knownOf(org: number, invitation: Invitation, from: string) {
    const known = events.of(org, invitation.uid, from)
    const zones = () => {
      const [id] = known.meetings.values()
      return [(id && events.meeting(org, id).timezone) ?? 'UTC', orgOf(deps.db, org).timezone]
    }
    return { known, invitation: asKnown(invitation, known, zones) }
  }

  /** Writes the meetings, linked to the conversation of the mail, if any. Returns why some were not written. */
  function apply(org: number, { from, invitations }: Accepted, link: Link): string[] {
    const notes: string[] = []
    for (const each of invitations) {
      const { known, invitation } = knownOf(org, each, from)
      if (invitation.method === 'REQUEST') notes.push(...organizers.request(org, from, invitation, known, link))
      else if (invitation.method === 'CANCEL') notes.push(...organizers.cancel(org, from, invitation, known, link))
      else notes.push(...answers.note(org, from, invitation, known))
    }
    return notes
  }

  return { accept, apply }
})

/** Whether anything in it is newer than what is known. Copies and late mails are not. */
function isNews({ method, main, occurrences }: Invitation, known: KnownEvent): boolean {
  if (method === 'REPLY') return true
  // A cancellation may have the version that it cancels.
  if (main)
    return method === 'CANCEL'
      ? !known.main || !isAfter(known.main, main)
      : isAfter(main, known.main) || occurrences.some(isOwnNews)
  return occurrences.some(isOwnNews)

  function isOwnNews({ own, appointment }: Invitation['occurrences'][number]): boolean {
    return own !== null && isAfter(own, known.parts.get(appointment.uid))
  }
}

function titleOf({ occurrences }: Invitation): string {
  const title = occurrences[0]?.appointment.title
  return title ? ` "${title}"` : ''
}
