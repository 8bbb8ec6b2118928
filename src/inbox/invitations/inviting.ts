import { requireScopes } from '../../auth/scopes.ts'
import { type Deps, once } from '../../deps.ts'
import type { Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import { SECOND_MS } from '../../lib/time.ts'
import { meetingCalendar } from '../../meetings/calendar.ts'
import type { Meeting, MeetingCreate, MeetingPatch } from '../../meetings/meeting.ts'
import { meetingStore, meetings } from '../../meetings/meetings.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { senders as authors } from '../messages/from-address.ts'
import { answersIn, meetingAnswers } from './answers.ts'
import { type Known, knownMeetings, organizerOf } from './known.ts'
import { askedAgain, type Kind, type Letter, lettersOf, METHODS } from './letters.ts'
import { calendarPost, type Sender } from './posting.ts'
import { invitationText, withLink } from './texts.ts'

// What a request changes of a meeting goes to the calendars of those who take part in it. The store of meetings sends nothing, so
// that imports, mails that come in, undo and restored records write to nobody.

/** The store of meetings with writes whose mails are queued in the same transaction. */
export const invitingStore = once((deps: Deps) => {
  const { db, clock } = deps
  const store = meetingStore(deps)
  const known = knownMeetings(deps)
  const answers = meetingAnswers(deps)
  const { senderOf, post } = calendarPost(deps)
  const { memberAuthor } = authors(deps)

  const create = (who: Caller, given: MeetingCreate): Meeting =>
    store.createWith(who, given, (meeting) => told(who, undefined, meeting))

  const patch = (who: Caller, before: Meeting, given: MeetingPatch): Meeting =>
    store.patchWith(who, before, given, (after) => told(who, before, after))

  function remove(who: Caller, meeting: Meeting): void {
    invite(who, meeting, undefined)
    store.remove(who, meeting)
  }

  /**
   * The mails that a change would send, without making it; without `given` the meeting is deleted. Throws what the change would,
   * also if there is no mailbox to send them from.
   */
  function mailsOf(who: Caller, before: Meeting | undefined, given: MeetingCreate | MeetingPatch | undefined): Mails {
    const after = given && wouldBe(who, before, given)
    const meeting = (after ?? before) as Meeting
    const of = known.of(who.org, before ?? meeting)
    const ours = known.own(who.org)
    const isOurs = (email: string) => ours.has(emailKey(email))
    if (!meeting.send_invitations) return { mails: [], is_sent: of.isSent, is_theirs: of.isTheirs }
    if (of.isTheirs) {
      const replies = before && after && isAhead(after) ? answersIn(before, after, isOurs) : []
      const organizer = organizerOf(meeting)
      const to = replies.length > 0 && organizer?.email ? [{ name: organizer.name, email: organizer.email }] : []
      return { mails: to.length > 0 ? [{ kind: 'answer', to }] : [], is_sent: of.isSent, is_theirs: true }
    }
    const letters = lettersOf(before, after, { now: clock.now(), isOurs, isSent: of.isSent })
    if (letters.length > 0) senderFor(who, meeting, of)
    const mails = letters.map(({ kind, to }) => ({ kind, to: to.map(({ name, email }) => ({ name, email })) }))
    return { mails, is_sent: of.isSent, is_theirs: false }
  }

  /** The meeting as the store would write it: it is stopped just before. */
  function wouldBe(who: Caller, before: Meeting | undefined, given: MeetingCreate | MeetingPatch): Meeting {
    const seen: Meeting[] = []
    const stop = (meeting: Meeting): Meeting => {
      seen.push(meeting)
      throw NOT_WRITTEN
    }
    try {
      if (before) store.patchWith(who, before, given, stop)
      else store.createWith(who, given as MeetingCreate, stop)
    } catch (error) {
      if (error !== NOT_WRITTEN) throw error
    }
    return seen[0] ?? (before as Meeting)
  }

  /** Returns the meeting in the conversation of its mails. */
  function told(who: Caller, before: Meeting | undefined, after: Meeting): Meeting {
    if (after.send_invitations && !before?.send_invitations) requireScopes(who, [SENDS])
    return invite(who, before, after) ?? after
  }

  function invite(who: Caller, before: Meeting | undefined, after: Meeting | undefined): Meeting | undefined {
    const meeting = (after ?? before) as Meeting
    if (!meeting.send_invitations) return after
    const ours = known.own(who.org)
    const isOurs = (email: string) => ours.has(emailKey(email))
    const of = known.of(who.org, before ?? meeting)
    if (of.isTheirs) {
      const replies = before && after && isAhead(after) ? answersIn(before, after, isOurs) : []
      if (after === undefined || replies.length === 0) return after
      requireScopes(who, [SENDS])
      return answers.send(who, replies, after, of)
    }
    const letters = lettersOf(before, after, { now: clock.now(), isOurs, isSent: of.isSent })
    if (letters.length === 0) return after
    requireScopes(who, [SENDS])
    return send(who, letters, before && after ? askedAgain(before, after, letters) : after, meeting, of, before)
  }

  const isAhead = ({ status, ends_at }: Meeting): boolean => status !== 'canceled' && Date.parse(ends_at) > clock.now()

  /** `after` is missing if the meeting is deleted. */
  function send(
    who: Caller,
    letters: readonly Letter[],
    after: Meeting | undefined,
    meeting: Meeting,
    of: Known,
    before: Meeting | undefined,
  ) {
    const { sender, name } = senderFor(who, meeting, of)
    // Each mail has a higher number than all before it, whomever they went to.
    const sequence = Math.max(after ? meeting.version - 1 : meeting.version, of.sequence + 1)
    const version = { sequence, stamp: Math.floor(clock.now() / SECOND_MS) * SECOND_MS }
    let { conversation_id } = meeting
    for (const letter of letters) {
      const { kind, to, isForAll } = letter
      const isCanceled = METHODS[kind] === 'CANCEL'
      const shown = (!isCanceled && after) || letter.meeting
      const named = known.of(who.org, shown)
      const linked = withLink(shown)
      const calendar = meetingCalendar(linked, {
        ...version,
        uid: named.uid,
        recurrence: named.recurrence,
        method: METHODS[kind],
        organizer: { email: sender.email, name },
        // A cancellation names those whom it concerns, an invitation everybody.
        attendees: isCanceled ? to : shown.participants.filter(({ email }) => email !== null),
      })
      const zone = shown.timezone ?? orgOf(db, who.org).timezone
      const written = { ...invitationText(kind, shown, name, zone, before), method: METHODS[kind], calendar }
      conversation_id = post(who, { ...meeting, conversation_id }, { ...written, sender, name, to, people: to })
      if (isForAll) known.keep(who.org, named, { meeting: linked, from: sender.email, ...version, isCanceled })
    }
    return after && { ...after, conversation_id }
  }

  /** The organizer, as the mails name them: an address of ours, so that answers arrive here, by the name of a member. */
  function senderFor(who: Caller, meeting: Meeting, { senders }: Known): { sender: Sender; name: string } {
    const organizer = organizerOf(meeting)
    const member = organizer?.member_id ?? meeting.owner_id ?? who.member
    const wanted = [...senders, ...(organizer?.email ? [organizer.email] : [])]
    const sender = senderOf(who.org, meeting, wanted, member)
    const isOurs = organizer?.member_id != null || emailKey(organizer?.email ?? '') === emailKey(sender.email)
    const name = (isOurs && organizer?.name) || memberAuthor({ org: who.org, member }).name || sender.mailbox.name
    return { sender, name }
  }

  return { ...store, create, patch, remove, mailsOf }
})

/** The routes of meetings. */
export const invitingMeetings = (deps: Deps): Route[] => meetings(invitingStore(deps))

/** Who would get which mail. `is_sent`: their calendars have the meeting from here; `is_theirs`: somebody outside organizes it. */
export type Mails = {
  mails: { kind: Kind | 'answer'; to: { name: string | null; email: string }[] }[]
  is_sent: boolean
  is_theirs: boolean
}

const NOT_WRITTEN = new Error('The meeting was only to be looked at.')
const SENDS = 'rest.inbox.messages.write'
