import { type Condition, type Filter, isCondition } from './conditions.ts'
import { type FilterField, findField } from './filter-field.ts'

// An amount alone compares 320,000 rupees with 10,000 euros: the bar keeps it together with the currency that is meant.

const FIELD = 'currency'

/** The one currency that the parts select: empty for any, undefined for several, and where none can be chosen. */
export function currencyIn(parts: readonly Filter[], fields: readonly FilterField[]): string | undefined {
  if (!findField(fields, FIELD)) return undefined
  const [one, ...others] = parts.filter(isCurrency)
  if (!one) return ''
  const values = [one.value].flat()
  const isOne = others.length === 0 && (one.op === 'eq' || one.op === 'in') && values.length === 1
  return isOne ? String(values[0]) : undefined
}

/** The parts with this currency instead of another, at its place; empty for any. */
export function withCurrency(parts: readonly Filter[], currency: string): Filter[] {
  const own = currency === '' ? [] : [{ field: FIELD, op: 'eq' as const, value: currency }]
  const at = parts.findIndex(isCurrency)
  return at < 0 ? [...parts, ...own] : parts.toSpliced(at, 1, ...own)
}

export const isCurrency = (part: Filter): part is Condition => isCondition(part) && part.field === FIELD

export const isAmount = (part: Filter, fields: readonly FilterField[]): part is Condition =>
  isCondition(part) && findField(fields, part.field)?.kind === 'amount'
