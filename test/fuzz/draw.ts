import fc from 'fast-check'

/**
 * Where all chance comes from. What is drawn depends on the seed and on what was drawn before, so a seed and a number
 * make the same request again. Decisions are even; values come from the arbitraries, with their bias for edges.
 */
export type Draw = {
  /** From 0 to one less than this. */
  below: (limit: number) => number
  /** True in so many of a hundred. */
  chance: (percent: number) => boolean
  one: <T>(items: readonly T[]) => T
  /** The arbitrary has to be one that is kept, not one that is made for the call. */
  from: <T>(arbitrary: fc.Arbitrary<T>) => T
}

const dice = fc.noBias(fc.nat(0x7fffffff))
const rollDice = () => dice

// What gives values keeps the functions that it was asked with, so it has to be asked with the same ones.
const givers = new WeakMap<fc.Arbitrary<unknown>, () => fc.Arbitrary<unknown>>()
function giverOf<T>(arbitrary: fc.Arbitrary<T>): () => fc.Arbitrary<T> {
  let giver = givers.get(arbitrary)
  if (!giver) {
    giver = () => arbitrary
    givers.set(arbitrary, giver)
  }
  return giver as () => fc.Arbitrary<T>
}

/** Answers what `make` makes of the draws of that number, from 0 on. */
export function drawing<T>(seed: number, make: (draw: Draw) => T): (number: number) => T {
  const arbitrary = fc.gen().map((give) => {
    const below = (limit: number): number => give(rollDice) % limit
    return make({
      below,
      chance: (percent) => below(1000) < percent * 10,
      one: (items) => items[below(items.length)]!,
      from: (arbitrary) => give(giverOf(arbitrary)),
    })
  })
  return (number) => fc.sample(arbitrary, { seed: mixed(seed, number), numRuns: 1 })[0] as T
}

/** Neighbours of a run get seeds that have nothing in common (the finalizer of MurmurHash3). */
function mixed(seed: number, number: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
