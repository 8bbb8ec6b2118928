import type { LockTimer } from '../../src/store/commit.ts'

/** A timer that advances only by `pass`. */
export function stillTimer(): LockTimer & { pass: (ms: number) => void; isSet: () => boolean } {
  let at = 0
  let jobs: { job: () => void; due: number }[] = []

  /** Runs every due job once. */
  function pass(ms: number): void {
    at += ms
    const due = jobs.filter((each) => each.due <= at)
    jobs = jobs.filter((each) => each.due > at)
    for (const { job } of due) job()
  }

  return {
    now: () => at,
    later: (job, ms) => void jobs.push({ job, due: at + ms }),
    pass,
    isSet: () => jobs.length > 0,
  }
}
