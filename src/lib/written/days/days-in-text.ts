import { type Day, dayOf, parseDay } from '../../calendar/days.ts'
import { DAY_MS } from '../../time.ts'
import { MONTHS, NEXT_WEEK, SHORT_WEEKDAYS, TOMORROW, WEEKDAYS } from './return-words.ts'

/** A day that a text names; a list of dates if it may mean several, an empty one if it contradicts itself. */
export type SaidDay = {
  dates: readonly string[]
  /** Of a numeric date that may be read both ways: with the day in front. */
  dayFirst?: string | undefined
}

/** Half a year: a day without a year is the nearest, and whoever is away is back by then. */
export const MAX_AHEAD = 180

const FULL = WEEKDAYS.join('|')
/** A short weekday counts only with what shows that it is one. */
const WEEKDAY = `(?:\\b(?<weekday>(?:${FULL})\\b\\.?,?|(?:${SHORT_WEEKDAYS.join('|')})\\b[.,]+|(?:mon|tues?|wed|thu|thurs?|fri|sat|sun))\\s*(?:(?:the|den|dem|der|le|el|il|de|dia)\\s+)?)?`
const MONTH = `(?<month>${MONTHS.join('|')})\\b\\.?`
const YEAR = "(?:,?\\s*(?:de |del )?(?<year>\\d{4})|\\s?'(?<short>\\d\\d))?(?!\\d)"
/** Not within a number such as that of a phone; with a dash in front only behind another date. */
const START = '(?<![\\d+/.,:])(?<!\\d )(?<!(?<!/\\d{1,2}|\\d\\.|\\d{4})-)'

const pattern = (source: string): RegExp => new RegExp(source, 'g')
const ISO = pattern(`${START}${WEEKDAY}(?<year>\\d{4})(?<by>[-/.])(?<m>\\d{1,2})\\k<by>(?<d>\\d{1,2})(?![\\d-])`)
const DOTS = pattern(
  `${START}${WEEKDAY}(?<!\\d)(?<d>\\d{1,2})\\.\\s?(?<m>\\d{1,2})\\.(?:\\s?(?<year>\\d{4})|(?<short>\\d\\d))?(?![\\d.]\\d|\\d|:\\d)`,
)
const DOTTED_YEAR = pattern(`${START}${WEEKDAY}(?<d>\\d{1,2})\\.(?<m>\\d{1,2})\\.(?<year>\\d{4})(?!\\d)`)
const SLASHES = pattern(
  `${START}${WEEKDAY}(?!24/7)(?<d>\\d{1,2})(?:/(?<m>\\d{1,2})(?:/(?<year>\\d{4}|\\d\\d))?|-(?<m2>\\d{1,2})-(?<year2>\\d{4}|\\d\\d))(?![\\d/]|-\\d+(?![\\d/]))`,
)
const DAY_MONTH = pattern(
  `${START}${WEEKDAY}\\b(?<d>\\d{1,2})(?:\\.|st|nd|rd|th|er|e|o|°)?\\s*(?:of |de |del |di )?\\b${MONTH}${YEAR}`,
)
const MONTH_DAY = pattern(
  `${WEEKDAY}\\b${MONTH}\\s+(?:the )?(?<d>\\d{1,2})(?:st|nd|rd|th)?(?![\\d.:]\\d|\\s?(?:uhr|h\\b|am\\b|pm\\b))(?:\\s*(?:-|–|to|through)\\s*(?<last>\\d{1,2})(?:st|nd|rd|th)?(?!\\d))?${YEAR}`,
)
const THE_NTH = pattern(`${WEEKDAY}\\bthe (?<d>\\d{1,2})(?:st|nd|rd|th)\\b`)
const WEEKDAYS_ALONE = pattern(
  `\\b(?<next>next |nachste[nrm]? |proximo |prossimo |volgende )?(?<weekday>${FULL})(?:morgen|vormittag|nachmittag)?\\b(?<also> prochaine?| proximo| prossimo)?`,
)
const RELATIVE = pattern(`\\b(?:(?<week>${NEXT_WEEK})|(?:${TOMORROW}))\\b`)
/** A week's usual days: "Monday to Friday". */
const WEEK_SPAN = pattern(
  `\\b(?:${FULL})\\b\\s*(?:-|–|to|through|bis|und|and|au|al?|tot|t/m|,)\\s*(?:${FULL})\\b(?!\\s*,?\\s*(?:the |den )?\\d)`,
)

type Groups = Record<string, string | undefined>

/**
 * Puts ⟦n⟧ in the place of each day in a folded text, n being its place in `days`. `today` is YYYY-MM-DD. All numeric dates
 * of a text have the order that one of them shows.
 */
export function tokenised(folded: string, today: string): { text: string; days: SaidDay[] } {
  const now = parseDay(today)
  const days: SaidDay[] = []
  const order = orderOf(folded)
  const put = (day: SaidDay): string => `⟦${days.push(day) - 1}⟧`
  const dated = (groups: Groups, given: Partial<Groups> = {}): string => {
    const { d, m, year, month, weekday, short } = { ...groups, ...given }
    return put({
      dates: datesOf(now, yearOf(year ?? short), m === undefined ? monthOf(month) : Number(m), Number(d), weekday),
    })
  }
  const numeric = (groups: Groups): string => {
    const { d, weekday } = groups
    const [one, other, year] = [Number(d), Number(groups.m ?? groups.m2), yearOf(groups.year ?? groups.year2)]
    const dayFirst = order === 'mdy' ? [] : datesOf(now, year, other, one, weekday)
    const monthFirst = order === 'dmy' ? [] : datesOf(now, year, one, other, weekday)
    const dates = [...new Set([...dayFirst, ...monthFirst])]
    return dates.length === 0 ? '…' : put({ dates, dayFirst: dayFirst[0] })
  }
  const span = (groups: Groups): string =>
    groups.last === undefined
      ? dated(groups)
      : `${dated(groups)} - ${dated({ ...groups, weekday: undefined }, { d: groups.last })}`

  const steps: [RegExp, (groups: Groups) => string][] = [
    [WEEK_SPAN, () => '…'],
    [ISO, dated],
    [DOTTED_YEAR, dated],
    [DOTS, dated],
    [SLASHES, numeric],
    [DAY_MONTH, dated],
    [MONTH_DAY, span],
    [THE_NTH, ({ d }) => put({ dates: nthOf(now, Number(d)) })],
    [WEEKDAYS_ALONE, ({ weekday, next, also }) => put({ dates: weekdayAfter(now, weekday, next ?? also) })],
    [RELATIVE, ({ week }) => put({ dates: [dateOf(week === undefined ? now + 1 : now + 8 - isoDay(now))] })],
  ]
  const text = steps.reduce(
    (rest, [found, say]) => rest.replace(found, (...given) => ` ${say(given.at(-1) as Groups)} `),
    folded,
  )
  return { text: text.replace(/ {2,}/g, ' '), days }
}

/** The order of day and month that any numeric date with slashes shows. */
function orderOf(text: string): 'dmy' | 'mdy' | undefined {
  const all = [...text.matchAll(SLASHES)].map(
    ({ groups = {} }) => [Number(groups.d), Number(groups.m ?? groups.m2)] as const,
  )
  const isDayFirst = all.some(([one, other]) => one > 12 && one <= 31 && other <= 12)
  const isMonthFirst = all.some(([one, other]) => one <= 12 && other > 12 && other <= 31)
  return isDayFirst === isMonthFirst ? undefined : isDayFirst ? 'dmy' : 'mdy'
}

/** Without a year, the nearest such day; none if the weekday is another. */
function datesOf(now: Day, year: number | undefined, month: number, date: number, weekday?: string): string[] {
  const around = new Date(now * DAY_MS).getUTCFullYear()
  const years = year === undefined ? [around - 1, around, around + 1] : [year]
  const [nearest] = years
    .flatMap((each) => (isDate(each, month, date) ? [dayOf(each, month, date)] : []))
    .toSorted((one, other) => Math.abs(one - now) - Math.abs(other - now))
  if (nearest === undefined) return []
  const said = weekday === undefined ? undefined : weekdayOf(weekday)
  return said === undefined || said === isoDay(nearest) ? [dateOf(nearest)] : []
}

function isDate(year: number, month: number, date: number): boolean {
  const at = new Date(dayOf(year, month, date) * DAY_MS)
  return at.getUTCMonth() === month - 1 && at.getUTCDate() === date
}

/** The next such day of a month. */
function nthOf(now: Day, date: number): string[] {
  const at = new Date(now * DAY_MS)
  const next = [0, 1, 2].map((more) => [at.getUTCFullYear(), at.getUTCMonth() + 1 + more] as const)
  const days = next.map(([year, month]) => dayOf(year, month, date)).filter((day) => day > now)
  const found = days.find((day) => new Date(day * DAY_MS).getUTCDate() === date)
  return found === undefined ? [] : [dateOf(found)]
}

/** "Next Friday", said on a Wednesday, may be that of the next week. */
function weekdayAfter(now: Day, name: string | undefined, next: string | undefined): string[] {
  const coming = now + (((weekdayOf(name ?? '') ?? 1) - isoDay(now) + 6) % 7) + 1
  const isThisWeek = coming - now + isoDay(now) <= 7
  return next !== undefined && isThisWeek ? [dateOf(coming), dateOf(coming + 7)] : [dateOf(coming)]
}

const weekdayOf = (name: string): number | undefined => {
  const word = /[a-z]+/.exec(name)?.[0] ?? ''
  return placeIn(WEEKDAYS, word) || placeIn(SHORT_WEEKDAYS, word) || undefined
}
/** Counted from 1; 0 if it is not there. */
const placeIn = (all: readonly string[], name: string): number =>
  all.findIndex((names) => names.split('|').includes(name)) + 1
const monthOf = (name: string | undefined): number => placeIn(MONTHS, name ?? '')
const yearOf = (year: string | undefined): number | undefined =>
  year === undefined ? undefined : year.length === 2 ? 2000 + Number(year) : Number(year)
/** Monday is 1. 1970-01-01 was a Thursday. */
const isoDay = (day: Day): number => ((((day + 3) % 7) + 7) % 7) + 1
const dateOf = (day: Day): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
