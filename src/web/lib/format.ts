import { type Amount, hasFraction } from './decimal.ts'
import { type Duration, durations } from './durations.ts'
import { type DayParts, dayNumber, utcOf, zoned } from './zoned.ts'

// Numbers, amounts, dates and times after a member's language and zone, as look.md, section 9, has them.

export type Locale = { language: string; timezone: string }

/** English as it is written in Europe: the day before the month, and 24 hours. */
const TAGS: Record<string, string> = { en: 'en-GB', de: 'de-DE', pseudo: 'en-GB' }
const SPACE = '\u00a0'
const NINE_FIGURES = 100_000_000

export type Format = ReturnType<typeof formatFor>

/** Makes the formatter of a language and a zone. Times are ISO texts or milliseconds, dates are YYYY-MM-DD. */
export function formatFor({ language, timezone }: Locale) {
  const tag = TAGS[language] ?? language
  const dates = (options: Intl.DateTimeFormatOptions, timeZone = timezone) =>
    once(() => new Intl.DateTimeFormat(tag, { ...options, timeZone }))
  const time = dates({ hour: '2-digit', minute: '2-digit' })
  // A plain date has no zone: it is read and written as UTC.
  const day = dates({ day: 'numeric', month: 'short' }, 'UTC')
  const dayOfYear = dates({ day: 'numeric', month: 'short', year: 'numeric' }, 'UTC')
  const weekday = dates({ weekday: 'short' }, 'UTC')
  const fullDay = dates({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, 'UTC')
  const weekdayAndDay = dates({ weekday: 'long', day: 'numeric', month: 'long' }, 'UTC')
  const month = dates({ month: 'long', year: 'numeric' }, 'UTC')
  const relative = once(() => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }))
  const whole = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 15 }))
  const percents = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 1 }))
  const amounts = keyed((digits: number) => {
    return new Intl.NumberFormat(tag, { minimumFractionDigits: digits, maximumFractionDigits: Math.max(digits, 6) })
  })
  const units = once(() => new Intl.NumberFormat(tag, { maximumFractionDigits: 0 }))
  const digitsOf = keyed((currency: string) => {
    return new Intl.NumberFormat(tag, { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
  })
  const words = durations(language)

  /** The name of a day seen from another: "today", "Wed" within six days, "19 Nov", "31 Dec 2027". */
  const dayName = (at: DayParts, from: DayParts): string => {
    const away = dayNumber(at) - dayNumber(from)
    const utc = utcOf(at)
    if (away === 0) return relative().format(0, 'day')
    if (Math.abs(away) <= 6) return weekday().format(utc)
    return (at.year === from.year ? day() : dayOfYear()).format(utc)
  }

  const format = {
    number: (value: number | string): string => whole().format(value as number),
    /** `part` of 100: "13.7 %". */
    percent: (part: number): string => `${percents().format(part)}${SPACE}%`,
    /**
     * The number of an amount, without its currency. Decimals only where they are not zero, unless all are asked for; a
     * `sum` of nine figures and more has none.
     */
    amount(amount: Amount, currency?: string, decimals?: 'all' | 'sum'): string {
      if (decimals === 'sum' && Math.abs(Number(amount)) >= NINE_FIGURES) return units().format(Number(amount))
      const digits = currency ? digitsOf(currency) : 2
      // Intl takes decimal texts as they are, to the last digit.
      return amounts(decimals === 'all' || hasFraction(amount) ? digits : 0).format(String(amount) as unknown as number)
    },
    /** Amounts may have no currency: theirs is empty. */
    money: (amount: Amount, currency: string, decimals?: 'all'): string =>
      currency
        ? `${currency}${SPACE}${format.amount(amount, currency, decimals)}`
        : format.amount(amount, currency, decimals),
    time: (at: number | string): string => time().format(msOf(at)),
    /** "today 15:00", "Wed 09:30", "19 Nov", "31 Dec 2027": the time of day only while it is near. */
    when(at: number | string, now: number): string {
      const [there, here] = [zoned(msOf(at), timezone), zoned(now, timezone)]
      const name = dayName(there, here)
      return Math.abs(dayNumber(there) - dayNumber(here)) <= 6 ? `${name} ${format.time(at)}` : name
    },
    /** The same for a day without a time: a date, or the day of a time. */
    day: (at: number | string, now: number): string => dayName(dayOf(at, timezone), zoned(now, timezone)),
    /** The same without the name of a weekday, which in the past could be taken for the one that comes. */
    dayOfMonth: (at: number | string, now: number): string => {
      const there = dayOf(at, timezone)
      return (there.year === zoned(now, timezone).year ? day() : dayOfYear()).format(utcOf(there))
    },
    /** "19 Nov 2026": a date in full length, without the weekday, for fields. */
    date: (at: number | string): string => dayOfYear().format(utcOf(dayOf(at, timezone))),
    /** A heading: "Thursday 19 November", with its year if that is another. */
    weekdayAndDay: (at: number | string, now: number): string => {
      const there = dayOf(at, timezone)
      return (there.year === zoned(now, timezone).year ? weekdayAndDay() : fullDay()).format(utcOf(there))
    },
    month: (at: number | string): string => month().format(utcOf(dayOf(at, timezone))),
    /** In full with weekday, for records and for hovering: "Thursday, 19 November 2026", with the time if it has one. */
    full: (at: number | string): string => {
      const date = fullDay().format(utcOf(dayOf(at, timezone)))
      return isDate(at) ? date : `${date}, ${format.time(at)}`
    },
    /** "18 min", "2 h 10", "8 d": two units at most. */
    duration: (ms: number): string => words.short(ms),
    /** "2 d late", "1 h 05 late", "22 min late". */
    late: (ms: number): string => words.late(ms),
    /** The same in words, for records and dialogs: "2 days late". */
    lateInFull: (ms: number): string => words.lateInFull(ms),
    /** "a minute ago", "3 days ago". */
    ago: (at: number | string, now: number): string => words.ago(now - msOf(at)),
    /** How far the day of `at` lies from today: 0 today, 1 tomorrow, negative in the past. */
    daysAway: (at: number | string, now: number): number =>
      dayNumber(dayOf(at, timezone)) - dayNumber(zoned(now, timezone)),
    /** "EUR" → "Euro", for choosing one. */
    currencyName: (currency: string): string => nameOf(tag, 'currency', currency),
    countryName: (country: string): string => nameOf(tag, 'region', country),
    list: (items: string[]): string => new Intl.ListFormat(tag, { type: 'conjunction' }).format(items),
    /** The sign between whole and fraction, and the one between thousands, as this language writes them. */
    signs: once(() => {
      const parts = new Intl.NumberFormat(tag).formatToParts(12345.6)
      const find = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
      return { decimal: find('decimal'), group: find('group') }
    }),
    tag,
    timezone,
  }
  return format
}

export type { Duration }

const msOf = (at: number | string): number => (typeof at === 'number' ? at : Date.parse(at))
const isDate = (at: number | string): at is string => typeof at === 'string' && at.length === 10

/** The day of a date as it is, or of a time in the zone. */
function dayOf(at: number | string, timezone: string): DayParts {
  if (!isDate(at)) return zoned(msOf(at), timezone)
  const [year = 0, month = 1, day = 1] = at.split('-').map(Number)
  return { year, month, day, hour: 0, minute: 0, second: 0 }
}

/** Names of a kind: one object for all of them, since making one takes longer than to ask it. */
const namesOf = keyed((kind: string) => {
  const [tag = 'en', type] = kind.split(' ') as [string, 'currency' | 'region']
  return new Intl.DisplayNames(tag, { type, fallback: 'code' })
})

function nameOf(tag: string, type: 'currency' | 'region', code: string): string {
  return namesOf(`${tag} ${type}`).of(code) ?? code
}

/** Makes what costs a millisecond to make at its first use, not at the start. */
function once<Made>(make: () => Made): () => Made {
  let made: { it: Made } | undefined
  return () => (made ??= { it: make() }).it
}

function keyed<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const it = make(key)
    made.set(key, it)
    return it
  }
}
