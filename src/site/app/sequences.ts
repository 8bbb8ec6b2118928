import * as v from 'valibot'
import type { Deps } from '../../deps.ts'
import { createRoute, type Need, type Route } from '../../http/route.ts'
import type { Caller } from '../../lib/caller.ts'
import * as f from '../../lib/fields.ts'
import { noticeQueue } from '../../personal/notices.ts'
import { EnrollmentCreate } from '../../sequences/enrollments/enrollment.ts'
import { sequenceFlows } from '../../sequences/enrollments/flow.ts'
import { sequencePreviews } from '../../sequences/enrollments/preview.ts'
import { enrollPreviews } from '../../sequences/enrollments/would-enroll.ts'
import { type SequenceShown, sequenceEdits } from '../../sequences/sequences/edits.ts'
import { SequenceForm, SequencePatch } from '../../sequences/sequences/settings.ts'

const Sequence = f.object({
  ...{ id: f.id, key: f.line(63), ...SequenceForm.entries, current_version: f.count() },
  versions: v.array(f.object({ number: f.count(), live: f.count() })),
  ...f.recordFields,
})
const Preview = f.object({
  sequence: SequenceForm,
  contact_id: f.optional(f.doc(f.id, 'Whose values are filled in; without it, variables have none.')),
  start_at: f.optional(f.doc(f.time, 'When it begins; now, if it has passed.')),
})
type Preview = v.InferOutput<typeof Preview>

/** The sequences of the settings for the screens: read by everybody, changed by administrators, one at a time. */
export const sequenceRoutes = (deps: Deps): Route<Need>[] => {
  const { all, known, find, create, patch } = sequenceEdits(deps)
  const { preview } = sequencePreviews(deps)
  const wouldEnroll = enrollPreviews(deps)
  const flowOf = sequenceFlows(deps)
  const notices = noticeQueue(deps)
  /** Other pages follow. */
  function told<Made>({ org }: Caller, made: Made): Made {
    notices.put(org, null, { kind: 'sequences' })
    return made
  }
  const admin = { role: 'admin', name: 'sequence' } as const
  return [
    {
      kind: 'data',
      method: 'get',
      path: '/sequences',
      role: 'viewer',
      name: 'sequence',
      summary: 'Get the sequences as they can be changed, and the hours, mailboxes and variables that they can name',
      read: ({ org }) => ({ json: JSON.stringify({ data: all(org), ...known(org) }) }),
    },
    {
      kind: 'data',
      method: 'get',
      path: '/sequences/:id/flow',
      role: 'viewer',
      name: 'sequence',
      summary: 'Get where everybody is who was enrolled in a sequence, and where the others left it',
      parameters: {
        version: { schema: { type: 'string', maxLength: 9 }, description: 'Of its steps; the current one by default.' },
      },
      read: (who, [id], { given }) => ({
        json: JSON.stringify(flowOf(who, id as string, given.get('version') ?? undefined)),
      }),
    },
    {
      kind: 'write',
      method: 'post',
      path: '/sequences/preview',
      role: 'viewer',
      name: 'sequence',
      summary: 'See a sequence as one contact would get it, and what has to be known before it starts',
      description: 'Nothing is changed by it. The sender is whoever asks.',
      body: Preview,
      returns: v.looseObject({}),
      status: 200,
      run: ({ who, body }) => preview(who, body as Preview),
    },
    {
      kind: 'write',
      method: 'post',
      path: '/enrollments/preview',
      role: 'member',
      name: 'enrollment',
      summary: 'See whom an enrollment would take, and whom it would skip',
      description: 'Takes what `POST /api/v1/enrollments` takes for several contacts, and changes nothing.',
      body: EnrollmentCreate,
      returns: v.looseObject({}),
      status: 200,
      run: ({ who, body }) => wouldEnroll(who, body as EnrollmentCreate),
    },
    createRoute({
      ...admin,
      path: '/sequences',
      summary: 'Add a sequence',
      body: SequenceForm,
      returns: Sequence,
      audit: { action: 'sequence.created' },
      run: ({ who, body }) => told(who, create(who, body)),
    }),
    {
      ...admin,
      kind: 'write',
      method: 'patch',
      path: '/sequences/:id',
      summary: 'Change a sequence, or start, pause and archive it',
      description:
        'Steps are replaced as a whole; a step that is the same as before keeps its figures. Who is in it keeps the steps that they began with. With If-Match, a change by somebody else is 412.',
      find,
      body: SequencePatch,
      returns: Sequence,
      status: 200,
      audit: { action: 'sequence.updated' },
      run: ({ who, record, body }) => told(who, patch(who, record as unknown as SequenceShown, body)),
    },
  ]
}
