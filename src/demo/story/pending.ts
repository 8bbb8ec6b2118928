/**
 * A queue of future events: a binary heap of (time, what) in two typed arrays that grow with the number of waiting
 * entries.
 */
export function pending() {
  let times = new Float64Array(1024)
  let whats = new Int32Array(1024)
  let size = 0

  function add(time: number, what: number): void {
    if (size === times.length) grow()
    let at = size++
    while (at > 0) {
      const parent = (at - 1) >> 1
      if ((times[parent] as number) <= time) break
      times[at] = times[parent] as number
      whats[at] = whats[parent] as number
      at = parent
    }
    times[at] = time
    whats[at] = what
  }

  /** Returns the time of the next entry, Infinity if there is none. */
  function time(): number {
    return size === 0 ? Number.POSITIVE_INFINITY : (times[0] as number)
  }

  /** Removes the next entry. */
  function take(): number {
    const first = whats[0] as number
    size -= 1
    const time = times[size] as number
    const what = whats[size] as number
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= size) break
      if (child + 1 < size && (times[child + 1] as number) < (times[child] as number)) child += 1
      if ((times[child] as number) >= time) break
      times[at] = times[child] as number
      whats[at] = whats[child] as number
      at = child
    }
    times[at] = time
    whats[at] = what
    return first
  }

  function grow(): void {
    const [olderTimes, olderWhats] = [times, whats]
    times = new Float64Array(size * 2)
    whats = new Int32Array(size * 2)
    times.set(olderTimes)
    whats.set(olderWhats)
  }

  return { add, time, take }
}
