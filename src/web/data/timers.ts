import { hearServer, serverNow } from '../lib/server-time.ts'

/** Time as an argument, so that tests let it pass. */
export type Timers = {
  /** The time of the server, as far as it is known. */
  now(): number
  /** Takes what the server has just said: RFC 3339. */
  hear(now: string): void
  /** Runs `run` once after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void
}

export const realTimers: Timers = {
  now: serverNow,
  hear: hearServer,
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}
