// Where the rows of a long list stand when only those in view are in the page. Heights are measured as rows are mounted;
// until then a row has the estimate. Kept by key, so that a row that moves keeps its height.

export type Heights = ReturnType<typeof heightsOf>

export function heightsOf(estimate: number) {
  const measured = new Map<string, number>()
  let keys: readonly string[] = []
  /** offsets[i] is where row i begins; one more for the end. */
  let offsets = new Float64Array(1)

  const build = () => {
    offsets = new Float64Array(keys.length + 1)
    for (let index = 0; index < keys.length; index += 1) {
      offsets[index + 1] = (offsets[index] ?? 0) + (measured.get(keys[index] ?? '') ?? estimate)
    }
  }
  return {
    setKeys(next: readonly string[]): void {
      if (next === keys) return
      keys = next
      build()
    },
    /** True if it changes where the rows stand. */
    setHeight(key: string, height: number): boolean {
      if (Math.abs((measured.get(key) ?? estimate) - height) < 0.5) return false
      measured.set(key, height)
      return true
    },
    build,
    offsetOf: (index: number): number => offsets[Math.max(0, Math.min(index, keys.length))] ?? 0,
    total: (): number => offsets[keys.length] ?? 0,
    /** The row at a place, by bisection; the last one for what is beyond. */
    indexAt(place: number): number {
      let [low, high] = [0, Math.max(0, keys.length - 1)]
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if ((offsets[middle] ?? 0) <= place) low = middle
        else high = middle - 1
      }
      return low
    },
  }
}

/** The rows to mount: those in view, `overscan` more on both sides, and the one that has the focus. */
export function rowsInView(heights: Heights, count: number, view: { top: number; height: number }, overscan: number) {
  if (count === 0) return { first: 0, last: -1 }
  const first = Math.max(0, heights.indexAt(view.top) - overscan)
  const last = Math.min(count - 1, heights.indexAt(view.top + Math.max(1, view.height) - 1) + overscan)
  return { first, last }
}
