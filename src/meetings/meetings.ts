import { binWriter } from '../crm/binned.ts'
import { type Deps, once } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import { change, same } from '../lib/merge.ts'
import { conflict, field, invalid } from '../lib/problem.ts'
import { unlinking } from '../records/unlink.ts'
import { listing } from '../store/list/page.ts'
import type { RawRow } from '../store/rows/columns.ts'
import { finder } from '../store/rows/find.ts'
import { rows } from '../store/rows/rows.ts'
import { newRow, nextRow } from '../store/rows/versions.ts'
import { meetingCalendar } from './calendar.ts'
import { columns, filters, type Linked, Meeting, MeetingCreate, MeetingPatch, sorts } from './meeting.ts'
import { participantReader, participantRows, withoutContact } from './participants.ts'
import { meetingSearch, SEARCHED } from './search.ts'

// The wire form and the row are in meeting.ts.

// 3. The statements and the rules.

export const meetingStore = once((deps: Deps) => {
  const { db, clock, announce, outbox, references, react, clearReferences } = deps
  const bin = binWriter(deps)
  const participants = participantReader(db)
  const { list } = listing(db, { table: 'meetings', columns, filters, sorts })
  const { insert, update, remove: removeRow } = rows(db, 'meetings', columns)
  const find = finder(db, 'meetings', columns)
  const search = meetingSearch(deps)
  const taking = participantRows(db)
  const otherWithUid = db.prepare('SELECT id FROM meetings WHERE org_id = ? AND ical_uid = ? AND id <> ?').pluck()
  const clearCompany = unlinking(db, 'meetings', columns, 'company_id', (who, meeting) =>
    relink(who, meeting, { company_id: null }),
  )

  const clearDeal = unlinking(db, 'meetings', columns, 'deal_id', (who, meeting) =>
    relink(who, meeting, { deal_id: null }),
  )

  const create = (who: Caller, given: MeetingCreate & Linked): Meeting => createWith(who, given, asItIs)

  /** `completed` is called when everything is checked, with the meeting that is about to be written. */
  function createWith(who: Caller, given: MeetingCreate & Linked, completed: Completed): Meeting {
    references.check(who.org, given)
    const wanted: Meeting = newRow(clock, {
      title: given.title,
      description: given.description ?? null,
      starts_at: given.starts_at,
      ends_at: given.ends_at,
      timezone: given.timezone ?? null,
      status: given.status ?? 'scheduled',
      location: given.location ?? null,
      conference_url: given.conference_url ?? null,
      participants: participants.read(who.org, given.participants ?? []),
      company_id: given.company_id ?? null,
      deal_id: given.deal_id ?? null,
      owner_id: given.owner_id ?? null,
      ical_uid: given.ical_uid ?? null,
      send_invitations: given.send_invitations ?? false,
      conversation_id: given.conversation_id ?? null,
      recording_url: given.recording_url ?? null,
      summary: given.summary ?? null,
      has_transcript: false,
    })
    checkTimes(wanted, '/ends_at')
    checkUid(who, wanted)
    const meeting = completed(wanted)
    restore(who.org, meeting)
    announce(who, 'meeting.created', meeting)
    return meeting
  }

  /** Inserts a meeting unchanged and without an event. */
  function restore(org: number, meeting: Meeting): void {
    insert(org, meeting)
    taking.set(org, meeting.id, [], meeting.participants)
    search.put(org, meeting)
  }

  const patch = (who: Caller, before: Meeting, given: MeetingPatch & Linked): Meeting =>
    patchWith(who, before, given, asItIs)

  /** `completed` as in `createWith`. */
  function patchWith(who: Caller, before: Meeting, given: MeetingPatch & Linked, completed: Completed): Meeting {
    const { participants: all, ...rest } = given
    const { after, changed } = change(before, {
      ...rest,
      ...(all ? { participants: participants.read(who.org, all, before.participants) } : {}),
    })
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    checkTimes(after, changed.includes('ends_at') ? '/ends_at' : '/starts_at')
    checkUid(who, after)
    const saved = save(who, before, completed(nextOf(before, after)))
    react(who, 'meeting.updated', saved, before)
    return saved
  }

  /** Writes a changed meeting with a new version and its event. */
  function save(who: Caller, before: Meeting, given: Meeting): Meeting {
    const after = nextOf(before, given)
    update(who.org, before, after)
    taking.set(who.org, after.id, before.participants, after.participants)
    if (SEARCHED.some((name) => !same(before[name], after[name]))) search.put(who.org, after)
    outbox.record(who, 'meeting.updated', after, before)
    return after
  }

  const nextOf = (before: Meeting, given: Meeting): Meeting => nextRow(clock, { ...given, version: before.version })

  const after = db
    .prepare(`SELECT ${columns.select} FROM meetings WHERE org_id = ? AND id > ? ORDER BY id LIMIT ?`)
    .raw()

  /** The words of at most `most` meetings after the given id. */
  const wordsAfter = (org: number, id: string, most: number, kind: 'meeting' | 'meeting_alone') =>
    (after.all(org, id, most) as RawRow[])
      .map(columns.present)
      .map((meeting) => ({ id: meeting.id, words: search.wordsIn(org, meeting)[kind] }))

  function remove(who: Caller, meeting: Meeting): void {
    const keep = bin.keeping(who, 'meeting', meeting)
    clearReferences(who, 'meeting', meeting.id)
    search.remove(who.org, meeting.id)
    removeRow(who.org, meeting.id) // deletes its transcript and its rows in the link tables, too
    keep(announce(who, 'meeting.deleted', meeting))
  }

  /** Changes references exactly as given: participants are not looked up by email. */
  const relink = (who: Caller, before: Meeting, given: Partial<Meeting>): Meeting =>
    save(who, before, { ...before, ...given })

  /** Keeps the email and name of a contact that is being deleted as a participant. */
  function clearContact(who: Caller, contactId: string): void {
    for (const id of taking.meetingsOf(who.org, contactId)) {
      const before = byId(who, id)
      relink(who, before, { participants: withoutContact(before.participants, contactId) })
    }
  }

  /** Call this when the transcript was written or deleted: it changes the words by which the meeting is found. */
  function transcriptChanged(who: Caller, meetingId: string, hasTranscript: boolean): void {
    const before = byId(who, meetingId)
    if (before.has_transcript !== hasTranscript) save(who, before, { ...before, has_transcript: hasTranscript })
    search.put(who.org, before)
  }

  const byId = (who: Caller, id: string): Meeting => columns.present(find(who, id) as RawRow)

  function checkUid(who: Caller, { id, ical_uid }: Meeting): void {
    if (ical_uid === null) return
    const other = otherWithUid.get(who.org, ical_uid, id) as string | undefined
    if (!other) return
    throw conflict('duplicate', `Another meeting, ${other}, has the ical_uid "${ical_uid}".`, { duplicate_id: other })
  }

  return {
    Create: MeetingCreate,
    Patch: MeetingPatch,
    columns,
    filters,
    list,
    find,
    create,
    createWith,
    restore,
    wordsAfter,
    patch,
    patchWith,
    relink,
    remove,
    clearContact,
    clearCompany,
    clearDeal,
    transcriptChanged,
  }
})

type Completed = (meeting: Meeting) => Meeting
const asItIs: Completed = (meeting) => meeting

/** `pointer` is that of the field that was given. */
function checkTimes({ starts_at, ends_at }: Meeting, pointer: '/starts_at' | '/ends_at'): void {
  if (starts_at < ends_at) return
  const [word, other] = pointer === '/ends_at' ? ['after', 'starts_at'] : ['before', 'ends_at']
  throw invalid(field(pointer, 'wrong_order', `must be ${word} ${other}`))
}

// 4. The routes.

/** With a store that tells the participants: that of this file tells nobody. */
export const meetings = (store: ReturnType<typeof meetingStore>): Route[] =>
  standardRoutes({
    path: '/meetings',
    scope: 'rest.meetings.meetings',
    name: 'meeting',
    Shape: Meeting,
    sorts,
    ...store,
  }).map((route) => (route.kind === 'read' ? { ...route, forms: { 'text/calendar': calendarOf } } : route))

const calendarOf = (_: Caller, row: RawRow): string => meetingCalendar(columns.present(row))
