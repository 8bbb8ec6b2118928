// When people are at work, on the wall clock of their zone, and the arithmetic of that time. All times are epoch
// milliseconds. A moment is open where its wall-clock time lies in an interval of its day: of an hour that comes twice
// both count, and one that is skipped has none.

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** From `from` on, up to before `to`: HH:MM, where `to` may be 24:00. Those of a day are in order and do not overlap. */
export type Interval = { from: string; to: string }

/** Days, YYYY-MM-DD with the last one included, whose intervals stand in the place of the weekly ones. */
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
  /** The next moment behind this one at which it opens, also where it is open now; undefined where none is in sight. */
  nextOpenAt: (ms: number) => number | undefined
  /** The next moment behind this one at which it closes: the first that is not open any more. */
  nextCloseAt: (ms: number) => number | undefined
  /** Open milliseconds from the one moment up to before the other; 0 where they are the wrong way round. */
  between: (fromMs: number, toMs: number) => number
  /**
   * The first moment at which so much open time has passed, which may be the one at which it closes. Undefined where it
   * does not open for two years, or would take longer than fifty.
   */
  add: (fromMs: number, amountMs: number) => number | undefined
}

/** Open time of a piece of the calendar: in order, none touching the next one. */
type Block = {
  starts: number[]
  ends: number[]
  /** How much of the block was open before each of them. */
  before: number[]
  open: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** The calendar is worked out in pieces of four weeks of UTC. */
const BLOCK_MS = 28 * DAY_MS
/** Some twenty years of what is kept. */
const MAX_BLOCKS = 260
/** Two years without opening or closing. */
const MAX_SAME_BLOCKS = 27
/** Fifty years. */
const MAX_BLOCKS_AHEAD = 653

/** The end of the year 9999: there are no times behind it. */
const END = Date.parse('9999-12-31T23:59:59.999Z') + 1

export function businessTime({ timezone, weekly, exceptions }: Calendar): BusinessTime {
  const intervalsOn = dayReader(weekly, exceptions)
  const offsets = offsetReader(timezone)
  const blocks = new Map<number, Block>()

  function block(number: number): Block {
    let known = blocks.get(number)
    if (!known) {
      if (blocks.size >= MAX_BLOCKS) blocks.clear()
      known = workOut(number * BLOCK_MS, Math.min((number + 1) * BLOCK_MS, END))
      blocks.set(number, known)
    }
    return known
  }

  /** Between two changes of the clocks, days are all of the same length, and the wall clock runs as the time does. */
  function workOut(from: number, to: number): Block {
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
    const index = firstBehind(ends, ms)
    return index < starts.length && starts[index]! <= ms
  }

  function nextOpenAt(ms: number): number | undefined {
    const first = blockOf(ms)
    let lastEnd: number | undefined
    for (let number = first; number <= first + MAX_SAME_BLOCKS; number++) {
      const { starts, ends } = block(number)
      let index = firstBehind(starts, ms)
      // What begins where the block before it ends may go on from there.
      if (index === 0 && starts[0] === lastEnd) index++
      const start = starts[index]
      if (start !== undefined) return start
      lastEnd = ends.at(-1) ?? lastEnd
    }
    return undefined
  }

  function nextCloseAt(ms: number): number | undefined {
    const first = blockOf(ms)
    let goesOn: number | undefined
    for (let number = first; number <= first + MAX_SAME_BLOCKS; number++) {
      const { starts, ends } = block(number)
      if (goesOn !== undefined && starts[0] !== goesOn) return goesOn
      const end = ends[firstBehind(ends, ms)]
      if (end !== undefined && end < (number + 1) * BLOCK_MS) return end
      goesOn = end
    }
    return undefined
  }

  /** Open milliseconds of the moment's block before it. */
  function openBefore(ms: number): number {
    const { starts, before, ends, open } = block(blockOf(ms))
    const index = firstBehind(ends, ms)
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

/** Longer by one stretch, which may go on from the last one. Nothing where it is empty: the clocks skip it. */
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

/** Of sorted numbers, the index of the first that is greater. */
function firstBehind(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! > value) high = middle
    else low = middle + 1
  }
  return low
}

/** Of sorted numbers, the index of the first that is not smaller. */
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

/** The intervals of a day, which is counted from 1970-01-01, in milliseconds from its midnight. */
function dayReader(weekly: Calendar['weekly'], exceptions: Calendar['exceptions']): (day: number) => readonly Span[] {
  const usual = WEEKDAYS.map((name) => spansOf(weekly[name] ?? []))
  const others = exceptions
    .map(({ from_date, to_date, intervals }) => ({
      first: dayOf(from_date),
      last: dayOf(to_date),
      spans: spansOf(intervals),
    }))
    .sort((one, other) => one.first - other.first)
  const firsts = others.map(({ first }) => first)

  return function intervalsOn(day) {
    const other = others[firstBehind(firsts, day) - 1]
    if (other && day <= other.last) return other.spans
    return usual[(((day + 3) % 7) + 7) % 7]! // 1970-01-01 was a Thursday
  }
}

const spansOf = (intervals: readonly Interval[]): Span[] =>
  intervals.map(({ from, to }) => ({ from: minuteOf(from) * MINUTE_MS, to: minuteOf(to) * MINUTE_MS }))

/** Minutes from midnight of HH:MM. */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

/** Days from 1970-01-01 of YYYY-MM-DD. */
export const dayOf = (date: string): number => Date.parse(`${date}T00:00:00.000Z`) / DAY_MS

/** How far the wall clock is ahead of UTC at a moment, and until when. The last answer is kept: it is good for months. */
function offsetReader(timezone: string): (ms: number) => { offset: number; until: number } {
  let known = { from: 0, offset: 0, until: 0 }

  return function offsets(ms) {
    if (ms >= known.from && ms < known.until) return known
    const there = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
    const next = there.getTimeZoneTransition('next')
    known = {
      from: ms,
      offset: there.offsetNanoseconds / 1_000_000,
      until: next ? next.epochMilliseconds : Number.POSITIVE_INFINITY,
    }
    return known
  }
}
