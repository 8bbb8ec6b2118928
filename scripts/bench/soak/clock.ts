import { join } from 'node:path'

const DAY_MS = 86_400_000

const steadyMs = (): number => Number(process.hrtime.bigint() / 1_000_000n)

/** A wall clock that starts with the right time, and then runs a day in so many seconds. */
export function shortDays(secondsPerDay: number) {
  const [began, epoch, faster] = [steadyMs(), Date.now(), DAY_MS / (secondsPerDay * 1000)]
  return {
    now: (): number => Math.floor(epoch + (steadyMs() - began) * faster),
    days: (): number => (steadyMs() - began) / (secondsPerDay * 1000),
    /** For processes with this clock. */
    env: {
      NODE_OPTIONS: `--require ${join(import.meta.dirname, 'fast-clock.cjs')}`,
      DEALBOX_BENCH_CLOCK: `${began} ${epoch} ${faster}`,
    },
  }
}

export type ShortDays = ReturnType<typeof shortDays>
