import { MINUTE_MS } from '../lib/time.ts'
import { jobQueue } from '../store/jobs.ts'
import { scheduleAfterJump } from '../webhooks/delivery/clock.ts'
import type { Kind } from './kinds.ts'
import { type Queue, type SchedulerContext, stepping } from './queue.ts'

const EVERY_MS = MINUTE_MS

/** Looks at the wall clock each minute, writes down the time, and sees to what a jump has left behind. */
export function clockLane(kinds: readonly Kind[], yard: SchedulerContext): Queue {
  const { store, log } = yard
  const { clock, wallClock } = store
  const jobs = jobQueue(store)
  let due = clock.now() + EVERY_MS
  let logged: unknown
  let wasLost = false

  /** The scheduler comes by each minute, and has to set no timer for this. */
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
      log[jump.isAtStart ? 'warn' : 'error']({ job: 'clock', from, to }, wallClock.trouble())
    }
    if (wallClock.isLost() && !wasLost) log.error({ job: 'clock' }, wallClock.trouble())
    wasLost = wallClock.isLost()
    await store.write(() => {
      wallClock.note()
      if (!jump) return null
      for (const kind of kinds) if (!('isDated' in kind)) jobs.setBack(kind.kind, jump)
      scheduleAfterJump(store, jump)
      return null
    })
    if (jump) wallClock.noted(jump)
    due = clock.now() + EVERY_MS
  }

  return stepping(yard, 'clock', nextDue, step)
}
