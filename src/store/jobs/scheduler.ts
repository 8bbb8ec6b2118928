import type { Log } from '../../lib/log.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import { type AfterJump, clockQueue } from './clock.ts'
import { jobQueue, putsInto } from './jobs.ts'
import { type Kind, maxTriesOf, queueOf } from './kinds.ts'
import { PAUSE_AFTER_FAILURE_MS, type Queue, type SchedulerContext, stepping } from './queue.ts'
import { type Recurring, recurringQueue } from './recurring-work.ts'

export type Scheduler = {
  /** Checks at once for due work. Commits that put a job do this automatically. */
  wake: () => void
  /** Checks for due work and resolves when it is finished. */
  tick: () => Promise<void>
  /** Starts no more work and resolves when all running work has finished or was aborted; nothing runs afterwards. */
  stop: () => Promise<void>
}

export type Timers = { set: (job: () => void, ms: number) => unknown; clear: (timer: unknown) => void }

export type SchedulerOptions = {
  store: Store
  log: Log
  kinds: readonly Kind[]
  recurring: readonly Recurring[]
  /** What follows from a jump of the clock, besides the times of jobs. */
  afterJump: readonly AfterJump[]
  random?: () => number
  timers?: Timers
  /** For jobs outside of a transaction when the scheduler stops; longer ones are repeated after the next start. */
  graceMs?: number
}

/** To notice when the wall clock is set. */
const MAX_WAIT_MS = MINUTE_MS
const BATCH_SIZE = 100

const unrefTimers: Timers = {
  set: (job, ms) => setTimeout(job, ms).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/**
 * Runs jobs when they are due. Sleeps until the next one, on a single timer, and is woken by commits that put jobs, in
 * this process or another. Each kind of job and all recurring work have their own queue.
 */
export function startScheduler({
  store,
  log,
  kinds,
  recurring,
  afterJump,
  random = Math.random,
  timers = unrefTimers,
  graceMs = 5000,
}: SchedulerOptions): Scheduler {
  const { clock, committed, db, health } = store
  let timer: unknown
  let stopped: Promise<void> | undefined
  let seenPuts = putsInto(db)

  const scheduler: SchedulerContext = { store, log, random, stopping: () => stopped !== undefined, free: check }
  const ofKinds = kinds.map((kind) => queueOf(kind, scheduler))
  const ofServer = [clockQueue(kinds, afterJump, scheduler), leaseQueue(kinds, ofKinds, scheduler)]
  const queues = [...ofServer, ...recurring.map((piece) => recurringQueue(piece, scheduler)), ...ofKinds]

  /** Starts due work, and sets the timer for the next. */
  function check(): void {
    if (stopped) return
    timers.clear(timer)
    let waitMs = MAX_WAIT_MS
    try {
      for (const queue of queues) {
        const inMs = queue.nextAt() - clock.now()
        if (inMs <= 0) queue.start()
        else waitMs = Math.min(waitMs, inMs)
      }
    } catch (error) {
      if (!health.note(error)) log.error({ job: 'scheduler', err: error }, 'failed')
      waitMs = PAUSE_AFTER_FAILURE_MS
    }
    timer = timers.set(check, waitMs)
  }

  const unsubscribe = committed.subscribe((byOthers) => {
    if (!byOthers && putsInto(db) === seenPuts) return
    seenPuts = putsInto(db)
    check()
  })

  /** Repeats the check, since a queue may start work that another one has put. */
  async function idle(): Promise<void> {
    for (;;) {
      const busy = queues.flatMap((queue) => queue.busy() ?? [])
      if (busy.length === 0) return
      await Promise.all(busy)
    }
  }

  async function end(): Promise<void> {
    unsubscribe()
    timers.clear(timer)
    const grace = setTimeout(() => {
      for (const queue of queues) queue.cut?.(() => true)
    }, graceMs)
    await idle()
    clearTimeout(grace)
  }

  store
    .write(() => void jobQueue(store).abandonAll())
    .catch((error) => {
      if (!health.note(error)) log.error({ job: 'scheduler', err: error }, 'failed')
    }) // their leases end anyway
    .finally(check)
  check()
  return {
    wake: check,
    tick: () => {
      check()
      return idle()
    },
    stop: () => (stopped ??= end()),
  }
}

/** Returns jobs to the queue whose lease has ended, usually because a server stopped while it ran them. */
function leaseQueue(kinds: readonly Kind[], queues: readonly Queue[], scheduler: SchedulerContext): Queue {
  const { store, log } = scheduler
  const jobs = jobQueue(store)
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]))
  if (byName.size < kinds.length) throw new Error('two kinds of jobs have the same name')

  function maxTries(name: string): number {
    const kind = byName.get(name)
    return kind ? maxTriesOf(kind) : Number.POSITIVE_INFINITY
  }

  async function step(): Promise<void> {
    const released = await store.write(() => {
      const all = jobs.releaseExpired(BATCH_SIZE, maxTries, scheduler.random)
      for (const job of all)
        if (job.tries >= maxTries(job.kind)) byName.get(job.kind)?.onPermanentFailure?.(job, { store, log })
      return { jobs: all }
    })
    for (const { kind, org, id, tries, leasedUntil } of released.jobs) {
      log.warn({ job: kind, org, id, tries }, 'lease expired')
      for (const queue of queues)
        queue.cut?.((job) => job.org === org && job.id === id && job.leasedUntil === leasedUntil)
    }
  }

  return stepping(scheduler, 'leases', jobs.nextLeaseEnd, step)
}
