import { beginningOf } from '../../lib/calendar/days.ts'

// Months of a time zone. A month is named as 2026-11.

export const MONTH = /^(?:19|2\d)\d\d-(?:0[1-9]|1[0-2])$/

/** The month so many after another one. */
export function monthsAfter(month: string, count: number): string {
  const [year, at] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, at - 1 + count, 1)).toISOString().slice(0, 7)
}

/** All months between two, both included. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = []
  for (let month = from; month <= to; month = monthsAfter(month, 1)) months.push(month)
  return months
}

/** The first moment of a month, in milliseconds. */
export const beginningOfMonth = (month: string, timezone: string): number => beginningOf(`${month}-01`, timezone)

/**
 * The month of a column with a time, as SQL, NULL outside of these months; and its named parameters. Months begin when the first
 * of them does in the time zone, so that a clock change moves no record into another one.
 */
export function monthSql(column: string, months: readonly string[], timezone: string) {
  const values: Record<string, string | number> = {}
  const cases = months.map((month, at) => {
    values[`month_${at}`] = month
    values[`until_${at}`] = beginningOfMonth(monthsAfter(month, 1), timezone)
    return `WHEN ${column} < @until_${at} THEN @month_${at}`
  })
  values.begin = beginningOfMonth(months[0] as string, timezone)
  return { sql: `CASE WHEN ${column} < @begin THEN NULL ${cases.join(' ')} END`, values }
}
