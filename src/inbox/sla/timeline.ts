import type { BusinessTime } from '../../lib/calendar/business-time.ts'

// When the time for a target has passed: pure arithmetic over the time that counts.

/** When a conversation entered a status. */
export type StatusChange = { at: number; status: string }

/** Time that counts, in milliseconds; the last stretch may be open-ended, with Infinity as its end. */
type Stretch = [from: number, to: number]

/** The stretches after `start` in which a clock runs: the conversation has none of the statuses that pause it. */
export function running(start: number, changes: readonly StatusChange[], stops: readonly string[]): Stretch[] {
  const stretches: Stretch[] = []
  let from: number | undefined = start
  for (const { at, status } of changes) {
    const isStopped = stops.includes(status)
    if (isStopped && from !== undefined) {
      if (at > from) stretches.push([from, at])
      from = undefined
    } else if (!isStopped) from ??= Math.max(at, start)
  }
  if (from !== undefined) stretches.push([from, Number.POSITIVE_INFINITY])
  return stretches
}

/**
 * The moment at which this much time has passed; undefined if the clock pauses before that. Without hours, all time
 * counts.
 */
export function usedUpAt(
  stretches: readonly Stretch[],
  amountMs: number,
  hours: Pick<BusinessTime, 'add' | 'between'> | undefined,
): number | undefined {
  let rest = amountMs
  for (const [from, to] of stretches) {
    const end = hours ? hours.add(from, rest) : from + rest
    if (end !== undefined && end <= to) return end
    if (to === Number.POSITIVE_INFINITY) return undefined
    rest -= hours ? hours.between(from, to) : to - from
  }
  return undefined
}

/** A part of the time that counted towards a target, in milliseconds. */
export type CountedPart = { from: number; to: number }

/** The time that counts after one moment and before another, cut where the hours close. */
export function countedParts(
  stretches: readonly Stretch[],
  after: number,
  until: number,
  hours: Pick<BusinessTime, 'isOpen' | 'nextOpenAt' | 'nextCloseAt'> | undefined,
): CountedPart[] {
  const parts: CountedPart[] = []
  for (const [begin, to] of stretches) {
    const [from, end] = [Math.max(begin, after), Math.min(to, until)]
    if (!hours) {
      if (end > from) parts.push({ from, to: end })
      continue
    }
    let at = hours.isOpen(from) ? from : hours.nextOpenAt(from)
    while (at !== undefined && at < end) {
      parts.push({ from: at, to: Math.min(hours.nextCloseAt(at) ?? end, end) })
      at = hours.nextOpenAt(at)
    }
  }
  return parts
}

/** How much time counts before a moment, in milliseconds. */
export const countedBefore = (
  stretches: readonly Stretch[],
  until: number,
  hours: Pick<BusinessTime, 'between'> | undefined,
): number =>
  stretches.reduce((sum, [from, to]) => {
    const end = Math.min(to, until)
    return sum + (hours ? hours.between(from, end) : Math.max(0, end - from))
  }, 0)
