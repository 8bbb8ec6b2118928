import type { Store } from '../open.ts'
import { textOf } from './jobs.ts'
import { IDLE_PAUSE_MS, isStoreFailure, PUT_OFF, type Queue, type SchedulerContext, stepping } from './queue.ts'
import { recurringRow } from './recurring.ts'

/** Work that a running server repeats. */
export type Recurring = {
  /** Also the key of its row, which contains the next due time. */
  name: string
  everyMs: number
  /** It deletes old data: it continues while the disk is full, and waits for a while after a clock jump. */
  frees?: boolean
  /** It says that a date is near: if the clock went far ahead, it waits for people to check. */
  isDated?: boolean
  /** Runs in a short transaction. `more` calls it again soon, with time for requests in between. */
  run: (store: Store) => 'more' | undefined
}

/** After a failure it runs again soon, however long its period. */
const RETRY_MS = 300_000

/** New recurring work is due at once, and so is work that was missed while no server ran. */
export function recurringQueue(
  { name, everyMs, frees = false, isDated = false, run }: Recurring,
  scheduler: Pick<SchedulerContext, 'store' | 'log' | 'stopping' | 'free'>,
): Queue {
  const { store, log } = scheduler
  const { db, clock } = store
  const how = { frees }
  const row = recurringRow(db, name)
  // Only one server runs on a data folder, and nothing else changes the row.
  let due = row.dueAt() ?? clock.now()

  /** At most one period away: the period may have become shorter, or the clock was set back. */
  function nextDue(): number {
    due = Math.min(due, clock.now() + everyMs)
    return due
  }

  async function step(): Promise<void> {
    try {
      let isIdle = false
      due = await store.write(() => {
        const now = clock.now()
        const { purgeHeldUntil, dueHeldUntil } = store.wallClock
        const heldUntil = frees ? purgeHeldUntil() : isDated ? dueHeldUntil() : undefined
        if (heldUntil !== undefined) return heldUntil
        row.start(now)
        const before = store.changes.byUs()
        const more = run(store) === 'more'
        isIdle = more && store.changes.byUs() === before
        if (isIdle) return now + Math.min(everyMs, IDLE_PAUSE_MS)
        if (more) return now
        row.finish(now + everyMs, clock.now())
        return now + everyMs
      }, how)
      if (isIdle) log.warn({ job: name }, PUT_OFF)
    } catch (error) {
      if (isStoreFailure(error)) throw error
      log.error({ job: name, err: error }, 'failed')
      due = await store.write(() => {
        const now = clock.now()
        const next = now + Math.min(everyMs, RETRY_MS)
        row.fail(next, now, textOf(error))
        return next
      }, how)
    }
  }

  return stepping(scheduler, name, nextDue, step, true)
}
