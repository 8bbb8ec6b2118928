const EPOCH_MS = Date.UTC(2026, 10, 20, 8, 36)

/** Milliseconds of a clock that adjustments of the system time do not affect, the same in all processes. */
export const steadyMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)

/** A wall clock that has run `faster` times as fast since `start`, a value of `steadyMs`. */
export const fastClock = (start: number, faster: number) => (): number => EPOCH_MS + (steadyMs() - start) * faster
