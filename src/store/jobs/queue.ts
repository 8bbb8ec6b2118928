import type { Clock } from '../../lib/id.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import { type Job, textOf } from './jobs.ts'
import { workOutcomes } from './recurring.ts'

/** Work of one kind. Queues run independently, so that none delays another. */
export type Queue = {
  /** When the next work is due; Infinity if there is none, or while it runs: it calls `free` at the end. */
  nextAt: () => number
  /** Starts the work that is due. */
  start: () => void
  /** The running work; undefined if there is none. Never rejects. */
  busy: () => Promise<unknown> | undefined
  /** Aborts the matching jobs that run outside of a transaction. */
  cut?: (matches: (job: Job) => boolean) => void
}

/** The dependencies of queues. */
export type SchedulerContext = {
  store: Store
  log: Log
  random: () => number
  stopping: () => boolean
  /** Call this when a queue has finished and can start more work. */
  free: () => void
}

/** The pause after a failure of the store, which may last, such as a full disk. */
export const PAUSE_AFTER_FAILURE_MS = 5000

/** How long to delay work that has changed nothing and is due again at once. */
export const IDLE_PAUSE_MS = MINUTE_MS
export const PUT_OFF = 'postponed: it changed nothing, and was due again at once'

/** Whether the store refused, as opposed to a failure of the work. */
export const isStoreFailure = (error: unknown): boolean => error instanceof Problem && error.status === 503

/** A pause; a clock that is set back does not extend it. */
export function pause({ now }: Pick<Clock, 'now'>, ms: number) {
  let until = 0
  return {
    begin: (): void => void (until = now() + ms),
    /** When it ends; 0 if there is none. */
    until: (): number => (until - now() > ms ? 0 : until),
  }
}

/**
 * A queue that runs one step after the other while something is due. A step writes through `store.write`, and so waits
 * for turns of the event loop, in which requests are served. It throws only on failures of the store: then the queue
 * pauses.
 */
export function stepping(
  { store, log, stopping, free }: Pick<SchedulerContext, 'store' | 'log' | 'stopping' | 'free'>,
  name: string,
  dueAt: () => number | undefined,
  step: () => Promise<void>,
  /** Whether the step itself notes how it went. */
  isNoted = false,
): Queue {
  const { clock, health } = store
  let current: Promise<void> | undefined
  let mayHaveFailed = !isNoted // also before this server
  const note = workOutcomes(store)
  const rest = pause(clock, PAUSE_AFTER_FAILURE_MS)

  const nextDue = (): number => Math.max(dueAt() ?? Number.POSITIVE_INFINITY, rest.until())

  async function work(): Promise<void> {
    try {
      while (!stopping() && nextDue() <= clock.now()) await step()
      if (mayHaveFailed) await note(name, undefined)
      mayHaveFailed = false
    } catch (error) {
      rest.begin()
      if (health.note(error)) return
      log.error({ job: name, err: error }, 'failed')
      mayHaveFailed = true
      await note(name, textOf(error))
    }
  }

  return {
    nextAt: () => (current ? Number.POSITIVE_INFINITY : nextDue()),
    start: () => {
      current ??= work().then(() => {
        current = undefined
        free()
      })
    },
    busy: () => current,
  }
}
