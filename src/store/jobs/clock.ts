import { MINUTE_MS } from '../../lib/time.ts'
import type { Store } from '../open.ts'
import type { Jump } from '../wall-clock.ts'
import { jobQueue } from './jobs.ts'
import type { Kind } from './kinds.ts'
import { type Queue, type SchedulerContext, stepping } from './queue.ts'

const EVERY_MS = MINUTE_MS

/** Corrects what a room has computed from a wrong clock. Runs in the transaction that notes the jump. */
export type AfterJump = (store: Store, jump: Jump) => void

/** Checks the wall clock each minute, stores the time, and handles the consequences of a jump. */
export function clockQueue(
  kinds: readonly Kind[],
  afterJump: readonly AfterJump[],
  scheduler: SchedulerContext,
): Queue {
  const { store, log } = scheduler
  const { clock, wallClock } = store
  const jobs = jobQueue(store)
  let due = clock.now() + EVERY_MS
  let logged: unknown
  let wasLost = false

  /** The scheduler checks at least once a minute, so this needs no timer. */
  function nextDue(): number | undefined {
    const now = clock.now()
    due = Math.min(due, now + EVERY_MS) // the clock may have been set back
    return due <= now || wallClock.jumped() || wallClock.isLost() !== wasLost ? 0 : undefined
  }

  async function step(): Promise<void> {
    const jump = wallClock.jumped()
    if (jump && jump !== logged) {
      logged = jump
      const [from, to] = [new Date(jump.from), new Date(jump.to)]
      log[jump.isAtStart ? 'warn' : 'error']({ job: 'clock', from, to }, wallClock.warning())
    }
    if (wallClock.isLost() && !wasLost) log.error({ job: 'clock' }, wallClock.warning())
    wasLost = wallClock.isLost()
    await store.write(() => {
      wallClock.note()
      if (!jump) return null
      for (const kind of kinds) if (!('isDated' in kind)) jobs.setBack(kind.kind, jump)
      for (const correct of afterJump) correct(store, jump)
      return null
    })
    if (jump) wallClock.noted(jump)
    due = clock.now() + EVERY_MS
  }

  return stepping(scheduler, 'clock', nextDue, step)
}
