import * as v from 'valibot'
import * as f from '../lib/fields.ts'
import type { Filter } from '../store/list/conditions.ts'
import type { Sort } from '../store/list/query.ts'
import * as c from '../store/rows/columns.ts'
import { Participant, ParticipantsGiven } from './participants.ts'
import { meetingFilter } from './search.ts'

// The wire form of a meeting, and its row.

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
  send_invitations: f.doc(
    f.flag,
    'Whether changes by API are sent to the participants, as invitations, updates and cancellations that their calendars read; false by default. Another time sets their `response` to `pending`, unless `participants` are given. If somebody outside organizes the meeting, nothing of it is sent but the changed `response` of a member or a mailbox, to the organizer. A change that is sent needs the scope `rest.inbox.messages.write` and a mailbox.',
  ),
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
    send_invitations: fields.send_invitations,
    conversation_id: f.doc(f.nullable(f.id), 'The conversation with the mails that invite to the meeting.'),
    recording_url: fields.recording_url,
    summary: fields.summary,
    has_transcript: f.doc(f.flag, 'Whether the meeting has a transcript.'),
    ...f.recordFields,
  }),
  'A meeting is an appointment of contacts and members, in the future or in the past.',
)
export type Meeting = v.InferOutput<typeof Meeting>

export const MeetingPatch = f.patchOf({ ...fields, participants: ParticipantsGiven })
export type MeetingPatch = v.InferOutput<typeof MeetingPatch>

export const MeetingCreate = f.object({
  ...MeetingPatch.entries,
  title: fields.title,
  starts_at: fields.starts_at,
  ends_at: fields.ends_at,
})
export type MeetingCreate = v.InferOutput<typeof MeetingCreate>

/** Set by mails only. */
export type Linked = Partial<Pick<Meeting, 'conversation_id'>>

export const filters: Record<string, Filter> = {
  contact_id: {
    type: 'id',
    link: { table: 'meeting_contacts', key: 'meeting_id', column: 'contact_id' },
    description: 'A contact who participates.',
  },
  member_id: {
    type: 'id',
    isMember: true,
    link: { table: 'meeting_members', key: 'meeting_id', column: 'member_id' },
    description: 'A member who participates.',
  },
  deal_id: { type: 'id', nullable: true },
  company_id: { type: 'id', nullable: true },
  owner_id: { type: 'id', nullable: true, isMember: true },
  conversation_id: { type: 'id', nullable: true },
  status: { type: 'choice', choices: STATUSES },
  starts_at: { type: 'time' },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
  q: meetingFilter,
}

export const sorts: Record<string, Sort> = {
  starts_at: { column: 'starts_at' },
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
}

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
  send_invitations: c.bool('send_invitations'),
  conversation_id: c.plain('conversation_id'),
  recording_url: c.text('recording_url'),
  summary: c.text('summary'),
  has_transcript: c.bool('has_transcript'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})
