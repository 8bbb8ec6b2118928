import { DAY_MS, MINUTE_MS } from '../../../lib/time.ts'

// When a check of the server is told of: bad for a while, once a day for as long as it is, and once when it is well again. What
// goes on and off is one thing that lasts. Times are epoch milliseconds.

/** The result of one check of health.ts. */
export type Found = { status: 'pass' | 'warn' | 'fail'; detail?: string | undefined }
type Bad = 'warn' | 'fail'

/** A check that is bad, or was. `detail` is what was found last when it was. */
export type Watched = {
  bad_since: number
  status: Bad
  detail: string
  /** Since when it passes; null while it is bad. */
  well_since: number | null
  /** How long it has to pass until it counts as well: longer with each time that it did not last. */
  steady_ms: number
  is_well: boolean
}
export type Checks = { readonly [check: string]: Watched }

/**
 * The messages that were sent in one way, by mail or to a URL: of which checks and when, and how the last attempt
 * went.
 */
export type Told = {
  of: { [check: string]: number }
  /** The last message that arrived. */
  at: number | null
  /** Attempts that failed since then. */
  failures: number
  tried_at: number | null
  error: string | null
  /** Nobody could be told in this way, as without a mailbox. */
  is_nobody: boolean
}
export const NOTHING_TOLD: Told = { of: {}, at: null, failures: 0, tried_at: null, error: null, is_nobody: false }

/** A server that has just started, or a network that was away for a moment, is no reason to write to anybody. */
export const CONFIRM_MS = 5 * MINUTE_MS
export const STEADY_MS = 15 * MINUTE_MS
export const REPEAT_MS = DAY_MS
/** What was told of half a day ago joins a message that goes out anyway, so that there is one a day. */
const JOIN_MS = REPEAT_MS / 2
/** Trouble rarely comes alone: what follows is one message. */
export const GAP_MS = 15 * MINUTE_MS
const RETRY_MS = 5 * MINUTE_MS
const LONGEST_RETRY_MS = 60 * MINUTE_MS

/** After a look at the checks of these names. One that was not run, since another one failed before it, stays as it was. */
export function noted(before: Checks, names: readonly string[], found: Record<string, Found>, now: number): Checks {
  const after = names.map((name) => [name, notedOne(before[name], found[name], now)] as const)
  return Object.fromEntries(after.flatMap(([name, one]) => (one ? [[name, one]] : [])))
}

function notedOne(before: Watched | undefined, found: Found | undefined, now: number): Watched | undefined {
  if (!found) return before
  if (found.status === 'pass') return before && passing(before, now)
  const is = { status: found.status, detail: found.detail ?? '', well_since: null, is_well: false }
  if (!before) return { ...is, bad_since: now, steady_ms: STEADY_MS }
  const isBack = before.well_since !== null
  return {
    ...is,
    bad_since: before.is_well ? now : Math.min(before.bad_since, now), // the clock may have been set back
    steady_ms: isBack ? Math.min(4 * before.steady_ms, DAY_MS) : before.steady_ms,
  }
}

function passing(before: Watched, now: number): Watched | undefined {
  const well_since = Math.min(before.well_since ?? now, now)
  const lasts = now - well_since
  if (before.is_well && lasts >= DAY_MS) return undefined
  return { ...before, well_since, is_well: before.is_well || lasts >= before.steady_ms }
}

export const isBad = ({ well_since, is_well }: Watched): boolean => well_since === null && !is_well

/** The checks to tell of now: undefined if there is nothing to say. */
export function dueFor(told: Told, checks: Checks, now: number): { bad: string[]; well: string[] } | undefined {
  if (isWithin(told.at, GAP_MS, now) || isWithin(told.tried_at, pauseOf(told), now)) return undefined
  const bad = Object.entries(checks).filter(([, check]) => isBad(check))
  const fresh = bad.filter(
    ([name, { bad_since }]) => now - bad_since >= CONFIRM_MS && !isWithin(told.of[name], REPEAT_MS, now),
  )
  const well = Object.keys(told.of).filter((name) => checks[name]?.is_well ?? true)
  if (fresh.length === 0 && well.length === 0) return undefined
  const joining = fresh.length === 0 ? [] : bad.filter(([name]) => !isWithin(told.of[name], JOIN_MS, now))
  return { bad: joining.map(([name]) => name), well }
}

/** Whether something was less than so long ago. What is in the future was noted while the clock was wrong. */
const isWithin = (at: number | null | undefined, ms: number, now: number): boolean =>
  at !== null && at !== undefined && at <= now && now - at < ms

const pauseOf = ({ failures }: Told): number =>
  failures === 0 ? 0 : Math.min(RETRY_MS * 2 ** (failures - 1), LONGEST_RETRY_MS)

/** After a message has arrived. */
export function toldOf(
  told: Told,
  { bad, well }: { bad: readonly string[]; well: readonly string[] },
  now: number,
): Told {
  const rest = Object.entries(told.of).filter(([name]) => !well.includes(name))
  return {
    ...NOTHING_TOLD,
    of: { ...Object.fromEntries(rest), ...Object.fromEntries(bad.map((name) => [name, now])) },
    at: now,
  }
}

/** There was nobody, which is no failure: it is tried with each look. */
export const toldNobody = (told: Told): Told => ({ ...told, failures: 0, error: null, is_nobody: true })

export const failedToTell = (told: Told, error: string, now: number): Told => ({
  ...{ ...told, failures: Math.min(told.failures + 1, 100) },
  ...{ tried_at: now, error, is_nobody: false },
})

/** Without checks that this server does not have, such as those of a replica that it had before: nobody hears of them again. */
export const onlyOf = (told: Told, names: readonly string[]): Told => ({
  ...told,
  of: Object.fromEntries(Object.entries(told.of).filter(([name]) => names.includes(name))),
})
