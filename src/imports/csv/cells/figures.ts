import { field, invalid, type Problem } from '../../../lib/problem.ts'
import { readDay } from '../../../lib/written/days/days.ts'
import { readMoment } from '../../../lib/written/days/moments.ts'
import { readAmount, type WrittenAmount } from '../../../lib/written/figures/amounts.ts'
import { readNumber } from '../../../lib/written/figures/numbers.ts'
import type { Context, Reading, Unread } from '../../../lib/written/reading.ts'
import { readYesNo } from '../../../lib/written/yes-no.ts'
import type { Kind } from '../columns/field.ts'

// Converts the text of a cell to a number, an amount, a day, a moment or a flag. Throws Problem 422 for a text that has no
// reading, or several.

export const refused = (code: string, message: string): Problem => invalid(field('', code, message))

export const quoted = (text: string): string => `"${text.length > 60 ? `${text.slice(0, 59)}…` : text}"`

export type Wanted = { code: string; one: string }
const NUMBER: Wanted = { code: 'invalid_number', one: 'a number' }
const DAY: Wanted = { code: 'invalid_date', one: 'a valid date' }
const MOMENT: Wanted = { code: 'invalid_time', one: 'a date with a time' }
const FLAG: Wanted = { code: 'invalid_flag', one: 'yes or no' }

type Read<T> = (text: string, context: Context) => Reading<T>

/** Returns the only meaning of a text. `shown` writes a meaning for whoever has to choose between several. */
export function only<T>(read: Read<T>, text: string, context: Context, wanted: Wanted, shown: (value: T) => string): T {
  const reading = read(text, context)
  if ('value' in reading) return reading.value
  if ('unread' in reading) throw refused(codeOf(reading.unread, wanted), sentenceOf(reading.unread, text, wanted))
  const all = [...new Set(reading.either.map(shown))]
  const rule = ruleFor(read, text, context)
  throw refused('ambiguous', `${quoted(text)} is ambiguous${rule}: ${all.slice(0, -1).join(', ')} or ${all.at(-1)}`)
}

/** The option that would decide. */
function ruleFor<T>(read: Read<T>, text: string, context: Context): string {
  const decides = (more: Context) => !('either' in read(text, { ...context, ...more }))
  if (decides({ decimal: '.' })) return '; use --decimal point or --decimal comma'
  if (decides({ order: 'dmy' })) return '; use --dates dmy, --dates mdy or --dates ymd'
  return ''
}

function codeOf({ why }: Unread, { code }: Wanted): string {
  if (why === 'too_precise' || why === 'too_large') return 'inexact'
  return why === 'spreadsheet' ? 'spreadsheet' : code
}

export const SPREADSHEET =
  'has lost digits in a spreadsheet: take the original, or format the column there as text before you enter or paste the numbers, and export it again'

function sentenceOf({ why, part }: Unread, text: string, { one }: Wanted): string {
  switch (why) {
    case 'rest':
      return `must be ${one} and nothing else, not ${quoted(text)}${part === '' || part === text ? '' : ` with ${quoted(part)}`}`
    case 'several':
      return `must be ${one}, not several: ${quoted(text)}`
    case 'incomplete':
      return `must be ${one}, and a part of it is missing: ${quoted(text)}`
    case 'no_such':
      return `must be ${one}; there is no ${quoted(text)}`
    case 'contradicts':
      return `must be ${one}; ${quoted(text)} contradicts itself or the format of its column`
    case 'spreadsheet':
      return `${quoted(text)} ${SPREADSHEET}`
    case 'too_precise':
    case 'too_large':
      return `must have at most 15 significant digits, and an amount 6 decimals; ${quoted(text)} has more`
    default:
      return `must be ${one}, not ${quoted(text)}`
  }
}

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 15 })
export const shownNumber = (value: number): string => figures.format(value)
export const shownAmount = ({ amount, currency = '' }: WrittenAmount): string =>
  `${shownNumber(amount)} ${currency}`.trim()
export const shownMoment = (ms: number): string => new Date(ms).toISOString()

export const numberIn = (text: string, context: Context): number => only(readNumber, text, context, NUMBER, shownNumber)

/** There are no parts of what is counted: 1.200 employees are 1200. */
export function countIn(text: string, context: Context): number {
  return only(
    (given, known) => {
      const reading = readNumber(given, known)
      if (!('either' in reading)) return reading
      const [one, other] = reading.either.filter(Number.isInteger)
      return one !== undefined && other === undefined ? { value: one } : reading
    },
    text,
    context,
    NUMBER,
    shownNumber,
  )
}

/** An amount, and the currency written beside it. */
export function amountIn(text: string, context: Context): WrittenAmount {
  const reading = readAmount(text, context)
  const { rowCurrency } = context
  if ('either' in reading) {
    const currencies = [...new Set(reading.either.map(({ currency }) => currency))]
    const amounts = reading.either.map(shownAmount)
    const all = `${amounts.slice(0, -1).join(', ')} or ${amounts.at(-1)}`
    if (currencies.length > 1 && rowCurrency !== undefined)
      throw refused('contradiction', `${quoted(text)} is not in ${rowCurrency}, the currency of the row: ${all}`)
    if (currencies.length > 1 && reading.either.every(({ amount }) => amount === reading.either[0].amount))
      throw refused('ambiguous', `${quoted(text)} is ambiguous; add a column with the currency codes: ${all}`)
  }
  return only(readAmount, text, context, NUMBER, shownAmount)
}

export const dayIn = (text: string, context: Context): string => only(readDay, text, context, DAY, String)

/** Without an offset, the time is in the organisation's time zone. */
export const momentIn = (text: string, context: Context): string =>
  shownMoment(only(readMoment, text, context, MOMENT, shownMoment))

export const flagIn = (text: string, context: Context = {}): boolean => only(readYesNo, text, context, FLAG, String)

/** What a spreadsheet makes of the digits of an id; leading zeros stay as they are. */
const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?E\+\d{1,3}$/i
const AS_NUMBER = /^\d{5,}[.,]0$/
/** No product writes its ids so. */
const ID_AS_NUMBER = /^\d+\.0$/

/** Fields whose texts are digits without being numbers. */
const IDS: ReadonlySet<string> = new Set(['external_id', 'address.postal_code'])
/** Of other texts, what a spreadsheet writes only. */
const CUT = /^[+-]?\d[.,]\d{3,}E\+\d{2,3}$/

/** Refuses a text whose digits are lost, and an id that was a number on its way. */
export function checkDigits(name: string, kind: Kind, text: string): void {
  const isDigits = IDS.has(name)
  if (kind !== 'text' && !isDigits) return
  if (isDigits ? SCIENTIFIC.test(text) : CUT.test(text)) throw refused('spreadsheet', `${quoted(text)} ${SPREADSHEET}`)
  if (isDigits && (AS_NUMBER.test(text) || (name === 'external_id' && ID_AS_NUMBER.test(text))))
    throw refused('spreadsheet', `${quoted(text)} was a number in a spreadsheet or program; export the column as text`)
}
