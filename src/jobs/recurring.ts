import { forgetOldAnswers } from '../http/idempotency.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'
import { textOf } from '../store/jobs.ts'
import type { Store } from '../store/open.ts'
import { recurringRow } from '../store/recurring.ts'
import { purgeDeliveries, purgeEvents } from '../webhooks/delivery/retention.ts'
import { IDLE_PAUSE_MS, isStoreFailure, PUT_OFF, type Queue, type SchedulerContext, stepping } from './queue.ts'

/** Work that a server repeats while it runs. */
export type Recurring = {
  /** Also the key of its row, which says when it is due again. */
  name: string
  everyMs: number
  /** It deletes what is old: it goes on while the disk is full, and waits for a while after the clock has jumped. */
  frees?: boolean
  /** Runs in a transaction, and is short. `more` has it called again soon, with room for requests between. */
  run: (store: Store) => 'more' | undefined
}

/** All of it. `keepEventsMs` is how long events and their deliveries are kept. */
export const recurringWork = ({ keepEventsMs }: { keepEventsMs: number }): Recurring[] => [
  { name: 'forget idempotent answers', everyMs: MINUTE_MS, frees: true, run: forgetOldAnswers },
  { name: 'purge events', everyMs: HOUR_MS, frees: true, run: (store) => purgeEvents(store, keepEventsMs) },
  { name: 'purge deliveries', everyMs: HOUR_MS, frees: true, run: (store) => purgeDeliveries(store, keepEventsMs) },
]

/** After a failure: soon, however rare it is otherwise. */
const RETRY_MS = 300_000

/** A new piece is due at once, as is one that was missed while no server ran. */
export function recurringQueue(
  { name, everyMs, frees = false, run }: Recurring,
  scheduler: Pick<SchedulerContext, 'store' | 'log' | 'stopping' | 'free'>,
): Queue {
  const { store, log } = scheduler
  const { db, clock } = store
  const how = { frees }
  const row = recurringRow(db, name)
  // Only one server runs on a data folder, and nobody else changes the row.
  let due = row.dueAt() ?? clock.now()

  /** Never further off than its period: it may have become more frequent, or the clock was set back. */
  function nextDue(): number {
    due = Math.min(due, clock.now() + everyMs)
    return due
  }

  async function step(): Promise<void> {
    try {
      let isIdle = false
      due = await store.write(() => {
        const now = clock.now()
        const heldUntil = frees ? store.wallClock.purgeHeldUntil() : undefined
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

  return stepping(scheduler, name, nextDue, step)
}
