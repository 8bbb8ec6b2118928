import { nextDay } from '../../calendar/days.ts'
import { foldWhole } from '../../pure/fold.ts'
import { DAY_MS } from '../../time.ts'
import type { Reading } from '../reading.ts'
import { MAX_AHEAD, type SaidDay, tokenised } from './days-in-text.ts'
import { EACH, INCLUSIVE, NOT_A_RETURN, RETURN_WORDS, type ReturnWords } from './return-words.ts'

// When somebody is back, as automatic replies state it in English, German, French, Spanish, Italian and Dutch.

const MAX_TEXT = 6000

/**
 * Returns the day on which the writer of an automatic reply is there again, as YYYY-MM-DD. `today` is the day of the reply
 * in the zone of its reader.
 *   value    one day is meant
 *   either   "until Monday" may mean that it is the last day of the absence or the first after it, 3/4/2027 two dates
 *   unread   none is stated, or several that contradict each other
 * Days count only near words of a return, or of an absence that ends: not those of orders, and not those since which
 * somebody is away. The original mail below and a signature are not looked at.
 */
export function readReturn(text: string, { today }: { today: string }): Reading<string> {
  const own = ownWords(text.slice(0, MAX_TEXT))
  const { text: marked, days } = tokenised(foldWhole(own), today)
  const back: Statement[] = []
  const ends: Statement[] = []
  for (const sentence of sentencesOf(marked)) {
    for (const { languageOf, ...of } of PATTERNS) {
      const datesAt = ({ day }: Groups) => datesOf(days[Number(day)] as SaidDay, languageOf)
      const returns = sentence.replace(NOT_A_RETURN, '…')
      for (const { groups = {} } of [...returns.matchAll(of.back), ...returns.matchAll(of.from)])
        back.push(groups.after === undefined ? datesAt(groups) : datesAt(groups).map(nextDay))
      if (!of.absent.test(sentence)) continue
      for (const { groups = {} } of [...sentence.matchAll(of.until), ...sentence.matchAll(RANGE)]) {
        const dates = datesAt(groups)
        const isInclusive = INCLUSIVE.test(`${groups.until ?? ''}${groups.gap ?? ''}${groups.tail ?? ''}`)
        ends.push(dates.flatMap((date) => (isInclusive ? [nextDay(date)] : [date, nextDay(date)])))
      }
    }
  }
  return agreed(back, today) ?? agreed(ends, today) ?? { unread: { part: '', why: 'not_one' } }
}

type Groups = Record<string, string | undefined>

/** The dates that one statement may mean. */
type Statement = readonly string[]

/** What all statements say, which are often in two languages. */
function agreed(all: readonly Statement[], today: string): Reading<string> | undefined {
  const [first, ...others] = all.map((dates) => likely(dates, today)).filter((dates) => dates.length > 0)
  if (first === undefined) return undefined
  const common = first.filter((date) => others.every((dates) => dates.includes(date)))
  const [one, other, ...more] = [...new Set(common)].toSorted()
  if (one === undefined) return { unread: { part: '', why: 'several' } }
  return other === undefined ? { value: one } : { either: [one, other, ...more] }
}

/** Who is away now returns later than today, and rarely in half a year. */
function likely(dates: Statement, today: string): Statement {
  const near = dates.filter((date) => {
    const ahead = (Date.parse(date) - Date.parse(today)) / DAY_MS
    return ahead > 0 && ahead <= MAX_AHEAD
  })
  return near.length > 0 ? near : dates
}

/** Only who writes English may mean 3/4 as the 4th of March. */
const datesOf = ({ dates, dayFirst }: SaidDay, language: string): readonly string[] =>
  language !== 'en' && dayFirst !== undefined ? [dayFirst] : dates

const DAY = '⟦(?<day>\\d+)⟧'
const gapWithout = (not: string): string => `(?:(?!\\b(?:since|seit|depuis|sinds|${not})\\b)[^⟦\\d]){0,60}?`

/** A period from one day to another. */
const RANGE =
  /(?:⟦\d+⟧|\b\d{1,2}(?:\.|st|nd|rd|th)?)\s*(?<until>to|-|–|—|and|und|au|al|e il|y el|et le|en|bis)\s*(?<gap>(?:the|le|el|il|dem|zum|den)?)\s*⟦(?<day>\d+)⟧(?<tail>.{0,15})/g

const patternsOf = (language: string, { back, from, again, until, absent, not, after }: ReturnWords) => ({
  languageOf: language,
  back: new RegExp(`\\b(?:${back})\\b${gapWithout(not)}(?<after>\\b(?:${after})\\s+)?${DAY}`, 'g'),
  from: new RegExp(
    `(?:^\\s*|\\b(?:${from})\\s+)${DAY}${gapWithout(`${not}|to|bis|au|hasta|al|tot`)}\\b(?:${again})\\b(?![^⟦,;]{0,25}⟦)`,
    'g',
  ),
  until: new RegExp(`\\b(?<until>${until})(?!\\w)(?<gap>[^⟦\\d.;,]{0,30}?)${DAY}(?<tail>.{0,15})`, 'g'),
  absent: new RegExp(absent),
})
const PATTERNS = Object.entries(RETURN_WORDS).map(([language, words]) => patternsOf(language, words))

/** Days of each week are none. */
const EACH_DAY = new RegExp(`\\b(?:${EACH})\\s+⟦\\d+⟧`, 'g')
const SHORT = /\b(incl|inkl|einschl|ca|approx|voraussichtl|z|b|d|st|nr|no|resp)\.(?=\s)/g

const sentencesOf = (text: string): string[] =>
  text
    .replace(EACH_DAY, '…')
    .replace(SHORT, '$1')
    .split(/\n\s*\n|\n(?=\s*[-*•])|(?<=[.!?;])\s+/)
    .map((sentence) => sentence.replace(/\s+/g, ' ').slice(0, 500))

/** Without what is quoted, and what is below the text: the mail that was answered, and a signature. */
function ownWords(text: string): string {
  const lines = text
    .replace(/[⟦⟧]/g, '')
    .replace(/[’`´]/g, "'")
    .split(/\r\n|\r|\n/)
  const end = lines.findIndex((line) => /^(?:-- ?|[-_]{5,}.*|\s*(?:from|von|de|da|van): .*@.*)$/i.test(line))
  return lines
    .slice(0, end < 0 ? undefined : end)
    .filter((line) => !/^\s*>/.test(line))
    .join('\n')
}
