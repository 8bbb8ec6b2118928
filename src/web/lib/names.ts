/** Words of firms and of names by which nobody is told from another, titles among them. */
const SMALL_WORDS = new Set(
  'gmbh ag inc ltd llc and und the of de der den von van la le di da dos aps ab dr prof med ing dipl herr frau mr mrs ms mme sr sra jr ii iii phd mba'.split(
    ' ',
  ),
)

/** Up to two letters for a person or a firm: of the first and the last word, or the first two of a single one. */
export function initials(name: string): string {
  const words = name.split(/[\s,.&/()-]+/u).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const telling = words.filter((word) => !SMALL_WORDS.has(word.toLowerCase()))
  const [first, ...rest] = telling.length > 0 ? telling : words
  // A name may be a sign or an emoji, whose parts alone are none.
  if (first === undefined) return lettersOf(name.trim(), 1)
  const last = rest.at(-1)
  return last === undefined ? lettersOf(first, 2) : lettersOf(first, 1) + lettersOf(last, 1)
}

const segments = new Intl.Segmenter()

/** The first ones as people see them: with their marks, and an emoji whole. */
const lettersOf = (text: string, most: number): string =>
  [...segments.segment(text)]
    .slice(0, most)
    .map(({ segment }) => segment)
    .join('')
    .toUpperCase()
