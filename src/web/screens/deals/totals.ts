import type { BoardRow } from '../../data/board.ts'
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
  const sums = new Map<string | null, Sum>([[own, { currency: own, micros: 0n, weighted: 0n }]])
  for (const row of rows) {
    if (row.amount === null) continue
    const micros = toMicros(row.amount)
    const sum = sums.get(row.currency) ?? { currency: row.currency, micros: 0n, weighted: 0n }
    sum.micros += micros
    sum.weighted += (micros * BigInt(Math.round(probability(row)))) / 100n
    sums.set(row.currency, sum)
  }
  const [first, ...others] = sums.values()
  return { count: rows.length, sums: [first as Sum, ...others.sort(byCode)] }
}

const byCode = (one: Sum, other: Sum): number => ((one.currency ?? '~') < (other.currency ?? '~') ? -1 : 1)
