import type { Pace } from '../../src/store/batches.ts'

/** No transaction ends for its time: each takes as much as it may at all. */
export const stillPace: Pace = { now: () => 0, sleep: () => undefined }

/** Each look at the clock takes so long, on this clock alone. `sleep` is called in each gap. */
export function slowPace(stepMs: number, sleep: (ms: number) => void): Pace {
  let at = 0
  return { now: () => (at += stepMs), sleep }
}
