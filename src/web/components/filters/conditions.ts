// The language of smart lists (src/filters), as far as people compose it in the filter bar: conditions that must all hold.

export type FieldKind =
  | 'text'
  | 'texts'
  | 'choice'
  | 'choices'
  | 'id'
  | 'ids'
  | 'flag'
  | 'number'
  | 'amount'
  | 'date'
  | 'time'

export type Operator =
  | 'eq'
  | 'ne'
  | 'in'
  | 'not_in'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'contains'
  | 'starts_with'
  | 'is_null'
  | 'not_null'
  | 'in_last_days'
  | 'in_next_days'
  | 'has_any'
  | 'has_all'

export type Condition = {
  /** As in smart lists: `owner_id`, `custom_fields.channel`, `company.industry`. */
  field: string
  op: Operator
  /** An array for the operators that take several, a number of days for the two of days, nothing for the two of null. */
  value?: unknown
}

/** The filter of a smart list that selects the same records; null selects all. */
export type Filter = { all: Filter[] } | { any: Filter[] } | { not: Filter } | Condition

export function toFilter(conditions: readonly Condition[]): Filter | null {
  if (conditions.length === 0) return null
  return conditions.length === 1 ? (conditions[0] as Condition) : { all: [...conditions] }
}

/** The conditions of a smart list's filter; null if it has branches, which the bar cannot show. */
export function fromFilter(filter: Filter | null): Condition[] | null {
  if (filter === null) return []
  if ('field' in filter) return [filter]
  if (!('all' in filter)) return null
  const parts = filter.all.map(fromFilter)
  return parts.every((part) => part !== null) ? parts.flat() : null
}

const NULLS = ['is_null', 'not_null'] as const
const ORDER = ['gt', 'gte', 'lt', 'lte'] as const

/** The operators that the bar offers, the usual one first. The server knows some more: `eq` is offered as `in` of one. */
export const OPERATORS_OF: Record<FieldKind, readonly Operator[]> = {
  text: ['contains', 'starts_with', 'eq', 'ne', ...NULLS],
  texts: ['contains', 'starts_with', ...NULLS],
  choice: ['in', 'not_in', ...NULLS],
  choices: ['has_any', 'has_all', ...NULLS],
  id: ['in', 'not_in', ...NULLS],
  ids: ['has_any', 'has_all', ...NULLS],
  flag: ['eq', ...NULLS],
  number: ['gte', 'lte', 'eq', 'ne', 'gt', 'lt', ...NULLS],
  amount: ['gte', 'lte', 'eq', 'ne', 'gt', 'lt', ...NULLS],
  date: ['in_next_days', 'in_last_days', ...ORDER, 'eq', ...NULLS],
  time: ['in_last_days', 'in_next_days', ...ORDER, ...NULLS],
}

const SEVERAL = new Set<Operator>(['in', 'not_in', 'has_any', 'has_all'])
const DAYS = new Set<Operator>(['in_last_days', 'in_next_days'])

export const takesSeveral = (op: Operator): boolean => SEVERAL.has(op)
export const takesDays = (op: Operator): boolean => DAYS.has(op)
export const takesNothing = (op: Operator): boolean => op === 'is_null' || op === 'not_null'

/** Whether the condition has what its operator needs, so that it can be applied. */
export function isComplete({ op, value }: Condition): boolean {
  if (takesNothing(op)) return true
  if (takesSeveral(op)) return Array.isArray(value) && value.length > 0
  if (takesDays(op)) return Number.isInteger(value) && (value as number) >= 0
  return value !== undefined && value !== null && value !== ''
}

export const sameConditions = (one: readonly Condition[], other: readonly Condition[]): boolean =>
  JSON.stringify(one.map(parts)) === JSON.stringify(other.map(parts))

const parts = ({ field, op, value }: Condition) => [field, op, value ?? null]
