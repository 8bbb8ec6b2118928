import type { Log } from '../../../lib/log.ts'
import { Problem } from '../../../lib/problem.ts'
import { rfc3339, SECOND_MS } from '../../../lib/time.ts'
import type { ReaderStore } from '../followed/reader.ts'
import { registerStandby } from '../holder.ts'
import type { ReplicaStorage } from '../replica/copy.ts'
import type { Promoted } from './standby.ts'

// What a standby does and knows before it is promoted.

/** The primary writes a heartbeat each five seconds at least, and it arrives within two. */
const OLD_MS = 10 * SECOND_MS
const PATIENCE_MS = 5 * SECOND_MS

/**
 * Says beside the replica that there is a standby: from then on the primary stops in time when it is cut off. Storage in
 * which this server may only read is that of a mere reader.
 */
export function registrationOf(copy: ReplicaStorage, log: Log) {
  let registered: number | undefined
  let isSaid = false

  async function register(epoch: number): Promise<void> {
    if (registered === epoch) return
    try {
      if (await registerStandby(copy, epoch, Date.now(), AbortSignal.timeout(PATIENCE_MS))) registered = epoch
    } catch (error) {
      if (!isSaid) log.warn({ copy: copy.name, reason: (error as Error).message }, NOT_REGISTERED)
      isSaid = true
    }
  }

  return { register }
}

type Age = Pick<Promoted, 'copy_at' | 'copy_age_s'>

export function ageOf({ replication, lagMs }: ReaderStore): Age {
  const [at, ms] = [replication().beat_at, lagMs()]
  return {
    copy_at: at === null ? null : rfc3339(at),
    copy_age_s: ms === undefined ? null : Math.round(ms / (SECOND_MS / 10)) / 10,
  }
}

/** Throws Problem 409 for a copy that may lack more than the last seconds. */
export function refuseOld({ copy_at, copy_age_s }: Age): void {
  if (copy_age_s !== null && copy_age_s * SECOND_MS <= OLD_MS) return
  const what =
    copy_age_s === null
      ? 'The primary has written no heartbeat into this copy, so nobody can say how old it is, or what it lacks.'
      : `This copy is of ${copy_at}, ${spoken(copy_age_s)} ago: whatever the primary has acknowledged since then is not in it. If the primary stopped at that time, hardly anything is missing.`
  throw new Problem(409, 'copy_old', `${what} To promote it all the same, add --yes.`, {
    more: { copy_at, copy_age_s },
  })
}

export function spoken(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}

const NOT_REGISTERED =
  'this server could not be registered as a standby beside the replica, so its primary does not know of one: to promote it, the primary has to be off'
