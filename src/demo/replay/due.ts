import type { Deps } from '../../deps.ts'
import { conversationStore } from '../../inbox/conversations/conversations.ts'
import { SLA_DUE, WAKE } from '../../inbox/conversations/sla-targets.ts'
import type { Json } from '../../lib/json.ts'
import { ENROLLMENT_STEP } from '../../sequences/enrollments/enrollment-writer.ts'
import { sequenceLook } from '../../sequences/enrollments/resume.ts'
import { SEQUENCE_LOOK } from '../../sequences/sequences/status-changes.ts'
import { jobQueue, type NextJob, nextJobOf, putsInto } from '../../store/jobs.ts'

const KINDS = [WAKE, SLA_DUE, ENROLLMENT_STEP, SEQUENCE_LOOK]

/**
 * What conversations and sequences do by themselves while the story goes on: what falls due between two steps is done at its own
 * time, so that a broken promise is told when it was broken. `doStep` does the next step of an enrollment.
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

  /** Does what is due up to a time, each with `setClock` at its own; false where the batch is full before. */
  function until(at: number, setClock: (at: number) => void, isFull: () => boolean): boolean {
    for (let due = nextDue(); due && due.dueAt <= at; due = nextDue()) {
      setClock(due.dueAt)
      seenPuts = -1 // it is gone from the queue now
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
