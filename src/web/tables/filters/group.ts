import { type Filter, fromFilter, type Group, toFilter } from './conditions.ts'
import { currencyIn, isAmount, withCurrency } from './currency.ts'
import type { FilterField } from './filter-field.ts'
import { offered } from './operators.ts'

// An alternative of a group that a person makes is one condition, an amount together with its currency.

/** Where the condition stands that makes the alternative; undefined if a program made it, and it cannot be changed here. */
export function mainOf(alternative: Filter, fields: readonly FilterField[]): number | undefined {
  const parts = fromFilter(alternative)
  const isPriced = parts.length === 2 && Boolean(currencyIn(parts, fields))
  const at = isPriced ? parts.findIndex((part) => isAmount(part, fields)) : 0
  const main = parts[at]
  return main && (isPriced || parts.length === 1) && offered(main, fields) ? at : undefined
}

/** The condition becomes the first alternative of a group at its place, an amount with the currency that stood beside it. */
export function toGroup(
  parts: readonly Filter[],
  at: number,
  fields: readonly FilterField[],
): { parts: Filter[]; group: Group } {
  const own = parts[at] as Filter
  const currency = isAmount(own, fields) ? currencyIn(parts, fields) : undefined
  const group: Group = { any: [toFilter(currency ? withCurrency([own], currency) : [own]) as Filter] }
  const all = parts.with(at, group)
  const isShared = all.some((part) => isAmount(part, fields))
  return { parts: currency && !isShared ? withCurrency(all, '') : all, group }
}
