import type { ListOperator } from '../../../filters/catalog.ts'
import type { Kind } from '../../../records/list-field.ts'

// The language of smart lists (src/filters), as people compose it in the filter bar: parts that must all hold.

export type FieldKind = Kind
export type Operator = ListOperator

export type Condition = {
  /** As in smart lists: `owner_id`, `custom_fields.channel`, `company.industry`. */
  field: string
  op: Operator
  /**
   * An array for the operators that take several, a number of days for those of days, nothing for the two of null. A member may be
   * `me`, a day a period such as `this_week`.
   */
  value?: unknown
}

/** A tree of conditions, as the API has it: a condition, or a branch of trees. */
export type Tree<Leaf> = Leaf | { all: Tree<Leaf>[] } | { any: Tree<Leaf>[] } | { not: Tree<Leaf> }
/** The filter of a smart list. The parts of the bar, each of which is a chip, are filters too: a condition, or a group. */
export type Filter = Tree<Condition>
/** At least one of them must hold. */
export type Group = { any: Filter[] }

export const isCondition = (filter: Filter): filter is Condition => 'field' in filter

/** The filter that selects the same records as the parts of the bar; null selects all. */
export function toFilter(parts: readonly Filter[]): Filter | null {
  if (parts.length === 0) return null
  return parts.length === 1 ? (parts[0] as Filter) : { all: [...parts] }
}

/** The parts of a filter that must all hold. */
export function fromFilter(filter: Filter | null): Filter[] {
  if (filter === null) return []
  return 'all' in filter ? filter.all.flatMap(fromFilter) : [filter]
}

export function leavesOf(filter: Filter): Condition[] {
  if ('field' in filter) return [filter]
  return 'not' in filter ? leavesOf(filter.not) : ('all' in filter ? filter.all : filter.any).flatMap(leavesOf)
}

export function holds<Leaf extends object>(tree: Tree<Leaf>, isMet: (leaf: Leaf) => boolean): boolean {
  if ('all' in tree) return tree.all.every((each) => holds(each, isMet))
  if ('any' in tree) return tree.any.some((each) => holds(each, isMet))
  return 'not' in tree ? !holds(tree.not, isMet) : isMet(tree)
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
  date: ['in_next_days', 'in_last_days', 'eq', 'ne', ...ORDER, 'after_next_days', 'before_last_days', ...NULLS],
  time: ['in_last_days', 'in_next_days', 'eq', 'ne', ...ORDER, 'before_last_days', 'after_next_days', ...NULLS],
}

const SEVERAL = new Set<Operator>(['in', 'not_in', 'has_any', 'has_all'])
const DAYS = new Set<Operator>(['in_last_days', 'in_next_days', 'before_last_days', 'after_next_days'])

/** The member who looks, in place of an id. */
export const ME = 'me'

export const takesSeveral = (op: Operator): boolean => SEVERAL.has(op)
export const takesDays = (op: Operator): boolean => DAYS.has(op)
export const takesNothing = (op: Operator): boolean => op === 'is_null' || op === 'not_null'

/** Whether all conditions have what their operators need, so that the filter can be applied. */
export function isComplete(filter: Filter): boolean {
  if (!('field' in filter))
    return ('any' in filter ? filter.any.length > 0 : true) && leavesOf(filter).every(isComplete)
  const { op, value } = filter
  if (takesNothing(op)) return true
  if (takesSeveral(op)) return Array.isArray(value) && value.length > 0
  if (takesDays(op)) return Number.isInteger(value) && (value as number) >= 0
  return value !== undefined && value !== null && value !== ''
}

/** In this order, so that equal filters are equal text. */
const MEMBERS = ['all', 'any', 'not', 'field', 'op', 'value']

export const filterText = (filter: Filter): string => JSON.stringify(filter, MEMBERS)

export const sameConditions = (one: readonly Filter[], other: readonly Filter[]): boolean =>
  one.map(filterText).join() === other.map(filterText).join()
