import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'

// The wire form of a sequence. Sequences are settings: the public interface reads them, and the settings document writes them (settings.ts).

export const STATUSES = ['draft', 'active', 'paused', 'archived'] as const
export type SequenceStatus = (typeof STATUSES)[number]

export const STEP_TYPES = ['email', 'task', 'call'] as const

/** What ends an enrollment before its last step. */
export const STOPS = ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce'] as const
export type Stop = (typeof STOPS)[number]

export const MAX_STEPS = 50
export const MAX_DELAY_S = 365 * 86_400

const Step = f.object({
  id: f.doc(f.id, 'Stays while the step says the same.'),
  position: f.doc(f.count(), 'Its place among the steps, from 0.'),
  type: f.doc(f.oneOf(STEP_TYPES), 'An `email` is sent; a `task` and a `call` make a task for the sender.'),
  delay_s: f.doc(f.count(MAX_DELAY_S), 'How long after the step before it, or after the start, in seconds.'),
  business_days_only: f.doc(f.flag, 'Whether days on which nobody works do not count.'),
  subject: f.doc(
    f.nullable(f.line()),
    'Of an email, with variables; null where it goes on in the thread of the one before it.',
  ),
  body: f.doc(f.nullable(f.longText()), 'The text of the email or of the task, with variables.'),
  task_title: f.doc(f.nullable(f.line()), 'Of a task or a call, with variables.'),
})
export type Step = v.InferOutput<typeof Step>

const count = (text: string) => f.doc(f.count(), text)

export const Counts = f.object({
  active: count('Those that go on, also where their start is still to come.'),
  paused: count('Those that stand still.'),
  completed: count('Those whose last step is done.'),
  stopped: count('Those that ended before, also where a step failed.'),
})
export type Counts = v.InferOutput<typeof Counts>

export const Sequence = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'What people call it, such as "After the fair".'),
    description: f.doc(f.nullable(f.longText()), 'What it is for.'),
    status: f.doc(
      f.oneOf(STATUSES),
      'Contacts are enrolled in one that is `active`. One that is `paused` does no steps; one that is `archived` was given up.',
    ),
    steps: f.doc(
      f.arrayOf(Step, MAX_STEPS),
      'What is done, one after the other. Enrollments keep those that they began with.',
    ),
    send_window: f.doc(
      f.object({
        hours_id: f.doc(f.nullable(f.id), 'The hours of `GET /hours` in which steps are done; null where any will do.'),
      }),
      'When its steps are done.',
    ),
    stop_on: f.doc(f.arrayOf(f.oneOf(STOPS)), 'What ends an enrollment before its last step.'),
    counts: f.doc(Counts, 'Its enrollments, as of now.'),
    ...f.recordFields,
  }),
  'A sequence is a row of emails, tasks and calls by which a contact is addressed until there is an answer.',
)
export type Sequence = v.InferOutput<typeof Sequence>
