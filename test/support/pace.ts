import type { Pace } from '../../src/store/batches.ts'

/** A pace at which no transaction ends because of its time: each takes as much as it may. */
export const stillPace: Pace = { now: () => 0, sleep: () => undefined }

/** A pace whose clock advances by `stepMs` at each reading. `sleep` is called between transactions. */
export function slowPace(stepMs: number, sleep: (ms: number) => void): Pace {
  let at = 0
  return { now: () => (at += stepMs), sleep }
}
