import { readDay } from '../../../lib/written/days/days.ts'
import { readMoment } from '../../../lib/written/days/moments.ts'
import { timeOfDay } from '../../../lib/written/days/times-of-day.ts'
import type { Reading as Meaning } from '../../../lib/written/reading.ts'
import { fold } from '../../lib/fold.ts'
import { dateIn, momentOf } from '../../lib/zoned.ts'
import { shifted } from './groups.ts'

export type TaskType = 'todo' | 'call' | 'email' | 'meeting'

export type Reading = {
  /** What was typed, without the words that name the time. */
  title: string
  type: TaskType
  dueAt: number | null
  /** Whether a time of day was typed. */
  hasTime: boolean
  /** A day or a time was typed, and stays in the title: it is over, or one of two. */
  isOpen: boolean
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

/** Words in front of a day or a time that go with it. */
const ON = new Set('on at am um by bis until till'.split(' '))
/** Behind these, a day belongs to what is to be done: "the invoice of 3 December". */
const OF = new Set(
  'of from since for the and to last vom von seit fur und letzten letzte du de del depuis pour or oder ou o'.split(' '),
)
/** Between two days or times, of which the line could only keep one. */
const BETWEEN = new Set('or oder ou o to and und bis until till - – — / & + ,'.split(' '))

/** The most words of a day with its time: "on Thursday, 3 December 2026 at 9:30 pm". */
const MOST = 8

type Due = { at: number; hasTime: boolean }

/** Reads a line such as "Call Margit about the demo tomorrow 9:00": its last words may name the day and the time. */
export function readLine(text: string, now: number, timezone: string, locale = 'en-GB'): Reading {
  const words = text.trim().split(/\s+/)
  const type = TYPES[fold(words[0] ?? '')] ?? (TYPES[fold(words.at(-1) ?? '')] === 'call' ? 'call' : 'todo')
  // Never the whole line: "Tomorrow" alone is a title.
  let isOpen = /\b\d{1,2}:\d{2}\b/.test(text)
  for (let start = Math.max(1, words.length - MOST); start < words.length; start++) {
    const isIntroduced = start < words.length - 1 && ON.has(fold(words[start] as string))
    const due = dueOf(words.slice(isIntroduced ? start + 1 : start).join(' '), now, timezone, locale)
    // What is over, or of something, belongs to the title; a part of it is no other day.
    const isOf = [words[start - 1], words[start]].some((word) => OF.has(fold(word as string)))
    if (due && isOf) break
    if (!due) continue
    isOpen =
      due === 'over' || endsInDay(words.slice(1, start), (rest) => dueOf(rest, now, timezone, locale) !== undefined)
    if (due === 'over' || isOpen) break
    return { title: words.slice(0, start).join(' '), type, dueAt: due.at, hasTime: due.hasTime, isOpen }
  }
  return { title: words.join(' '), type, dueAt: null, hasTime: false, isOpen }
}

/** "Monday 9:00 or 10:00", "Monday to Tuesday": another day or time would be lost in the title. */
function endsInDay(words: readonly string[], isDue: (text: string) => boolean): boolean {
  const isBetween = BETWEEN.has(fold(words.at(-1) ?? ''))
  if (!isBetween && !words.at(-1)?.endsWith(',')) return false
  const all = words.slice(-MOST - 1, isBetween ? -1 : undefined)
  return all.some((_, at) => isDue(all.slice(at).join(' ').replace(/,$/, '')))
}

function dueOf(text: string, now: number, timezone: string, locale: string): Due | 'over' | undefined {
  const context = { locale, zone: timezone, now, lies: 'ahead', isSeen: true } as const
  const time = timeOfDay(text)
  if (time !== undefined) {
    const minutes = Math.floor(time / 60_000)
    const on = (days: number) =>
      momentOf({ ...shifted(now, days, timezone), hour: Math.floor(minutes / 60), minute: minutes % 60 }, timezone)
    return { at: on(0) > now ? on(0) : on(1), hasTime: true }
  }
  // Numbers alone, such as 3/4 or 20271231, are no day of a line.
  if (!/\p{L}|\d{4}\D|\D\d{4}|\d\.$/u.test(text)) return undefined
  const today = dateIn(now, timezone)
  const moment = nearest(readMoment(text, context), (ms) => ms, now)
  if (moment !== undefined) return dateIn(moment, timezone) < today ? 'over' : { at: moment, hasTime: true }
  const day = nearest(readDay(text, context), (date) => Date.parse(date), Date.parse(today))
  if (day === undefined) return undefined
  if (day < today) return 'over'
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return { at: momentOf({ year, month, day: date, hour: 23, minute: 59, second: 0 }, timezone), hasTime: false }
}

/** The line shows what it has understood: of two readings, the next one that is not over. */
function nearest<T>(meaning: Meaning<T>, at: (value: T) => number, now: number): T | undefined {
  if (!('either' in meaning)) return 'value' in meaning ? meaning.value : undefined
  const away = (value: T): number => (at(value) < now ? Number.MAX_VALUE : at(value) - now)
  return meaning.either.toSorted((one, other) => away(one) - away(other))[0]
}
