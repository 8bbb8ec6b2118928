import { calendarOf } from '../../../lib/written/days/calendars.ts'
import { readDay } from '../../../lib/written/days/days.ts'
import { daysShown } from '../../../lib/written/days/days-shown.ts'
import { liesOf } from '../../../lib/written/days/field-days.ts'
import { readMoment } from '../../../lib/written/days/moments.ts'
import { readAmount } from '../../../lib/written/figures/amounts.ts'
import { readNumber, signsIn } from '../../../lib/written/figures/numbers.ts'
import { signsShown } from '../../../lib/written/figures/signs-shown.ts'
import { readList } from '../../../lib/written/lists.ts'
import type { Context, Reading as Meaning, Unread } from '../../../lib/written/reading.ts'
import { readYesNo } from '../../../lib/written/yes-no.ts'
import type { Field, FieldType, Known, Parsed } from './field.ts'
import { choiceOf, type Reading } from './parse.ts'

export { typedNames } from '../../../lib/written/people/name-fields.ts'

const DAY_MS = 86_400_000

// Numbers, amounts and days that people type and paste, by the readers that imports use as well. They come with the first
// editor: see figures.ts. An empty text is null.

export * from './parse-contacts.ts'

/** A text that may mean two things is no value: the sentence names both. */
function parsed<T>(
  meaning: Meaning<T>,
  reading: Reading,
  shown: (value: T) => string,
  wrong: (why: Unread) => string,
): Parsed {
  if ('value' in meaning) return { value: meaning.value }
  if ('unread' in meaning) return { error: wrong(meaning.unread) }
  const [one, other] = meaning.either.map(shown)
  return { error: reading.texts.either(one as string, other as string) }
}

const contextOf = ({ format, now, dayLocale, browserLocale }: Reading, known: Known, isDay = false): Context => ({
  ...known,
  locale: (isDay && dayLocale) || format.tag,
  zone: format.timezone,
  now,
  isSeen: true,
  calendar: isDay && browserLocale ? calendarOf(browserLocale) : undefined,
})

export function parseNumber(text: string, reading: Reading, known: Known = {}): Parsed {
  if (text.trim() === '') return { value: null }
  const { format, texts } = reading
  return parsed(readNumber(text, contextOf(reading, known)), reading, format.number, () =>
    texts.badNumber(format.number(1234.5)),
  )
}

/** An amount, with or without its currency: "EUR 48,500". Without one it has the currency that is given. */
export function parseMoney(text: string, currency: string | null, reading: Reading, known: Known = {}): Parsed {
  if (text.trim() === '') return { value: { amount: null, currency } }
  const { format, texts } = reading
  const bad = texts.badAmount('48500', format.amount('48500', 'EUR', 'all'))
  const meaning = readAmount(text, { ...contextOf(reading, known), currency: currency ?? undefined })
  const found = parsed(
    meaning,
    reading,
    ({ amount, currency: own }) => format.money(amount, own ?? currency ?? ''),
    ({ why }) => (why === 'too_precise' ? texts.tooMany(6) : bad),
  )
  if ('error' in found) return found
  const { amount, currency: own } = found.value as { amount: number; currency?: string }
  return amount < 0 ? { error: bad } : { value: { amount, currency: own ?? currency } }
}

/** "2026-11-19", "19.11.2026", "11/19/2026" as the reader writes it, "19 Nov"; without a year the nearest. */
export function parseDate(text: string, reading: Reading, known: Known = {}): Parsed {
  if (text.trim() === '') return { value: null }
  const { format, texts } = reading
  return parsed(readDay(text, contextOf(reading, known, true)), reading, format.date, () => texts.badDate)
}

/** A date and a time of day, as an ISO time; without a zone it is in the member's. */
export function parseDateTime(text: string, reading: Reading, known: Known = {}): Parsed {
  if (text.trim() === '') return { value: null }
  const { format, texts } = reading
  const shown = (ms: number) => `${format.date(ms)}, ${format.time(ms)}`
  const found = parsed(readMoment(text, contextOf(reading, known, true)), reading, shown, () => texts.badDate)
  return 'error' in found ? found : { value: new Date(found.value as number).toISOString() }
}

/** What an input of the browser for a date and a time has; the first of two, in the night when clocks go back. */
export function parseNativeDateTime(text: string, reading: Reading): Parsed {
  const meaning = text.trim() === '' ? { value: null } : readMoment(text, contextOf(reading, {}, true))
  if ('unread' in meaning) return { error: reading.texts.badDate }
  if ('either' in meaning && Math.abs(meaning.either[1] - meaning.either[0]) > DAY_MS) {
    const [one, other] = meaning.either.map((ms) => reading.format.date(ms))
    return { error: reading.texts.either(one as string, other as string) }
  }
  const ms = 'value' in meaning ? meaning.value : meaning.either[0]
  return { value: ms === null ? null : new Date(ms).toISOString() }
}

/** Yes or no, in any language. */
export function parseFlag(text: string, reading: Reading): Parsed {
  if (text.trim() === '') return { value: null }
  const meaning = readYesNo(text, { locale: reading.format.tag })
  return 'value' in meaning ? meaning : { error: reading.texts.unknownChoice(text.trim()) }
}

/** What the cells of a pasted column show about its signs, or about the order of its days. */
export function knownOf({ type, key, label }: Pick<Field, 'type' | 'key' | 'label'>, texts: readonly string[]): Known {
  if (FIGURES.has(type)) {
    const signs = signsShown()
    for (const [row, text] of texts.entries()) signs.add(signsIn(text).shows, { text, row })
    return signs.found().is
  }
  if (type !== 'date' && type !== 'datetime') return {}
  const days = daysShown()
  for (const [row, text] of texts.entries()) days.add(text, row)
  return { ...days.found().is, lies: liesOf(key, label) }
}

const FIGURES = new Set<FieldType>(['number', 'money'])

/** The names of a text, without regard to which of them exist. */
export function namesIn(text: string): string[] {
  const read = readList(text, () => undefined, { isSeen: true })
  return 'value' in read ? read.value.map(({ name }) => name) : [text]
}

/** Several choices by the names that exist, whatever these contain. */
export function parseOptions(
  text: string,
  options: readonly { value: string; label: string }[],
  { texts }: Reading,
): Parsed {
  const read = readList(text, (name) => choiceOf(name, options), { isSeen: true })
  if (!('value' in read)) return { error: texts.unknownChoice(text.trim()) }
  const unknown = read.value.find(({ value }) => value === undefined)
  return unknown ? { error: texts.unknownChoice(unknown.name) } : { value: read.value.map(({ value }) => value) }
}
