import { WORDS } from './words.ts'

/** `plain` is the form for addresses: "O'Brien Logistics" is "obrien-logistics". */
export type Name = { text: string; plain: string }
export type Culture = { code: string; first: Name[]; last: Name[]; titles: string[] }
export type Trade = Name & { industry: string }
/** The first `surnames` roots are surnames. A name has one root (`singles` of them) or two surnames (`doubles`). */
export type CompanyWords = { roots: Name[]; surnames: number; trades: Trade[]; singles: Ring; doubles: Ring }
/** Numbers from 0 to `size`; steps of `step` visit all of them. */
type Ring = { size: number; step: number }
export type Country = (typeof COUNTRIES)[number]
export type City = Country['cities'][number]

const LETTERS: Record<string, string> = { ø: 'o', æ: 'ae', ß: 'ss', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }
const GERMAN: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue' }

export const CULTURES: Culture[] = WORDS.cultures.map(({ code, first, last, titles }) => {
  const names = (texts: string[]) => texts.map((text) => ({ text, plain: plain(text, '', code) }))
  return { code, first: names(first), last: names(last), titles }
})

export const CULTURE_INDEX = new Map(CULTURES.map(({ code }, index) => [code, index]))

/**
 * No trade occurs in two cultures: together with the numbered names of each, that makes every company name and domain
 * unique.
 */
export const COMPANY_WORDS = new Map(
  WORDS.cultures.flatMap(({ code, last, places, trades }): [string, CompanyWords][] => {
    if (!places || !trades) return []
    const roots = [...last, ...places].map((text) => ({ text, plain: plain(text, '-', code) }))
    const all = Object.entries(trades).flatMap(([industry, texts]) => texts.map((text) => trade(text, code, industry)))
    const singles = ring(roots.length * all.length)
    const doubles = ring(last.length * (last.length - 1) * all.length)
    return [[code, { roots, surnames: last.length, trades: all, singles, doubles }]]
  }),
)

export const COUNTRIES = WORDS.countries.map((country) => ({
  ...country,
  cities: country.cities.map(([name, region, postal, timezone, phone]) => ({
    ...{ name, region, postal, timezone, phone },
    plain: plain(name, '-', country.culture),
  })),
}))

function trade(text: string, code: string, industry: string): Trade {
  const [before = '', after = ''] = text.split('%').map((part) => plain(part, '-', code))
  return { text, plain: [before, '%', after].filter(Boolean).join('-'), industry }
}

/** The golden ratio keeps neighbours far apart, so that even a few companies are in many trades. */
function ring(size: number): Ring {
  let step = Math.round(size * 0.618)
  while (commonDivisor(step, size) > 1) step += 1
  return { size, step }
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}

/**
 * Returns lower-case letters and digits with `gap` between the words, as in addresses: "O'Brien & Søn" is "obrien-son".
 */
export function plain(text: string, gap: string, culture = ''): string {
  let lower = text.normalize('NFC').toLowerCase().replace(/['’.]/g, '')
  if (culture === 'de') lower = lower.replace(/[äöü]/g, (letter) => GERMAN[letter] as string)
  const base = lower
    .replace(/[øæßłđðþı]/g, (letter) => LETTERS[letter] as string)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
  return base
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join(gap)
}
