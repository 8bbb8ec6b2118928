import type { CodePage } from './code-pages.ts'
import { decoderOf } from './encodings.ts'
import { type Likely, likelyIn, lowered } from './language-model.ts'
import { LATIN_LANGUAGES } from './samples.ts'

// How likely texts are in an encoding with one byte for each letter. Only what is beyond ASCII counts: the rest is the same in
// all encodings.

/** Signs that stand between words in any text, directly before a letter, and directly behind one. */
const USUAL = /[\u00a0‘’“”„‚–—…€£§°©®™«»·•¿¡ºª½²³№´״׳،؛؟]/
const OPENING = /[\u00a0‘“„‚«¿¡–]/
const CLOSING = /[\u00a0”“…™®©»–]/
/** Behind one letter alone: Nº, m². */
const BEHIND_ONE = /[ºª²³]/
const ARABIC = /[،؛؟]/
/** An apostrophe between letters, of which few are before or behind it: O’Neill, Rock’s. */
const APOSTROPHE = /[’ʼ´״׳]/
const SIGN = -4
const ODD_APOSTROPHE = -8
const ODD_SIGN = -9
/** A sign between letters, and what is no character at all. */
const INSIDE = -14
const BROKEN = -20
/** A capital behind a small letter, or a small letter behind two capitals. */
const ODD_CASE = -7
/** Letters of two scripts in one word. */
const MIXED = -10
/** What it costs a word to be of another language than most. */
const STRANGER = 3

/** Of words of several languages, as many as there are. */
export type Likelihood = { score: number; language: string | undefined; count: number }

export function likelihoodIn(
  { encoding, languages, rare }: CodePage,
  runs: readonly Uint8Array[],
  byLanguage: ReadonlyMap<string, number>,
): Likelihood {
  const models = languages.map(likelyIn)
  const totals = languages.map((language) => byLanguage.get(language) ?? 0)
  const decoder = decoderOf(encoding)
  let count = 0
  for (const run of runs) {
    const text = decoder.decode(run)
    const { scores, others, letters } = scored(text, models)
    count += letters
    const best = Math.max(...scores)
    for (const [index, score] of scores.entries())
      totals[index] = (totals[index] as number) + Math.max(score, best - STRANGER) + others
  }
  const best = totals.reduce((most, each, index) => (each > (totals[most] as number) ? index : most), 0)
  return { score: (totals[best] as number) - rare, language: languages[best], count }
}

/** How much letters of ASCII count: they show the language, and are the same in all encodings. */
const OF_ASCII = 0.3
const MOST_OF_ASCII = 6

/** What the letters of ASCII have against each language that is written in Latin letters: 0 for the likeliest. */
export function languagesOf(runs: readonly Uint8Array[]): Map<string, number> {
  const words = runs.flatMap(
    (run) =>
      Buffer.from(run)
        .toString('latin1')
        .toLowerCase()
        .match(/[a-z]{2,}/g) ?? [],
  )
  const scores = new Map(
    LATIN_LANGUAGES.map((language) => {
      const likely = likelyIn(language)
      let score = 0
      for (const word of words)
        for (let at = 1; at < word.length; at++) score += likely(word[at - 1] as string, word[at] as string)
      return [language, score]
    }),
  )
  const best = Math.max(...scores.values())
  return new Map(
    [...scores].map(([language, score]) => [language, Math.max(-MOST_OF_ASCII, OF_ASCII * (score - best))]),
  )
}

const SCRIPTS = ['Latin', 'Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai'].map(
  (name) => new RegExp(`\\p{Script=${name}}`, 'u'),
)
const ARABIC_SCRIPT = 4
const RIGHT_TO_LEFT = new Set([3, ARABIC_SCRIPT])
const scripts = new Map<string, number>()

function scriptOf(letter: string): number {
  const known = scripts.get(letter)
  if (known !== undefined) return known
  const found = SCRIPTS.findIndex((script) => script.test(letter))
  scripts.set(letter, found)
  return found
}

const isLetter = (sign: string): boolean => /[\p{L}\p{M}]/u.test(sign)

/** For each language, what the letters of a text have; and what its other signs, case and scripts have in any. */
function scored(text: string, models: readonly Likely[]): { scores: number[]; others: number; letters: number } {
  const scores = models.map(() => 0)
  let others = 0
  let letters = 0
  for (const [part] of text.matchAll(/[\p{L}\p{M}]+|[^\p{L}\p{M}]/gu)) {
    if (!isLetter(part)) continue
    if (!/[^\0-\x7f]/.test(part)) continue
    letters += part.replace(/[\0-\x7f]+/g, '').length
    others += oddities(part)
    let before = ''
    for (const letter of [...lowered(part), '']) {
      if (letter > '\x7f' || before > '\x7f')
        for (const [index, likely] of models.entries())
          scores[index] = (scores[index] as number) + likely(before, letter)
      before = letter
    }
  }
  const signs = [...text]
  for (const [at, sign] of signs.entries()) {
    if (sign <= '\x7f' || isLetter(sign)) continue
    letters++
    others += costOfSign(sign, lettersBeside(signs, at, -1), lettersBeside(signs, at, 1))
  }
  return { scores, others, letters }
}

/** Up to three letters that stand directly before or behind a sign. */
function lettersBeside(signs: readonly string[], at: number, step: 1 | -1): string {
  let found = ''
  for (let next = at + step; found.length < 3 && isLetter(signs[next] ?? ''); next += step) found += signs[next]
  return found
}

function costOfSign(sign: string, before: string, behind: string): number {
  if (/[\p{Cc}\ufffd\p{Co}]/u.test(sign)) return BROKEN
  const beside = before || behind
  if (/\p{Cf}/u.test(sign) && beside !== '' && !RIGHT_TO_LEFT.has(scriptOf(beside[0] as string))) return INSIDE
  if (before !== '' && behind !== '') {
    if (APOSTROPHE.test(sign)) return before.length === 1 || behind.length === 1 ? SIGN : ODD_APOSTROPHE
    return sign === '·' && /^l/i.test(before) && /^l/i.test(behind) ? SIGN : INSIDE
  }
  if (before !== '') {
    if (sign === '’') return ODD_APOSTROPHE
    if (BEHIND_ONE.test(sign)) return before.length === 1 ? SIGN : ODD_SIGN
    return CLOSING.test(sign) || (ARABIC.test(sign) && scriptOf(before[0] as string) === ARABIC_SCRIPT)
      ? SIGN
      : ODD_SIGN
  }
  if (behind !== '') return OPENING.test(sign) || sign === '’' ? SIGN : ODD_SIGN
  return USUAL.test(sign) ? SIGN : ODD_SIGN
}

/** The cost of changes of case and script within a word that no real word has. */
function oddities(word: string): number {
  let cost = 0
  let script = -1
  let capitals = 0
  let isSmall = false
  let before = ''
  for (const letter of word) {
    const isOther = letter > '\x7f' || before > '\x7f'
    const own = scriptOf(letter)
    if (own >= 0 && script >= 0 && own !== script) cost += MIXED
    if (own >= 0) script = own
    const isCapital = lowered(letter) !== letter
    if (isOther && (isCapital ? isSmall : capitals > 1 && !isSmall && lowered(letter) !== letter.toUpperCase()))
      cost += ODD_CASE
    if (isCapital) capitals++
    else if (letter !== letter.toUpperCase()) isSmall = true
    before = letter
  }
  return cost
}
