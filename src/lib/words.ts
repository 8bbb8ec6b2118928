import { asciiDigits } from './digits.ts'
import { foldWhole } from './pure/fold.ts'
import { hasSpellings, isSpaceless, LETTERS, otherSpellings, RUNS } from './pure/spellings.ts'

/** Longer words are cut, in records and in queries. */
const MAX_WORD = 64
/** Fewer digits are not a phone number. */
const MIN_DIGITS = 4
/** Words of a query; the rest is ignored. A script without spaces has a word at each letter. */
const MAX_WORDS = 20
const MAX_PAIRS = 60

/** The words of a text, folded: without case and accents. Anything but letters and digits separates words. */
const split = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? []

const cut = (word: string): string => [...word.slice(0, 2 * MAX_WORD)].slice(0, MAX_WORD).join('')

/**
 * Adds a word of a text. Where a script puts no spaces between words, each two letters are one, so that a search can begin
 * and end anywhere: in a record, the last letter is one as well.
 */
function add(words: Set<string>, word: string, isOfRecord: boolean): void {
  if (!/[^\0-\u0dff]/.test(word)) {
    words.add(cut(word))
    return
  }
  for (const run of word.match(RUNS) ?? []) {
    const letters = isSpaceless(run) ? (run.match(LETTERS) ?? []) : undefined
    if (!letters) words.add(cut(run))
    else if (letters.length === 1) words.add(run)
    else
      for (let at = 0; at < letters.length - (isOfRecord ? 0 : 1); at++)
        words.add(`${letters[at]}${letters[at + 1] ?? ''}`)
  }
}

/** Folds, and converts digits of other scripts to 0-9. */
const folded = (text: string): string => asciiDigits(foldWhole(text))

/**
 * The words that a record is found by, without duplicates, also by other spellings: `muller` and `mueller`. A phone number
 * is found by any run of its digits: each suffix of at least four digits is a word. `dialled`: its digits in other notations.
 */
export function wordsOf(
  texts: readonly (string | null)[],
  phones: readonly string[] = [],
  dialled: readonly string[] = [],
): string[] {
  const words = new Set<string>()
  for (const text of texts) {
    for (const word of split(text ?? '')) add(words, word, true)
    for (const spelling of spellingsOfWords(text ?? '')) for (const word of split(spelling)) add(words, word, true)
  }
  for (const phone of phones) {
    for (const digits of [digitsOf(phone), digitsOf(fromAbroad(phone))]) {
      for (let from = 0; from + MIN_DIGITS <= digits.length; from++) words.add(digits.slice(from))
    }
    for (const group of split(phone)) add(words, group, true)
  }
  for (const digits of dialled) {
    for (let from = 0; from + MIN_DIGITS <= digits.length; from++) words.add(digits.slice(from))
  }
  return [...words]
}

/** Groups of digits as people write a phone into a sentence. */
const NUMBER = /(?<![\p{L}\p{N}])\+?\(?\p{Nd}[\p{Nd} \u00a0()./-]{4,24}\p{Nd}(?![\p{L}\p{N}])/gu
const DAY = /^(?:\d{4}([./-])\d\d?\1\d\d?|\d\d?([./-])\d\d?\2\d{2,4})(?:[^\d]|$)/
const WHOLE_NUMBER = 6
/** A list of numbers is no note about a call. */
const MAX_NUMBERS = 20

/** The same for a text that people write, such as a note: phones in it are found in all notations. */
export function wordsOfProse(texts: readonly (string | null)[]): string[] {
  const numbers = texts.flatMap((text) => text?.match(NUMBER) ?? [])
  const phones = numbers.filter((number) => digitsOf(number).length >= WHOLE_NUMBER && !DAY.test(asciiDigits(number)))
  return wordsOf(texts, phones.slice(0, MAX_NUMBERS))
}

/** Most texts have no other spelling, and of most others it is one word that has. */
function spellingsOfWords(text: string): string[] {
  if (!/[^\w\s.,-]/.test(text)) return []
  const composed = text.normalize('NFC')
  if (!hasSpellings(composed)) return []
  return otherSpellings((composed.match(/\S+/g) ?? []).filter(hasSpellings).join(' '))
}

const digitsOf = (text: string): string => folded(text).replace(/[^0-9]/g, '')

/** "+49 (0)30 1234" is dialled with either the 49 or the 0. */
const fromAbroad = (phone: string): string => phone.replace(/\(0\)/g, '')

/**
 * A search: alternatives of words, each of which has to be a prefix of a word of the record. A text without words has
 * no alternatives and finds nothing.
 */
export type Query = string[][]

/** `dialled`: the digits of the number that the text is, in other notations. */
export function queryOf(text: string, dialled: readonly string[] = []): Query {
  const composed = text.normalize('NFC')
  const found = [composed, ...otherSpellings(composed)].map(wordsOfQuery)
  const number = numberIn(text)
  for (const digits of number === undefined ? dialled : [number, ...dialled]) found.push([digits])
  const different = new Map(found.map((words) => [words.join(' '), words]))
  different.delete('')
  return [...different.values()]
}

function wordsOfQuery(text: string): string[] {
  const words = new Set<string>()
  for (const word of new Set(split(text)).values().take(MAX_WORDS)) add(words, word, false)
  return [...words].slice(0, MAX_PAIRS)
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
