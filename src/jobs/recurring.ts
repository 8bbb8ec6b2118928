import { forgetOldAnswers } from '../http/idempotency.ts'
import type { Log } from '../http/log.ts'
import type { Store } from '../store/open.ts'

/** Work that a server repeats while it runs. Each run is short, and harmless to repeat. */
type Recurring = { name: string; everyMs: number; run: (store: Store) => void }

/** All of it. */
export const RECURRING: readonly Recurring[] = [
  { name: 'forget idempotent answers', everyMs: 60_000, run: forgetOldAnswers },
]

/** Starts all recurring work, each once at the beginning; answers how to stop it. */
export function startRecurring(store: Store, log: Log): () => void {
  function runOne({ name, run }: Recurring): void {
    try {
      run(store)
    } catch (error) {
      log.error({ job: name, err: error }, 'failed')
    }
  }
  const timers = RECURRING.map((job) => {
    const first = setImmediate(runOne, job)
    const timer = setInterval(runOne, job.everyMs, job)
    timer.unref()
    return () => {
      clearImmediate(first)
      clearInterval(timer)
    }
  })
  return () => {
    for (const stop of timers) stop()
  }
}
