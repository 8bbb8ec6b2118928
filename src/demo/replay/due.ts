import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { SLA_DUE, WAKE } from '../../inbox/conversations/sla-targets.ts'
import type { Json } from '../../lib/json.ts'
import { ENROLLMENT_STEP } from '../../sequences/enrollments/enrollment-writer.ts'
import { sequenceLook } from '../../sequences/enrollments/resume.ts'
import { SEQUENCE_LOOK } from '../../sequences/sequences/status-changes.ts'
import { type NextJob, nextJobOf } from '../../store/jobs/job-attempts.ts'
import { jobQueue, putsInto } from '../../store/jobs/jobs.ts'

const KINDS = [WAKE, SLA_DUE, ENROLLMENT_STEP, SEQUENCE_LOOK]

/**
 * Runs what becomes due for conversations and sequences between two steps of the story, each at its own time, so that a
 * breach is recorded at the time of the breach. `doStep` does the next step of an enrollment.
 */
export function dueOf(deps: Deps, org: number, doStep: (enrollment: string) => void) {
  const { db } = deps
  const { wake, slaDue } = conversationStore(deps)
  const look = sequenceLook(deps)
  const jobs = jobQueue(deps)
  const next = nextJobOf(db, org)
  let seenPuts = -1
  let earliest: NextJob | undefined

  function nextDue(): NextJob | undefined {
    if (putsInto(db) !== seenPuts) {
      seenPuts = putsInto(db)
      const found = KINDS.flatMap((kind) => next(kind) ?? [])
      earliest = found.sort((one, other) => one.dueAt - other.dueAt)[0]
    }
    return earliest
  }

  /**
   * Runs everything due up to `at`, each with the clock set to its own time, or left if it is later. Returns false if the
   * batch was full first.
   */
  function until(at: number, setClock: (at: number) => void, isFull: () => boolean): boolean {
    for (let due = nextDue(); due && due.dueAt <= at; due = nextDue()) {
      setClock(due.dueAt)
      seenPuts = -1 // it has left the queue
      const job = jobs.take(org, due.id)
      if (!job) continue
      run(due, job.payload)
      if (isFull()) return false
    }
    return true
  }

  function run({ kind, key }: NextJob, payload: Json): void {
    if (kind === WAKE) wake(org, key)
    else if (kind === SLA_DUE) slaDue(org, key)
    else if (kind === ENROLLMENT_STEP) doStep(key)
    else look(org, key, payload as never)
  }

  return { until }
}
