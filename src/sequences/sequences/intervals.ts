export const INTERVALS = ['day', 'week', 'month'] as const
export type Interval = (typeof INTERVALS)[number]

/** Consecutive days, named by the first; from `start` (inclusive) to `end` (exclusive), in milliseconds. */
export type Span = { from: string; start: number; end: number }

/**
 * Splits the days between two dates, both included, where weeks (on Mondays) or months begin in the time zone. Returns
 * undefined if there are more than `most` spans.
 */
export function spansOf(
  from: string,
  to: string,
  { interval, timezone, most }: { interval: Interval; timezone: string; most: number },
): Span[] | undefined {
  const end = Temporal.PlainDate.from(to).add({ days: 1 })
  const startOf = (day: Temporal.PlainDate): number => day.toZonedDateTime(timezone).epochMilliseconds
  const spans: Span[] = []
  let day = Temporal.PlainDate.from(from)
  while (Temporal.PlainDate.compare(day, end) < 0) {
    if (spans.length === most) return undefined
    const next = nextCut(day, interval)
    const until = Temporal.PlainDate.compare(next, end) < 0 ? next : end
    spans.push({ from: day.toString(), start: startOf(day), end: startOf(until) })
    day = until
  }
  return spans
}

function nextCut(day: Temporal.PlainDate, interval: Interval): Temporal.PlainDate {
  if (interval === 'month') return day.with({ day: 1 }).add({ months: 1 })
  return day.add({ days: interval === 'week' ? 8 - day.dayOfWeek : 1 })
}

/** The date in the time zone. */
export const dayAt = (ms: number, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString()

/** The date this many days earlier. */
export const daysBefore = (day: string, days: number): string =>
  Temporal.PlainDate.from(day).subtract({ days }).toString()
