import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import type { Filter } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/query.ts'
import * as c from '../../store/rows/columns.ts'
import { STOPS } from '../sequences/sequence.ts'

// 1. The wire form.

export const LIVE = ['scheduled', 'active', 'paused'] as const
const STATUSES = [...LIVE, 'completed', 'stopped', 'failed'] as const
/** The statuses that a caller can set. */
const WANTED = ['paused', 'active', 'stopped'] as const

export const STOP_REASONS = [
  ...STOPS,
  'manual',
  'do_not_contact',
  'no_email',
  'contact_deleted',
  'merged',
  'sequence_archived',
  'no_mailbox',
  'send_failed',
  'error',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

/** Why a contact is not enrolled. */
export const SKIPPED = ['already_enrolled', 'do_not_contact', 'unsubscribed', 'no_email', 'sequence_inactive'] as const
export type Skipped = (typeof SKIPPED)[number]

const moment = f.nullable(f.recordFields.created_at)

export const Enrollment = f.doc(
  f.object({
    id: f.id,
    sequence_id: f.id,
    sequence_version: f.doc(
      f.count(),
      'Version of the steps that the enrollment follows: the current one when it was created.',
    ),
    contact_id: f.doc(f.nullable(f.id), 'The contact to write to and call; null if the contact was deleted.'),
    sender_id: f.doc(
      f.nullable(f.id),
      'The member in whose name emails are sent, and who gets the tasks and calls; by default the member who created the enrollment.',
    ),
    deal_id: f.doc(f.nullable(f.id), 'The deal that the enrollment is about.'),
    status: f.doc(
      f.oneOf(STATUSES),
      '`scheduled` before the first step, if it starts at a later time; then `active`; `completed` after the last step; `stopped` or `failed` before that.',
    ),
    stop_reason: f.doc(f.nullable(f.oneOf(STOP_REASONS)), 'Why the enrollment was stopped or failed; null otherwise.'),
    current_step: f.doc(f.count(), 'Number of steps that are done.'),
    next_step_at: f.doc(
      moment,
      'When the next step is due; null while paused, and if there is none. An automatic reply that states when the contact is back puts it off until then.',
    ),
    conversation_id: f.doc(f.nullable(f.id), 'The conversation of the emails; null before the first email.'),
    replied_at: f.doc(moment, 'When the contact first replied.'),
    finished_at: f.doc(moment, 'When the enrollment was completed, was stopped or failed.'),
    ...f.recordFields,
  }),
  'An enrollment is one contact in one sequence. Each step runs automatically when it is due, exactly once. The enrollment ends after the last step, or when a stop rule of its sequence applies.',
)
export type Enrollment = v.InferOutput<typeof Enrollment>

export const EnrollmentPatch = f.patchOf({
  status: f.doc(
    f.oneOf(WANTED),
    '`paused` makes the enrollment wait. `active` continues it at the same step, at the time when that step was due, or now if that has passed. `stopped` ends it.',
  ),
})
export type EnrollmentPatch = v.InferOutput<typeof EnrollmentPatch>

/** Per request. */
const MAX_CONTACTS = 100

const contactIds = v.pipe(
  f.arrayOf(f.id, MAX_CONTACTS),
  v.minLength(1, 'empty|must name at least one contact'),
  v.check((all) => new Set(all).size === all.length, 'repeated|must name each contact once'),
)

const createFields = {
  sequence_id: f.id,
  contact_id: v.pipe(
    f.doc(f.id, 'Exactly one of `contact_id`, `contact_ids` and `list_id` is required.'),
    v.examples(['019aa07f-13d1-7ed7-8740-db6cad66b18a']),
  ),
  contact_ids: f.doc(contactIds, 'Several contacts, without duplicates.'),
  list_id: f.doc(f.id, 'A list of contacts; enrolls its current members.'),
  sender_id: f.doc(f.id, 'An active member; the caller by default.'),
  deal_id: f.nullable(f.id),
  start_at: f.doc(f.time, 'When to start; the delay of the first step counts from this time. Now, if it has passed.'),
}

export const EnrollmentCreate = f.object({ ...f.patchOf(createFields).entries, sequence_id: createFields.sequence_id })
export type EnrollmentCreate = v.InferOutput<typeof EnrollmentCreate>

/** The answer if several contacts were given. */
export const Enrolled = f.named(
  'EnrolledContacts',
  f.object({
    data: f.doc(v.array(Enrollment), 'The new enrollments, in the order of the contacts.'),
    skipped: f.doc(
      v.array(f.named('SkippedContact', f.object({ contact_id: f.id, reason: f.oneOf(SKIPPED) }))),
      'Contacts that were not enrolled, with the reasons.',
    ),
  }),
)

export const filters: Record<string, Filter> = {
  sequence_id: { type: 'id' },
  contact_id: { type: 'id', nullable: true },
  status: { type: 'choice', choices: STATUSES },
  sender_id: { type: 'id', nullable: true, isMember: true },
  deal_id: { type: 'id', nullable: true },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
}

export const sorts: Record<string, Sort> = {
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
}

// 2. The row.

/** With the columns that the API does not show. */
export type EnrollmentRow = Enrollment & {
  /** When its next step is due, even while it is paused. */
  due_at: string | null
  bounced_at: string | null
  unsubscribed_at: string | null
  meeting_booked_at: string | null
}

export const rowColumns = c.columns<EnrollmentRow>({
  id: c.plain('id'),
  sequence_id: c.plain('sequence_id'),
  sequence_version: c.integer('sequence_version'),
  contact_id: c.plain('contact_id'),
  sender_id: c.plain('sender_id'),
  deal_id: c.plain('deal_id'),
  status: c.plain('status'),
  stop_reason: c.plain('stop_reason'),
  current_step: c.integer('current_step'),
  next_step_at: c.generated(c.time('next_step_at')),
  conversation_id: c.plain('conversation_id'),
  replied_at: c.time('replied_at'),
  finished_at: c.time('finished_at'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
  due_at: c.time('due_at'),
  bounced_at: c.time('bounced_at'),
  unsubscribed_at: c.time('unsubscribed_at'),
  meeting_booked_at: c.time('meeting_booked_at'),
})

export const columns = c.only<Enrollment>(rowColumns, Object.keys(Enrollment.pipe[0].entries))

/** A completed step. */
export type DoneStep = {
  enrollment_id: string
  position: number
  step_id: string
  type: 'email' | 'task' | 'call'
  at: string
  message_id: string | null
  task_id: string | null
  sent_at: string | null
  replied_at: string | null
  bounced_at: string | null
}

export const stepColumns = c.columns<DoneStep>({
  enrollment_id: c.plain('enrollment_id'),
  position: c.integer('position'),
  step_id: c.plain('step_id'),
  type: c.plain('type'),
  at: c.time('at'),
  message_id: c.plain('message_id'),
  task_id: c.plain('task_id'),
  sent_at: c.time('sent_at'),
  replied_at: c.time('replied_at'),
  bounced_at: c.time('bounced_at'),
})

/** Returns the public fields. */
export function enrollmentOf(enrollment: EnrollmentRow): Enrollment {
  const { due_at, bounced_at, unsubscribed_at, meeting_booked_at, ...record } = enrollment
  return record
}

/** Computes `next_step_at` as SQLite does: see enrollments in schema.sql. */
export const nextStepAt = ({ status, due_at }: Pick<EnrollmentRow, 'status' | 'due_at'>): string | null =>
  status === 'paused' ? null : due_at

export const isLive = ({ status }: Pick<Enrollment, 'status'>): boolean => (LIVE as readonly string[]).includes(status)
