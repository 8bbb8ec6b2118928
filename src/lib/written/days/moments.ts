import { DAY_MS, HOUR_MS } from '../../time.ts'
import { plainText } from '../characters.ts'
import { type Context, type Reading, readingOf, unread } from '../reading.ts'
import { dayAlone, MAX_LENGTH } from './days.ts'
import { beginningAt, instantsAt } from './instants.ts'
import { countedAt, instantsIn } from './moment-parts.ts'
import { relativeDay, spanOf } from './relative-days.ts'
import { splitsOf } from './times-of-day.ts'

// Moments as people and programs write them: a day with a time of day, and a zone or offset if any.

/**
 * Reads a moment in milliseconds since 1970. Without a zone, it is in `zone`. A day alone is its beginning in a file; where
 * a person looks at it, the time is missing. Looks at all that a context has of days.
 */
export function readMoment(text: string, context: Context = {}): Reading<number> {
  const plain = text.length > 4 * MAX_LENGTH ? '' : plainText(text)
  const { zone = 'UTC', isSeen } = context
  if (plain === '' || plain.length > MAX_LENGTH) return unread(text.slice(0, MAX_LENGTH), 'not_one')
  const counted = countedAt(plain, context)
  if (counted?.instant !== undefined) return { value: counted.instant }
  if (counted?.days !== undefined) return readingOf(instantsAt(counted.days, zone), text, 'no_such')
  const span = isSeen ? spanOf(plain) : undefined
  if (span !== undefined && span % DAY_MS !== 0) return { value: (context.now ?? Date.now()) + span }
  const whole = dayAlone(plain, context)
  if (!('unread' in whole)) {
    if (isSeen) return unread(text, 'incomplete')
    const dates = 'value' in whole ? [whole.value] : whole.either
    return readingOf(
      dates.map((date) => beginningAt(Date.parse(date), zone)),
      text,
    )
  }
  const splits = [...splitsOf(plain), ...(isSeen ? spokenSplits(plain, context) : [])]
  for (const split of splits) {
    const day = dayAlone(split.day, context)
    if ('unread' in day) continue
    if (split.times.length === 0) return unread(text, 'no_such')
    const all = ('value' in day ? [day.value] : day.either).map((date) => instantsIn(date, split, context))
    const wrong = all.find((each) => 'unread' in each)
    if (wrong && 'unread' in wrong) return unread(text, wrong.unread)
    return readingOf([...new Set(all.flatMap((each) => ('instants' in each ? each.instants : [])))], text)
  }
  return whole
}

const NUMBERS = 'eins|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf'.split('|')
const HALF_PAST = /^(?<day>.+?) (?:um )?halb (?<word>[\p{L}\p{M}]+)$/iu
const BARE = /^(?<day>.+?) (?:(?:at|um|à|a las|a la|às|as|o|om|kl\.?|alle) )?(?<hour>\d{1,2})$/iu

/** "heute 9", "morgen um halb neun": only behind a day that is said from today. */
function spokenSplits(text: string, context: Context) {
  const [, halfDay = '', word = ''] = HALF_PAST.exec(text) ?? []
  const half = NUMBERS.indexOf(word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')) + 1
  const [, bareDay = '', hour = ''] = BARE.exec(text) ?? []
  const found: [day: string, times: number[]][] = [
    ...(half > 0 ? [[halfDay, [(half - 0.5) * HOUR_MS]] as [string, number[]]] : []),
    ...(hour !== '' && Number(hour) < 24
      ? [[bareDay, hoursOf(Number(hour), bareDay, context)] as [string, number[]]]
      : []),
  ]
  return found
    .filter(([day]) => relativeDay(day, context) !== undefined)
    .map(([day, times]) => ({ day, times, zone: '', named: '', isIso: false }))
}

/** An hour of today that is over may be meant in the afternoon. */
function hoursOf(hour: number, day: string, context: Context): number[] {
  const today = relativeDay(day, context)
  const { zone = 'UTC', now = Date.now() } = context
  const over = today && 'value' in today && (instantsAt(Date.parse(today.value) + hour * HOUR_MS, zone)[0] ?? now) < now
  return over && hour < 12 ? [hour * HOUR_MS, (hour + 12) * HOUR_MS] : [hour * HOUR_MS]
}
