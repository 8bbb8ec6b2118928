import { type Deps, once } from '../../deps.ts'
import type { EventName } from '../../events/names.ts'
import type { Caller } from '../../lib/caller.ts'
import { same } from '../../lib/merge.ts'
import { parseTime, rfc3339 } from '../../lib/time.ts'
import { jobQueue } from '../../store/jobs/jobs.ts'
import type { RawRow } from '../../store/rows/columns.ts'
import { rows } from '../../store/rows/rows.ts'
import {
  type Enrollment,
  type EnrollmentRow,
  enrollmentOf,
  nextStepAt,
  rowColumns,
  type StopReason,
} from './enrollment.ts'

/** The kind of job that executes the next step of an enrollment. Its key is the id of the enrollment. */
export const ENROLLMENT_STEP = 'enrollment.step'

/** Writes enrollments together with their event and the job of their next step. */
export const enrollmentWriter = once((deps: Deps) => {
  const { db, clock, outbox } = deps
  const jobs = jobQueue(deps)
  const { insert, update } = rows(db, 'enrollments', rowColumns)
  const findRow = db.prepare(`SELECT ${rowColumns.select} FROM enrollments WHERE org_id = ? AND id = ?`).raw()

  function byId(org: number, id: string): EnrollmentRow | undefined {
    const row = findRow.get(org, id) as RawRow | undefined
    return row && rowColumns.present(row)
  }

  function add(who: Caller, enrollment: EnrollmentRow): Enrollment {
    const record = enrollmentOf(enrollment)
    insert(who.org, enrollment)
    schedule(who.org, record)
    outbox.record(who, 'enrollment.created', record)
    return record
  }

  /** Writes only the columns that differ. Records an event only if a public field differs. */
  function save(
    who: Caller,
    before: EnrollmentRow,
    given: Partial<EnrollmentRow>,
    { event, job }: SaveOptions = {},
  ): EnrollmentRow {
    const wanted = { ...before, ...given }
    const next = nextStepAt(wanted)
    const after = { ...wanted, next_step_at: next }
    const [was, is] = [enrollmentOf(before), enrollmentOf(after)]
    if (!same(was, is)) {
      after.updated_at = rfc3339(clock.now())
      after.version++
      outbox.record(who, event ?? 'enrollment.updated', enrollmentOf(after), was)
    }
    update(who.org, before, after)
    if (job !== 'left' && (job || next !== before.next_step_at)) schedule(who.org, after, job)
    return after
  }

  /** Completes, stops or fails an enrollment. */
  function end(
    who: Caller,
    before: EnrollmentRow,
    status: 'completed' | 'stopped' | 'failed',
    reason: StopReason | null,
    given: Partial<EnrollmentRow> = {},
    job?: 'left',
  ): EnrollmentRow {
    const finished = before.finished_at ?? rfc3339(clock.now())
    const ended = { status, stop_reason: reason, due_at: null, finished_at: finished }
    // Used for failed enrollments, too: `status` distinguishes them.
    const event = status === 'completed' ? 'enrollment.completed' : 'enrollment.stopped'
    return save(who, before, { ...given, ...ended }, job ? { event, job } : { event })
  }

  /** Schedules the next step, or cancels its job if there is none. */
  function schedule(org: number, { id, next_step_at }: Next, payload: Planned = {}): void {
    if (next_step_at === null) jobs.cancel(org, ENROLLMENT_STEP, id)
    else jobs.put(org, { kind: ENROLLMENT_STEP, key: id, payload, dueAt: parseTime(next_step_at) as number })
  }

  return { insert, byId, add, save, end, schedule }
})

type Next = Pick<Enrollment, 'id' | 'next_step_at'>

/** The payload of a step's job: the moment at which a mailbox has a slot for its mail. */
export type Planned = { mailbox_id?: string; at?: number }

/**
 * `job` is the payload of the next step's job, which is then replaced even if its time is unchanged; `left` leaves the
 * existing job.
 */
type SaveOptions = { event?: EventName; job?: Planned | 'left' }
