import { Problem } from '../lib/problem.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { type Failure, failureOf, problemOf, reasonOf, storageProblem } from './failures.ts'
import type { Reserve } from './reserve.ts'

/** `omitted`: how many of its kind were not reported since the last one that was. No `err`: it was seen without one. */
export type FailureReport = { failure: Failure; err: unknown; omitted: number }

export type StorageHealth = ReturnType<typeof storageHealth>

export type HealthOptions = {
  /** In milliseconds. */
  wall: () => number
  /** Is given at most one failure of a kind in a minute. */
  report?: ((report: FailureReport) => void) | undefined
  /** Called when a disk that was full has space again. */
  reportSpace?: (() => void) | undefined
  /** What a server has: on a full disk it is released, and only deletions are written until it is laid again. */
  reserve?: Reserve | undefined
}

const REPORTED_EVERY_MS = MINUTE_MS
const LAID_EVERY_MS = 1000

/**
 * What is known of the storage by the errors that it has given. Damage stays known until the process ends: what was
 * read before it was noticed may be wrong as well, so nothing is written any more. A full disk passes.
 */
export function storageHealth({ wall, report, reportSpace, reserve }: HealthOptions) {
  const reported = new Map<Failure, { at: number; omitted: number }>()
  let damage: string | undefined
  let isFull = false
  let triedAt = Number.NEGATIVE_INFINITY
  /** Those that need not be reported any more. */
  const known = new WeakSet<Problem>()

  /** To be called with every error that the database gives. Returns whether it is one of the storage. */
  function note(error: unknown): boolean {
    if (error instanceof Problem) return noteProblem(error)
    const failure = failureOf(error)
    if (!failure) return false
    if (failure === 'damaged') damage ??= reasonOf(error)
    if (failure === 'full') becomeFull()
    reportOnce(failure, error)
    return true
  }

  function noteProblem(problem: Problem): boolean {
    if (known.has(problem)) return true
    if (!failureOf(problem.cause)) return false
    known.add(problem)
    return note(problem.cause)
  }

  function becomeFull(): void {
    isFull = true
    reserve?.release()
  }

  function reportOnce(failure: Failure, err: unknown): void {
    const now = wall()
    const last = reported.get(failure)
    // Also where the clock was set back meanwhile.
    if (last && Math.abs(now - last.at) < REPORTED_EVERY_MS) last.omitted++
    else {
      reported.set(failure, { at: now, omitted: 0 })
      report?.({ failure, err, omitted: last?.omitted ?? 0 })
    }
  }

  /** Whether the disk is full. Where space has been freed it is not, from this very look on. */
  function isDiskFull(): boolean {
    if (isFull && reserve?.hasSpace() && Math.abs(wall() - triedAt) >= LAID_EVERY_MS) {
      triedAt = wall()
      isFull = !reserve.lay()
      if (!isFull) reportSpace?.()
    }
    return isFull
  }

  /** Problem 503 while nothing of the kind is written. `frees`: it deletes. Undefined where it may be tried. */
  function refusal(frees = false): Problem | undefined {
    if (damage !== undefined) return refused('damaged')
    if (!frees && reserve && isDiskFull()) return refused('full')
    return undefined
  }

  if (reserve?.isDiskFull()) {
    becomeFull()
    reportOnce('full', undefined)
  } else reserve?.lay()

  function refused(failure: Failure): Problem {
    const problem = problemOf(failure, 'write')
    known.add(problem)
    return problem
  }

  return {
    note,
    refusal,
    isDiskFull,
    /** Why it is damaged, as SQLite has it; undefined where nothing is known of damage. */
    damage: (): string | undefined => damage,
    /** What an error is answered as, after it was noted: Problem, or the error itself where it is not one of the storage. */
    problemOf: (error: unknown, access: 'read' | 'write'): unknown => {
      note(error)
      return storageProblem(error, access)
    },
    /** To be called after a COMMIT. Without a reserve nothing else shows that there is space again. */
    written: (): void => {
      if (isFull && !reserve) isFull = false
    },
  }
}
