import * as v from 'valibot'
import { emailKey } from '../../crm/records/contact-methods.ts'
import type { Deps } from '../../deps.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { rfc3339 } from '../../lib/time.ts'
import { calendarUids } from '../../meetings/calendar-uids.ts'
import type { Meeting } from '../../meetings/meetings.ts'
import { type Participant, type ParticipantGiven, participantReader } from '../../meetings/participants.ts'
import { changedFields } from '../csv/take.ts'
import type { Taken } from '../journal/journal.ts'
import { allWrites, type Given } from '../writes.ts'
import type { Person } from './people.ts'
import type { Occurrence } from './series.ts'

/** An occurrence to create or update, or a meeting that is no longer part of its series. */
export type Draft = { occurrence: Occurrence; isCanceled: boolean } | { goneId: string }

/**
 * Returns a function that imports occurrences within the caller's transaction. A meeting is found by its `ical_uid`;
 * fields missing in the file stay unchanged. Throws Problem 4xx for one that cannot be imported.
 */
export function meetingTaker(deps: Deps, who: Caller, now: number): (draft: Draft) => Taken {
  const { create, find, patch } = allWrites(deps).meeting
  const { whoHas } = participantReader(deps.db)
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

  function change(id: string, givenOf: (before: Meeting) => Given): Taken {
    const before = find(who, id)
    const given = givenOf(before as Meeting)
    const after = patch(who, before, given)
    if (after.version === before.version) return { result: 'unchanged', touched: [] }
    const { version } = after
    const old = changedFields(before, after, given)
    return { result: 'updated', touched: [{ object: 'meeting', id, action: 'updated', version, before: old }] }
  }

  function meetingOf({ event, starts, ends, zone }: Occurrence, isCanceled: boolean, before?: Meeting): Given {
    const { title, description, location, people } = event
    const conference = event.conferenceUrls.find((each) => v.is(f.url, each) && !/\s/.test(each))
    return {
      title: title || (before?.title ?? ''),
      starts_at: rfc3339(starts),
      ends_at: rfc3339(ends),
      status: statusOf(isCanceled, ends <= now, before?.status),
      ...(zone.name === null ? {} : { timezone: zone.name }),
      ...(description === undefined ? {} : { description }),
      ...(location === undefined ? {} : { location }),
      ...(conference === undefined ? {} : { conference_url: conference }),
      ...(people.length === 0 ? {} : { participants: joined(people, before?.participants ?? []) as Given[] }),
    }
  }

  /**
   * Merges the participants of the file with the existing ones, who keep their references even if their email is
   * written differently. Participants without an email cannot be in a calendar, and are kept at the end.
   */
  function joined(people: readonly Person[], before: readonly Participant[]): ParticipantGiven[] {
    const all = new Map<string, ParticipantGiven>()
    for (const { email, name, role, response } of people) {
      const key = whoHas(who.org, email)
      const existing =
        before.find((each) => each.email !== null && emailKey(each.email) === emailKey(email)) ??
        before.find(({ contact_id, member_id }) => (contact_id ?? member_id) === key)
      const place = existing ? (existing.contact_id ?? existing.member_id ?? key) : key
      if (all.has(place)) continue
      const given = existing ? { ...existing, name: name ?? existing.name, role, response } : { email, role, response }
      all.set(place, existing || name === undefined ? given : { ...given, name })
    }
    const hasOrganizer = people.some(({ role }) => role === 'organizer')
    const others = before.filter(({ email, role }) => email === null && !(hasOrganizer && role === 'organizer'))
    return [...all.values(), ...others.filter((each) => !all.has(each.contact_id ?? each.member_id ?? ''))]
  }
}

/** A meeting in the past counts as completed, unless it was marked as a no-show. */
function statusOf(isCanceled: boolean, isOver: boolean, before: Meeting['status'] | undefined): Meeting['status'] {
  if (isCanceled) return 'canceled'
  if (!isOver) return 'scheduled'
  return before === 'no_show' ? before : 'completed'
}
