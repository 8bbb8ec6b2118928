import type { Flow } from '../../../sequences/enrollments/flow.ts'
import type { Check, Preview, StepPreview } from '../../../sequences/enrollments/preview.ts'
import type { EnrollPreview } from '../../../sequences/enrollments/would-enroll.ts'
import type { SequenceKnown, SequenceShown } from '../../../sequences/sequences/edits.ts'
import type { Performance } from '../../../sequences/sequences/performance.ts'
import type { SequenceForm } from '../../../sequences/sequences/settings.ts'
import type { StepSettings } from '../../../sequences/sequences/settings-steps.ts'
import { client } from '../../data/current.ts'
import { randomKey } from '../../data/keys.ts'

// What the server answers and takes: of site/app/sequences.ts, and of the API.

export type { Check, EnrollPreview, Flow, Performance, Preview, SequenceForm, SequenceShown, StepPreview, StepSettings }
export type Listed = { data: SequenceShown[] } & SequenceKnown

const post = async <Body>(path: string, body: unknown, key?: string): Promise<Body> =>
  (await client().api.request<Body>('POST', path, { body, ...(key ? { key } : {}) })).body

export const previewOf = (sequence: SequenceForm, contact_id?: string): Promise<Preview> =>
  post('/app/sequences/preview', { sequence, ...(contact_id ? { contact_id } : {}) })

export const addSequence = (form: SequenceForm): Promise<SequenceShown> => post('/app/sequences', form, randomKey())

export const changeSequence = async (
  id: string,
  version: number,
  fields: Partial<SequenceForm>,
): Promise<SequenceShown> =>
  (await client().api.request<SequenceShown>('PATCH', `/app/sequences/${id}`, { body: fields, version })).body

export type Whom = { contact_ids: string[] } | { list_id: string }
/** Per request, as the API takes them. */
export const MOST_CONTACTS = 100

export const wouldEnroll = (sequence_id: string, whom: Whom): Promise<EnrollPreview> =>
  post('/app/enrollments/preview', { sequence_id, ...whom })

/** Answers how many went in: somebody may have been enrolled elsewhere meanwhile. */
export async function enrollAll(sequence_id: string, ids: readonly string[]): Promise<number> {
  let count = 0
  for (let at = 0; at < ids.length; at += MOST_CONTACTS) {
    const contact_ids = ids.slice(at, at + MOST_CONTACTS)
    const { data } = await post<{ data: unknown[] }>('/api/v1/enrollments', { sequence_id, contact_ids }, randomKey())
    count += data.length
  }
  return count
}

/** As the form has it. */
export const formOf = (shown: SequenceShown): SequenceForm => {
  const { id, key, current_version, versions, created_at, updated_at, version, ...form } = shown
  return form
}
