import { effect, type ReadonlySignal, type Signal, untracked } from '@preact/signals'
import { pathWith } from '../../data/api.ts'
import type { Board } from '../../data/board.ts'
import { client } from '../../data/current.ts'
import { today } from '../../lib/today.ts'
import { inOrder, type Sum, sumsOf, type Totals } from './totals.ts'

// A pipeline with more open deals than a board can show: what is shown is chosen by the server, by the filter, and counts and
// sums are those of all that fit. Loaded only where there are so many.

const RETRY_MS = 3000

type StageTotal = { stage: string; currency: string | null; count: number; micros: string }

export type BeyondParts = {
  pipeline: string
  data: Pick<Board, 'isComplete' | 'narrow'>
  /** As JSON; null for all deals. */
  filter: ReadonlySignal<string | null>
  currency: string
  /** The totals by stage; null while the rows that are here are all. */
  totals: Signal<ReadonlyMap<string, Totals> | null>
  /** Calls it some time after deals have changed. */
  onDeals: (run: () => void) => () => void
  /** Percent. */
  probability: (stage: string) => number
}

export function followBeyond(parts: BeyondParts): () => void {
  const { pipeline, data, filter, totals, onDeals } = parts
  let asked = 0

  async function ask(): Promise<void> {
    const number = ++asked
    const given = filter.peek()
    const path = pathWith('/app/board/totals', { pipeline_id: pipeline, ...(given === null ? {} : { filter: given }) })
    try {
      const { stages } = await client().api.get<{ stages: StageTotal[] }>(path)
      if (number === asked) totals.value = totalsOfStages(stages, parts)
    } catch {
      // Those of before stay, and the next change asks again.
    }
  }
  let retry: ReturnType<typeof setTimeout> | undefined
  function narrow(): void {
    clearTimeout(retry)
    data.narrow(filter.peek()).catch(() => {
      retry = setTimeout(narrow, RETRY_MS)
    })
  }
  const stopNarrowing = effect(() => {
    filter.value
    today.value // "this week" has other deals then
    untracked(narrow)
  })
  const stopAsking = effect(() => {
    filter.value
    if (data.isComplete.value === false) void ask()
    else {
      asked++
      totals.value = null
    }
  })
  const stopDeals = onDeals(() => data.isComplete.peek() === false && void ask())
  return () => {
    clearTimeout(retry)
    stopNarrowing()
    stopAsking()
    stopDeals()
  }
}

function totalsOfStages(
  stages: readonly StageTotal[],
  { currency: own, probability }: Pick<BeyondParts, 'currency' | 'probability'>,
): Map<string, Totals> {
  const found = new Map<string, { count: number; sums: Map<string | null, Sum> }>()
  for (const { stage, currency, count, micros: text } of stages) {
    const total = found.get(stage) ?? { count: 0, sums: sumsOf(own) }
    total.count += count
    const micros = BigInt(text)
    const weighted = (micros * BigInt(Math.round(probability(stage)))) / 100n
    if (micros !== 0n) total.sums.set(currency, { currency, micros, weighted })
    found.set(stage, total)
  }
  return new Map([...found].map(([stage, { count, sums }]) => [stage, { count, sums: inOrder(sums) }]))
}
