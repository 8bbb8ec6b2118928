import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/time.ts'
import type { Reply } from '../egress/http-post.ts'

// What follows from an attempt, for the delivery and for its webhook. Pure functions.

/** The pauses between the attempts of a delivery, each up to a tenth longer. The first attempt has no pause. */
export const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
const JITTER = 0.1

/** After this many failures in a row a receiver counts as down: it gets one probe at a time, at this interval. */
export const DOWN_AFTER = 10
export const PROBE_MS = 5 * MINUTE_MS
/** A webhook whose receiver is down for this long is disabled. */
export const DISABLED_AFTER_MS = 5 * DAY_MS
const MAX_RETRY_AFTER_MS = DAY_MS

/** The delivery state of a webhook. */
export type Health = {
  failures: number
  failing_since: number | null
  held_until: number | null
  last_success_at: number | null
  last_failure_at: number | null
}

export const isDown = ({ failures }: Pick<Health, 'failures'>): boolean => failures >= DOWN_AFTER

type AttemptContext = {
  /** Failed attempts that count for the retry schedule. */
  failures: number
  /** Sent to find out whether a receiver is back: it does not count for the schedule. */
  isProbe: boolean
  /** Attempted only once. */
  isTest: boolean
}

export type DeliveryDecision = { status: 'pending' | 'delivered' | 'failed'; failures: number; dueAt: number | null }

/** The receiver wants no more events: the one that it answered so has failed, and its webhook is disabled. */
const isGone = ({ status }: Reply): boolean => status === 410

/** Returns what to do with a delivery after an attempt. `random` is from 0 to 1. */
export function deliveryAfter(context: AttemptContext, reply: Reply, now: number, random: number): DeliveryDecision {
  const { failures, isProbe, isTest } = context
  if (reply.error === null) return { status: 'delivered', failures, dueAt: null }
  const isOver = isTest || isGone(reply)
  if (isOver) return { status: 'failed', failures: failures + 1, dueAt: null }
  if (isProbe) return { status: 'pending', failures, dueAt: now + PROBE_MS }
  const pause = PAUSES_MS[failures]
  if (pause === undefined) return { status: 'failed', failures: failures + 1, dueAt: null }
  const wait = Math.max(Math.round(pause * (1 + JITTER * random)), retryAfterMs(reply, now))
  return { status: 'pending', failures: failures + 1, dueAt: now + wait }
}

/** Returns the state of the webhook after an attempt; `disabled` is the reason to disable it. */
export function healthAfter(before: Health, reply: Reply, now: number): Health & { disabled?: string } {
  if (reply.error === null) {
    // An attempt that started before its receiver asked for a pause does not end the pause.
    const isPaused = !isDown(before) && (before.held_until ?? 0) > now
    const held_until = isPaused ? before.held_until : null
    return { ...before, failures: 0, failing_since: null, held_until, last_success_at: now }
  }
  const failures = before.failures + 1
  const failing_since = before.failing_since ?? now
  const pause = Math.max(isDown({ failures }) ? PROBE_MS : 0, retryAfterMs(reply, now))
  const heldUntil = Math.max(before.held_until ?? 0, now + pause)
  const after = {
    ...before,
    failures,
    failing_since,
    held_until: heldUntil > now ? heldUntil : null,
    last_failure_at: now,
  }
  if (isGone(reply))
    return { ...after, disabled: 'The receiver answered 410, which means that it wants no more events.' }
  // A few failures with a long gap between them, as when the server was off, do not count as five days.
  if (isDown(after) && now - failing_since >= DISABLED_AFTER_MS) {
    return { ...after, disabled: `The receiver failed for five days. The last error: ${reply.error}` }
  }
  return after
}

/** Returns the wait that Retry-After asks for: seconds or an HTTP date (RFC 9110, section 10.2.3); at most a day. */
function retryAfterMs({ retry_after }: Reply, now: number): number {
  if (retry_after === null) return 0
  const text = retry_after.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Date.parse(text) - now
  return wait > 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : 0
}
