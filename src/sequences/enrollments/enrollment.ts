import * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import * as c from '../../store/columns.ts'
import type { Filter } from '../../store/list/conditions.ts'
import type { Sort } from '../../store/list/page.ts'
import { STOPS } from '../sequences/sequence.ts'

// 1. The wire form.

export const LIVE = ['scheduled', 'active', 'paused'] as const
const STATUSES = [...LIVE, 'completed', 'stopped', 'failed'] as const
/** What a caller can make of it. */
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

/** Why one is not made. */
export const SKIPPED = ['already_enrolled', 'do_not_contact', 'unsubscribed', 'no_email', 'sequence_inactive'] as const
export type Skipped = (typeof SKIPPED)[number]

const moment = f.nullable(f.recordFields.created_at)

export const Enrollment = f.doc(
  f.object({
    id: f.id,
    sequence_id: f.id,
    sequence_version: f.doc(
      f.count(),
      'The version of the steps that it follows: the one that was current when it was made.',
    ),
    contact_id: f.doc(f.nullable(f.id), 'Who is written to and called; null where the contact was deleted.'),
    sender_id: f.doc(
      f.nullable(f.id),
      'The member on whose behalf the mails are, and who gets the tasks and calls; the one who made it unless said otherwise.',
    ),
    deal_id: f.doc(f.nullable(f.id), 'The deal that it is about.'),
    status: f.doc(
      f.oneOf(STATUSES),
      '`scheduled` until its first step is done, where that was to start at a later time; then `active`; `completed` after the last step, `stopped` and `failed` before that.',
    ),
    stop_reason: f.doc(f.nullable(f.oneOf(STOP_REASONS)), 'Why it was stopped, or has failed; null otherwise.'),
    current_step: f.doc(f.count(), 'How many steps are done.'),
    next_step_at: f.doc(moment, 'When the next step is due; null while it is paused, and when there is none.'),
    conversation_id: f.doc(f.nullable(f.id), 'The conversation that its mails are in; null before the first.'),
    replied_at: f.doc(moment, 'When the contact first answered.'),
    finished_at: f.doc(moment, 'Since when it is completed, stopped or failed.'),
    ...f.recordFields,
  }),
  'An enrollment is the way of a contact through the steps of a sequence. They run by themselves when they are due, once each. It ends after the last step, or when something happens on which its sequence stops.',
)
export type Enrollment = v.InferOutput<typeof Enrollment>

export const EnrollmentPatch = f.patchOf({
  status: f.doc(
    f.oneOf(WANTED),
    '`paused` has it wait; `active` has it go on where it stood, at the time its next step was due, or now where that has passed; `stopped` ends it.',
  ),
})
export type EnrollmentPatch = v.InferOutput<typeof EnrollmentPatch>

/** At a time. */
const MAX_CONTACTS = 100

const contactIds = v.pipe(
  f.arrayOf(f.id, MAX_CONTACTS),
  v.minLength(1, 'empty|must name at least one contact'),
  v.check((all) => new Set(all).size === all.length, 'repeated|must name each contact once'),
)

const createFields = {
  sequence_id: f.id,
  contact_id: v.pipe(
    f.doc(f.id, 'Exactly one of `contact_id`, `contact_ids` and `list_id` is given.'),
    v.examples(['019aa07f-13d1-7ed7-8740-db6cad66b18a']),
  ),
  contact_ids: f.doc(contactIds, 'Several contacts, each once.'),
  list_id: f.doc(f.id, 'A list of contacts: those that are in it at the moment.'),
  sender_id: f.doc(f.id, 'An active member; the one who calls unless said otherwise.'),
  deal_id: f.nullable(f.id),
  start_at: f.doc(f.time, 'When to begin: the delay of the first step counts from then on; now where that has passed.'),
}

export const EnrollmentCreate = f.object({ ...f.patchOf(createFields).entries, sequence_id: createFields.sequence_id })
export type EnrollmentCreate = v.InferOutput<typeof EnrollmentCreate>

/** What is answered where several contacts were named. */
export const Enrolled = f.object({
  data: f.doc(v.array(Enrollment), 'Those that were made, in the order of the contacts.'),
  skipped: f.doc(
    v.array(f.object({ contact_id: f.id, reason: f.oneOf(SKIPPED) })),
    'Contacts for whom none was made, and why.',
  ),
})

export const filters: Record<string, Filter> = {
  sequence_id: { type: 'id' },
  contact_id: { type: 'id', nullable: true },
  status: { type: 'choice', choices: STATUSES },
  sender_id: { type: 'id', nullable: true },
  deal_id: { type: 'id', nullable: true },
  created_at: { type: 'time' },
  updated_at: { type: 'time' },
}

export const sorts: Record<string, Sort> = {
  created_at: { column: 'id' },
  updated_at: { column: 'updated_at' },
}

// 2. The row.

/** With what the outside does not see. */
export type EnrollmentRow = Enrollment & {
  /** When its next step is due, also while it is paused. */
  due_at: string | null
  bounced_at: string | null
  unsubscribed_at: string | null
  meeting_booked_at: string | null
}

const shown = {
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
}

export const columns = c.columns<Enrollment>(shown)

export const rowColumns = c.columns<EnrollmentRow>({
  ...shown,
  due_at: c.time('due_at'),
  bounced_at: c.time('bounced_at'),
  unsubscribed_at: c.time('unsubscribed_at'),
  meeting_booked_at: c.time('meeting_booked_at'),
})

/** A step that was done. */
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

/** As the outside sees it. */
export function enrollmentOf(kept: EnrollmentRow): Enrollment {
  const { due_at, bounced_at, unsubscribed_at, meeting_booked_at, ...record } = kept
  return record
}

/** `next_step_at` as SQLite makes it: see enrollments in schema.sql. */
export const nextStepAt = ({ status, due_at }: Pick<EnrollmentRow, 'status' | 'due_at'>): string | null =>
  status === 'paused' ? null : due_at

export const isLive = ({ status }: Pick<Enrollment, 'status'>): boolean => (LIVE as readonly string[]).includes(status)
