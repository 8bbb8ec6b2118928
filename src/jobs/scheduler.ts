import type { Log } from '../http/log.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { jobQueue, putsInto } from '../store/jobs.ts'
import type { Store } from '../store/open.ts'
import { clockLane } from './clock.ts'
import { type Kind, maxTriesOf, queueOf } from './kinds.ts'
import { PAUSE_AFTER_FAILURE_MS, type Queue, type SchedulerContext, stepping } from './queue.ts'
import { type Recurring, recurringQueue } from './recurring.ts'

export type Scheduler = {
  /** Looks at once at what is due. Commits that put a job do it by themselves. */
  wake: () => void
  /** Looks at what is due, and resolves when it is done. */
  tick: () => Promise<void>
  /** Begins nothing more, and resolves when what runs is done or was left to itself; nothing happens afterwards. */
  stop: () => Promise<void>
}

export type Timers = { set: (job: () => void, ms: number) => unknown; clear: (timer: unknown) => void }

export type SchedulerOptions = {
  store: Store
  log: Log
  kinds: readonly Kind[]
  recurring: readonly Recurring[]
  random?: () => number
  timers?: Timers
  /** For what is performed when the scheduler stops; what takes longer is repeated after the next start. */
  graceMs?: number
}

/** So that a wall clock that was set is noticed. */
const MAX_WAIT_MS = MINUTE_MS
const EXPIRED_AT_ONCE = 100

const unrefTimers: Timers = {
  set: (job, ms) => setTimeout(job, ms).unref(),
  clear: (timer) => clearTimeout(timer as NodeJS.Timeout),
}

/**
 * Runs jobs when they are due. It sleeps until the next one, by one timer, and is woken by commits that put jobs, of
 * this process or another. Each kind, and each recurring piece, goes its own way.
 */
export function startScheduler({
  store,
  log,
  kinds,
  recurring,
  random = Math.random,
  timers = unrefTimers,
  graceMs = 5000,
}: SchedulerOptions): Scheduler {
  const { clock, committed, db, health } = store
  let timer: unknown
  let stopped: Promise<void> | undefined
  let seenPuts = putsInto(db)

  const scheduler: SchedulerContext = { store, log, random, stopping: () => stopped !== undefined, free: look }
  const ofKinds = kinds.map((kind) => queueOf(kind, scheduler))
  const ofServer = [clockLane(kinds, scheduler), leaseQueue(kinds, ofKinds, scheduler)]
  const queues = [...ofServer, ...recurring.map((piece) => recurringQueue(piece, scheduler)), ...ofKinds]

  /** Begins with what is due, and comes back when the next is. */
  function look(): void {
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
    timer = timers.set(look, waitMs)
  }

  const unsubscribe = committed.subscribe((byOthers) => {
    if (!byOthers && putsInto(db) === seenPuts) return
    seenPuts = putsInto(db)
    look()
  })

  /** A lane may begin with what another has put. */
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
    }) // their leases end by themselves
    .finally(look)
  look()
  return {
    wake: look,
    tick: () => {
      look()
      return idle()
    },
    stop: () => (stopped ??= end()),
  }
}

/** Gives back what was begun and not done in time: mostly by a server that ended in the middle. */
function leaseQueue(kinds: readonly Kind[], queues: readonly Queue[], scheduler: SchedulerContext): Queue {
  const { store, log } = scheduler
  const jobs = jobQueue(store)
  const known = new Map(kinds.map((kind) => [kind.kind, kind]))
  if (known.size < kinds.length) throw new Error('two kinds of jobs have the same name')

  function maxTries(name: string): number {
    const kind = known.get(name)
    return kind ? maxTriesOf(kind) : Number.POSITIVE_INFINITY
  }

  async function step(): Promise<void> {
    const released = await store.write(() => {
      const all = jobs.releaseExpired(EXPIRED_AT_ONCE, maxTries)
      for (const job of all) if (job.tries >= maxTries(job.kind)) known.get(job.kind)?.givenUp?.(job, { store, log })
      return { jobs: all }
    })
    for (const { kind, org, id, tries, leasedUntil } of released.jobs) {
      log.warn({ job: kind, org, id, tries }, 'lease ended')
      for (const queue of queues)
        queue.cut?.((job) => job.org === org && job.id === id && job.leasedUntil === leasedUntil)
    }
  }

  return stepping(scheduler, 'leases', jobs.nextLeaseEnd, step)
}
