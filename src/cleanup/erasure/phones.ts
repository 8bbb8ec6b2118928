import { foldText } from './reading.ts'

// How a phone number may be written: with or without the code of the country, and with any marks between its digits.

/** Codes of one or two digits; all others have three. */
const COUNTRY = /^(?:[17]|2[07]|3[0-4689]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/
/** What is dialled before a number of the same country, where that is no 0. */
const TRUNKS: Record<string, string> = { 7: '8', 36: '06' }

/** Shorter ones are parts of too many other numbers, and those without code and 0 need more. */
const SHORTEST = 6
const SHORTEST_BARE = 8

const SEPARATOR = '[ ().\\-/]'
const ANY = `${SEPARATOR}{0,3}`
const spaced = (digits: string): string => [...digits].join(ANY)

const BEFORE = `(?<![\\p{L}\\p{N}_])`
/** Of another country. */
const NO_CODE = `(?<!(?:\\+|(?<!\\d)00) ?\\d{1,3}${SEPARATOR}{1,3}(?:0${ANY})?)`
const NO_DIGITS = `(?<!\\d${ANY})(?<!\\+ ?)`
/** More digits after a mark are an extension: the number of somebody else in the same house. */
const AFTER = '(?![\\p{L}\\p{N}_]|-[\\p{L}\\p{N}]|[/.]\\d{1,4}(?!\\d)| \\d{1,4}$)'

/** The pattern of a number in all of its notations; undefined for what is no number to dial. */
export function phonePattern(text: string): string | undefined {
  const number = foldText(text).replace(/^tel:/, '').trim()
  if (!/^[+\d(][\d ().\-/]*$/.test(number)) return undefined
  const digits = number.replace(/\(0+\)/, '').replace(/\D/g, '')
  const whole = number.startsWith('+') ? digits : digits.startsWith('00') ? digits.slice(2) : undefined
  const [country] = whole === undefined ? [undefined] : (COUNTRY.exec(whole) ?? [undefined])
  const national = (country ? (whole as string).slice(country.length) : digits).replace(/^0+/, '')
  if (national.length < SHORTEST) return undefined
  const own = spaced(national)
  const code = `${country ? spaced(country) : '[1-9]\\d{0,2}'}${ANY}(?:0${ANY})?`
  const trunk = TRUNKS[country ?? ''] ?? '0'
  const forms = [`${BEFORE}${NO_CODE}\\(?(?:(?:\\+|00|011)${ANY}${code}|(?<!\\+ ?\\(?)${spaced(trunk)}${ANY})${own}`]
  if (country) forms.push(`${BEFORE}${NO_DIGITS}\\(?${code}${own}`)
  if (national.length >= SHORTEST_BARE) forms.push(`${BEFORE}${NO_DIGITS}\\(?${own}`)
  return `(?:${forms.join('|')})${AFTER}`
}
