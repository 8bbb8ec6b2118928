import { fold } from '../../lib/fold.ts'
import { daysOf, isPeriod, type Period, type Weekday } from '../../lib/periods.ts'
import { momentOf } from '../../lib/zoned.ts'
import { type Condition, type FieldKind, ME, type Operator, takesDays } from './conditions.ts'

// Decides in the browser which records fit, by the same rules as src/filters/conditions.ts.

const DAY_MS = 86_400_000

export type Around = {
  /** Milliseconds. */
  now: number
  /** Of the member who looks. */
  timezone: string
  /** The day there, YYYY-MM-DD. */
  today: string
  firstWeekday: Weekday
  /** The id of the member who looks. */
  me: string
}

/** Whether a record with this value fits. Absent values fit `ne`, `not_in` and `is_null` only. */
export function fits({ op, value: wanted }: Condition, kind: FieldKind, value: unknown, around: Around): boolean {
  const own = valuesOf(kind, value)
  if (op === 'is_null') return own.length === 0
  if (op === 'not_null') return own.length > 0
  if (takesDays(op)) {
    const [from, to] = boundsOf(kind, op, wanted as number, around)
    return own.some((one) => one >= from && one <= to)
  }
  const isOne = (one: unknown): boolean => {
    const [from, to] = rangeOf(kind, one, around)
    return own.some((each) => each >= from && each <= to)
  }
  if (op === 'eq') return isOne(wanted)
  if (op === 'ne') return !isOne(wanted)
  if (op === 'not_in') return !(wanted as unknown[]).some(isOne)
  if (op === 'in' || op === 'has_any') return (wanted as unknown[]).some(isOne)
  if (op === 'has_all') return (wanted as unknown[]).every(isOne)
  const [from, to] = rangeOf(kind, wanted, around)
  if (op === 'contains') return own.some((text) => String(text).includes(String(from)))
  if (op === 'starts_with') return own.some((text) => String(text).startsWith(String(from)))
  if (op === 'gt') return own.some((one) => one > to)
  if (op === 'gte') return own.some((one) => one >= from)
  if (op === 'lt') return own.some((one) => one < from)
  return own.some((one) => one <= to)
}

type Comparable = string | number | boolean

type Range = [from: Comparable, to: Comparable]

function valuesOf(kind: FieldKind, value: unknown): Comparable[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((one) => one !== null && one !== undefined).map((one) => comparable(kind, one))
}

/** What a value stands for, both ends included: one value, or all days of a period. */
function rangeOf(kind: FieldKind, value: unknown, around: Around): Range {
  if ((kind === 'date' || kind === 'time') && isPeriod(value)) return periodOf(kind, value, around)
  const one = comparable(kind, value === ME && kind === 'id' ? around.me : value)
  return [one, one]
}

/** Thousands of rows ask for the same: finding the moments of a zone takes long. */
const periods = new Map<string, Range>()

function periodOf(kind: 'date' | 'time', period: Period, { today, timezone, firstWeekday }: Around): Range {
  const key = [kind, period, today, timezone, firstWeekday].join(' ')
  const known = periods.get(key)
  if (known) return known
  const days = daysOf(period, today, firstWeekday)
  const range: Range = kind === 'date' ? days : [startOf(days[0], 0, timezone), startOf(days[1], 1, timezone) - 1]
  if (periods.size > 100) periods.clear()
  periods.set(key, range)
  return range
}

/** The first moment of a day, or of one some days later. */
function startOf(date: string, later: number, timezone: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return momentOf({ year, month, day: day + later, hour: 0, minute: 0, second: 0 }, timezone)
}

/** Times as milliseconds, texts without case and accents. */
function comparable(kind: FieldKind, value: unknown): Comparable {
  if (kind === 'text' || kind === 'texts') return fold(String(value))
  if (kind === 'time') return typeof value === 'number' ? value : Date.parse(String(value))
  return value as Comparable
}

/** Times are exact to the millisecond; a calendar day begins and ends with its date. What is further away has one end. */
function boundsOf(kind: FieldKind, op: Operator, days: number, { now, today }: Around): Range {
  const isPast = op === 'in_last_days' || op === 'before_last_days'
  const far = isPast ? -days : days
  const isDate = kind === 'date'
  const [here, there] = isDate ? [today, shifted(today, far)] : [now, now + far * DAY_MS]
  if (op === 'before_last_days') return isDate ? ['', shifted(there as string, -1)] : [-Infinity, (there as number) - 1]
  if (op === 'after_next_days') return isDate ? [shifted(there as string, 1), '~'] : [(there as number) + 1, Infinity]
  return isPast ? [there, here] : [here, there]
}

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
