import assert from 'node:assert/strict'
import type { Log } from '../../../src/lib/log.ts'
import { jobQueue } from '../../../src/store/jobs/jobs.ts'
import { type SchedulerOptions, startScheduler, type Timers } from '../../../src/store/jobs/scheduler.ts'
import type { Store } from '../../../src/store/open.ts'
import type { TestServer } from '../../support/server.ts'

/** A timer that rings when a test says so. */
export function manualTimers() {
  let set: { job: () => void; ms: number } | undefined
  let count = 0
  const timers: Timers = {
    set: (job, ms) => {
      assert.equal(set, undefined, 'there is one timer')
      count++
      set = { job, ms }
      return set
    },
    clear: (timer) => {
      if (timer === set) set = undefined
    },
  }
  return {
    timers,
    /** Of the timer that is set; undefined for none. */
    waitMs: () => set?.ms,
    /** How many have been set. */
    count: () => count,
    ring: () => {
      const due = set
      set = undefined
      due?.job()
    },
  }
}

type Line = { level: 'error' | 'warn'; message: string | undefined; job: string }

/** A log that a test can read. */
export function readableLog() {
  const lines: Line[] = []
  const into = (level: Line['level']) => (of: { job: string; err?: Error }) =>
    void lines.push({ level, message: of.err?.message, job: of.job })
  return { lines, log: { error: into('error'), warn: into('warn') } as unknown as Log }
}

/** A scheduler that rests until `tick`, or until the test rings its timer; by chance it always pauses for the longest. */
export function schedulerHarness(server: Pick<TestServer, 'store' | 'a'>, options: Partial<SchedulerOptions> = {}) {
  const { store, a } = server
  const clockwork = manualTimers()
  const { lines, log } = readableLog()
  const queue = jobQueue(store)
  const scheduler = startScheduler({
    store,
    log,
    kinds: [],
    recurring: [],
    afterJump: [],
    random: () => 1,
    timers: clockwork.timers,
    ...options,
  })
  const put = (kind: string, payload: string | number = '', inMs = 0, org = a.org): Promise<null> =>
    store.write(() => {
      queue.put(org, { kind, payload, dueAt: store.clock.now() + inMs })
      return null
    })
  return { ...scheduler, ...clockwork, queue, lines, put }
}

export const rowsOf = ({ db }: Store, table = 'jobs'): Record<string, unknown>[] =>
  db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]

/** A promise, and how to settle it. */
export function promised<T = void>() {
  return Promise.withResolvers<T>()
}
