import { fold } from '../../lib/fold.ts'
import { dayNumber, momentOf, zoned } from '../../lib/zoned.ts'
import { shifted } from './groups.ts'

export type TaskType = 'todo' | 'call' | 'email' | 'meeting'

export type Reading = {
  /** What was typed, without the words that name the time. */
  title: string
  type: TaskType
  dueAt: number | null
  /** Whether a time of day was typed. */
  hasTime: boolean
}

/** First words that say what kind of task it is, folded. */
const TYPES: Record<string, TaskType> = {
  call: 'call',
  phone: 'call',
  ring: 'call',
  anrufen: 'call',
  email: 'email',
  mail: 'email',
  write: 'email',
  mailen: 'email',
  schreiben: 'email',
  meet: 'meeting',
  meeting: 'meeting',
  treffen: 'meeting',
  termin: 'meeting',
}

/** Days by their names, from today. */
const DAYS: Record<string, number> = { today: 0, heute: 0, tomorrow: 1, morgen: 1, uebermorgen: 2, ubermorgen: 2 }

/** Days of the week from Sunday, whole or by their first letters. */
const WEEKDAYS = [
  ['sunday', 'sun', 'sonntag'],
  ['monday', 'mon', 'montag'],
  ['tuesday', 'tue', 'dienstag'],
  ['wednesday', 'wed', 'mittwoch'],
  ['thursday', 'thu', 'donnerstag'],
  ['friday', 'fri', 'freitag'],
  ['saturday', 'sat', 'samstag', 'sonnabend'],
]

const AT = ['at', 'um']
const ON = ['on', 'am', 'by', 'bis']

/** Reads a line such as "Call Margit about the demo tomorrow 9:00": its last words may name the day and the time. */
export function readLine(text: string, now: number, timezone: string): Reading {
  const words = text.trim().split(/\s+/)
  const type = TYPES[fold(words[0] ?? '')] ?? (TYPES[fold(words.at(-1) ?? '')] === 'call' ? 'call' : 'todo')
  let minutes: number | undefined
  let days: number | undefined
  let end = words.length
  // At most a day and a time, and never the whole line: "Tomorrow" alone is a title.
  for (let seen = 0; seen < 2 && end > 1; seen++) {
    const word = fold(words[end - 1] as string)
    const time = minutes === undefined ? minutesOf(word) : undefined
    const day = days === undefined ? daysTo(word, now, timezone) : undefined
    if (time === undefined && day === undefined) break
    minutes ??= time
    days ??= day
    end -= 1
    const isIntroduced = (time === undefined ? ON : AT).includes(fold(words[end - 1] ?? ''))
    if (isIntroduced && end > 1) end -= 1
  }
  if (minutes === undefined && days === undefined) return { title: words.join(' '), type, dueAt: null, hasTime: false }
  const away = days ?? (minutes !== undefined && minutes <= minutesNow(now, timezone) ? 1 : 0)
  const day = shifted(now, away, timezone)
  const at = minutes === undefined ? day : { ...day, hour: Math.floor(minutes / 60), minute: minutes % 60 }
  return {
    title: words.slice(0, end).join(' '),
    type,
    dueAt: momentOf(at, timezone),
    hasTime: minutes !== undefined,
  }
}

/** "9:00", "14.30", "9am", "9h": a bare number is no time. */
function minutesOf(word: string): number | undefined {
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d{2}))?(am|pm|h|uhr)?$/.exec(word) ?? []
  if (hours === undefined || (!/[:.]/.test(word) && half === undefined)) return undefined
  const base = half === 'pm' ? (Number(hours) % 12) + 12 : half === 'am' ? Number(hours) % 12 : Number(hours)
  return base < 24 && Number(minutes) < 60 ? base * 60 + Number(minutes) : undefined
}

function daysTo(word: string, now: number, timezone: string): number | undefined {
  const named = DAYS[word]
  if (named !== undefined) return named
  const weekday = WEEKDAYS.findIndex((names) => names.includes(word))
  if (weekday < 0) return undefined
  // 1 January 1970 was a Thursday. A day of the week is the next one, never today.
  const today = (dayNumber(zoned(now, timezone)) + 4) % 7
  return ((weekday - today + 6) % 7) + 1
}

function minutesNow(now: number, timezone: string): number {
  const { hour, minute } = zoned(now, timezone)
  return hour * 60 + minute
}
