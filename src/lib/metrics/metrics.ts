export type Labels = Readonly<Record<string, string>>

export type Sample = { labels?: Labels; value: number }

/** A metric with all its series, as it is scraped. The name of a counter has no suffix, nor has that of an `info`. */
export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge' | 'info' | 'summary'; samples: readonly Sample[] }
  | { type: 'histogram'; series: readonly { labels?: Labels; histogram: Histogram }[] }
)

export type Histogram = ReturnType<typeof histogram>

/** Counts values by size. `bounds` ascend; a value counts in the first bound that it does not exceed. */
export function histogram(bounds: readonly number[]) {
  /** How many values each bound has, how many exceed the last, and the sum: numbers in an object would be allocated. */
  const cells = new Float64Array(bounds.length + 2)
  const last = bounds.length

  function observe(value: number): void {
    let at = 0
    while (at < last && value > bounds[at]!) at++
    cells[at]!++
    cells[last + 1]! += value
  }

  return {
    bounds,
    observe,
    /** How many values exceed the bound before and not this one; the last number is of those that exceed all bounds. */
    counts: (): number[] => [...cells.subarray(0, last + 1)],
    sum: (): number => cells[last + 1]!,
  }
}

/** Counts events of a few kinds. Each kind is there from the start, so that its first event is seen as a change. */
export function tally<Kind extends string>(kinds: readonly Kind[]) {
  const counts = new Map<Kind, number>(kinds.map((kind) => [kind, 0]))
  return {
    add: (kind: Kind, count = 1): void => void counts.set(kind, (counts.get(kind) ?? 0) + count),
    /** `label` is the name of the label with the kind. */
    samples: (label: string): Sample[] => [...counts].map(([kind, value]) => ({ labels: { [label]: kind }, value })),
  }
}
