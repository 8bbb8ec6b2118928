import { foldWhole } from './fold.ts'

/** Longer words are cut, in what is searched as in what is searched for. */
const MAX_WORD = 64
/** Fewer digits are no phone number. */
const FEWEST_DIGITS = 4
/** Words of a query; the rest of it is not looked at. */
const MAX_WORDS = 20

/** The words of a text, folded: without case and accents. Whatever is no letter and no digit stands between words. */
function split(text: string): string[] {
  return (folded(text).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    [...word.slice(0, 2 * MAX_WORD)].slice(0, MAX_WORD).join(''),
  )
}

/** Also with the digits of one script. */
const folded = (text: string): string =>
  foldWhole(text).replace(/(?![0-9])\p{Nd}/gu, (digit) => digitOf(digit.codePointAt(0) as number))

/** Unicode has the digits of each script in a row, from zero on; one script may stand behind another. */
function digitOf(codePoint: number): string {
  let below = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - below - 1))) below++
  return String(below % 10)
}

/**
 * What a record is found by, each word once. A phone number is found by any run of its digits: every end of it from
 * four digits on is a word.
 */
export function wordsOf(texts: readonly (string | null)[], phones: readonly string[] = []): string[] {
  const words = new Set(texts.flatMap((text) => (text ? split(text) : [])))
  for (const phone of phones) {
    for (const digits of [digitsOf(phone), digitsOf(fromAbroad(phone))]) {
      for (let from = 0; from + FEWEST_DIGITS <= digits.length; from++) words.add(digits.slice(from))
    }
    for (const group of split(phone)) words.add(group)
  }
  return [...words]
}

const digitsOf = (text: string): string => folded(text).replace(/[^0-9]/g, '')

/** "+49 (0)30 1234" is dialled with the 49 or with the 0, not with both. */
const fromAbroad = (phone: string): string => phone.replace(/\(0\)/g, '')

/**
 * What is searched for: alternatives, each of words that all have to begin a word of the record. No alternative where
 * the text has no word: such a search finds nothing.
 */
export type Query = string[][]

export function queryOf(text: string): Query {
  const words = [...new Set(split(text))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const number = numberIn(text)
  return number === undefined || (words.length === 1 && words[0] === number) ? [words] : [words, [number]]
}

/** What may be a phone number, as one, without the 00 or 0 in front that stands for the country. */
function numberIn(text: string): string | undefined {
  if (/\p{L}/u.test(text)) return undefined
  const digits = digitsOf(fromAbroad(text))
  const ending = digits.replace(/^0+/, '')
  const number = ending.length >= FEWEST_DIGITS ? ending : digits
  return number.length >= FEWEST_DIGITS ? number.slice(0, MAX_WORD) : undefined
}

/** Whether the words, separated by spaces, are what the query looks for. */
export function matches(words: string, query: Query): boolean {
  const padded = ` ${words}`
  return query.some((alternative) => alternative.every((word) => padded.includes(` ${word}`)))
}
