/** Numbers that are the same for the same seed (xorshift). */
export type Random = {
  /** From 0 up to, and without, `below`. */
  int(below: number): number
  pick<Item>(from: readonly Item[]): Item
  chance(share: number): boolean
  word(): string
  bytes(length: number): Buffer
}

const SYLLABLES = ['ba', 'ko', 'li', 'mar', 'ne', 'or', 'pa', 'rin', 'su', 'ta', 'ul', 'ven', 'wil', 'ya', 'zo']

export function newRandom(seed: number): Random {
  let state = (seed * 2_654_435_761 + 0x9e3779b9) >>> 0 || 1
  const next = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state
  }
  for (let n = 0; n < 8; n++) next()
  const int = (below: number) => next() % below
  const pick = <Item>(from: readonly Item[]): Item => from[int(from.length)] as Item
  return {
    int,
    pick,
    chance: (share) => next() / 4_294_967_296 < share,
    word: () => Array.from({ length: 2 + int(2) }, () => pick(SYLLABLES)).join(''),
    bytes: (length) => {
      const bytes = Buffer.alloc(length)
      for (let at = 0; at < length; at++) bytes[at] = next() >>> 8
      return bytes
    },
  }
}
