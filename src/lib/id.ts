import { randomFillSync } from 'node:crypto'
import { DAY_MS } from './time.ts'

/**
 * The only source of times and ids.
 *
 * `now()` is the wall clock: it decides what has expired, is due or too old. If the clock was set back by at most
 * `SMALL_STEP_MS`, it stays at the time of the newest id until the wall clock catches up: an NTP correction must not
 * date a reply before its question.
 *
 * `id()` returns UUIDs v7 (RFC 9562, section 6.2, method 1): a 15-bit counter after the millisecond keeps them in order
 * within one, and `newest` (the newest id in the store) keeps them in order across a restart. If the clock was set back
 * by up to `MAX_AHEAD_MS`, they keep ascending; if it was further ahead, it was wrong, and they follow the wall clock
 * again instead of continuing its date. Time and counter together fill the 63 bits of a positive SQLite integer: see
 * `rankOfId`.
 */
export type Clock = { now: () => number; id: () => string }

/** The most that ids may be ahead of the wall clock. */
export const MAX_AHEAD_MS = DAY_MS
const SMALL_STEP_MS = 300_000
const COUNTER_LIMIT = 2 ** 15
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export type Randomness = (bytes: Uint8Array) => void

export function startClock(
  wall: () => number,
  newest?: string | undefined,
  fill: Randomness = (bytes) => randomFillSync(bytes),
  counterLimit = COUNTER_LIMIT,
): Clock {
  let lastMs = newest ? timeOfId(newest) : 0
  // The counter of the newest id is not read: in the same millisecond the next id moves to the following one.
  let counter = counterLimit
  let stamp = ''
  const pool = new Uint8Array(8192)
  let used = pool.length

  function now(): number {
    const ms = wall()
    return ms < lastMs && lastMs - ms <= SMALL_STEP_MS ? lastMs : ms
  }

  function id(): string {
    if (used + 12 > pool.length) {
      fill(pool)
      used = 0
    }
    const ms = wall()
    if (ms > lastMs || lastMs - ms > MAX_AHEAD_MS) startMillisecond(ms)
    else if (stamp === '') startMillisecond(lastMs + 1)
    else if (++counter >= counterLimit) startMillisecond(lastMs + 1)
    const text =
      stamp +
      (counter >>> 3).toString(16).padStart(3, '0') +
      '-' +
      HEX[0x80 | ((counter & 7) << 3) | (pool[used]! & 7)] +
      HEX[pool[used + 1]!] +
      '-' +
      HEX[pool[used + 2]!] +
      HEX[pool[used + 3]!] +
      HEX[pool[used + 4]!] +
      HEX[pool[used + 5]!] +
      HEX[pool[used + 6]!] +
      HEX[pool[used + 7]!]
    used += 8
    return text
  }

  function startMillisecond(ms: number): void {
    lastMs = ms
    // Starts in the lower half, to leave room to count.
    counter =
      ((pool[used]! << 24) | (pool[used + 1]! << 16) | (pool[used + 2]! << 8) | pool[used + 3]!) &
      (counterLimit / 2 - 1)
    used += 4
    const hex = ms.toString(16).padStart(12, '0')
    stamp = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
  }

  return { now, id }
}

/**
 * The time of a UUID v7 in epoch milliseconds. The `created_at` of a record is always the time of its id, never
 * `now()`.
 */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
}

/**
 * Time and counter of one of our UUIDs v7 as an integer that sorts like the id. Unique among the ids of one clock,
 * unless the clock passed the same millisecond twice (see `MAX_AHEAD_MS`).
 */
export function rankOfId(id: string): bigint {
  const timeAndCounter = BigInt(`0x${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(15, 18)}`)
  return (timeAndCounter << 3n) | BigInt((Number.parseInt(id.slice(19, 21), 16) >> 3) & 7)
}

/** The smallest UUID v7 of a millisecond: turns a limit on `created_at` into one on the key. */
export function firstIdAt(ms: number): string {
  const hex = Math.min(Math.max(ms, 0), 2 ** 48 - 1)
    .toString(16)
    .padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
