import { foldWhole } from './fold.ts'

/** Longer words are cut, in records and in queries. */
const MAX_WORD = 64
/** Fewer digits are not a phone number. */
const MIN_DIGITS = 4
/** Words of a query; the rest is ignored. */
const MAX_WORDS = 20

/** The words of a text, folded: without case and accents. Anything but letters and digits separates words. */
function split(text: string): string[] {
  return (folded(text).match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    [...word.slice(0, 2 * MAX_WORD)].slice(0, MAX_WORD).join(''),
  )
}

/** Folds, and converts digits of other scripts to 0-9. */
const folded = (text: string): string =>
  foldWhole(text).replace(/(?![0-9])\p{Nd}/gu, (digit) => digitOf(digit.codePointAt(0) as number))

/** Unicode has the digits of each script in a row, from zero on; one script may directly follow another. */
function digitOf(codePoint: number): string {
  let below = 0
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - below - 1))) below++
  return String(below % 10)
}

/**
 * The words that a record is found by, without duplicates. A phone number is found by any run of its digits: each
 * suffix of at least four digits is a word.
 */
export function wordsOf(texts: readonly (string | null)[], phones: readonly string[] = []): string[] {
  const words = new Set(texts.flatMap((text) => (text ? split(text) : [])))
  for (const phone of phones) {
    for (const digits of [digitsOf(phone), digitsOf(fromAbroad(phone))]) {
      for (let from = 0; from + MIN_DIGITS <= digits.length; from++) words.add(digits.slice(from))
    }
    for (const group of split(phone)) words.add(group)
  }
  return [...words]
}

const digitsOf = (text: string): string => folded(text).replace(/[^0-9]/g, '')

/** "+49 (0)30 1234" is dialled with either the 49 or the 0. */
const fromAbroad = (phone: string): string => phone.replace(/\(0\)/g, '')

/**
 * A search: alternatives of words, each of which has to be a prefix of a word of the record. A text without words has
 * no alternatives and finds nothing.
 */
export type Query = string[][]

export function queryOf(text: string): Query {
  const words = [...new Set(split(text))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const number = numberIn(text)
  return number === undefined || (words.length === 1 && words[0] === number) ? [words] : [words, [number]]
}

/** The digits of a possible phone number, without leading zeros, which may stand for a country code. */
function numberIn(text: string): string | undefined {
  if (/\p{L}/u.test(text)) return undefined
  const digits = digitsOf(fromAbroad(text))
  const ending = digits.replace(/^0+/, '')
  const number = ending.length >= MIN_DIGITS ? ending : digits
  return number.length >= MIN_DIGITS ? number.slice(0, MAX_WORD) : undefined
}

/** Whether the words, separated by spaces, match the query. */
export function matches(words: string, query: Query): boolean {
  const padded = ` ${words}`
  return query.some((alternative) => alternative.every((word) => padded.includes(` ${word}`)))
}
