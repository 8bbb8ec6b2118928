/** The word of a list that needs the fewest changes to become the given one; letter case and punctuation do not count. */
export function nearest(given: string, words: readonly string[]): string | undefined {
  const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, '')
  const distances = words.map((word) => ({ word, distance: distance(plain(given), plain(word)) }))
  return distances.sort((one, other) => one.distance - other.distance)[0]?.word
}

/** How many letters have to be inserted, removed or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 0; index < other.length; index++) {
      const replaced = (row[index] as number) + (other[index] === letter ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] as number) + 1, (next[index] as number) + 1))
    }
    row = next
  }
  return row.at(-1) as number
}
