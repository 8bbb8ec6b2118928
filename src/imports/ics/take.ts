import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import { appointmentOf } from '../../lib/icalendar/appointment.ts'
import type { Occurrence } from '../../lib/icalendar/series.ts'
import { appointments, statusOf } from '../../meetings/appointments.ts'
import { calendarUids } from '../../meetings/calendar-uids.ts'
import type { Meeting } from '../../meetings/meeting.ts'
import { changedFields } from '../csv/changed.ts'
import type { Taken } from '../journal/journal.ts'
import type { Given } from '../writable.ts'
import { allWrites } from '../writes.ts'

/** An occurrence to create or update, or a meeting that is no longer part of its series. */
export type Draft = { occurrence: Occurrence; isCanceled: boolean } | { goneId: string }

/**
 * Returns a function that imports occurrences within the caller's transaction. A meeting is found by its `ical_uid`;
 * fields missing in the file stay unchanged. Throws Problem 4xx for one that cannot be imported.
 */
export function meetingTaker(deps: Deps, who: Caller, now: number): (draft: Draft) => Taken {
  const { create, find, patch } = allWrites(deps).meeting
  const { fieldsOf } = appointments(deps.db)
  const uids = calendarUids(deps.db)

  return (draft) => {
    if ('goneId' in draft)
      return change(draft.goneId, ({ status }) => (status === 'scheduled' ? { status: 'canceled' } : {}))
    const { occurrence, isCanceled } = draft
    const id = idOf(occurrence.uid)
    if (id !== undefined) return change(id, (before) => meetingOf(occurrence, isCanceled, before))
    const made = create(who, { ...meetingOf(occurrence, isCanceled), ical_uid: occurrence.uid })
    const touched = { object: 'meeting', id: made.id, action: 'created', version: made.version, before: null } as const
    return { result: 'created', touched: [touched] }
  }

  /** Finds a meeting by its uid, also by one that we have issued. */
  function idOf(uid: string): string | undefined {
    const own = /^([0-9a-f-]{36})@dealbox$/.exec(uid)?.[1]
    return uids.idOf(who.org, uid) ?? (own && uids.idWithoutUid(who.org, own))
  }

  function meetingOf(occurrence: Occurrence, isCanceled: boolean, before?: Meeting): Given {
    const status = statusOf(isCanceled, occurrence.ends <= now, before?.status)
    return fieldsOf(who.org, appointmentOf(occurrence), status, before) as Given
  }

  function change(id: string, givenOf: (before: Meeting) => Given): Taken {
    const before = find(who, id)
    const given = givenOf(before as Meeting)
    const after = patch(who, before, given)
    if (after.version === before.version) return { result: 'unchanged', touched: [] }
    const { version } = after
    const old = changedFields(before, after, given)
    return { result: 'updated', touched: [{ object: 'meeting', id, action: 'updated', version, before: old }] }
  }
}
