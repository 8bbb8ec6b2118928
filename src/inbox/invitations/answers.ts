import { type Deps, once } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { emailKey } from '../../lib/email.ts'
import { meetingCalendar } from '../../meetings/calendar.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import { orgOf } from '../../store/orgs/orgs.ts'
import { conversationStore } from '../conversations/conversations.ts'
import { type Known, organizerOf } from './known.ts'
import type { Invitee } from './letters.ts'
import { calendarPost } from './posting.ts'
import { type Answer, answerText } from './texts.ts'

/** Sends what members answer to the organizer of a meeting (METHOD:REPLY). */
export const meetingAnswers = once((deps: Deps) => {
  const { db, clock } = deps
  const conversations = conversationStore(deps)
  const { senderOf, post } = calendarPost(deps)

  /** One mail for each of us who answers; returns the meeting in the conversation of the mails. */
  function send(who: Caller, answers: readonly Invitee[], meeting: Meeting, known: Known): Meeting {
    const organizer = organizerOf(meeting)
    const email = organizer?.email ?? known.version?.senders[0]
    if (email === undefined) return meeting
    const to = { email, name: organizer?.name ?? null }
    return answers.reduce((linked, each) => answer(who, each, linked, known, to), meeting)
  }

  function answer(who: Caller, from: Invitee, meeting: Meeting, known: Known, to: Addressee): Meeting {
    const { conversation_id, timezone } = meeting
    // What people wrote here about the meeting stays here, even its title: the organizer has their own.
    const named = conversation_id === null ? null : conversations.byId(who, conversation_id).subject
    const title = named ?? meeting.title
    const sender = senderOf(who.org, meeting, [from.email], from.member_id)
    const isSelf = emailKey(sender.email) === emailKey(from.email)
    const calendar = meetingCalendar(
      { ...meeting, title, description: null, location: null, conference_url: null },
      {
        method: 'REPLY',
        uid: known.uid,
        recurrence: known.recurrence,
        sequence: Math.max(0, known.version?.sequence ?? 0),
        stamp: clock.now(),
        organizer: to,
        attendees: [from],
        sentBy: isSelf ? undefined : sender.email,
      },
    )
    const zone = timezone ?? orgOf(db, who.org).timezone
    const { subject, body } = answerText(from.response as Answer, from, title, meeting, zone)
    const people = meeting.participants.filter(({ role }) => role === 'organizer')
    const name = from.name ?? sender.mailbox.name
    const mail = { method: 'REPLY' as const, calendar, sender, name, to: [to], subject, body, people }
    return { ...meeting, conversation_id: post(who, { conversation_id, title }, mail) }
  }

  return { send }
})

type Addressee = { email: string; name: string | null }

/** The participants of ours who now answer otherwise than before. */
export function answersIn(before: Meeting, after: Meeting, isOurs: (email: string) => boolean): Invitee[] {
  const earlier = new Map(before.participants.map(({ email, response }) => [email && emailKey(email), response]))
  return after.participants.filter((each): each is Invitee => {
    const { email, response, role, member_id } = each
    if (email === null || role === 'organizer' || response === 'pending') return false
    const known = earlier.get(emailKey(email))
    return (member_id !== null || isOurs(email)) && known !== undefined && known !== response
  })
}
