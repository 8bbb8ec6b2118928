import type { Deps } from '../deps.ts'
import { stopRules } from '../sequences/enrollments/stop-rules.ts'
import { contactsOf, type Participant } from './participants.ts'

type Bookable = { status: string; starts_at: string; participants: Participant[] }

/** Tells sequences of contacts who are about to meet somebody. */
export function bookings(deps: Deps) {
  const { clock } = deps
  const { meetingBooked } = stopRules(deps)

  /** Those who did not take part before, or at another time. Answers the meeting. */
  return function booked<Meeting extends Bookable>(org: number, meeting: Meeting, before?: Meeting): Meeting {
    const { status, starts_at, participants } = meeting
    if (status !== 'scheduled' || Date.parse(starts_at) <= clock.now()) return meeting
    const isSame = before?.starts_at === starts_at && before.status === status
    const known = isSame ? contactsOf(before.participants) : []
    const fresh = contactsOf(participants).filter((id) => !known.includes(id))
    if (fresh.length > 0) meetingBooked(org, fresh)
    return meeting
  }
}
