const SMALL_WORDS = new Set([
  'gmbh',
  'ag',
  'inc',
  'ltd',
  'llc',
  'and',
  'und',
  'the',
  'of',
  'de',
  'von',
  'van',
  'aps',
  'ab',
])

/** Up to two letters for a person or a firm: of the first and the last word, or the first two of a single one. */
export function initials(name: string): string {
  const words = name.split(/[\s,.&/()-]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const telling = words.filter((word) => !SMALL_WORDS.has(word.toLowerCase()))
  const [first, ...rest] = telling.length > 0 ? telling : words
  if (first === undefined) return name.trim().slice(0, 1).toUpperCase()
  const last = rest.at(-1)
  const letters = last === undefined ? [...first].slice(0, 2).join('') : ([...first][0] ?? '') + ([...last][0] ?? '')
  return letters.toUpperCase()
}
