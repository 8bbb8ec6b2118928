export type Random = ReturnType<typeof random>

/**
 * Random numbers that are the same on every machine: 32-bit integers, and of floating point only + − × ÷ and √, which
 * IEEE 754 defines to the last bit (the results of Math.exp and Math.log depend on the engine).
 */
export function random(seed: number) {
  let state = Math.floor(seed / 2 ** 32) ^ 0x5ea1
  const spread = (word: number) => {
    state = (state + word + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return mixed ^ (mixed >>> 15)
  }
  // The four words of a small fast counter generator (sfc32).
  let a = spread(seed | 0)
  let b = spread(1)
  let c = spread(2)
  let counter = 1

  function word(): number {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** 0 ≤ x < 1 */
  function next(): number {
    return word() / 4294967296
  }

  /** Returns an integer, 0 ≤ x < n. */
  function int(n: number): number {
    return Math.floor(next() * n)
  }

  /** Returns an integer, both ends included. */
  function between(from: number, to: number): number {
    return from + int(to - from + 1)
  }

  function pick<T>(items: readonly T[]): T {
    return items[int(items.length)] as T
  }

  /** Returns the items in random order. */
  function shuffled<T>(items: readonly T[]): T[] {
    const left = [...items]
    return items.map(() => left.splice(int(left.length), 1)[0] as T)
  }

  function chance(probability: number): boolean {
    return next() < probability
  }

  /** Returns an index with a probability by its weight; `total` is the sum of the weights. */
  function weighted(weights: readonly number[], total: number): number {
    let rest = next() * total
    for (let index = 0; index < weights.length; index++) {
      rest -= weights[index] as number
      if (rest < 0) return index
    }
    return weights.length - 1
  }

  /** Mean 0, deviation 1: the sum of six draws, so never beyond ±4.3, which keeps absurd values out of the data. */
  function normal(): number {
    return (next() + next() + next() + next() + next() + next() - 3) * Math.SQRT2
  }

  /** Half of the values are below `median`; two thirds are within a factor of e^spread of it. */
  function logNormal(median: number, spread: number): number {
    return median * exp(spread * normal())
  }

  for (let round = 0; round < 12; round++) word()
  return { next, int, between, pick, shuffled, chance, weighted, normal, logNormal }
}

/** Returns e^x, accurate to half a percent for |x| < 5. */
function exp(x: number): number {
  let power = 1 + x / 4096
  for (let doubling = 0; doubling < 12; doubling++) power *= power
  return power
}
