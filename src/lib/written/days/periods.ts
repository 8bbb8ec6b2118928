// Periods of whole days, named by how they lie to today: "last_week". It imports nothing: the browser app needs it, too.

/** ISO 8601: 1 is Monday, 7 is Sunday. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7

const DAYS = { yesterday: -1, today: 0, tomorrow: 1 } as const
const SPANS = ['week', 'month', 'quarter', 'year'] as const
type Span = (typeof SPANS)[number]
const AWAY = { last: -1, this: 0, next: 1 } as const
type Away = keyof typeof AWAY

export type Period = keyof typeof DAYS | `${Away}_${Span}`

export const PERIODS: readonly Period[] = [
  ...(Object.keys(DAYS) as (keyof typeof DAYS)[]),
  ...SPANS.flatMap((span) => (Object.keys(AWAY) as Away[]).map((away): Period => `${away}_${span}`)),
]

export const isPeriod = (value: unknown): value is Period => PERIODS.includes(value as Period)

const DAY_MS = 86_400_000

/** The first and the last day of a period, seen from today; all as YYYY-MM-DD. */
export function daysOf(period: Period, today: string, firstWeekday: Weekday): [first: string, last: string] {
  const [year = 0, month = 0, day = 0] = today.split('-').map(Number)
  const on = (months: number, date: number): string =>
    new Date(Date.UTC(year, month - 1 + months, date)).toISOString().slice(0, 10)
  if (period in DAYS) {
    const found = on(0, day + DAYS[period as keyof typeof DAYS])
    return [found, found]
  }
  const [away, span] = period.split('_') as [Away, Span]
  const count = AWAY[away]
  if (span === 'week') {
    const weekday = new Date(Date.parse(today) - firstWeekday * DAY_MS).getUTCDay() // since the first day of the week
    const first = day - weekday + 7 * count
    return [on(0, first), on(0, first + 6)]
  }
  const months = { month: 1, quarter: 3, year: 12 }[span]
  const from = -((month - 1) % months) + months * count
  return [on(from, 1), on(from + months, 0)]
}
