import { SAMPLES } from './samples.ts'

// How well letters follow each other in a language, learned from its sample.

/** The natural logarithm of how likely a letter is behind another one; '' is the beginning or the end of a word. */
export type Likely = (before: string, letter: string) => number

/** How much a letter's own frequency counts against that behind the letter before it. */
const WEIGHT = 4
/** Of a letter of the same script that the language does not have: names of strangers. */
const FOREIGN = 2e-5
/** Of anything else. */
const NEVER = 1e-7

const models = new Map<string, Likely>()

export function likelyIn(language: string): Likely {
  const known = models.get(language)
  if (known) return known
  const made = learned(SAMPLES[language] as string)
  models.set(language, made)
  return made
}

function learned(sample: string): Likely {
  const pairs = new Map<string, number>()
  const firsts = new Map<string, number>()
  const letters = new Map<string, number>()
  let all = 0
  const count = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const word of sample.normalize('NFC').split(/[^\p{L}\p{M}]+/u)) {
    let before = ''
    for (const letter of [...lowered(word), '']) {
      count(pairs, before + letter)
      count(firsts, before)
      count(letters, letter)
      all++
      before = letter
    }
  }
  const kept = new Map<string, number>()
  return (before, letter) => {
    const key = `${before}|${letter}`
    const known = kept.get(key)
    if (known !== undefined) return known
    const own = letters.get(letter)
    const alone = own !== undefined ? own / all : /\p{L}/u.test(letter) ? FOREIGN : NEVER
    const first = firsts.get(before) ?? 0
    const likely = Math.log(((pairs.get(before + letter) ?? 0) + WEIGHT * alone) / (first + WEIGHT))
    kept.set(key, likely)
    return likely
  }
}

/** In lower case, with one letter for each. */
export const lowered = (word: string): string => word.replaceAll('İ', 'i').toLowerCase()
