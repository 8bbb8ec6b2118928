import { networkOf } from '../../auth/forgeries.ts'
import { Problem } from '../../lib/problem.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/time.ts'

// How often somebody may try to sign in. See docs/decisions/025-signing-in.md.

/** Failed attempts that an account has without a pause. */
const FREE_FAILURES = 5
const FIRST_PAUSE_MS = 30_000
const MAX_PAUSE_MS = 15 * MINUTE_MS
/** Failures count for so long after the last one. */
const FORGOTTEN_AFTER_MS = DAY_MS

const PER_MINUTE = 20
/**
 * By way of one address of a network of proxies, for whatever clients: anybody there may invent those. Only from browsers in
 * which nobody has signed in, so that strangers behind a true proxy keep out nobody else.
 */
export const PER_MINUTE_VIA = 10 * PER_MINUTE
const MAX_KEPT = 10_000

export type Failures = { failures: number; failed_at: number | null }

/** A failure in the future was noted by a clock that was ahead: it has failed now, or the pause would last until then. */
export const healed = ({ failures, failed_at }: Failures, now: number): Failures => ({
  failures,
  failed_at: failed_at === null ? null : Math.min(failed_at, now),
})

/** How long nobody may try after these failures, in milliseconds. */
export function pauseAfter({ failures, failed_at }: Failures, now: number): number {
  if (failed_at === null || failures < FREE_FAILURES) return 0
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - FREE_FAILURES, 20))
  return Math.max(0, Math.min(pause, failed_at + pause - now))
}

/** The failures that still count. */
export const counting = ({ failures, failed_at }: Failures, now: number): number =>
  failed_at === null || now - failed_at >= FORGOTTEN_AFTER_MS ? 0 : failures

/** Limits the attempts of an address, for whatever account. Throws Problem 429. */
export function addressLimit(nowMs: () => number, perMinute = PER_MINUTE): (address: string) => void {
  const buckets = new Map<string, { left: number; at: number }>()

  return (address) => {
    const network = networkOf(address)
    const now = nowMs()
    const bucket = buckets.get(network) ?? { left: perMinute, at: now }
    bucket.left = Math.min(perMinute, bucket.left + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS)
    bucket.at = now
    if (bucket.left < 1) throw tooManyAttempts(((1 - bucket.left) * MINUTE_MS) / perMinute)
    bucket.left--
    buckets.delete(network)
    if (buckets.size >= MAX_KEPT) buckets.delete(buckets.keys().next().value as string)
    buckets.set(network, bucket)
  }
}

export function tooManyAttempts(waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  const wait = seconds < 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new Problem(429, 'too_many_attempts', `Too many attempts to sign in. Try again in ${wait}.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}
