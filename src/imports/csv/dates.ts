import { fold } from '../../lib/fold.ts'
import { isDate } from '../../lib/time.ts'

// Dates as people and programs write them: `2026-12-31`, `31.12.2026`, `12/31/2026`, `Dec 31, 2026`, `31 décembre
// 2026`, each optionally followed by a time of day.

/** Whether the day or the month comes first in `12/11/2026`. */
export type Order = 'dmy' | 'mdy'

const TIME =
  /(?:T|,? +(?:at +|um +|à +)?)(\d{1,2})[:.](\d{2})(?:[:.](\d{2})([.,]\d+)?)?(?: ?([ap])\.?m\.?| Uhr)?(?: ?(Z|UTC|GMT|[+-]\d\d:?\d\d|[A-Z]{2,5}))?$/i

const LOCALES = ['en', 'de', 'fr', 'es']
const months = new Map(
  LOCALES.flatMap((locale) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' })
      return Array.from({ length: 12 }, (_, index) => {
        const parts = format.formatToParts(Date.UTC(2026, index, 1))
        return [wordKey(parts.find(({ type }) => type === 'month')?.value ?? ''), index + 1] as const
      })
    }),
  ),
)

/** Longer texts are no day, and looking for a time at their end would take very long. */
const MAX_LENGTH = 100

/** Returns the order if a text is unambiguous: `31/12/2026` is, `11/12/2026` is not. */
export function orderShown(text: string): Order | undefined {
  const parts = numbersOf(dayPart(text))
  if (!parts || parts.isYearFirst || parts.separator === '.') return undefined
  const [dmy, mdy] = [inOrder(parts, 'dmy'), inOrder(parts, 'mdy')]
  if ((dmy === undefined) === (mdy === undefined)) return undefined
  return dmy ? 'dmy' : 'mdy'
}

/** Whether the text could be two different days. */
export function isTwofoldDay(text: string): boolean {
  const parts = numbersOf(dayPart(text))
  if (!parts || parts.isYearFirst || parts.separator === '.') return false
  const [dmy, mdy] = [inOrder(parts, 'dmy'), inOrder(parts, 'mdy')]
  return dmy !== undefined && mdy !== undefined && dmy !== mdy
}

/** Returns the day as YYYY-MM-DD; undefined if there is none. With points, the order is always day, month, year. */
export function readDay(text: string, order: Order | undefined): string | undefined {
  const day = dayPart(text)
  const parts = numbersOf(day)
  if (!parts) return namedDay(day)
  if (parts.isYearFirst) return dateFrom(parts.first, parts.second, parts.third)
  return inOrder(parts, parts.separator === '.' ? 'dmy' : (order ?? orderShown(day) ?? 'dmy'))
}

/** Returns the day with the time of day, and the offset if any: `2026-12-31T10:30:00Z`. */
export function readMoment(text: string, order: Order | undefined): { local: string; offset: string } | undefined {
  const day = readDay(text, order)
  if (!day) return undefined
  const found = TIME.exec(text.trim())
  if (!found) return { local: `${day}T00:00:00`, offset: '' }
  const [, hours = '', minutes, seconds = '00', fraction = '', half, zone = ''] = found
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours)
  const offset = /^(?:Z|UTC|GMT)$/i.test(zone) ? 'Z' : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59 || (offset !== 'Z' && /[a-z]/i.test(offset))) {
    return undefined
  }
  const ms = fraction.replace(',', '.').slice(0, 4)
  return { local: `${day}T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${ms}`, offset }
}

const dayPart = (text: string): string => (text.length > MAX_LENGTH ? '' : text.trim().replace(TIME, '').trim())

type Numbers = { first: string; second: string; third: string; separator: string; isYearFirst: boolean }

function numbersOf(text: string): Numbers | undefined {
  const [, first = '', separator = '', second = '', third = ''] =
    /^(\d{4}|\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{1,2})$/.exec(text) ?? /^(\d{4})()(\d\d)(\d\d)$/.exec(text) ?? []
  if (first === '') return undefined
  return { first, second, third, separator, isYearFirst: first.length === 4 }
}

function inOrder({ first, second, third }: Numbers, order: Order): string | undefined {
  return order === 'dmy' ? dateFrom(third, second, first) : dateFrom(third, first, second)
}

function namedDay(text: string): string | undefined {
  const words = text
    .split(/[\s,./-]+/)
    .map(wordKey)
    .filter((word) => word !== '' && word !== 'de' && word !== 'del')
  const [first = '', second = '', third = '', ...more] = words
  if (more.length > 0) return undefined
  const isDayFirst = /^\d/.test(first)
  const month = months.get(isDayFirst ? second : first)
  const day = /^(\d{1,2})(?:st|nd|rd|th|er|o|a)?$/.exec(isDayFirst ? first : second)?.[1]
  return month && day ? dateFrom(third, String(month), day) : undefined
}

function dateFrom(year: string, month: string, day: string): string | undefined {
  if (!/^(\d\d|\d{4})$/.test(year)) return undefined
  // Two-digit years below 70 are 20xx; in Excel, only those below 30. Dates in a CRM are often in the future.
  const full = year.length === 4 ? year : `${Number(year) < 70 ? '20' : '19'}${year}`
  const date = `${full}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return isDate(date) ? date : undefined
}

/** `déc.`, `Dec` and `DEC.` have the same key. */
function wordKey(word: string): string {
  return fold(word).replace(/\.+$/, '')
}
