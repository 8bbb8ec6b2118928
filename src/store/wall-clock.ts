import { timeOfId } from '../lib/id.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../lib/time.ts'
import { newestId, readUnlessDamaged } from './newest.ts'
import type { Database } from './sqlite/driver.ts'

/** The difference between two reads of the clock: `to` is more than a day from `from`. */
export type Jump = { from: number; to: number; isAtStart: boolean }

export type WallClock = {
  /** Epoch milliseconds; never before the program was written. */
  now: () => number
  /** Until when nothing old may be deleted; undefined if it may be. */
  purgeHeldUntil: () => number | undefined
  /** The same for work that is due at a date and cannot be undone. */
  dueHeldUntil: () => number | undefined
  /** Whether the clock shows a time before the program was written. */
  isLost: () => boolean
  /** What is wrong with the clock, in sentences for people; undefined if nothing is. */
  warning: () => string | undefined
  /** The last jump, until `noted`. */
  jumped: () => Jump | undefined
  /** Stores the time for the next start to compare with: in a transaction, only by the server. */
  note: () => void
  /** Call this after the commit of everything that follows from the jump. */
  noted: (jump: Jump) => void
}

/** A larger step is a jump, and so is a longer time without a server. */
export const MAX_STEP_MS = DAY_MS
/** After a jump, people have this long to set the clock before anything is deleted. */
export const HOLD_MS = HOUR_MS
/** Due work waits too if the clock went ahead by more than this, which exceeds a long weekend without a server. */
const MAX_PAUSE_MS = 7 * DAY_MS
/** The program is younger: a clock with an earlier time has lost it, like one without a battery. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1)

export const lostText = (now: number): string =>
  `The clock of this machine shows ${rfc3339(now)}, which cannot be right.`
export const jumpText = ({ from, to }: Pick<Jump, 'from' | 'to'>): string =>
  `The clock of this machine jumped from ${rfc3339(from)} to ${rfc3339(to)}. Nothing old is deleted before ${rfc3339(to + HOLD_MS)}.`
export const SET_BEFORE = 'If the clock is wrong, set it before then.'

type Row = { seen_at: number; jumped_from: number | null; jumped_to: number | null }

/** What the last server read from its clock; undefined before the first. */
export const seenTimes = (db: Database): Row | undefined =>
  db.prepare('SELECT seen_at, jumped_from, jumped_to FROM wall_clock').get() as Row | undefined

/**
 * A corrected wall clock. Jumps are detected while a server runs, which checks each minute, and at the start, from the
 * time stored by the last server (or else from the newest id).
 */
export function watchWallClock(
  db: Database,
  wall: () => number,
  noteDamage: (error: unknown) => void,
  elapsed: () => number = () => performance.now(),
): WallClock {
  const insert = db.prepare('INSERT OR REPLACE INTO wall_clock VALUES (1, @seen_at, @jumped_from, @jumped_to)')
  const row = readUnlessDamaged(noteDamage, undefined, () => seenTimes(db))
  const lastTime = row?.seen_at ?? newestTime()
  let lastRight = Math.max(lastTime ?? 0, EARLIEST_MS)
  let lostSince: number | undefined
  let jump: Jump | undefined
  if (row?.jumped_to) jump = { from: row.jumped_from as number, to: row.jumped_to, isAtStart: true }
  let seen = lastTime ?? now()
  let unhandled: Jump | undefined
  check(true)

  /** The wall clock or, if that has lost its time, the last correct time plus the time since. */
  function now(): number {
    const ms = wall()
    if (ms >= EARLIEST_MS) {
      lastRight = ms
      lostSince = undefined
      return ms
    }
    lostSince ??= elapsed()
    return Math.floor(lastRight + elapsed() - lostSince)
  }

  function newestTime(): number | undefined {
    const newest = newestId(db, undefined, noteDamage)
    return newest === undefined ? undefined : timeOfId(newest)
  }

  function check(isAtStart = false): number {
    const ms = now()
    if (Math.abs(ms - seen) > MAX_STEP_MS) {
      jump = { from: seen, to: ms, isAtStart }
      unhandled = jump
    }
    seen = ms
    return ms
  }

  function purgeHeldUntil(): number | undefined {
    const ms = check()
    if (lostSince !== undefined) return ms + HOLD_MS
    return jump && ms < jump.to + HOLD_MS ? jump.to + HOLD_MS : undefined
  }

  function warning(): string | undefined {
    const until = purgeHeldUntil()
    if (until === undefined) return undefined
    if (lostSince !== undefined)
      return `${lostText(wall())} Set the clock. Until then, time continues from the last correct time, and nothing old is deleted.`
    return `${jumpText(jump as Jump)} ${SET_BEFORE}`
  }

  return {
    now,
    purgeHeldUntil,
    dueHeldUntil: () => (jump && jump.to - jump.from > MAX_PAUSE_MS ? purgeHeldUntil() : undefined),
    isLost: () => {
      now()
      return lostSince !== undefined
    },
    warning,
    jumped: () => {
      check()
      return unhandled
    },
    note: () => {
      const seen_at = check()
      insert.run({ seen_at, jumped_from: jump?.from ?? null, jumped_to: jump?.to ?? null })
    },
    noted: (jump) => {
      if (unhandled === jump) unhandled = undefined
    },
  }
}
