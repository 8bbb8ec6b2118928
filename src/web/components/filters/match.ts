import { fold } from '../../lib/fold.ts'
import type { Condition, FieldKind } from './conditions.ts'

// Decides in the browser which records fit, by the same rules as src/filters/conditions.ts.

const DAY_MS = 86_400_000

export type Around = {
  /** Milliseconds. */
  now: number
  /** The day of the organisation's time zone, YYYY-MM-DD. */
  today: string
}

/** Whether a record with this value fits. Absent values fit `ne`, `not_in` and `is_null` only. */
export function fits({ op, value: wanted }: Condition, kind: FieldKind, value: unknown, around: Around): boolean {
  const own = valuesOf(kind, value)
  if (op === 'is_null') return own.length === 0
  if (op === 'not_null') return own.length > 0
  if (op === 'ne') return !own.includes(comparable(kind, wanted))
  if (op === 'not_in') return !listOf(kind, wanted).some((one) => own.includes(one))
  if (op === 'in' || op === 'has_any') return listOf(kind, wanted).some((one) => own.includes(one))
  if (op === 'has_all') return listOf(kind, wanted).every((one) => own.includes(one))
  if (op === 'in_last_days' || op === 'in_next_days') {
    const [from, to] = boundsOf(kind, op === 'in_last_days', wanted as number, around)
    return own.some((one) => one >= from && one <= to)
  }
  const one = comparable(kind, wanted)
  if (op === 'contains') return own.some((text) => String(text).includes(String(one)))
  if (op === 'starts_with') return own.some((text) => String(text).startsWith(String(one)))
  if (op === 'eq') return own.includes(one)
  return own.some((mine) => ORDERS[op](mine, one))
}

type Comparable = string | number | boolean

const ORDERS = {
  gt: (one: Comparable, other: Comparable) => one > other,
  gte: (one: Comparable, other: Comparable) => one >= other,
  lt: (one: Comparable, other: Comparable) => one < other,
  lte: (one: Comparable, other: Comparable) => one <= other,
}

function valuesOf(kind: FieldKind, value: unknown): Comparable[] {
  const values = Array.isArray(value) ? value : [value]
  return values.filter((one) => one !== null && one !== undefined).map((one) => comparable(kind, one))
}

const listOf = (kind: FieldKind, wanted: unknown): Comparable[] =>
  (wanted as unknown[]).map((one) => comparable(kind, one))

/** Times as milliseconds, texts without case and accents. */
function comparable(kind: FieldKind, value: unknown): Comparable {
  if (kind === 'text' || kind === 'texts') return fold(String(value))
  if (kind === 'time') return typeof value === 'number' ? value : Date.parse(String(value))
  return value as Comparable
}

/** Times are exact to the millisecond; a calendar day begins and ends with its date. */
function boundsOf(
  kind: FieldKind,
  isPast: boolean,
  days: number,
  { now, today }: Around,
): [from: Comparable, to: Comparable] {
  if (kind === 'date') return isPast ? [shifted(today, -days), today] : [today, shifted(today, days)]
  return isPast ? [now - days * DAY_MS, now] : [now, now + days * DAY_MS]
}

const shifted = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)
