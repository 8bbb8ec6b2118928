import { type Deps, once } from '../../deps.ts'
import type { SequenceStatus } from '../sequences/sequence.ts'
import { type Look, lookAt } from '../sequences/status-changes.ts'
import { type EnrollmentRow, LIVE } from './enrollment.ts'
import { ENROLLMENT_STEP, enrollmentWriter } from './enrollment-writer.ts'

/** Batch size: requests wait for at most one batch. */
const MAX_BATCH = 25

export const sequenceLook = once((deps: Deps) => {
  const { db } = deps
  const { byId, end, schedule } = enrollmentWriter(deps)
  const statusOf = db.prepare('SELECT status FROM sequences WHERE org_id = ? AND id = ?').pluck()
  const some = db
    .prepare(
      `SELECT id FROM enrollments WHERE org_id = ? AND sequence_id = ? AND status = ? AND id > ?
       ORDER BY id LIMIT ?`,
    )
    .pluck()
  const hasJob = db.prepare('SELECT 1 FROM jobs WHERE org_id = ? AND kind = ? AND key = ?').pluck()

  /** Processes one batch: schedules the enrollments of an active sequence, or stops those of an archived one. */
  function look(org: number, id: string, { status, after }: Look): void {
    const becomes = statusOf.get(org, id) as SequenceStatus | undefined
    if (becomes !== 'active' && becomes !== 'archived') return
    const ids = some.all(org, id, status, after ?? '', MAX_BATCH) as string[]
    for (const each of ids) {
      const enrollment = byId(org, each) as EnrollmentRow
      if (becomes === 'archived') end({ org, member: null }, enrollment, 'stopped', 'sequence_archived')
      else if (!hasJob.get(org, ENROLLMENT_STEP, each)) schedule(org, enrollment)
    }
    const next = LIVE[LIVE.indexOf(status) + 1]
    if (ids.length === MAX_BATCH) lookAt(deps, org, id, { status, after: ids.at(-1) as string })
    else if (next) lookAt(deps, org, id, { status: next, after: null })
  }

  return look
})
