import { timeOfId } from '../lib/id.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../lib/time.ts'
import type { Database } from './driver.ts'
import { newestId, readUnlessDamaged } from './newest.ts'

/** From one look at the clock to the next: `to` is more than a day from `from`. */
export type Jump = { from: number; to: number; isAtStart: boolean }

export type WallClock = {
  /** Milliseconds since 1970; never before the program was made. */
  now: () => number
  /** Until when nothing that is old may be deleted; undefined where it may. */
  purgeHeldUntil: () => number | undefined
  /** The same for what is due at a date, and can not be taken back. */
  dueHeldUntil: () => number | undefined
  /** Whether it shows a time from before the program was made. */
  isLost: () => boolean
  /** What is wrong with the clock, in sentences for people; undefined for nothing. */
  trouble: () => string | undefined
  /** The last jump, until `noted`. */
  jumped: () => Jump | undefined
  /** Writes down the time, for the next start to compare with: in a transaction, by the one server. */
  note: () => void
  /** After its commit: what follows from the jump was done. */
  noted: (jump: Jump) => void
}

/** More than this is a jump, and so is as much time in which no server ran. */
export const MAX_STEP_MS = DAY_MS
/** After a jump people get this long to put the clock right before anything is deleted. */
export const HOLD_MS = HOUR_MS
/** What is due waits as well where the clock went ahead by more than this: more than a long weekend without a server. */
const MAX_PAUSE_MS = 7 * DAY_MS
/** The program is younger: a clock that shows an earlier time has lost it, as one without a battery does. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1)

type Row = { seen_at: number; jumped_from: number | null; jumped_to: number | null }

/**
 * The clock of the machine as it can be relied upon. A jump is seen while a server runs, which looks each minute, and
 * at the start, by the time that the last server wrote down (or else by the newest id).
 */
export function watchWallClock(
  db: Database,
  wall: () => number,
  noteDamage: (error: unknown) => void,
  elapsed: () => number = () => performance.now(),
): WallClock {
  const insert = db.prepare('INSERT OR REPLACE INTO wall_clock VALUES (1, @seen_at, @jumped_from, @jumped_to)')
  const select = db.prepare('SELECT seen_at, jumped_from, jumped_to FROM wall_clock')
  const row = readUnlessDamaged(noteDamage, undefined, () => select.get() as Row | undefined)
  const known = row?.seen_at ?? newestTime()
  let right = Math.max(known ?? 0, EARLIEST_MS)
  let lostSince: number | undefined
  let jump: Jump | undefined
  if (row?.jumped_to) jump = { from: row.jumped_from as number, to: row.jumped_to, isAtStart: true }
  let seen = known ?? now()
  let unnoted: Jump | undefined
  look(true)

  /** The wall clock, or where it has lost its time, the last one that was right and what has passed since. */
  function now(): number {
    const ms = wall()
    if (ms >= EARLIEST_MS) {
      right = ms
      lostSince = undefined
      return ms
    }
    lostSince ??= elapsed()
    return Math.floor(right + elapsed() - lostSince)
  }

  function newestTime(): number | undefined {
    const newest = newestId(db, undefined, noteDamage)
    return newest === undefined ? undefined : timeOfId(newest)
  }

  function look(isAtStart = false): number {
    const ms = now()
    if (Math.abs(ms - seen) > MAX_STEP_MS) {
      jump = { from: seen, to: ms, isAtStart }
      unnoted = jump
    }
    seen = ms
    return ms
  }

  function purgeHeldUntil(): number | undefined {
    const ms = look()
    if (lostSince !== undefined) return ms + HOLD_MS
    return jump && ms < jump.to + HOLD_MS ? jump.to + HOLD_MS : undefined
  }

  function trouble(): string | undefined {
    const until = purgeHeldUntil()
    if (until === undefined) return undefined
    if (lostSince !== undefined)
      return `The clock of this machine shows ${rfc3339(wall())}, which cannot be right: set it. Until then the time goes on from when it was last right, and nothing old is deleted.`
    const { from, to } = jump as Jump
    return `The clock of this machine went from ${rfc3339(from)} to ${rfc3339(to)}. Nothing old is deleted before ${rfc3339(until)}; if the clock is wrong, set it before then.`
  }

  return {
    now,
    purgeHeldUntil,
    dueHeldUntil: () => (jump && jump.to - jump.from > MAX_PAUSE_MS ? purgeHeldUntil() : undefined),
    isLost: () => {
      now()
      return lostSince !== undefined
    },
    trouble,
    jumped: () => {
      look()
      return unnoted
    },
    note: () => {
      const seen_at = look()
      insert.run({ seen_at, jumped_from: jump?.from ?? null, jumped_to: jump?.to ?? null })
    },
    noted: (jump) => {
      if (unnoted === jump) unnoted = undefined
    },
  }
}
