export type Random = {
  below(max: number): number
  pick<Item>(items: readonly Item[]): Item
  chance(part: number): boolean
}

/** The same numbers for the same seed. */
export function random(seed: number): Random {
  let state = seed >>> 0
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (max: number): number => Math.floor(next() * max)
  return { below, pick: (items) => items[below(items.length)] as never, chance: (part) => next() < part }
}
