import { fold } from '../../lib/fold.ts'
import type { Format } from '../../lib/format.ts'
import { momentOf } from '../../lib/zoned.ts'
import type { en } from '../../texts/en.ts'
import type { Like } from '../../texts/texts.ts'
import type { Parsed } from './field.ts'

// What people type and paste, read after their language. An empty text is null.

/** What reading needs to know: how numbers and days are written, and the sentences for what cannot be read. */
export type Reading = { format: Format; texts: Like<typeof en>['fields']; now: number }

const SPACES = /[\s\u00a0\u202f'’]/g
const MOST_DIGITS = 15

/** A plain decimal text of a number in the language's own writing; undefined if it is none. */
export function decimalOf(text: string, { format }: Pick<Reading, 'format'>): string | undefined {
  const given = text.replace(SPACES, '').replace('−', '-')
  const { decimal, group } = format.signs()
  const [g, d] = [`\\${group || ','}`, `\\${decimal || '.'}`]
  const own = new RegExp(`^(-?)(\\d+|\\d{1,3}(?:${g}\\d{3})+)(?:${d}(\\d+))?$`).exec(given)
  // A point before one or two digits is no group in any language.
  const plain = own ?? /^(-?)(\d+)\.(\d{1,2})$/.exec(given)
  if (!plain) return undefined
  const [, sign = '', whole = '', fraction = ''] = plain
  const digits = whole.replaceAll(group || ',', '').replace(/^0+(?=\d)/, '')
  const rest = fraction.replace(/0+$/, '')
  return `${sign}${digits}${rest && `.${rest}`}`
}

export function parseNumber(text: string, reading: Reading): Parsed {
  if (text.trim() === '') return { value: null }
  const decimal = decimalOf(text, reading)
  if (decimal === undefined || digitsOf(decimal) > MOST_DIGITS) {
    return { error: reading.texts.badNumber(reading.format.number(1234.5)) }
  }
  return { value: Number(decimal) }
}

/** An amount, with or without its currency: "EUR 48,500". Without one it has the currency that is given. */
export function parseMoney(text: string, currency: string | null, reading: Reading): Parsed {
  const [, before, number = '', after] = /^\s*([A-Za-z]{3})?([^A-Za-z]*?)([A-Za-z]{3})?\s*$/.exec(text) ?? []
  if (text.trim() === '') return { value: { amount: null, currency } }
  const decimal = number.trim() === '' ? undefined : decimalOf(number, reading)
  const isGood = decimal !== undefined && !decimal.startsWith('-') && digitsOf(decimal) <= MOST_DIGITS
  if (!isGood) return { error: reading.texts.badAmount('48500', reading.format.amount('48500', 'EUR', 'all')) }
  if ((decimal.split('.')[1] ?? '').length > 6) return { error: reading.texts.tooMany(6) }
  return { value: { amount: Number(decimal), currency: (before ?? after)?.toUpperCase() ?? currency } }
}

const digitsOf = (decimal: string): number => decimal.replace(/\D/g, '').replace(/^0+/, '').length

/** "2026-11-19", "19.11.2026", "19/11/2026", "19 Nov 2026"; without a year this one. */
export function parseDate(text: string, reading: Reading): Parsed {
  const given = text.trim()
  if (given === '') return { value: null }
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})/.exec(given)
  if (iso) return dateOf(Number(iso[1]), Number(iso[2]), Number(iso[3]), reading)
  const year = new Date(reading.now).getUTCFullYear()
  const numbers = /^(\d{1,2})[./](\d{1,2})[./]?(\d{2}|\d{4})?$/.exec(given)
  if (numbers) return dateOf(fullYear(numbers[3], year), Number(numbers[2]), Number(numbers[1]), reading)
  const words = /^(\d{1,2})\.?\s+(\p{L}+)\.?(?:\s+(\d{4}))?$/u.exec(given)
  const month = words?.[2] === undefined ? 0 : monthOf(words[2], reading.format.tag)
  if (words && month > 0) return dateOf(fullYear(words[3], year), month, Number(words[1]), reading)
  return { error: reading.texts.badDate }
}

const fullYear = (given: string | undefined, now: number): number => {
  if (given === undefined) return now
  return given.length === 2 ? 2000 + Number(given) : Number(given)
}

/** 1 to 12 for the beginning of a month's name, at least three letters, in the language or in English; 0 for another word. */
function monthOf(word: string, tag: string): number {
  const wanted = fold(word)
  if (wanted.length < 3) return 0
  for (const language of [tag, 'en']) {
    const names = new Intl.DateTimeFormat(language, { month: 'long', timeZone: 'UTC' })
    for (let month = 1; month <= 12; month += 1) {
      if (fold(names.format(Date.UTC(2000, month - 1))).startsWith(wanted)) return month
    }
  }
  return 0
}

function dateOf(year: number, month: number, day: number, { texts }: Reading): Parsed {
  const there = new Date(Date.UTC(year, month - 1, day))
  if (there.getUTCMonth() !== month - 1 || there.getUTCDate() !== day) return { error: texts.badDate }
  return { value: there.toISOString().slice(0, 10) }
}

/** A date and a time of day, as an ISO time; "T" may stand between. A time with a zone is taken as it is. */
export function parseDateTime(text: string, reading: Reading): Parsed {
  const given = text.trim()
  if (given === '') return { value: null }
  if (/T.*(Z|[+-]\d\d:\d\d)$/.test(given) && !Number.isNaN(Date.parse(given))) {
    return { value: new Date(given).toISOString() }
  }
  const [, datePart = '', hour, minute] = /^(.*?)[T,\s]+(\d{1,2}):(\d{2})(?::\d{2}.*)?$/.exec(given) ?? []
  const date = parseDate(datePart, reading)
  if ('error' in date) return date
  if (typeof date.value !== 'string' || Number(hour) > 23 || Number(minute) > 59)
    return { error: reading.texts.badDate }
  const [year = 0, month = 1, day = 1] = date.value.split('-').map(Number)
  const parts = { year, month, day, hour: Number(hour), minute: Number(minute), second: 0 }
  return { value: new Date(momentOf(parts, reading.format.timezone)).toISOString() }
}

/** An address of the web; without a scheme it is https. */
export function parseUrl(text: string, { texts }: Reading): Parsed {
  const given = text.trim()
  if (given === '') return { value: null }
  const url = /^https?:\/\//i.test(given) ? given : `https://${given}`
  if (/\s/.test(given) || !URL.canParse(url) || !/\.[^.]|localhost/.test(new URL(url).hostname)) {
    return { error: texts.badUrl }
  }
  return { value: url }
}

export function parseEmail(text: string, { texts }: Reading): Parsed {
  const given = text.trim().replace(/^mailto:/i, '')
  if (given === '') return { value: null }
  return /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+\.[^\s@.]+$/.test(given) ? { value: given } : { error: texts.badEmail }
}

export function parsePhone(text: string, { texts }: Reading): Parsed {
  const given = text.trim().replace(/^tel:/i, '')
  if (given === '') return { value: null }
  const digits = given.replace(/\D/g, '').length
  const isGood = /^\+?[\d\s()./-]+(\s*(x|ext\.?)\s*\d+)?$/i.test(given) && digits >= 4 && digits <= 20
  return isGood ? { value: given } : { error: texts.badPhone }
}

export function parseText(text: string): Parsed {
  return { value: text.trim() === '' ? null : text }
}

/** Choices by their values or labels, without case and accents. */
export function parseOptions(
  text: string,
  options: readonly { value: string; label: string }[],
  { texts }: Reading,
): { values: string[] } | { error: string } {
  const values: string[] = []
  for (const part of text.split(/[,;\n]/)) {
    const wanted = fold(part.trim())
    if (wanted === '') continue
    const found = options.find(({ value, label }) => fold(label) === wanted || fold(value) === wanted)
    if (!found) return { error: texts.unknownChoice(part.trim()) }
    if (!values.includes(found.value)) values.push(found.value)
  }
  return { values }
}
