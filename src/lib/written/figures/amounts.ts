import { type Context, type Reading, readingOf, unread } from '../reading.ts'
import { readFigured } from './numbers.ts'

// Amounts of money: a number, and the currency beside it if there is one.

export type WrittenAmount = { amount: number; currency?: string }

/** What the store keeps of an amount. */
const MAX_DECIMALS = 6

/**
 * Reads an amount in major units. Looks at the signs that the column has shown, the locale, the organisation's currency and
 * that of the row. A sign of several currencies is the row's or the organisation's own if these have it, else two readings;
 * one that contradicts the row has the currency of either.
 */
export function readAmount(text: string, context: Context = {}): Reading<WrittenAmount> {
  const found = readFigured(text, context, true)
  if ('unread' in found) return found
  if (found.isPercent) return unread(text, 'rest')
  const { decimals, currencies } = found
  if (decimals.some((each) => (each.split('.')[1] ?? '').length > MAX_DECIMALS)) return unread(text, 'too_precise')
  if (currencies.length === 0)
    return readingOf(
      decimals.map((each) => ({ amount: Number(each) })),
      text,
    )
  const { rowCurrency } = context
  const meant =
    rowCurrency === undefined || currencies.includes(rowCurrency) ? currencies : [...currencies, rowCurrency]
  const all = meant.flatMap((currency) => decimals.map((each) => ({ amount: Number(each), currency })))
  return readingOf(all, text)
}
