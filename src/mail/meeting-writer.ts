import { type Deps, once } from '../deps.ts'
import type { Conversation } from '../inbox/conversations/conversation.ts'
import { emailKey } from '../lib/email.ts'
import type { Invitation } from '../lib/mail/mail.ts'
import { Problem } from '../lib/problem.ts'
import { validate } from '../lib/validate.ts'
import { type AppointmentFields, appointments, statusOf } from '../meetings/appointments.ts'
import { type Texts, textsOf } from '../meetings/invitation-versions.ts'
import { type Meeting, MeetingCreate, MeetingPatch } from '../meetings/meeting.ts'
import { meetingStore } from '../meetings/meetings.ts'
import { knownEvents } from './known-events.ts'

/** What meetings are linked to: null for a mail of our own outside any conversation. Times are milliseconds. */
export type Link = { conversation: Conversation | null; subject: string | null; arrivedAt: number }

type Occurrence = Invitation['occurrences'][number]
/** `rises`: the organizer set the meeting anew, by a higher SEQUENCE, so that what people decided here no longer holds. */
type Update = { occurrence: Occurrence; texts: Texts; rises: boolean }

const UNTITLED = '(no title)'

/** Writes the meetings of a mail. */
export const meetingWriter = once((deps: Deps) => {
  const { db, clock } = deps
  const events = knownEvents(deps)
  const meetings = meetingStore(deps)
  const { fieldsOf } = appointments(db)

  /** One that breaks a rule is left out with a note, and nothing of it is written. */
  return function writing(org: number, { conversation, subject }: Link) {
    const who = { org, member: null }
    const notes: string[] = []
    const linked = (before: Meeting) => ({ conversation_id: before.conversation_id ?? conversation?.id ?? null })

    function attempt(title: string, write: () => void): void {
      try {
        write()
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        notes.push(`The meeting "${title}" was not imported: ${error.message}`)
      }
    }

    function create({ appointment }: Occurrence): void {
      const title = appointment.title || subject?.trim() || UNTITLED
      const status = statusOf(false, appointment.ends <= clock.now(), undefined)
      const given = { ...fieldsOf(org, { ...appointment, title }, status), ical_uid: appointment.uid }
      const { company_id = null, deal_id = null, id: conversation_id = null } = conversation ?? {}
      attempt(title, () => {
        meetings.create(who, { ...validate(MeetingCreate, given), company_id, deal_id, conversation_id })
      })
    }

    /** `uid` is the new one of a meeting that was moved with its series. */
    function change(id: string, { occurrence, texts, rises }: Update, uid?: string): void {
      const before = events.meeting(org, id)
      const { appointment, isCanceled } = occurrence
      if (isCanceled) {
        cancelOne(before)
        return
      }
      const status = rises ? statusOf(false, appointment.ends <= clock.now(), before.status) : before.status
      const given = withoutSame(fieldsOf(org, appointment, status, before), textsOf(appointment), texts)
      const participants = given.participants && (rises ? given.participants : answered(given.participants, before))
      const body = { ...given, ...(participants && { participants }), ...(uid && { ical_uid: uid }) }
      attempt(before.title, () => {
        meetings.patch(who, before, { ...validate(MeetingPatch, body), ...linked(before) })
      })
    }

    function cancelOne(before: Meeting): void {
      if (before.status !== 'scheduled') return
      attempt(before.title, () => void meetings.patch(who, before, { status: 'canceled', ...linked(before) }))
    }

    return { notes, create, change, cancel: (id: string) => cancelOne(events.meeting(org, id)) }
  }
})

/** Leaves out the texts that the organizer did not change, so that they do not overwrite what people wrote here. */
const withoutSame = (given: AppointmentFields, now: Texts, before: Texts): AppointmentFields =>
  Object.fromEntries(
    Object.entries(given).filter(([name]) => now[name] === undefined || now[name] !== before[name]),
  ) as AppointmentFields

/** Keeps the answers that the organizer's calendar does not know yet. */
function answered(given: NonNullable<AppointmentFields['participants']>, { participants }: Meeting) {
  const known = new Map(participants.map(({ email, response }) => [email && emailKey(email), response]))
  return given.map((each) => {
    const response = each.response === 'pending' && each.email ? known.get(emailKey(each.email)) : undefined
    return response ? { ...each, response } : each
  })
}
