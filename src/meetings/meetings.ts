import * as v from 'valibot'
import { binWriter } from '../crm/binned.ts'
import { unlinking } from '../crm/records/unlink.ts'
import { type Deps, once } from '../deps.ts'
import type { Route } from '../http/route.ts'
import { standardRoutes } from '../http/standard.ts'
import type { Caller } from '../lib/caller.ts'
import * as f from '../lib/fields.ts'
import { timeOfId } from '../lib/id.ts'
import { change, same } from '../lib/merge.ts'
import { conflict, field, invalid } from '../lib/problem.ts'
import { rfc3339 } from '../lib/time.ts'
import type { RawRow } from '../store/columns.ts'
import * as c from '../store/columns.ts'
import { finder } from '../store/find.ts'
import type { Filter } from '../store/list/conditions.ts'
import { listing, type Sort } from '../store/list/page.ts'
import { rows } from '../store/rows.ts'
import { meetingCalendar } from './calendar.ts'
import { Participant, ParticipantsGiven, participantReader, participantRows, withoutContact } from './participants.ts'
import { meetingFilter, meetingSearch, SEARCHED } from './search.ts'

// 1. The wire form.

export const STATUSES = ['scheduled', 'completed', 'canceled', 'no_show'] as const

const fields = {
  title: f.doc(f.title, 'For example "Demo for Northwind".'),
  description: f.doc(f.nullable(f.longText()), 'Description of the meeting.'),
  starts_at: v.pipe(f.doc(f.time, 'Start of the meeting.'), v.examples(['2026-11-20T09:00:00.000Z'])),
  ends_at: v.pipe(f.doc(f.time, 'End of the meeting, after `starts_at`.'), v.examples(['2026-11-20T10:00:00.000Z'])),
  timezone: f.doc(f.nullable(f.timezone), 'Time zone of the meeting, in which calendars display it.'),
  status: f.doc(f.oneOf(STATUSES), '`scheduled` by default.'),
  location: f.doc(f.nullable(f.line()), 'For example "Room 4".'),
  conference_url: f.doc(f.nullable(f.url), 'Address of the online meeting.'),
  company_id: f.doc(f.nullable(f.id), 'The company that the meeting is about.'),
  deal_id: f.doc(f.nullable(f.id), 'The deal that the meeting is about.'),
  owner_id: f.nullable(f.id),
  ical_uid: f.doc(f.nullable(f.title), 'Id of the meeting in calendars; unique in the organisation.'),
  recording_url: f.doc(f.nullable(f.url), 'Address of the recording.'),
  summary: f.doc(f.nullable(f.longText()), 'Result of the meeting.'),
}

export const Meeting = f.doc(
  f.object({
    id: f.id,
    title: fields.title,
    description: fields.description,
    starts_at: f.doc(f.time, 'Start of the meeting.'),
    ends_at: f.doc(f.time, 'End of the meeting.'),
    timezone: fields.timezone,
    status: fields.status,
    location: fields.location,
    conference_url: fields.conference_url,
    participants: f.doc(f.arrayOf(Participant), 'Participants, in the given order.'),
    company_id: fields.company_id,
    deal_id: fields.deal_id,
    owner_id: fields.owner_id,
    ical_uid: fields.ical_uid,
    conversation_id: f.doc(f.nullable(f.id), 'The conversation with the mail that invited to the meeting.'),
    recording_url: fields.recording_url,
    summary: fields.summary,
    has_transcript: f.doc(f.flag, 'Whether the meeting has a transcript.'),
    ...f.recordFields,
  }),
  'A meeting is an appointment of contacts and members, in the future or in the past.',
)
export type Meeting = v.InferOutput<typeof Meeting>

export const MeetingPatch = f.patchOf({ ...fields, participants: ParticipantsGiven })
type MeetingPatch = v.InferOutput<typeof MeetingPatch>

export const MeetingCreate = f.object({
  ...MeetingPatch.entries,
  title: fields.title,
  starts_at: fields.starts_at,
  ends_at: fields.ends_at,
})
type MeetingCreate = v.InferOutput<typeof MeetingCreate>

/** Set by mails only. */
type Linked = Partial<Pick<Meeting, 'conversation_id'>>

const filters: Record<string, Filter> = {
  contact_id: {
    type: 'id',
    link: { table: 'meeting_contacts', key: 'meeting_id', column: 'contact_id' },
    description: 'A contact who participates.',
  },
  member_id: {
    type: 'id',
    link: { table: 'meeting_members', key: 'meeting_id', column: 'member_id' },
    description: 'A member who participates.',
  },
  deal_id: { type: 'id', nullable: true },
  company_id: { type: 'id', nullable: true },
  owner_id: { type: 'id', nullable: true },
  conversation_id: { type: 'id', nullable: true },
  status: { type: 'choice', choices: STATUSES },
  starts_at: { type: 'time' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: meetingFilter,
}

const sorts: Record<string, Sort> = {
  starts_at: { column: 'starts_at' },
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
}

// 2. The row.

export const columns = c.columns<Meeting>({
  id: c.plain('id'),
  title: c.text('title'),
  description: c.text('description'),
  starts_at: c.time('starts_at'),
  ends_at: c.time('ends_at'),
  timezone: c.plain('timezone'),
  status: c.plain('status'),
  location: c.text('location'),
  conference_url: c.text('conference_url'),
  participants: c.json('participants'),
  company_id: c.plain('company_id'),
  deal_id: c.plain('deal_id'),
  owner_id: c.plain('owner_id'),
  ical_uid: c.text('ical_uid'),
  conversation_id: c.plain('conversation_id'),
  recording_url: c.text('recording_url'),
  summary: c.text('summary'),
  has_transcript: c.bool('has_transcript'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})

// 3. The statements and the rules.

export const meetingStore = once((deps: Deps) => {
  const { db, clock, outbox, references, react, clearReferences } = deps
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

  function create(who: Caller, given: MeetingCreate & Linked): Meeting {
    references.check(who.org, given)
    const id = clock.id()
    const now = rfc3339(timeOfId(id))
    const meeting: Meeting = {
      id,
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
      conversation_id: given.conversation_id ?? null,
      recording_url: given.recording_url ?? null,
      summary: given.summary ?? null,
      has_transcript: false,
      created_at: now,
      updated_at: now,
      version: 1,
    }
    checkTimes(meeting, '/ends_at')
    checkUid(who, meeting)
    restore(who.org, meeting)
    outbox.record(who, 'meeting.created', meeting)
    react(who, 'meeting.created', meeting)
    return meeting
  }

  /** Inserts a meeting unchanged and without an event. */
  function restore(org: number, meeting: Meeting): void {
    insert(org, meeting)
    taking.set(org, meeting.id, [], meeting.participants)
    search.put(org, meeting)
  }

  function patch(who: Caller, before: Meeting, given: MeetingPatch & Linked): Meeting {
    const { participants: all, ...rest } = given
    const { after, changed } = change(before, {
      ...rest,
      ...(all ? { participants: participants.read(who.org, all, before.participants) } : {}),
    })
    if (changed.length === 0) return before
    references.check(who.org, Object.fromEntries(changed.map((name) => [name, after[name]])))
    checkTimes(after, changed.includes('ends_at') ? '/ends_at' : '/starts_at')
    checkUid(who, after)
    const saved = save(who, before, after)
    react(who, 'meeting.updated', saved, before)
    return saved
  }

  /** Writes a changed meeting with a new version and its event. */
  function save(who: Caller, before: Meeting, given: Meeting): Meeting {
    const after = { ...given, updated_at: rfc3339(clock.now()), version: before.version + 1 }
    update(who.org, before, after)
    taking.set(who.org, after.id, before.participants, after.participants)
    if (SEARCHED.some((name) => !same(before[name], after[name]))) search.put(who.org, after)
    outbox.record(who, 'meeting.updated', after, before)
    return after
  }

  function remove(who: Caller, meeting: Meeting): void {
    const keep = bin.keeping(who, 'meeting', meeting)
    clearReferences(who, 'meeting', meeting.id)
    search.remove(who.org, meeting.id)
    removeRow(who.org, meeting.id) // deletes its transcript and its rows in the link tables, too
    keep(outbox.record(who, 'meeting.deleted', meeting))
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
    list,
    find,
    create,
    restore,
    patch,
    relink,
    remove,
    clearContact,
    clearCompany,
    clearDeal,
    transcriptChanged,
  }
})

/** `pointer` is that of the field that was given. */
function checkTimes({ starts_at, ends_at }: Meeting, pointer: '/starts_at' | '/ends_at'): void {
  if (starts_at < ends_at) return
  const [word, other] = pointer === '/ends_at' ? ['after', 'starts_at'] : ['before', 'ends_at']
  throw invalid(field(pointer, 'wrong_order', `must be ${word} ${other}`))
}

// 4. The routes.

export const meetings = (deps: Deps): Route[] =>
  standardRoutes({
    path: '/meetings',
    scope: 'rest.meetings.meetings',
    name: 'meeting',
    Shape: Meeting,
    columns,
    filters,
    sorts,
    Create: MeetingCreate,
    Patch: MeetingPatch,
    ...meetingStore(deps),
  }).map((route) => (route.kind === 'read' ? { ...route, forms: { 'text/calendar': calendarOf } } : route))

const calendarOf = (_: Caller, row: RawRow): string => meetingCalendar(columns.present(row))
