const EPOCH_MS = Date.UTC(2026, 10, 20, 8, 36)

/** Milliseconds that no adjustment of the machine's time touches, the same in all of its processes. */
export const steadyMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)

/** A wall clock that runs so many times faster since `start`, which is one of `steadyMs`. */
export const fastClock = (start: number, faster: number) => (): number => EPOCH_MS + (steadyMs() - start) * faster
