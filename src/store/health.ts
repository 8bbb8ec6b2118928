import { Problem } from '../lib/problem.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { SpaceWatch } from './folder/disk-space.ts'
import type { Fence } from './folder/fence.ts'
import type { Reserve } from './folder/reserve.ts'
import { type Failure, failureOf, problemOf, reasonOf, storageProblem } from './sqlite/failures.ts'

/**
 * `omitted`: how many failures of this kind were not reported since the last report. Without `err` it was detected
 * without an error.
 */
export type FailureReport = { failure: Failure; err: unknown; omitted: number }

export type StorageHealth = ReturnType<typeof storageHealth>

export type HealthOptions = {
  /** In milliseconds. */
  wall: () => number
  /** Called at most once a minute for each kind of failure. */
  report?: ((report: FailureReport) => void) | undefined
  /** Called when a disk that was full or low has space again. */
  reportSpace?: (() => void) | undefined
  /**
   * Used by servers: released when the disk is full; from then on only deletions are written, until it is allocated again.
   */
  reserve?: Reserve | undefined
  /** Used by servers: while space is low, little else than deletions is written. */
  space?: SpaceWatch | undefined
  /** Whether another server may be the primary. */
  fence?: Fence | undefined
}

/** The disk is full, or has less free space than it should. */
export type Shortage = 'full' | 'low'

/** What may be written although there is little space. */
export type Allowed = {
  /** It deletes: it is written also on a full disk. */
  frees?: boolean
  /** A few bytes without which nobody could delete, such as those of a sign-in: not on a full disk. */
  isSmall?: boolean
}

const REPORTED_EVERY_MS = MINUTE_MS
const RETRY_EVERY_MS = 1000

/**
 * The state of the storage, derived from its errors and from the free space. Damage lasts until the process ends: data
 * read before it was noticed may be wrong as well, so nothing is written any more. A full disk recovers.
 */
export function storageHealth({ wall, report, reportSpace, reserve, space, fence }: HealthOptions) {
  const reported = new Map<Failure, { at: number; omitted: number }>()
  let damage: string | undefined
  let isFull = false
  let triedAt = Number.NEGATIVE_INFINITY
  let lastShortage: Shortage | undefined
  /** Problems that need not be reported again. */
  const handled = new WeakSet<Problem>()

  /** Call this with every error of the database. Returns whether it is an error of the storage. */
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
    if (handled.has(problem)) return true
    if (!failureOf(problem.cause)) return false
    handled.add(problem)
    return note(problem.cause)
  }

  function becomeFull(): void {
    isFull = true
    lastShortage = 'full'
    reserve?.release()
  }

  function reportOnce(failure: Failure, err: unknown): void {
    const now = wall()
    const last = reported.get(failure)
    // Also if the clock was set back in the meantime.
    if (last && Math.abs(now - last.at) < REPORTED_EVERY_MS) last.omitted++
    else {
      reported.set(failure, { at: now, omitted: 0 })
      report?.({ failure, err, omitted: last?.omitted ?? 0 })
    }
  }

  /** Whether the disk is full. Checks for freed space first. */
  function isDiskFull(): boolean {
    if (isFull && reserve?.hasSpace() && Math.abs(wall() - triedAt) >= RETRY_EVERY_MS) {
      triedAt = wall()
      isFull = !reserve.allocate()
    }
    return isFull
  }

  /** Whether space is short. Checks for freed space first. */
  function shortage(): Shortage | undefined {
    const found = isDiskFull() ? 'full' : space?.isLow() ? 'low' : undefined
    if (found === 'low' && lastShortage === undefined) reportOnce('low', undefined)
    if (found === undefined && lastShortage !== undefined) reportSpace?.()
    lastShortage = found
    return found
  }

  /** Problem 503 if a write is refused now, else undefined. */
  function refusal({ frees = false, isSmall = false }: Allowed = {}): Problem | undefined {
    if (damage !== undefined) return refused('damaged')
    const fenced = fencedOff()
    if (fenced) return fenced
    const found = frees || !reserve ? undefined : shortage()
    return found === undefined || (found === 'low' && isSmall) ? undefined : refused(found)
  }

  /** Problem 503 if another server may be the primary now, else undefined. */
  function fencedOff(): Problem | undefined {
    const problem = fence?.()
    if (problem) handled.add(problem)
    return problem
  }

  if (reserve?.isDiskFull()) {
    becomeFull()
    reportOnce('full', undefined)
  } else reserve?.allocate()

  function refused(failure: Failure): Problem {
    const problem = problemOf(failure, 'write')
    handled.add(problem)
    return problem
  }

  return {
    note,
    refusal,
    fencedOff,
    isDiskFull,
    shortage,
    /** The reason of the damage, in the words of SQLite; undefined without damage. */
    damage: (): string | undefined => damage,
    /**
     * Notes an error and returns the Problem to answer with, or the error itself if it is not an error of the storage.
     */
    problemOf: (error: unknown, access: 'read' | 'write'): unknown => {
      note(error)
      return storageProblem(error, access)
    },
    /** Call this after a COMMIT. Without a reserve nothing else shows that there is space again. */
    written: (): void => {
      if (isFull && !reserve) isFull = false
    },
  }
}
