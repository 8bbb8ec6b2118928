import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import { pauseAfter } from './job-attempts.ts'
import type { Places } from './job-lanes.ts'
import { type DueJob, type Job, type JobQueue, jobQueue } from './jobs.ts'
import {
  IDLE_PAUSE_MS,
  isStoreFailure,
  PAUSE_AFTER_FAILURE_MS,
  PUT_OFF,
  pause,
  type Queue,
  type SchedulerContext,
  stepping,
} from './queue.ts'

export type Context = { store: Store; log: Log }

/**
 * Runs in the transaction that takes the job out of the queue: its effects happen exactly once, even after a crash. The
 * transaction may be rolled back and run again, so it may only write to the store.
 */
export type RunKind = {
  kind: string
  run: (job: Job, context: Context) => undefined
  maxTries?: number
  /**
   * For slow work: how many run at the same time, each batch followed by a pause of twice its duration, so that many
   * jobs due at the same moment leave most of the time to requests.
   */
  atOnce?: number
  /** For work that is due at a date and cannot be undone: if the clock went far ahead, it waits for people to check. */
  isDated?: true
  /** Writes the consequences of a permanent failure. */
  onPermanentFailure?: (job: Job, context: Context) => undefined
}

/**
 * Runs outside of a transaction, at least once: again if it throws, if the server ends in the middle, or if it takes
 * longer than its lease, at the end of which `signal` aborts.
 */
export type PerformKind = {
  kind: string
  perform: (job: Job, context: Context & { signal: AbortSignal }) => Promise<void>
  /** How many run at the same time. */
  concurrency: number
  /** How many of one lane do, for a kind whose jobs all have lanes: one that hangs leaves places to the others. */
  perLane?: number
  maxTries: number
  leaseMs: number
  /** How long a slot stays empty after each job, which limits the jobs per second. */
  restMs?: number
  /** Writes the consequences of a permanent failure, including a last attempt that did not finish. */
  onPermanentFailure?: (job: Job, context: Context) => undefined
}

export type Kind = RunKind | PerformKind

/** What a command does with a job of one kind, in the transaction in which the job is tried again or dropped. */
export type Remedy = {
  /** Undoes the consequences of giving up. Throws Problem 409 if another try could do nothing. */
  retry?: (org: number, key: string) => void
  /** Writes the consequences; without it, only a job that was given up can be dropped. */
  drop?: (org: number, key: string) => void
}

/** For jobs in a transaction: about nine hours. */
const MAX_TRIES = 20

/** After so many attempts that ended with the server, the next one waits for so long. */
const MOST_ENDS = 2
const WAIT_MS = HOUR_MS

/** Jobs that request their transaction at the same time: half of a batch; the other half is for requests. */
const MAX_DUE = 64

export const maxTriesOf = ({ maxTries = MAX_TRIES }: Kind): number => maxTries

export function queueOf(kind: Kind, scheduler: SchedulerContext): Queue {
  return 'run' in kind ? runQueue(kind, scheduler) : performQueue(kind, scheduler)
}

function failures(kind: Kind, jobs: JobQueue, { store, log, random }: SchedulerContext) {
  return async function failed(job: Job, error: unknown): Promise<void> {
    const next = await store.write(() => {
      const next = jobs.fail(job, error, maxTriesOf(kind), random)
      if (next === 'given up') kind.onPermanentFailure?.(job, { store, log })
      return next
    })
    log.error({ job: kind.kind, org: job.org, id: job.id, tries: job.tries, next, err: error }, 'failed')
  }
}

function runQueue(kind: RunKind, scheduler: SchedulerContext): Queue {
  const { store, log, stopping } = scheduler
  const jobs = jobQueue(store)
  const failed = failures(kind, jobs, scheduler)
  const context = { store, log }
  const startedAt = store.clock.now()

  /**
   * Counts the attempts of these jobs before they are made, since one of them may be what has ended the server. Returns those
   * to run.
   */
  async function begin(due: readonly DueJob[]): Promise<DueJob[]> {
    const maxTries = maxTriesOf(kind)
    const { begun } = await store.write(() => ({
      begun: due.flatMap((each) => {
        const { tries } = each
        const pauseMs = tries < MOST_ENDS - 1 ? pauseAfter(tries + 1, scheduler.random) : WAIT_MS
        const found = jobs.begin(each, store.clock.now() + pauseMs, maxTries)
        if (found?.next === 'given up') kind.onPermanentFailure?.(found.job, context)
        return found ? [{ each, ...found }] : []
      }),
    }))
    return begun.flatMap(({ each, next, job: { org, id, tries } }) => {
      if (next === 'begun') return [each]
      log.error({ job: kind.kind, org, id, tries, next }, 'was begun so often, and never completed')
      return []
    })
  }

  async function runOne({ org, id }: DueJob, isBegun: boolean): Promise<void> {
    let job: Job | undefined
    try {
      const isPutOff = await store.write(() => {
        job = jobs.take(org, id, isBegun)
        if (!job) return false
        kind.run(job, context)
        return jobs.putOffIdle(job, IDLE_PAUSE_MS)
      })
      if (isPutOff) log.warn({ job: kind.kind, org, id }, PUT_OFF)
    } catch (error) {
      if (!job || isStoreFailure(error)) throw error
      await failed(job, error)
    }
  }

  async function step(): Promise<void> {
    const started = performance.now()
    const due = jobs.due(kind.kind, kind.atOnce ?? MAX_DUE)
    // What was due before this server started may have ended the one before, and what was tried may have, too.
    const [tried, others] = [due.filter(({ tries }) => tries > 0), due.filter(({ tries }) => tries === 0)]
    const isOld = others.some(({ dueAt }) => dueAt < startedAt)
    const together = isOld ? await begin(others) : others
    const ends = await Promise.allSettled(together.map((each) => runOne(each, isOld)))
    for (const each of tried) {
      if (stopping()) break
      for (const begun of await begin([each])) ends.push(...(await Promise.allSettled([runOne(begun, true)])))
    }
    if (kind.atOnce && !stopping()) await sleep(Math.ceil(2 * (performance.now() - started)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  function nextAt(): number | undefined {
    const dueAt = jobs.nextDueAt(kind.kind)
    if (dueAt === undefined || !kind.isDated) return dueAt
    return Math.max(dueAt, store.wallClock.dueHeldUntil() ?? 0)
  }

  return stepping(scheduler, kind.kind, nextAt, step)
}

function performQueue(kind: PerformKind, scheduler: SchedulerContext): Queue {
  const { store, log, stopping, free } = scheduler
  const jobs = jobQueue(store)
  const failed = failures(kind, jobs, scheduler)
  const running = new Map<Job, { end: Promise<void>; cut: AbortController }>()
  /** Of these, those that are done: their slot stays empty for a moment, but that of their lane is free. */
  const resting = new Set<Job>()
  let claiming: Promise<void> | undefined
  const failurePause = pause(store.clock, PAUSE_AFTER_FAILURE_MS)

  function rest(error: unknown): void {
    if (!store.health.note(error)) log.error({ job: kind.kind, err: error }, 'failed')
    failurePause.begin()
  }

  function places(): Places | undefined {
    if (kind.perLane === undefined) return undefined
    const counts = new Map<string, number>()
    for (const job of running.keys()) if (!resting.has(job)) counts.set(job.lane, (counts.get(job.lane) ?? 0) + 1)
    return { perLane: kind.perLane, running: counts }
  }

  async function claim(): Promise<void> {
    try {
      let claimed: Job[] = []
      const room = kind.concurrency - running.size
      await store.write(() => {
        claimed = jobs.claim(kind.kind, room, kind.leaseMs, places())
        return claimed.length
      })
      for (const job of claimed) {
        const cut = new AbortController()
        running.set(job, { cut, end: performOne(job, cut.signal) })
      }
    } catch (error) {
      rest(error)
    }
  }

  async function performOne(job: Job, signal: AbortSignal): Promise<void> {
    try {
      const { error } = await outcomeOf(job, signal)
      if (!error) await store.write(() => void jobs.finish(job))
      else if (signal.aborted) log.warn({ job: kind.kind, org: job.org, id: job.id, tries: job.tries }, 'cut off')
      else await failed(job, error.reason)
    } catch (error) {
      rest(error) // finished or not, its lease ends, and it is repeated
    }
    if (kind.restMs !== undefined && !stopping()) {
      resting.add(job)
      free()
      await sleep(kind.restMs)
    }
    resting.delete(job)
    running.delete(job)
    free()
  }

  async function outcomeOf(job: Job, signal: AbortSignal): Promise<{ error?: { reason: unknown } }> {
    try {
      await Promise.race([kind.perform(job, { store, log, signal }), aborted(signal)])
      return {}
    } catch (reason) {
      return { error: { reason } }
    }
  }

  return {
    nextAt: () => {
      if (claiming || running.size >= kind.concurrency) return Number.POSITIVE_INFINITY
      return Math.max(jobs.nextDueAt(kind.kind, places()) ?? Number.POSITIVE_INFINITY, failurePause.until())
    },
    start: () => {
      claiming ??= claim().then(() => {
        claiming = undefined
        free()
      })
    },
    busy: () => {
      if (claiming) return claiming
      return running.size > 0 ? Promise.all([...running.values()].map(({ end }) => end)) : undefined
    },
    cut: (matches) => {
      for (const [job, { cut }] of running) if (matches(job)) cut.abort()
    },
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
