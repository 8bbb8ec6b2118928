import * as v from 'valibot'
import * as f from '../../../lib/fields.ts'
import { fold } from '../../../lib/pure/fold.ts'

// Maps names to codes, in the languages most common in files.

const LOCALES = ['en', 'de', 'fr', 'es']
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

const LANGUAGES =
  'ar bg bn bs ca cs da de el en es et eu fa fi fr ga gl gu he hi hr hu hy id is it ja ka kk kn ko lt lv mk ml mr ms mt nb nl nn no pa pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh'.split(
    ' ',
  )

/** Common names that differ from the official ones, as `nameKey` returns them. */
const OTHER_COUNTRIES = {
  usa: 'US',
  'u s a': 'US',
  'u s': 'US',
  'united states of america': 'US',
  'vereinigte staaten von amerika': 'US',
  'etats unis d amerique': 'US',
  'estados unidos de america': 'US',
  'great britain': 'GB',
  grossbritannien: 'GB',
  'grande bretagne': 'GB',
  'gran bretana': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  holland: 'NL',
  'the netherlands': 'NL',
  'czech republic': 'CZ',
  'tschechische republik': 'CZ',
  turkey: 'TR',
  uae: 'AE',
  'russian federation': 'RU',
  'ivory coast': 'CI',
  'viet nam': 'VN',
  'korea republic of': 'KR',
  'republic of korea': 'KR',
  'south korea': 'KR',
  'iran islamic republic of': 'IR',
  'moldova republic of': 'MD',
  'tanzania united republic of': 'TZ',
  'bolivia plurinational state of': 'BO',
  'venezuela bolivarian republic of': 'VE',
  'taiwan province of china': 'TW',
  'macedonia the former yugoslav republic of': 'MK',
  macedonia: 'MK',
  burma: 'MM',
  swaziland: 'SZ',
  italia: 'IT',
  osterreich: 'AT',
  nederland: 'NL',
  belgie: 'BE',
  brasil: 'BR',
  polska: 'PL',
  sverige: 'SE',
  danmark: 'DK',
  norge: 'NO',
  svizzera: 'CH',
}

/** Returns a name without case, accents and punctuation: apostrophes are straight or curly, and hyphens come and go. */
const nameKey = (text: string): string =>
  fold(text)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

let countries: Map<string, string> | undefined
let languages: Map<string, string> | undefined

/** Returns the ISO 3166 code of a name or a code; other text is returned unchanged, for the field to reject. */
export function countryCode(text: string): string {
  if (/^[a-z]{2}$/i.test(text) && text.toUpperCase() !== 'UK') return text.toUpperCase()
  countries ??= new Map([
    ...namesOf(
      'region',
      LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter((code) => v.is(f.country, code)),
    ),
    ...Object.entries(OTHER_COUNTRIES),
  ])
  return countries.get(nameKey(text)) ?? text
}

export const isCountry = (code: string): boolean => v.is(f.country, code)

/** Returns the BCP 47 tag of a name or a tag. */
export function languageTag(text: string): string {
  languages ??= namesOf('language', LANGUAGES)
  return languages.get(nameKey(text)) ?? text.replaceAll('_', '-')
}

function namesOf(type: 'region' | 'language', codes: readonly string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const locale of LOCALES) {
    for (const style of ['long', 'short'] as const) {
      const display = new Intl.DisplayNames(locale, { type, style, fallback: 'none' })
      for (const code of codes) {
        const name = nameKey(display.of(code) ?? '')
        if (name && !names.has(name)) names.set(name, code)
      }
    }
  }
  return names
}
