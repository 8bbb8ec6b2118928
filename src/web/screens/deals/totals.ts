import type { BoardRow } from '../../data/board-row.ts'
import { toMicros } from '../../lib/decimal.ts'

/** The sum of one currency. `weighted` takes each deal by the probability of its stage. In micros, so that sums are exact. */
export type Sum = { currency: string | null; micros: bigint; weighted: bigint }

export type Totals = {
  count: number
  /** The organisation's own currency first, also if nothing is in it; then the others by their code. */
  sums: Sum[]
}

type Priced = Pick<BoardRow, 'amount' | 'currency'>

/** `probability` is in percent. */
export function totalsOf<Row extends Priced>(
  rows: readonly Row[],
  own: string,
  probability: (row: Row) => number,
): Totals {
  const sums = sumsOf(own)
  for (const row of rows) {
    if (row.amount === null) continue
    const micros = toMicros(row.amount)
    const sum = sums.get(row.currency) ?? { currency: row.currency, micros: 0n, weighted: 0n }
    sum.micros += micros
    sum.weighted += (micros * BigInt(Math.round(probability(row)))) / 100n
    sums.set(row.currency, sum)
  }
  return { count: rows.length, sums: inOrder(sums) }
}

export const sumsOf = (own: string): Map<string | null, Sum> =>
  new Map([[own, { currency: own, micros: 0n, weighted: 0n }]])

/** The totals of all columns, from those of each. */
export function totalsOfAll(columns: readonly Totals[], own: string): Totals {
  const sums = sumsOf(own)
  for (const { currency, micros, weighted } of columns.flatMap((column) => column.sums)) {
    const sum = sums.get(currency) ?? { currency, micros: 0n, weighted: 0n }
    sums.set(currency, { currency, micros: sum.micros + micros, weighted: sum.weighted + weighted })
  }
  return { count: columns.reduce((count, column) => count + column.count, 0), sums: inOrder(sums) }
}

export function inOrder(sums: ReadonlyMap<string | null, Sum>): Sum[] {
  const [first, ...others] = sums.values()
  return [first as Sum, ...others.sort(byCode)]
}

const byCode = (one: Sum, other: Sum): number => ((one.currency ?? '~') < (other.currency ?? '~') ? -1 : 1)
