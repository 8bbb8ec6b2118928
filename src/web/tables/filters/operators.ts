import { isPeriod } from '../../lib/periods.ts'
import type { Condition, FieldKind, Filter, Operator } from './conditions.ts'
import { isCondition, OPERATORS_OF, takesDays, takesNothing, takesSeveral } from './conditions.ts'
import { boundOf, dayOfBound } from './day-bounds.ts'
import { type FilterField, findField } from './filter-field.ts'

/** A new condition of the field, without a value yet. */
export const conditionOf = ({ name, kind }: FilterField): Condition =>
  withOperator({ field: name }, kind, OPERATORS_OF[kind][0] as Operator)

const SEVERAL_FOR_ONE: Partial<Record<Operator, Operator>> = { eq: 'in', ne: 'not_in' }

/**
 * A part as the bar offers it, so that people can change it; undefined for what only programs make. `eq` is offered as `in` of
 * one where several can be chosen, and the other way round.
 */
export function offered(part: Filter, fields: readonly FilterField[]): Condition | undefined {
  const field = isCondition(part) ? findField(fields, part.field) : undefined
  if (!field || !isCondition(part)) return undefined
  const { op, value } = part
  const has = (other: Operator | undefined): other is Operator =>
    other !== undefined && OPERATORS_OF[field.kind].includes(other)
  if (has(op)) return part
  const several = SEVERAL_FOR_ONE[op]
  if (has(several)) return { ...part, op: several, value: [value] }
  const one = op === 'in' ? 'eq' : op === 'not_in' ? 'ne' : undefined
  return has(one) && Array.isArray(value) && value.length === 1 ? { ...part, op: one, value: value[0] } : undefined
}

/** The condition with another operator. A value that fits stays. */
export function withOperator(
  condition: Pick<Condition, 'field' | 'value'> & { op?: Operator },
  kind: FieldKind,
  op: Operator,
): Condition {
  const { field, value, op: before } = condition
  if (takesNothing(op)) return { field, op }
  const fits = before !== undefined && shapeOf(before) === shapeOf(op)
  if (fits && kind === 'time' && value !== undefined && !isPeriod(value)) {
    // A moment is one of a day only where days are compared.
    return { field, op, value: isOrder(op) ? sameDay(String(value), op) : undefined }
  }
  const start = kind === 'flag' ? true : takesSeveral(op) ? [] : takesDays(op) ? 30 : undefined
  return { field, op, value: fits ? value : start }
}

const isOrder = (op: Operator): boolean => op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte'
const sameDay = (moment: string, op: Operator): string => boundOf(dayOfBound(moment), op)

const shapeOf = (op: Operator): string =>
  takesSeveral(op) ? 'several' : takesDays(op) ? 'days' : takesNothing(op) ? 'nothing' : 'one'
