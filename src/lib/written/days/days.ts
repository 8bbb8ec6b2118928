import { plainText } from '../characters.ts'
import { type Context, type Reading, readingOf, unread } from '../reading.ts'
import { dayInDigits } from './calendar-days.ts'
import { dateText, dayIn } from './instants.ts'
import { countedAt, instantsIn, isUtc } from './moment-parts.ts'
import { namedDay } from './named-days.ts'
import { relativeDay } from './relative-days.ts'
import { splitsOf } from './times-of-day.ts'

// Days as people and programs write them, each with or without a time of day.

/** Longer texts are no day, and looking for a time at their end would take long. */
export const MAX_LENGTH = 100

/**
 * Reads a day, YYYY-MM-DD. A time of day without a zone is of no account; a moment is the day that it is in `zone`. Looks at
 * all that a context has of days; words such as "tomorrow" and days without a year are days only where `isSeen`.
 */
export function readDay(text: string, context: Context = {}): Reading<string> {
  const plain = text.length > 4 * MAX_LENGTH ? '' : plainText(text)
  if (plain === '' || plain.length > MAX_LENGTH) return unread(text.slice(0, MAX_LENGTH), 'not_one')
  const counted = countedAt(plain, context)
  if (counted !== undefined) return dayOfCounted(counted, text, context)
  const whole = dayAlone(plain, context)
  if (!('unread' in whole)) return whole
  for (const split of splitsOf(plain)) {
    const day = dayAlone(split.day, context)
    if ('unread' in day) continue
    if (split.times.length === 0) return unread(text, 'no_such')
    if (split.zone === '' && split.named === '') return day
    const dates = 'value' in day ? [day.value] : day.either
    const days = dates.map((date) => instantsIn(date, split, context))
    const wrong = days.find((each) => 'unread' in each)
    if (wrong && 'unread' in wrong) return unread(text, wrong.unread)
    return readingOf(
      [
        ...new Set(
          days
            .flatMap((each) => ('instants' in each ? each.instants : []))
            .flatMap((ms) => daysOf(ms, isUtc(split.zone), context)),
        ),
      ],
      text,
    )
  }
  return whole
}

/** Programs write days as midnight in UTC, which in America is the evening before. */
function daysOf(ms: number, isUtc: boolean, { zone = 'UTC', isMidnightUtc }: Context): string[] {
  const [utc, own] = [dateText(ms), dayIn(ms, zone)]
  if (!isUtc || ms % 86_400_000 !== 0) return [own]
  return isMidnightUtc ? [utc] : [utc, own]
}

function dayOfCounted(
  { days, instant }: { days?: number; instant?: number },
  text: string,
  context: Context,
): Reading<string> {
  if (days !== undefined) return { value: dateText(days) }
  return readingOf([...new Set(daysOf(instant as number, true, context))], text)
}

/** Reads a day without a time of day. */
export function dayAlone(text: string, context: Context): Reading<string> {
  const relative = context.isSeen ? relativeDay(text, context) : undefined
  return relative ?? dayInDigits(text, context) ?? namedDay(text, context)
}
