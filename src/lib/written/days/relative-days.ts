import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../time.ts'
import { type Context, type Reading, readingOf, unread } from '../reading.ts'
import { awayKey, daysAway } from './away-words.ts'
import { weekdaysNamed, weekdaysOf } from './calendar-words.ts'
import { dateText } from './instants.ts'
import { todayOf } from './years.ts'

// Days from today, as people type them: `tomorrow`, `übermorgen`, `lundi prochain`, `in 2 weeks`.

const NEXT =
  /^(?:next|nachste[nrm]?|naechste[nrm]?|kommende[nrm]?|proxim[oa]|prossim[oa]|volgende|przyszl\p{L}+|nast[ea]pn\p{L}+) | (?:prochaine?|proxim[oa]|prossim[oa]|que viene|que vem)$/u
const ON = /^(?:on|this|by|bis|am|diesen|ce|el|este|na|no|w|we|op|på|pa|i) /
const END_OF_MONTH =
  /^(?:end of (?:the |this )?month|eom|monatsende|ende des monats|fin du mois|fin de mes|fim do mes|fine mese|koniec miesiaca|月末)$/
const IN = /^(?:in|dans|en|em|za|om|fra|tra|om|через|за) (\d{1,3}|a|an|einer|einem|une?|una?|uma?) ([\p{L}\p{M}]+)$/u
const AGO = /^(\d{1,3}) ?(日|週間|週|时|時間|天|周|일|주) ?(?:後|后|후|뒤)$/u
const UNITS: [RegExp, number][] = [
  [/^(?:minutes?|mins?|minuten?|minutos?|minut\p{L}?)$/u, MINUTE_MS],
  [/^(?:hours?|hrs?|h|stunden?|heures?|horas?|or[ae]|godzin\p{L}*|uur|時間)$/u, HOUR_MS],
  [/^(?:days?|tag(?:en?)?|jours?|dias?|giorn[io]|dni|dzien|dag(?:en|ar)?|дн\p{L}*|день|日|天|일)$/u, DAY_MS],
  [
    /^(?:weeks?|wochen?|semaines?|semanas?|settiman[ae]|tydzien|tygodni\p{L}?|we[ek]ken|week|週間|週|周|주)$/u,
    7 * DAY_MS,
  ],
]

/**
 * Reads a day that is said from today; undefined for other texts. A week or a month is no day. Looks at the moment, the zone
 * and the locale.
 */
export function relativeDay(text: string, context: Context): Reading<string> | undefined {
  const key = awayKey(text)
  const today = Date.parse(todayOf(context))
  const away = daysAway(key, context.locale)
  if (away !== undefined) return { value: dateText(today + away * DAY_MS) }
  if (END_OF_MONTH.test(key)) return { value: endOfMonth(today) }
  const ahead = spanOf(key)
  if (ahead !== undefined) return ahead % DAY_MS === 0 ? { value: dateText(today + ahead) } : undefined
  const isNext = NEXT.test(key)
  const name = key.replace(NEXT, '').replace(ON, '')
  if (/\d/.test(name)) return undefined
  const weekdays = isLocal(name, context) ? weekdaysNamed(cased(name), context) : []
  const [weekday, other] = weekdays
  if (weekday === undefined || other !== undefined)
    return isNext && weekday === undefined ? unread(text, 'incomplete') : undefined
  const now = isoDay(today)
  const coming = ((weekday - now + 6) % 7) + 1
  // "Next Friday", said on a Wednesday, may be that of the next week.
  const isThisWeek = coming + now <= 7
  return readingOf(
    [coming, ...(isNext && isThisWeek ? [coming + 7] : [])].map((days) => dateText(today + days * DAY_MS)),
    text,
  )
}

/** The milliseconds from now of "in 2 hours". */
export function spanOf(text: string): number | undefined {
  const key = awayKey(text)
  const [, count = '', word = ''] = IN.exec(key) ?? AGO.exec(key) ?? []
  const unit = UNITS.find(([pattern]) => pattern.test(word))?.[1]
  return unit === undefined ? undefined : (Number(count) || 1) * unit
}

/** Short names are days of the week in the own language and in English only: "Mo" and "Sam" are people. */
const isLocal = (name: string, { locale = 'en' }: Context): boolean =>
  name.length > 4 || weekdaysOf(name, locale).length > 0 || (name.length > 2 && weekdaysOf(name, 'en').length > 0)

/** In Polish, the day is in another case behind "w". */
const cased = (name: string): string => name.replace(/^srode$/, 'sroda').replace(/^(sobot|niedziel)e$/, '$1a')

function endOfMonth(today: number): string {
  const at = new Date(today)
  return dateText(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0))
}

/** Monday is 1. */
const isoDay = (ms: number): number => ((new Date(ms).getUTCDay() + 6) % 7) + 1
