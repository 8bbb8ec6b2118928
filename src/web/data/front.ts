import type { From } from './api.ts'
import { retryDelay } from './sending.ts'
import type { Timers } from './timers.ts'

type Parts = {
  /** Asks the server for something small: resolves to whether it was the server that answered. */
  ask: () => Promise<boolean>
  timers: Timers
  /** Gets the status of what answers in front of the server; undefined once the server has answered. */
  onFront: (status: number | undefined) => void
  /** The server is reached again, after something in front had answered for a while. */
  onReached: () => void
}

/** A proxy whose server comes and goes may refuse one request alone a few times. */
const MAX_REFUSALS = 4

/** Finds out what something in front of the server refuses: everything, until it lets in again, or a single request. */
export function frontWatch({ ask, timers, onFront, onReached }: Parts) {
  let asking: Promise<boolean> | undefined
  let stopTimer: (() => void) | undefined
  /** Questions in a row that did not reach the server. */
  let failures = 0

  /** Called with every answer. */
  function answered(from: From): void {
    onFront(typeof from === 'number' ? from : undefined)
    if (typeof from === 'number') {
      stopTimer ??= timers.after(retryDelay(failures), () => {
        stopTimer = undefined
        void isReached()
      })
      return
    }
    stopTimer?.()
    stopTimer = undefined
    if (from === 'nobody') return
    const wasShut = failures > 0
    failures = 0
    if (wasShut) onReached()
  }

  /** Whether the server answers when it is asked for something else now. */
  function isReached(): Promise<boolean> {
    asking ??= ask().then((isThere) => {
      asking = undefined
      if (!isThere) failures++
      return isThere
    })
    return asking
  }

  /** Whether it refuses this one again and again, and lets others pass. Called with each refusal. */
  async function isRefused(one: { refusals: number }): Promise<boolean> {
    one.refusals = (await isReached()) ? one.refusals + 1 : 0
    return one.refusals >= MAX_REFUSALS
  }

  return { answered, isRefused }
}
