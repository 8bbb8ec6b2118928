import { foldWhole } from '../../pure/fold.ts'
import { type Context, type Reading, readingOf, unread } from '../reading.ts'
import { onWeekdays, withoutYear } from './calendar-days.ts'
import { monthsNamed, weekdaysNamed, wordKey } from './calendar-words.ts'
import { datesOfShortYear, datesOfYear } from './years.ts'

// Days with the name of their month: `31 Dec 2026`, `December 31st, 2026`, `31. Dezember 2026`, `31 XII 2026`.

type Word = { text: string; isGlued: boolean }
type Digits = { text: string; isPointed: boolean; isShort: boolean; before: string }
type Part = { word: Word } | { digits: Digits }

/** What stands between the parts, and words for day, month, year, of and the. */
const PUNCTUATION = /^[\s.,/()'’–-]*$/
const BETWEEN = new Set(
  'de del of the den der le la el dia day d a on og i r rok roku г год года р рік року an anul ano ev m metu gada gadu god jahr ngay nam tis'
    .split(' ')
    .map(foldWhole),
)
const ORDINALS = new Set('st nd rd th er re e eme o a ste de te n an en го й ий ый'.split(' ').map(foldWhole))
const ROMAN = 'i ii iii iv v vi vii viii ix x xi xii'.split(' ')
/** Their folding would make a digit of a sign that is none. */
const RAISED = /[\u00b2\u00b3\u00b9\u2070-\u209f\u2460-\u24ff]/

/** Reads a day with a named month. Looks at the locale, and at the purpose of the field where the year is short. */
export function namedDay(text: string, context: Context): Reading<string> {
  if (!/\d/.test(text) || RAISED.test(text)) return unread(text, 'not_one')
  const parts = partsOf(foldWhole(text))
  if (!parts) return unread(text, 'rest')
  const digits = parts.flatMap((part) => ('digits' in part ? [part.digits] : []))
  const isPointed = digits[0]?.isPointed === true
  const words = parts.flatMap((part) => ('word' in part ? [part.word.text] : []))
  const found = sorted(words, digits.length, isPointed, context)
  if ('unread' in found) return found
  if (found.month === undefined) return unread(text, 'not_one')
  if (digits.length > 2) return unread(text, 'several')
  const at = parts.findIndex((part) => 'word' in part && part.word.text === found.month)
  const before = parts.slice(0, at).filter((part) => 'digits' in part).length
  const dated = ofParts(found.months, digits, before, text, context)
  return onWeekdays(found.weekdays, dated, text)
}

/** The pieces of a folded text; undefined if a sign is none. Words for of, the and the like, and ordinal endings are left out. */
function partsOf(text: string): Part[] | undefined {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(/(?<digits>\d+)|(?<word>\p{L}[\p{L}\p{M}]*)/gu)) {
    const between = text.slice(end, match.index)
    if (!PUNCTUATION.test(between)) return undefined
    const next = text.charAt(match.index + match[0].length)
    const isGlued = between === '' && end > 0
    end = match.index + match[0].length
    const { digits, word = '' } = match.groups as { digits?: string; word?: string }
    if (digits !== undefined)
      parts.push({ digits: { text: digits, isPointed: next === '.', isShort: /['’]$/.test(between), before: between } })
    else if (!(isGlued && ORDINALS.has(word)) && !BETWEEN.has(word)) parts.push({ word: { text: word, isGlued } })
  }
  return PUNCTUATION.test(text.slice(end)) ? parts : undefined
}

type Sorted = { month: string | undefined; months: readonly number[]; weekdays: readonly number[] }

/** Which word is the month, and which the day of the week: "mar" is both. */
function sorted(
  words: readonly string[],
  digits: number,
  isPointed: boolean,
  context: Context,
): Sorted | ReturnType<typeof unread> {
  const all = words.map((text) => {
    const roman = digits === 2 ? ROMAN.indexOf(text) + 1 : 0
    return {
      text,
      months: roman > 0 ? [roman] : monthsNamed(text, isPointed, context),
      weekdays: weekdaysNamed(text, context),
    }
  })
  const strange = all.find(
    ({ months, weekdays, text }) => months.length + weekdays.length === 0 && wordKey(text) !== 'feira',
  )
  if (strange) return unread(strange.text, 'rest')
  const known = all.filter(({ text }) => wordKey(text) !== 'feira')
  const sure = known.find(({ months, weekdays }) => months.length > 0 && weekdays.length === 0)
  const month = sure ?? known.findLast(({ months }) => months.length > 0)
  const others = known.filter((each) => each !== month)
  const [weekday, second] = others
  if (second || weekday?.weekdays.length === 0) return unread(words.join(' '), 'several')
  return { month: month?.text, months: month?.months ?? [], weekdays: weekday?.weekdays ?? [] }
}

/** `before`: how many of the numbers stand in front of the month. */
function ofParts(
  months: readonly number[],
  digits: readonly Digits[],
  before: number,
  text: string,
  context: Context,
): Reading<string> {
  const [one, other] = digits
  if (one === undefined) return unread(text, 'incomplete')
  if (other === undefined) {
    // "Dec-26" is a spreadsheet's month of a year, or a day.
    if (one.text.length > 2 || one.isShort || (before === 0 && one.before.includes('-')))
      return unread(text, 'incomplete')
    return withoutYear(
      months.map((month) => [month, Number(one.text)]),
      text,
      context,
    )
  }
  const isYearFirst = one.text.length === 4
  if (before === 2 && !isYearFirst) return unread(text, 'not_one')
  const [day, year] = isYearFirst ? [other, one] : [one, other]
  if (day.text.length > 2 || (year.text.length !== 4 && year.text.length !== 2)) return unread(text, 'not_one')
  const own: Context = /[\u0e00-\u0e7f]/.test(text) ? { ...context, calendar: 'buddhist' } : context
  const dates = months.flatMap((month): string[] =>
    year.text.length === 2
      ? datesOfShortYear(Number(year.text), month, Number(day.text), own)
      : datesOfYear(Number(year.text), month, Number(day.text), own),
  )
  return readingOf([...new Set(dates)], text, 'no_such')
}
