// Opening hours on the wall clock of a time zone, and arithmetic with them. All times are epoch milliseconds. A moment
// is open if its wall-clock time lies in an interval of its day: an hour repeated by a clock change counts twice, a
// skipped one not at all.

import { DAY_MS, MINUTE_MS } from '../time.ts'
import { parseDay } from './days.ts'

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/**
 * From `from` up to but excluding `to`, as HH:MM; `to` may be 24:00. The intervals of a day are sorted and do not
 * overlap.
 */
export type Interval = { from: string; to: string }

/** Days, YYYY-MM-DD including the last one, whose intervals replace the weekly ones. */
export type DatedIntervals = { from_date: string; to_date: string; intervals: readonly Interval[] }

export type Calendar = {
  /** IANA. */
  timezone: string
  /** A day left out is closed. */
  weekly: { readonly [Day in Weekday]?: readonly Interval[] }
  /** In any order; they do not overlap. */
  exceptions: readonly DatedIntervals[]
}

export type BusinessTime = {
  isOpen: (ms: number) => boolean
  /** The next moment after this one at which it opens, even if it is open now; undefined if none is in sight. */
  nextOpenAt: (ms: number) => number | undefined
  /** The next moment after this one at which it closes: the first closed one. */
  nextCloseAt: (ms: number) => number | undefined
  /** Open milliseconds from the first moment up to but excluding the second; 0 if they are in the wrong order. */
  between: (fromMs: number, toMs: number) => number
  /**
   * The first moment at which this much open time has passed; it may be a closing time. Undefined if it does not open
   * for two years, or if the result is more than fifty years away.
   */
  add: (fromMs: number, amountMs: number) => number | undefined
}

/** The open time of one block of the calendar: sorted stretches that do not touch. */
type Block = {
  starts: number[]
  ends: number[]
  /** How much of the block was open before each stretch. */
  before: number[]
  open: number
}

/** The calendar is computed in blocks of four weeks of UTC. */
const BLOCK_MS = 28 * DAY_MS
/** About twenty years are cached. */
const MAX_BLOCKS = 260
/** Two years without opening or closing. */
const MAX_SAME_BLOCKS = 27
/** Fifty years. */
const MAX_BLOCKS_AHEAD = 653

/** The end of the year 9999, the last supported time. */
const END = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function businessTime({ timezone, weekly, exceptions }: Calendar): BusinessTime {
  const intervalsOn = dayReader(weekly, exceptions)
  const offsets = offsetReader(timezone)
  const blocks = new Map<number, Block>()

  function block(number: number): Block {
    let cached = blocks.get(number)
    if (!cached) {
      if (blocks.size >= MAX_BLOCKS) blocks.clear()
      cached = computeBlock(number * BLOCK_MS, Math.min((number + 1) * BLOCK_MS, END))
      blocks.set(number, cached)
    }
    return cached
  }

  /** Between two clock changes every day has 24 hours, so an interval is midnight plus its minutes. */
  function computeBlock(from: number, to: number): Block {
    const made: Block = { starts: [], ends: [], before: [], open: 0 }
    for (let at = from; at < to; ) {
      const { offset, until } = offsets(at)
      const end = Math.min(until, to)
      const lastDay = Math.floor((end + offset - 1) / DAY_MS)
      for (let day = Math.floor((at + offset) / DAY_MS); day <= lastDay; day++) {
        for (const { from: opens, to: closes } of intervalsOn(day)) {
          const midnight = day * DAY_MS - offset
          addStretch(made, Math.max(midnight + opens, at), Math.min(midnight + closes, end))
        }
      }
      at = end
    }
    return made
  }

  function isOpen(ms: number): boolean {
    const { starts, ends } = block(blockOf(ms))
    const index = firstAfter(ends, ms)
    return index < starts.length && starts[index]! <= ms
  }

  function nextOpenAt(ms: number): number | undefined {
    const first = blockOf(ms)
    let lastEnd: number | undefined
    for (let number = first; number <= first + MAX_SAME_BLOCKS; number++) {
      const { starts, ends } = block(number)
      let index = firstAfter(starts, ms)
      // A stretch that starts where the previous block ends may be the continuation of its last stretch.
      if (index === 0 && starts[0] === lastEnd) index++
      const start = starts[index]
      if (start !== undefined) return start
      lastEnd = ends.at(-1) ?? lastEnd
    }
    return undefined
  }

  function nextCloseAt(ms: number): number | undefined {
    const first = blockOf(ms)
    let openEnd: number | undefined
    for (let number = first; number <= first + MAX_SAME_BLOCKS; number++) {
      const { starts, ends } = block(number)
      if (openEnd !== undefined && starts[0] !== openEnd) return openEnd
      const end = ends[firstAfter(ends, ms)]
      if (end !== undefined && end < (number + 1) * BLOCK_MS) return end
      openEnd = end
    }
    return undefined
  }

  /** Open milliseconds from the start of the moment's block up to the moment. */
  function openBefore(ms: number): number {
    const { starts, before, ends, open } = block(blockOf(ms))
    const index = firstAfter(ends, ms)
    return index < starts.length ? before[index]! + Math.max(0, ms - starts[index]!) : open
  }

  function between(fromMs: number, toMs: number): number {
    if (toMs <= fromMs) return 0
    let sum = openBefore(toMs) - openBefore(fromMs)
    for (let number = blockOf(fromMs); number < blockOf(toMs); number++) sum += block(number).open
    return sum
  }

  function add(fromMs: number, amountMs: number): number | undefined {
    if (amountMs <= 0) return fromMs
    const first = blockOf(fromMs)
    let left = amountMs + openBefore(fromMs)
    let closed = 0
    for (let number = first; number <= first + MAX_BLOCKS_AHEAD; number++) {
      const { starts, before, open } = block(number)
      if (left <= open) {
        const index = firstNotBefore(before, left) - 1
        return starts[index]! + left - before[index]!
      }
      left -= open
      closed = open > 0 ? 0 : closed + 1
      if (closed > MAX_SAME_BLOCKS) return undefined
    }
    return undefined
  }

  return { isOpen, nextOpenAt, nextCloseAt, between, add }
}

const blockOf = (ms: number): number => Math.floor(ms / BLOCK_MS)

/** Adds a stretch, or extends the last one if they touch. Ignores an empty one: a clock change skips it. */
function addStretch(made: Block, start: number, end: number): void {
  if (end <= start) return
  if (made.ends.at(-1) === start) made.ends[made.ends.length - 1] = end
  else {
    made.starts.push(start)
    made.ends.push(end)
    made.before.push(made.open)
  }
  made.open += end - start
}

/** The index of the first of the sorted numbers that is greater. */
function firstAfter(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! > value) high = middle
    else low = middle + 1
  }
  return low
}

/** The index of the first of the sorted numbers that is not smaller. */
function firstNotBefore(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! >= value) high = middle
    else low = middle + 1
  }
  return low
}

type Span = { from: number; to: number }

/** Returns the intervals of a day, counted from 1970-01-01, in milliseconds from its midnight. */
function dayReader(weekly: Calendar['weekly'], exceptions: Calendar['exceptions']): (day: number) => readonly Span[] {
  const usual = WEEKDAYS.map((name) => spansOf(weekly[name] ?? []))
  const others = exceptions
    .map(({ from_date, to_date, intervals }) => ({
      first: parseDay(from_date),
      last: parseDay(to_date),
      spans: spansOf(intervals),
    }))
    .sort((one, other) => one.first - other.first)
  const firsts = others.map(({ first }) => first)

  return function intervalsOn(day) {
    const other = others[firstAfter(firsts, day) - 1]
    if (other && day <= other.last) return other.spans
    return usual[(((day + 3) % 7) + 7) % 7]! // 1970-01-01 was a Thursday
  }
}

const spansOf = (intervals: readonly Interval[]): Span[] =>
  intervals.map(({ from, to }) => ({ from: minuteOf(from) * MINUTE_MS, to: minuteOf(to) * MINUTE_MS }))

/** Minutes from midnight to HH:MM. */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/**
 * How far the wall clock is ahead of UTC at a moment, and until when. The last result is cached: it holds for months.
 */
function offsetReader(timezone: string): (ms: number) => { offset: number; until: number } {
  let cached = { from: 0, offset: 0, until: 0 }

  return function offsets(ms) {
    if (ms >= cached.from && ms < cached.until) return cached
    const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
    const next = zoned.getTimeZoneTransition('next')
    cached = {
      from: ms,
      offset: zoned.offsetNanoseconds / 1_000_000,
      until: next ? next.epochMilliseconds : Number.POSITIVE_INFINITY,
    }
    return cached
  }
}
