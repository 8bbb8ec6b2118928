import type * as v from 'valibot'
import * as f from '../../lib/fields.ts'
import * as c from '../../store/rows/columns.ts'
import type { Stored } from '../../store/settings/table.ts'

// The wire form of a sequence. Sequences are settings: the API reads them, and the settings document writes them
// (settings.ts).

export const STATUSES = ['draft', 'active', 'paused', 'archived'] as const
export type SequenceStatus = (typeof STATUSES)[number]

export const STEP_TYPES = ['email', 'task', 'call'] as const

/** What ends an enrollment before its last step. */
export const STOPS = ['reply', 'meeting_booked', 'deal_closed', 'unsubscribe', 'bounce'] as const
export type Stop = (typeof STOPS)[number]

export const MAX_STEPS = 50
export const MAX_DELAY_S = 365 * 86_400

const Step = f.named(
  'SequenceStep',
  f.object({
    id: f.doc(f.id, 'Id of the step; stays the same while its content does not change.'),
    position: f.doc(f.count(), 'Position of the step, starting at 0.'),
    type: f.doc(f.oneOf(STEP_TYPES), 'An `email` is sent; `task` and `call` create a task for the sender.'),
    delay_s: f.doc(f.count(MAX_DELAY_S), 'Delay after the previous step, or after the start, in seconds.'),
    business_days_only: f.doc(f.flag, 'Whether only business days count.'),
    subject: f.doc(
      f.nullable(f.line()),
      'Subject of an email, with template variables; null if it continues the thread of the previous email.',
    ),
    body: f.doc(f.nullable(f.longText()), 'Text of the email or the task, with template variables.'),
    task_title: f.doc(f.nullable(f.line()), 'Title of a task or a call, with template variables.'),
  }),
)
export type Step = v.InferOutput<typeof Step>

const count = (text: string) => f.doc(f.count(), text)

export const Counts = f.named(
  'SequenceCounts',
  f.object({
    active: count('Enrollments that are running, including scheduled ones.'),
    paused: count('Paused enrollments.'),
    completed: count('Enrollments whose last step is done.'),
    stopped: count('Enrollments that ended early, including failed ones.'),
  }),
)
export type Counts = v.InferOutput<typeof Counts>

export const Sequence = f.doc(
  f.object({
    id: f.id,
    name: f.doc(f.title, 'Display name, for example "After the fair".'),
    description: f.doc(f.nullable(f.longText()), 'Purpose of the sequence.'),
    status: f.doc(
      f.oneOf(STATUSES),
      'Contacts can be enrolled while the sequence is `active`. A `paused` sequence runs no steps; an `archived` one is no longer in use.',
    ),
    steps: f.doc(
      f.arrayOf(Step, MAX_STEPS),
      'The steps, in order. Existing enrollments keep the steps that they started with.',
    ),
    send_window: f.doc(
      f.named(
        'SendWindow',
        f.object({
          hours_id: f.doc(f.nullable(f.id), 'Business hours of `GET /hours` in which steps run; null for any time.'),
        }),
      ),
      'When steps can run.',
    ),
    stop_on: f.doc(f.arrayOf(f.oneOf(STOPS)), 'What ends an enrollment before its last step.'),
    counts: f.doc(Counts, 'Current numbers of enrollments.'),
    ...f.recordFields,
  }),
  'A sequence is a series of emails, tasks and calls that contacts receive until they reply.',
)
export type Sequence = v.InferOutput<typeof Sequence>

/** With the columns that the API does not show. */
export type SequenceRow = Stored & {
  key: string
  name: string
  description: string | null
  status: SequenceStatus
  position: number
  hours_id: string | null
  mailbox_id: string | null
  current_version: number
  steps: Step[]
  stop_on: Stop[]
}

export const rowColumns = c.columns<SequenceRow>({
  id: c.plain('id'),
  key: c.plain('key'),
  name: c.text('name'),
  description: c.text('description'),
  status: c.plain('status'),
  position: c.integer('position'),
  hours_id: c.plain('hours_id'),
  mailbox_id: c.plain('mailbox_id'),
  current_version: c.integer('current_version'),
  steps: c.json('steps'),
  stop_on: c.json('stop_on'),
  created_at: c.time('created_at'),
  updated_at: c.time('updated_at'),
  version: c.integer('version'),
})
