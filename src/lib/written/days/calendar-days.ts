import { type Context, type Order, type Reading, readingOf, unread } from '../reading.ts'
import { weekdaysNamed } from './calendar-words.ts'
import { dateOf, datesOfShortYear, datesOfYear, datesWithoutYear } from './years.ts'

// Days of the calendar in digits: `2026-12-31`, `31.12.2026`, `12/31/26`, `20261231`, `2026年12月31日`, `2026-W53-4`.

const DIGITS = /^(\d{4}|\d{1,2}) ?([./ -]) ?(\d{1,2}) ?\2 ?(\d{4}|\d{1,2})$/
const NO_YEAR = /^(\d{1,2}) ?([./]) ?(\d{1,2})\.?$/
const EAST_ASIAN = /^(?:(\d{4}|\d{2})[年년] ?)?(\d{1,2})[月월] ?(\d{1,2})[日号號일]$/
const VIETNAMESE = /^(?:ngày )?(\d{1,2}) tháng (\d{1,2}),? (?:năm )?(\d{4})$/i
const ERA = /^(令和|平成|昭和|大正|民國|民国|[RHST]) ?(\d{1,3}|元)[年./-] ?(\d{1,2})[月./-] ?(\d{1,2})日?$/
const ERAS: Record<string, number> = {
  令: 2018,
  R: 2018,
  平: 1988,
  H: 1988,
  昭: 1925,
  S: 1925,
  大: 1911,
  T: 1911,
  民: 1911,
}
/** The last year of an era that has ended. */
const LAST_OF_ERA: Record<string, number> = { 平: 31, H: 31, 昭: 64, S: 64, 大: 15, T: 15 }
const WEEK = /^(\d{4})-?W(\d{2})-?([1-7])$/i
/** Words for "year" behind a day, as in Polish and Russian, and points as in Hungarian and Croatian. */
const BEHIND = /(?<=\d)(?: ?(?:r|roku|г|года|год|р|року|god)\.?|\.)$/iu

/** The years in which eight digits in a row are a day. */
const [FIRST, LAST] = [1900, 2100]

/** The order of a locale: of its days in digits. */
export function orderOf(locale: string): Order {
  const parts = new Intl.DateTimeFormat(`${locale}-u-ca-gregory`, { year: 'numeric', month: 'numeric', day: 'numeric' })
  const letters = parts.formatToParts(0).map(({ type }) => (/^(?:year|month|day)$/.test(type) ? type.charAt(0) : ''))
  const order = letters.join('')
  return order === 'mdy' || order === 'ymd' ? order : order.startsWith('y') ? 'ymd' : 'dmy'
}

/** Days in digits, and with which order each is one; undefined for other texts. */
export type InDigits = { separator: string; days: readonly { order: Order; dates: readonly string[] }[] }

/** What a text in digits may be, by the order of its parts. */
export function inDigits(text: string, context: Context): InDigits | undefined {
  const [, first = '', separator = '', second = '', third = ''] = DIGITS.exec(text) ?? []
  if (first === '' || (separator === ' ' && first.length + third.length < 5)) return undefined
  const dated = (order: Order, year: string, month: string, day: string) => ({
    order,
    dates: datesOf(year, month, day, context),
  })
  const days =
    first.length === 4
      ? third.length === 4
        ? []
        : [dated('ymd', first, second, third)]
      : [
          dated('dmy', third, second, first),
          dated('mdy', third, first, second),
          ...(third.length === 4 ? [] : [dated('ymd', first, second, third)]),
        ]
  return { separator, days: days.filter(({ dates }) => dates.length > 0) }
}

function datesOf(year: string, month: string, day: string, context: Context): readonly string[] {
  // Browsers fill the year of their own inputs with zeros in front; other years of four digits below 1000 are slips.
  if (context.isSeen && /^0[^0]/.test(year) && year.length === 4) return []
  if (year.length < 3 || (context.isSeen && year.startsWith('00')))
    return datesOfShortYear(Number(year), Number(month), Number(day), context)
  return datesOfYear(Number(year), Number(month), Number(day), context)
}

/**
 * Reads a day in digits; undefined if the text is none. Looks at the orders that the column has shown; at the locale where
 * it is seen; at the purpose of the field where the year is short.
 */
export function dayInDigits(given: string, context: Context): Reading<string> | undefined {
  for (const pattern of WEEKDAY) {
    const [, word = ''] = pattern.exec(given) ?? []
    const weekdays = word === '' ? [] : weekdaysNamed(word, context)
    if (weekdays.length === 0) continue
    const reading = inDigitsAlone(given.replace(pattern, '').trim(), context)
    return reading && onWeekdays(weekdays, reading, given)
  }
  return inDigitsAlone(given, context)
}

/** In front of a day, or in brackets behind it. */
const WEEKDAY = [/^([^\d\s.,]{1,30}?)(?:[.,]+ ?| )(?=\d)/u, / ?\(([\p{L}\p{M}]{1,20})\.?\)$/u]

function inDigitsAlone(text: string, context: Context): Reading<string> | undefined {
  const plain = text.replace(BEHIND, '')
  const found = inDigits(plain, context)
  if (found) return chosen(found, text, context)
  const [, date, dateMonth, dateYear = ''] = VIETNAMESE.exec(plain) ?? []
  if (date !== undefined) return only(datesOf(dateYear, dateMonth as string, date, context), text)
  const asian = EAST_ASIAN.exec(plain) ?? undefined
  if (asian) {
    const [, year, month = '', day = ''] = asian
    if (year !== undefined) return only(datesOf(year, month, day, context), text)
    return withoutYear([[Number(month), Number(day)]], text, context)
  }
  const [, era = '', count, month, day] = ERA.exec(plain) ?? []
  const base = ERAS[era.charAt(0)]
  // A letter alone is an era where people write so, and elsewhere a version or a part number.
  if (base !== undefined && (!/[A-Z]/.test(era) || context.locale?.startsWith('ja'))) {
    if (Number(count) > (LAST_OF_ERA[era.charAt(0)] ?? 999)) return undefined
    const year = base + (count === '元' ? 1 : Number(count))
    return only([dateOf(year, Number(month), Number(day)) ?? []].flat(), text)
  }
  const week = WEEK.exec(plain)
  if (week) return only([ofWeek(Number(week[1]), Number(week[2]), Number(week[3])) ?? []].flat(), text)
  if (/^\d{8}$/.test(plain)) return inARow(plain, text, context)
  const short = NO_YEAR.exec(text)
  return short ? ofShort(short, text, context) : undefined
}

const only = (dates: readonly string[], text: string): Reading<string> =>
  readingOf([...new Set(dates)], text, 'no_such')

/** Of the orders in which there is such a day, the one that is known to be meant. */
function chosen({ separator, days }: InDigits, text: string, context: Context): Reading<string> {
  const { locale, isSeen } = context
  const proven = separator === '.' ? context.orderOfPoints : context.order
  const all = (orders: readonly Order[]) =>
    only(
      orders.flatMap((order) => days.find((each) => each.order === order)?.dates ?? []),
      text,
    )
  const has = (order: Order) => days.some((each) => each.order === order)
  const isShort = !/\d{4}/.test(text)
  // A year in front or at the end is no question of the order.
  const wanted = proven === 'ymd' && !isShort ? 'mdy' : proven
  if (days.length === 1 && days[0]?.order === 'ymd' && !isShort) return all(['ymd'])
  if (wanted !== undefined)
    return has(wanted) ? all([wanted]) : unread(text, days.length > 0 ? 'contradicts' : 'no_such')
  const own = isSeen && locale !== undefined ? orderOf(locale) : undefined
  const usual = own === 'ymd' && !isShort ? 'mdy' : own
  if (separator === '.' && has('dmy')) {
    if (usual === undefined || usual === 'dmy' || !has(usual)) return all(['dmy'])
    return all(['dmy', usual])
  }
  if (usual !== undefined && has(usual)) return all([usual])
  // With slashes, a short year is hardly in front, except in East Asia.
  const isFirst = separator === '-' || (!has('dmy') && !has('mdy'))
  return separator === '-' ? all(['ymd', 'dmy', 'mdy']) : all(isFirst ? ['ymd'] : ['dmy', 'mdy'])
}

/** Eight digits. */
function inARow(digits: string, text: string, context: Context): Reading<string> {
  const part = (from: number, to: number) => Number(digits.slice(from, to))
  const ordered: Record<Order, [number, number, number]> = {
    ymd: [part(0, 4), part(4, 6), part(6, 8)],
    dmy: [part(4, 8), part(2, 4), part(0, 2)],
    mdy: [part(4, 8), part(0, 2), part(2, 4)],
  }
  const days = (['ymd', 'dmy', 'mdy'] as const).flatMap((order) => {
    const [year, month, day] = ordered[order]
    const date = year >= FIRST && year <= LAST ? dateOf(year, month, day) : undefined
    return date === undefined ? [] : [{ order, dates: [date] }]
  })
  return chosen({ separator: '', days }, text, context)
}

function ofShort([, first, separator, second]: RegExpExecArray, text: string, context: Context): Reading<string> {
  const [one, other] = [Number(first), Number(second)]
  const { locale, isSeen } = context
  const order =
    (separator === '.' ? 'dmy' : context.order) ?? (isSeen && locale !== undefined ? orderOf(locale) : undefined)
  const orders =
    order === undefined
      ? [
          [other, one],
          [one, other],
        ]
      : order === 'dmy'
        ? [[other, one]]
        : [[one, other]]
  return withoutYear(orders as [number, number][], text, context)
}

/** Only to somebody who looks at it, a day without a year is one; a birthday is none then. */
export function withoutYear(
  days: readonly [month: number, day: number][],
  text: string,
  context: Context,
): Reading<string> {
  if (!context.isSeen || context.lies === 'past') return unread(text, 'incomplete')
  return only(
    days.flatMap(([month, day]) => datesWithoutYear(month, day, context)),
    text,
  )
}

/** The day of an ISO week; 4 January is always in the first one. */
function ofWeek(year: number, week: number, day: number): string | undefined {
  const fourth = new Date(Date.UTC(year, 0, 4))
  const at = new Date(Date.UTC(year, 0, 4 - ((fourth.getUTCDay() + 6) % 7) + (week - 1) * 7 + day - 1))
  // The Thursday decides to which year a week belongs.
  const thursday = new Date(at.getTime() + (4 - day) * 86_400_000)
  return week > 0 && thursday.getUTCFullYear() === year ? at.toISOString().slice(0, 10) : undefined
}

/** Leaves of a reading the days that are on one of these days of the week. */
export function onWeekdays(weekdays: readonly number[], reading: Reading<string>, text: string): Reading<string> {
  if (weekdays.length === 0 || 'unread' in reading) return reading
  const dates = 'value' in reading ? [reading.value] : reading.either
  const isOn = (date: string): boolean => weekdays.includes(((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7) + 1)
  return readingOf(dates.filter(isOn), text, 'contradicts')
}
