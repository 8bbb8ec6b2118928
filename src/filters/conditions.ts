import { dateIn } from '../lib/calendar/days.ts'
import { toMicros } from '../lib/money.ts'
import { DAY_MS, parseTime } from '../lib/time.ts'
import type { Period } from '../lib/written/days/periods.ts'
import type { ListField } from '../records/list-field.ts'
import {
  type Comparison,
  type Condition,
  createdConditions,
  createdIn,
  type Operator,
  type Value,
} from '../store/list/conditions.ts'
import type { ListOperator } from './catalog.ts'
import { type Filter, fits, isDays, type Leaf } from './filter.ts'
import { type Asked, boundsOf, isRelative, ME } from './relative.ts'

type Around = Asked & {
  /** Undefined if the object does not have such a field, or no longer: then no record has a value. */
  fieldOf: (name: string) => ListField | undefined
  /** Fields of the company that a record belongs to, without `company.`. */
  companyFieldOf: (name: string) => ListField | undefined
}

/** Converts a filter that `faultsOf` accepts to conditions, all of which must be met. */
export const filterConditions = (filter: Filter, around: Around): Condition[] => flat(conditionOf(filter, around))

const flat = (condition: Condition): Condition[] => ('all' in condition ? condition.all.flatMap(flat) : [condition])

const NOTHING: Condition = { any: [] }
const EVERYTHING: Condition = { all: [] }
/** The prefix for fields of the company that a record belongs to. */
export const COMPANY = 'company.'

function conditionOf(filter: Filter, around: Around): Condition {
  if ('all' in filter) return { all: filter.all.flatMap((each) => flat(conditionOf(each, around))) }
  if ('any' in filter) return { any: filter.any.map((each) => conditionOf(each, around)) }
  if ('not' in filter) return { not: conditionOf(filter.not, around) }
  // Operators that match records without a value are expressed as the negation of their opposite.
  const opposite = OPPOSITE[filter.op]
  if (opposite) return { not: conditionOf({ ...filter, op: opposite }, around) }
  if (!filter.field.startsWith(COMPANY)) return met(around.fieldOf(filter.field), filter, around)
  const condition = met(around.companyFieldOf(filter.field.slice(COMPANY.length)), filter, around)
  return { of: { table: 'companies', column: 'company_id' }, meets: condition }
}

const OPPOSITE: Partial<Record<Leaf['op'], Leaf['op']>> = { ne: 'eq', not_in: 'in', is_null: 'not_null' }

function met(field: ListField | undefined, leaf: Leaf, around: Around): Condition {
  if (!field || !fits(field, leaf)) return NOTHING
  const { op, value } = leaf
  if (op === 'not_null') return compare(field, 'ne', [null])
  if (isDays(op)) return timeDependent(days(field, op, value as number, around))
  if ([value].flat().some((one) => isRelative(field, one))) return timeDependent(resolved(field, leaf, around))
  return absolute(field, leaf)
}

function resolved(field: ListField, leaf: Leaf, around: Around): Condition {
  const { op, value } = leaf
  if (field.kind !== 'date' && field.kind !== 'time') {
    const values = [value].flat().flatMap((one) => (one === ME ? (around.member ?? []) : [one]))
    return values.length === 0
      ? NOTHING
      : absolute(field, { ...leaf, value: Array.isArray(value) ? values : values[0] })
  }
  if (op === 'in') {
    const relative = new Set((value as unknown[]).filter((one) => isRelative(field, one)))
    const others = (value as unknown[]).filter((one) => !relative.has(one))
    // A period is a range: each is met by itself.
    const each = [...relative].map((one) => resolved(field, { ...leaf, op: 'eq', value: one }, around))
    return { any: others.length > 0 ? [...each, oneOf(field, others)] : each }
  }
  const bounds = boundsOf(field.kind, op, value as Period, around)
  return { all: bounds.map((bound) => compare(field, bound.op as Operator, [bound.value])) }
}

function absolute(field: ListField, { op, value }: Leaf): Condition {
  if (op === 'in' || op === 'has_any') return oneOf(field, value as unknown[])
  if (op === 'has_all') return eachOf(field, value as unknown[])
  return compare(field, op as Operator, [value])
}

/** Times are exact to the millisecond; a calendar day begins and ends with its date. */
function days(field: ListField, op: ListOperator, count: number, { now, calendar }: Around): Condition {
  const isPast = op === 'in_last_days' || op === 'before_last_days'
  const far = isPast ? -count : count
  const [here, there] =
    field.kind === 'date'
      ? [dateIn(calendar.timezone, now), shifted(dateIn(calendar.timezone, now), far)]
      : [new Date(now).toISOString(), new Date(now + far * DAY_MS).toISOString()]
  if (op === 'before_last_days') return compare(field, 'lt', [there])
  if (op === 'after_next_days') return compare(field, 'gt', [there])
  const [from, to] = isPast ? [there, here] : [here, there]
  return { all: [compare(field, 'gte', [from]), compare(field, 'lte', [to])] }
}

const shifted = (date: string, count: number): string =>
  new Date(Date.parse(date) + count * DAY_MS).toISOString().slice(0, 10)

/** Marks what depends on the time, or on who asks. Anything that is not a comparison consists of some here. */
function timeDependent(condition: Condition): Condition {
  if ('all' in condition) return { all: condition.all.map(timeDependent) }
  if ('any' in condition) return { any: condition.any.map(timeDependent) }
  return { ...(condition as Comparison), timeDependent: true }
}

function oneOf(field: ListField, values: unknown[]): Condition {
  if (field.column === 'id') return createdIn(values.map((one) => stored(field, one) as number))
  return compare(field, 'in', values)
}

/** The first value finds the records that may have all of them. */
function eachOf(field: ListField, values: unknown[]): Condition {
  const first = compare(field, 'eq', values.slice(0, 1))
  return { all: [first, { ...(compare(field, 'in', values) as Comparison), every: true, indexed: false }] }
}

function compare(field: ListField, operator: Operator, given: unknown[]): Condition {
  const values = given.map((value) => stored(field, value))
  if (field.column === 'id') {
    if (values[0] === null) return EVERYTHING
    const bounds = createdConditions(operator, values[0] as number)
    return bounds.length === 1 ? (bounds[0] as Comparison) : { all: bounds }
  }
  const { column, link, json, folded } = field
  return {
    column,
    operator,
    values,
    indexed: field.indexed === true && !PARTIAL.has(operator),
    ...(link ? { link } : {}),
    ...(json ? { json } : {}),
    ...(folded ? { folded } : {}),
  }
}

/** Indexes do not support searching for parts of a text. */
const PARTIAL = new Set<Operator>(['contains', 'starts_with'])

/** Returns the value as stored in the column. */
function stored({ kind, normal }: ListField, value: unknown): Value {
  if (value === null) return null
  if (kind === 'amount') return toMicros(value as number)
  if (kind === 'flag') return value ? 1 : 0
  if (kind === 'time') return parseTime(value as string) as number
  return normal ? normal(value as string) : (value as Value)
}
