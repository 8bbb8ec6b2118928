import { jobQueue } from '../../store/jobs/jobs.ts'
import type { Store } from '../../store/open.ts'
import type { SequenceStatus } from './sequence.ts'

/**
 * The kind of job that resumes or ends the live enrollments of a sequence after a change of its status. Its key is the
 * id of the sequence.
 */
export const SEQUENCE_LOOK = 'sequence.look'

/** The next batch: enrollments with this status and an id greater than `after`. */
export type Look = { status: 'scheduled' | 'active' | 'paused'; after: string | null }

/** Call this when a sequence was activated, paused or archived. */
export function sequenceChanged(
  store: Pick<Store, 'db' | 'clock'>,
  org: number,
  id: string,
  status: SequenceStatus,
): void {
  if (status === 'active' || status === 'archived') lookAt(store, org, id, { status: 'scheduled', after: null })
}

export function lookAt(store: Pick<Store, 'db' | 'clock'>, org: number, key: string, payload: Look): void {
  jobQueue(store).put(org, { kind: SEQUENCE_LOOK, key, payload, dueAt: store.clock.now() })
}
