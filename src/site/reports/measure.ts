import { amountJson } from '../../lib/money.ts'

// What is told of a number of things: how many, and what they are worth, each currency apart. Exact: no floating point.

/** One group of a statement. `weighted` is in micros times percent. */
export type Read = {
  bar: string
  series: string
  currency: string | null
  count: number
  /** So many of them have an amount. */
  priced: number
  /** So many of them have a length of time. */
  timed: number
  micros: bigint
  weighted: bigint
  ms: number
}

/** Amounts are decimal texts in major units; `weighted` is each amount times the chance of its stage. */
export type CurrencySum = { currency: string | null; count: number; amount: string; weighted: string }

export type Measure = {
  count: number
  /** So many of them have no amount, and are in no sum. */
  unpriced: number
  /** By currency, in alphabetical order; amounts without a currency last. */
  sums: CurrencySum[]
  /** So many of them have a length of time, in milliseconds, and the sum of these. */
  timed: number
  ms: number
  median_ms?: number | null
}

export function measureOf(rows: readonly Read[]): Measure {
  const priced = rows.filter((row) => row.priced > 0)
  const byCurrency = [...Map.groupBy(priced, ({ currency }) => currency)].sort(([one], [other]) =>
    (one ?? '~') < (other ?? '~') ? -1 : 1,
  )
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    unpriced: rows.reduce((sum, row) => sum + row.count - row.priced, 0),
    sums: byCurrency.map(([currency, own]) => ({
      currency,
      count: own.reduce((sum, row) => sum + row.priced, 0),
      amount: amountJson(String(own.reduce((sum, { micros }) => sum + micros, 0n))),
      weighted: percentText(own.reduce((sum, { weighted }) => sum + weighted, 0n)),
    })),
    timed: rows.reduce((sum, row) => sum + row.timed, 0),
    ms: rows.reduce((sum, row) => sum + row.ms, 0),
  }
}

/** Micros times percent as a decimal text in major units: at most eight places. */
export function percentText(value: bigint): string {
  const digits = String(value).padStart(9, '0')
  const fraction = digits.slice(-8).replace(/0+$/, '')
  return `${digits.slice(0, -8)}${fraction && `.${fraction}`}`
}
