import { type Deps, once } from '../../deps.ts'
import { emailKey } from '../../lib/email.ts'
import type { Authentication, Invitation, MailIn } from '../mail.ts'
import { answerStore } from './answers.ts'
import { isForged } from './authentication.ts'
import { isAfter, type KnownEvent, knownEvents } from './known-events.ts'
import type { Link } from './meeting-writer.ts'
import { organizerStore } from './organizers.ts'

// The meetings in received mails (RFC 5546): docs/decisions/029-invitations.md has the rules.

/** The invitations of a mail that count, and why others do not. */
export type Accepted = { from: string; invitations: Invitation[]; notes: string[] }

const FORGED =
  'The meetings in this mail were not changed: according to the mail server, it is not from the sender that it names.'

/** Call the functions in the transaction that imports the mail. */
export const invitationStore = once((deps: Deps) => {
  const events = knownEvents(deps)
  const organizers = organizerStore(deps)
  const answers = answerStore(deps)

  function accept(org: number, mail: MailIn, results: Authentication | null): Accepted {
    const notes = new Set<string>()
    const from = mail.from ? emailKey(mail.from.email) : ''
    const invitations = mail.report ? [] : mail.invitations
    const counting = invitations.filter((invitation) => {
      const { method, uid } = invitation
      const known = events.of(org, uid, from)
      if (known.meetings.size === 0 && method !== 'CANCEL') return method === 'REQUEST'
      if (!isNews(invitation, known)) return false
      if (isForged(results)) notes.add(FORGED)
      else if (method === 'REPLY' || events.mayChange(org, from, invitation, known)) return true
      else notes.add(`The meeting${titleOf(invitation)} was not changed: this mail is not from its organizer.`)
      return false
    })
    return { from, invitations: counting, notes: [...notes] }
  }

  /** Writes the meetings, linked to the conversation of the mail, if any. Returns why some were not written. */
  function apply(org: number, { from, invitations }: Accepted, link: Link): string[] {
    const notes: string[] = []
    for (const invitation of invitations) {
      const known = events.of(org, invitation.uid, from)
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
