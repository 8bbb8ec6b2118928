import type { Timers } from '../../../../src/web/data/timers.ts'

// Time that passes only when a test says so.

export const START = Date.UTC(2026, 10, 20, 8, 36)

export type Context = ReturnType<ReturnType<typeof computer>['context']>

/** A computer with one clock. What runs on it, such as a tab, has timers of its own, which do not run while it is frozen. */
export function computer(start = START) {
  let now = start
  let set = 0
  const due = new Map<number, { at: number; run: () => void; of: object }>()
  const frozen = new Set<object>()

  function context() {
    const of = {}
    /** How far the clock is behind that of the server, as far as it was said. */
    let skew = 0
    const timers: Timers = {
      now: () => now + skew,
      hear: (said) => {
        skew = Date.parse(said) - now
      },
      after(ms, run) {
        const id = ++set
        due.set(id, { at: now + ms, run, of })
        return () => void due.delete(id)
      },
    }
    return {
      timers,
      isFrozen: () => frozen.has(of),
      freeze: () => void frozen.add(of),
      /** What has become due meanwhile runs when time goes on. */
      thaw: () => void frozen.delete(of),
      end() {
        for (const [id, each] of due) if (each.of === of) due.delete(id)
      },
    }
  }

  function advance(ms: number): void {
    const until = now + ms
    for (;;) {
      const [next] = [...due]
        .filter(([, { at, of }]) => at <= until && !frozen.has(of))
        .sort(([, one], [, other]) => one.at - other.at)
      if (!next) break
      due.delete(next[0])
      now = Math.max(now, next[1].at)
      next[1].run()
    }
    now = until
  }

  /** All of it sleeps. */
  function sleep(ms: number): void {
    now += ms
  }

  /** Somebody sets the clock, by which no timer goes. */
  function setBy(ms: number): void {
    now += ms
    for (const each of due.values()) each.at += ms
  }

  return { context, advance, sleep, setBy }
}
