import type { Deps } from '../../deps.ts'
import type { Changes } from '../../events/react.ts'
import type { Caller } from '../../lib/caller.ts'
import { contactsOf } from '../../meetings/participants.ts'
import { stopRules } from './stop-rules.ts'

type Meeting = Changes['meeting.updated']

/** Ends the enrollments of contacts for whom a meeting was booked. */
export function bookings(deps: Deps) {
  const { clock } = deps
  const { meetingBooked } = stopRules(deps)

  /** Ignores contacts who already took part in the meeting at the same time. */
  return function booked({ org }: Caller, { status, starts_at, participants }: Meeting, before?: Meeting): void {
    if (status !== 'scheduled' || Date.parse(starts_at) <= clock.now()) return
    const isSame = before?.starts_at === starts_at && before.status === status
    const known = isSame ? contactsOf(before.participants) : []
    const fresh = contactsOf(participants).filter((id) => !known.includes(id))
    if (fresh.length > 0) meetingBooked(org, fresh)
  }
}
