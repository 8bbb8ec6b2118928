import { foldWhole } from '../../pure/fold.ts'
import type { Context } from '../reading.ts'

// Names of months and days of the week in the languages that Intl knows, whole and abbreviated.

/** The languages of most files are looked at first. */
const USUAL = 'en en-GB de de-AT fr es pt pt-PT it nl pl'.split(' ')
const OTHERS =
  'sv da nb fi is cs sk hu ro hr sl sr sr-Latn bs bg mk ru uk be el tr az kk ka hy lt lv et sq ca gl eu cy ga id ms fil sw vi th hi bn ar fa he ja ko zh'.split(
    ' ',
  )
/** They write a point behind the number of a day: "3. listopada" is no Polish. */
const POINTED = /^(?:de|da|nb|fi|is|cs|sk|hu|hr|sl|sr|sr-Latn|bs|lv|et|eu)\b/

/** What Intl does not have, folded. */
const MONTHS_BESIDES: Record<string, number> = {
  jaenner: 1,
  feber: 2,
  maerz: 3,
  mrz: 3,
  mrt: 3,
  juil: 7,
  agt: 8,
  sept: 9,
  setiembre: 9,
}

/** Numbers by the folded name, with the languages that have it. */
type Names = Map<string, [number: number, language: string][]>
type Words = { month: Names; weekday: Names }

/** Within a date, names may be in another case than alone; few are abbreviated alone. Making a format is what takes time. */
const STYLES = [
  { weekday: 'long', month: 'long', day: 'numeric' },
  { weekday: 'short', month: 'short', day: 'numeric' },
  { month: 'long' },
] as const

/** The first days of these months are on all days of the week; 1 January 2026 was a Thursday. */
const FIRSTS = Array.from({ length: 12 }, (_, index) => Date.UTC(2026, index, 1))

function wordsOf(languages: readonly string[]): Words {
  const words: Words = { month: new Map(), weekday: new Map() }
  for (const language of languages) {
    for (const style of STYLES) {
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...style, timeZone: 'UTC' })
      for (const [index, at] of FIRSTS.entries()) {
        for (const { type, value } of format.formatToParts(at)) {
          if (type === 'weekday') add(words.weekday, wordKey(value), ((new Date(at).getUTCDay() + 6) % 7) + 1, language)
          if (type !== 'month') continue
          add(words.month, wordKey(value), index + 1, language)
          // In Hebrew, the preposition is a letter of the name.
          if (language === 'he') add(words.month, `ב${wordKey(value)}`, index + 1, language)
        }
      }
    }
  }
  return words
}

function add(names: Names, key: string, number: number, language: string): void {
  if (key === '' || /\d/.test(key)) return
  const known = names.get(key) ?? []
  if (!known.some(([one, by]) => one === number && by === language)) names.set(key, [...known, [number, language]])
}

/** Folded, without points: `déc.`, `Dec` and `DEC.` have the same key. */
export const wordKey = (word: string): string => foldWhole(word).replace(/[.\s-]+/g, '')

const cache = new Map<string, Words>()

function cached(part: 'month' | 'weekday', group: string, languages: readonly string[]): Names {
  const words = cache.get(group) ?? wordsOf(languages)
  cache.set(group, words)
  return words[part]
}

/**
 * Returns the months that a word may name: several if languages differ and the locale does not decide. `isPointed`: the
 * number of the day has a point behind it.
 */
export function monthsNamed(word: string, isPointed: boolean, { locale, isSeen }: Context): readonly number[] {
  const key = wordKey(word)
  const own = ofLocale('month', key, locale)
  if (isSeen && own.length > 0) return own
  const all = inAnyLanguage(key, isPointed)
  const both = all.filter((month) => own.includes(month))
  return both.length > 0 ? both : all
}

function inAnyLanguage(key: string, isPointed: boolean): readonly number[] {
  const besides = MONTHS_BESIDES[key]
  const usual = besides === undefined ? (cached('month', 'usual', USUAL).get(key) ?? []) : [[besides, 'de'] as const]
  const isLikely = !isPointed || usual.some(([, language]) => POINTED.test(language))
  if (usual.length > 0 && isLikely) return numbersOf(usual)
  const others = cached('month', 'others', OTHERS).get(key) ?? []
  const fitting = others.filter(([, language]) => POINTED.test(language) === isPointed)
  return numbersOf([...usual, ...(fitting.length > 0 ? fitting : others)])
}

/** Returns the days of the week that a word may name, from Monday, 1, to Sunday, 7. */
export function weekdaysNamed(word: string, { locale }: Context): readonly number[] {
  const key = wordKey(word).replace(/feira$/, '')
  const own = ofLocale('weekday', key, locale)
  if (own.length > 0) return own
  const usual = cached('weekday', 'usual', USUAL)
  const found =
    usual.get(key) ?? usual.get(`${key}feira`) ?? (isLong(key) ? cached('weekday', 'others', OTHERS).get(key) : [])
  return numbersOf(found ?? [])
}

/** Two letters of Latin script are a day of the week in some language, whatever they are. */
const isLong = (key: string): boolean => key.length > 2 || !/^[a-z]+$/.test(key)

/** The same in one language only. */
export const weekdaysOf = (word: string, locale: string): readonly number[] =>
  ofLocale('weekday', wordKey(word), locale)

function ofLocale(part: 'month' | 'weekday', key: string, locale: string | undefined): readonly number[] {
  const language = locale?.split('-')[0]
  if (language === undefined || language === '') return []
  return numbersOf(cached(part, language, [language]).get(key) ?? [])
}

const numbersOf = (found: readonly (readonly [number, string])[]): number[] => [
  ...new Set(found.map(([number]) => number)),
]
