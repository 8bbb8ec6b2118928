import type { Log } from '../http/log.ts'
import type { Clock } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE_MS } from '../lib/time.ts'
import type { Job } from '../store/jobs.ts'
import type { Store } from '../store/open.ts'

/** Work of one sort. Each goes its own way, so that none holds up another. */
export type Queue = {
  /** When there is something to do next; Infinity when there is not, or when it is at it and says so at the end. */
  nextAt: () => number
  /** Begins with what is due. */
  start: () => void
  /** What is going on at the moment; undefined for nothing. It never rejects. */
  busy: () => Promise<unknown> | undefined
  /** Leaves to themselves those that are performed. */
  cut?: (isMeant: (job: Job) => boolean) => void
}

/** What lanes stand on. */
export type SchedulerContext = {
  store: Store
  log: Log
  random: () => number
  stopping: () => boolean
  /** To be called by a lane that has come to an end and can begin with something else. */
  free: () => void
}

/** After trouble with the store, which may last: a full disk, say. */
export const PAUSE_AFTER_FAILURE_MS = 5000

/** How long work is left that has changed nothing and would be due again at once. */
export const IDLE_PAUSE_MS = MINUTE_MS
export const PUT_OFF = 'put off: it changed nothing, and was due again at once'

/** Whether it was the store that refused, and not the work that failed. */
export const isStoreFailure = (error: unknown): boolean => error instanceof Problem && error.status === 503

/** A pause from now on; a clock that is set back does not make it longer. */
export function pause({ now }: Pick<Clock, 'now'>, ms: number) {
  let until = 0
  return {
    begin: (): void => void (until = now() + ms),
    /** When it ends; 0 where there is none. */
    until: (): number => (until - now() > ms ? 0 : until),
  }
}

/**
 * One step after the other while something is due. A step writes through `store.write`, and so waits for turns of the
 * event loop, in which requests are served. What it throws is trouble with the store: then the lane rests for a while.
 */
export function stepping(
  { store: { clock, health }, log, stopping, free }: Pick<SchedulerContext, 'store' | 'log' | 'stopping' | 'free'>,
  name: string,
  dueAt: () => number | undefined,
  step: () => Promise<void>,
): Queue {
  let current: Promise<void> | undefined
  const rest = pause(clock, PAUSE_AFTER_FAILURE_MS)

  const nextDue = (): number => Math.max(dueAt() ?? Number.POSITIVE_INFINITY, rest.until())

  async function work(): Promise<void> {
    try {
      while (!stopping() && nextDue() <= clock.now()) await step()
    } catch (error) {
      if (!health.note(error)) log.error({ job: name, err: error }, 'failed')
      rest.begin()
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
