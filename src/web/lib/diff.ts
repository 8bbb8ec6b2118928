/** A part of a text: `same` in both texts, or only in this one. */
export type Part = { text: string; same: boolean }

/** More words than this between the equal ends are not compared one by one: both middles count as different. */
const MOST_WORDS = 1500

/** Marks what differs between two texts, word by word. */
export function differences(one: string, other: string): { one: Part[]; other: Part[] } {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  const [middleA, middleB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const isLong = middleA.length > MOST_WORDS || middleB.length > MOST_WORDS
  const [inA, inB] = isLong ? [new Set<number>(), new Set<number>()] : common(middleA, middleB)
  const flags = (words: string[], kept: Set<number>) =>
    words.map((_, index) => index < start || index >= words.length - end || kept.has(index - start))
  return { one: partsOf(a, flags(a, inA)), other: partsOf(b, flags(b, inB)) }
}

/** Words with the space after them. */
const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

/** The places of the longest sequence of words that both have. */
function common(a: string[], b: string[]): [Set<number>, Set<number>] {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = same(a[i], b[j]) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const [inA, inB] = [new Set<number>(), new Set<number>()]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (same(a[i], b[j])) {
      inA.add(i++)
      inB.add(j++)
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1
    else j += 1
  }
  return [inA, inB]
}

const same = (a: string | undefined, b: string | undefined): boolean => a?.trimEnd() === b?.trimEnd()

function partsOf(words: string[], flags: boolean[]): Part[] {
  const parts: Part[] = []
  for (const [index, word] of words.entries()) {
    const last = parts.at(-1)
    if (last && last.same === flags[index]) last.text += word
    else parts.push({ text: word, same: flags[index] === true })
  }
  return parts
}
