import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BusinessTime,
  businessTime,
  type Calendar,
  type DatedIntervals,
  type Interval,
  WEEKDAYS,
} from '../../../src/lib/calendar/business-time.ts'
import { isTimezone } from '../../../src/lib/time.ts'
import { examples, seedOf } from '../../support/seed.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

const at = (time: string): number => Date.parse(`${time}Z`)
const text = (ms: number | undefined) => ms && new Date(ms).toISOString().slice(0, 16)

const from = (from: string, to: string): Interval => ({ from, to })
const work = [from('09:00', '17:30')]
const weekdays = { mon: work, tue: work, wed: work, thu: work, fri: work }
const everyDay = (...intervals: Interval[]) => Object.fromEntries(WEEKDAYS.map((day) => [day, intervals]))
const closed = (from_date: string, to_date = from_date): DatedIntervals => ({ from_date, to_date, intervals: [] })

const calendar = (weekly: Calendar['weekly'], timezone = 'UTC', exceptions: DatedIntervals[] = []): BusinessTime =>
  businessTime({ timezone, weekly, exceptions })

test('it is open from the moment that an interval names up to before the one that ends it', () => {
  const { isOpen } = calendar(weekdays, 'Europe/Berlin')
  const open = ['08:00:00.000', '16:29:59.999'].map((time) => isOpen(at(`2026-11-20T${time}`)))
  const shut = ['07:59:59.999', '16:30:00.000'].map((time) => isOpen(at(`2026-11-20T${time}`)))
  assert.deepEqual(
    [open, shut],
    [
      [true, true],
      [false, false],
    ],
  )
  assert.equal(isOpen(at('2026-11-21T10:00:00')), false) // a Saturday
})

test('what ends at 24:00 and what starts at 00:00 of the next day are one stretch', () => {
  const { nextOpenAt, nextCloseAt } = calendar({ mon: [from('22:00', '24:00')], tue: [from('00:00', '02:00')] })
  const monday = at('2026-11-23T12:00')
  assert.equal(text(nextOpenAt(monday)), '2026-11-23T22:00')
  assert.equal(text(nextCloseAt(monday)), '2026-11-24T02:00')
  assert.equal(text(nextOpenAt(at('2026-11-23T22:00'))), '2026-11-30T22:00')
  assert.equal(text(nextCloseAt(at('2026-11-24T01:59'))), '2026-11-24T02:00')
})

test('intervals that touch are one stretch', () => {
  const { nextOpenAt, nextCloseAt } = calendar({ mon: [from('09:00', '12:00'), from('12:00', '17:00')] })
  assert.equal(text(nextCloseAt(at('2026-11-23T10:00'))), '2026-11-23T17:00')
  assert.equal(text(nextOpenAt(at('2026-11-23T10:00'))), '2026-11-30T09:00')
})

test('the next opening and the next closing are behind the moment that is asked for', () => {
  const { nextOpenAt, nextCloseAt } = calendar(weekdays)
  const friday = at('2026-11-20T09:00')
  assert.equal(text(nextOpenAt(friday - 1)), '2026-11-20T09:00')
  assert.equal(text(nextOpenAt(friday)), '2026-11-23T09:00')
  assert.equal(text(nextCloseAt(friday)), '2026-11-20T17:30')
  assert.equal(text(nextCloseAt(at('2026-11-20T17:30'))), '2026-11-23T17:30')
})

test('around the clock it neither opens nor closes, and all time counts', () => {
  const { isOpen, nextOpenAt, nextCloseAt, between, add } = calendar(everyDay(from('00:00', '24:00')), 'Europe/Berlin')
  const now = at('2026-11-20T08:36')
  assert.deepEqual([isOpen(now), nextOpenAt(now), nextCloseAt(now)], [true, undefined, undefined])
  assert.equal(between(now, now + 3 * YEAR_MS + 1), 3 * YEAR_MS + 1)
  assert.equal(add(now, 3 * YEAR_MS + 1), now + 3 * YEAR_MS + 1)
})

test('what never opens uses nothing up', () => {
  const now = at('2026-11-20T08:36')
  for (const never of [calendar({}), calendar(everyDay())]) {
    assert.deepEqual([never.isOpen(now), never.nextOpenAt(now), never.nextCloseAt(now)], [false, undefined, undefined])
    assert.equal(never.between(now, now + YEAR_MS), 0)
    assert.equal(never.add(now, 1), undefined)
    assert.equal(never.add(now, 0), now)
  }
})

test('time is used up at the end of an interval where it suffices just so', () => {
  const { add } = calendar(weekdays)
  assert.equal(text(add(at('2026-11-20T08:00'), 8.5 * HOUR_MS)), '2026-11-20T17:30')
  assert.equal(add(at('2026-11-20T08:00'), 8.5 * HOUR_MS + 1), at('2026-11-23T09:00') + 1)
  assert.equal(text(add(at('2026-11-20T15:30'), 4 * HOUR_MS)), '2026-11-23T11:00')
  assert.equal(text(add(at('2026-11-21T12:00'), HOUR_MS)), '2026-11-23T10:00')
})

test('no time used up is the moment itself, also while it is closed', () => {
  const { add } = calendar(weekdays)
  const sunday = at('2026-11-22T12:00:00.123')
  assert.deepEqual([add(sunday, 0), add(sunday, -5)], [sunday, sunday])
})

test('between two moments the wrong way round there is nothing', () => {
  const { between } = calendar(everyDay(from('00:00', '24:00')))
  assert.deepEqual([between(5, 5), between(5, 4)], [0, 0])
})

test('exceptions stand in the place of the weekly intervals, with their last day', () => {
  const half = { from_date: '2026-12-24', to_date: '2026-12-24', intervals: [from('09:00', '12:00')] }
  const sunday = { from_date: '2026-12-20', to_date: '2026-12-20', intervals: [from('13:00', '18:00')] }
  const { isOpen, add, between } = calendar(weekdays, 'Europe/Berlin', [
    closed('2026-12-28', '2027-01-01'),
    half,
    sunday,
  ])
  assert.equal(isOpen(at('2026-12-20T13:00')), true)
  assert.equal(isOpen(at('2026-12-24T10:59')), true)
  assert.equal(isOpen(at('2026-12-24T11:00')), false)
  assert.equal(isOpen(at('2027-01-01T10:00')), false)
  assert.equal(between(at('2026-12-28T00:00'), at('2027-01-02T00:00')), 0)
  assert.equal(text(add(at('2026-12-24T10:00'), 10 * HOUR_MS)), '2027-01-04T08:30')
})

test('an hour that comes twice counts twice, and one that is skipped does not count', () => {
  const night = calendar(everyDay(from('02:00', '03:00')), 'Europe/Berlin')
  assert.equal(night.between(at('2026-10-24T12:00'), at('2026-10-25T12:00')), 2 * HOUR_MS)
  assert.equal(text(night.nextCloseAt(at('2026-10-25T00:30'))), '2026-10-25T02:00')
  assert.equal(night.between(at('2026-03-28T12:00'), at('2026-03-29T12:00')), 0)
  assert.equal(text(night.nextOpenAt(at('2026-03-28T12:00'))), '2026-03-30T00:00')
  const early = calendar(everyDay(from('00:00', '02:30')), 'Europe/Berlin')
  assert.equal(text(early.nextCloseAt(at('2026-10-24T23:00'))), '2026-10-25T00:30')
  assert.equal(text(early.nextOpenAt(at('2026-10-24T23:00'))), '2026-10-25T01:00') // 02:00 for the second time
})

test('half an hour of Lord Howe, the quarter of Kathmandu, and the day that Apia has not had', () => {
  const island = calendar(everyDay(from('01:00', '03:00')), 'Australia/Lord_Howe')
  assert.equal(island.between(at('2026-04-04T06:00'), at('2026-04-05T06:00')), 2.5 * HOUR_MS)
  assert.equal(island.between(at('2026-10-03T06:00'), at('2026-10-04T06:00')), 1.5 * HOUR_MS)
  const mountain = calendar(weekdays, 'Asia/Kathmandu')
  assert.equal(text(mountain.nextOpenAt(at('2026-11-20T00:00'))), '2026-11-20T03:15')
  const samoa = calendar(everyDay(from('12:00', '13:00')), 'Pacific/Apia')
  assert.equal(text(samoa.nextOpenAt(at('2011-12-29T22:30'))), '2011-12-30T22:00') // the 29th, then the 31st
  const skipped = { from_date: '2011-12-30', to_date: '2011-12-30', intervals: [from('00:00', '24:00')] }
  assert.equal(calendar({}, 'Pacific/Apia', [skipped]).nextOpenAt(at('2011-12-01T00:00')), undefined)
})

test('the month of fasting sets the clocks of Casablanca back', () => {
  const { nextOpenAt } = calendar(everyDay(from('09:00', '17:00')), 'Africa/Casablanca')
  assert.equal(text(nextOpenAt(at('2026-02-10T00:00'))), '2026-02-10T08:00')
  assert.equal(text(nextOpenAt(at('2026-03-01T00:00'))), '2026-03-01T09:00')
})

test('the search ends after two years without an opening, and after fifty in all', () => {
  const now = at('2026-11-20T18:00')
  const back = calendar(weekdays, 'UTC', [closed('2026-11-21', '2028-11-20')])
  assert.equal(text(back.nextOpenAt(now)), '2028-11-21T09:00')
  assert.equal(text(back.add(now, HOUR_MS)), '2028-11-21T10:00')
  const gone = calendar(weekdays, 'UTC', [closed('2026-11-21', '2029-06-30')])
  assert.deepEqual([gone.nextOpenAt(now), gone.add(now, 1)], [undefined, undefined])
  const rare = calendar({ mon: [from('09:00', '09:01')] })
  assert.equal(text(rare.add(now, 2000 * MINUTE_MS)), '2065-03-16T09:01')
  assert.equal(rare.add(now, 3000 * MINUTE_MS), undefined)
})

test('there is nothing behind the year 9999', () => {
  const { nextOpenAt, add, isOpen, between } = calendar(weekdays)
  const end = at('9999-12-31T23:59:59.999')
  assert.deepEqual([nextOpenAt(end), add(end, 1), isOpen(end + DAY_MS)], [undefined, undefined, false])
  assert.equal(between(end, end + 7 * DAY_MS), 0)
})

test('every zone that Dealbox takes is one that the calendar knows, in any case and by its old names', () => {
  const names = [...Intl.supportedValuesOf('timeZone'), 'europe/berlin', 'US/Pacific', 'Etc/GMT+5', 'GMT', 'EST', 'Z']
  for (const timezone of names.filter(isTimezone)) {
    assert.equal(calendar(everyDay(from('00:00', '24:00')), timezone).isOpen(0), true, timezone)
  }
})

// Against a wall clock that is read minute by minute.

/** How far the wall clock of a zone is ahead of UTC, as Intl tells it. */
const offsetReaders = new Map<string, (ms: number) => number>()
function offsetAt(timezone: string, ms: number): number {
  let read = offsetReaders.get(timezone)
  if (!read) {
    const digits = '2-digit' as const
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: digits,
      day: digits,
      hour: digits,
      minute: digits,
    })
    read = (minute) => {
      const [month, day, year, hour, min] = format.format(minute).split(/\D+/).map(Number) as number[]
      return Date.UTC(year!, month! - 1, day, hour, min) - minute
    }
    offsetReaders.set(timezone, read)
  }
  return read(Math.floor(ms / MINUTE_MS) * MINUTE_MS)
}

/** The minutes at which the clocks of a zone change, and the offsets from then on. */
function changesOf(timezone: string, start: number, end: number, step: number): { at: number; offset: number }[] {
  const found: { at: number; offset: number }[] = []
  let before = offsetAt(timezone, start)
  for (let time = start; time < end; time += step) {
    const upTo = Math.min(time + step, end)
    const after = offsetAt(timezone, upTo)
    if (after === before) continue
    let [low, high] = [time, upTo]
    while (high - low > MINUTE_MS) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
      if (offsetAt(timezone, middle) === before) low = middle
      else high = middle
    }
    found.push({ at: high, offset: after })
    before = after
  }
  return found
}

/** Whether each minute of the span is open. */
function simulate({ timezone, weekly, exceptions }: Calendar, start: number, minutes: number): Uint8Array {
  const changes = changesOf(timezone, start, start + minutes * MINUTE_MS, DAY_MS)
  const days = new Map<number, Uint8Array>()
  const dayOf = (day: number): Uint8Array => {
    let marks = days.get(day)
    if (!marks) {
      const date = new Date(day * DAY_MS)
      const name = date.toISOString().slice(0, 10)
      const other = exceptions.find(({ from_date, to_date }) => from_date <= name && name <= to_date)
      const intervals = other?.intervals ?? weekly[WEEKDAYS[(date.getUTCDay() + 6) % 7]!] ?? []
      marks = new Uint8Array(1440)
      for (const { from, to } of intervals) marks.fill(1, minutesOf(from), minutesOf(to))
      days.set(day, marks)
    }
    return marks
  }
  const open = new Uint8Array(minutes)
  let offset = offsetAt(timezone, start)
  for (let minute = 0; minute < minutes; ) {
    const time = start + minute * MINUTE_MS
    if (time === changes[0]?.at) offset = changes.shift()!.offset
    const wall = (time + offset) / MINUTE_MS
    const day = Math.floor(wall / 1440)
    const first = wall - day * 1440
    const untilChange = changes[0] ? (changes[0].at - time) / MINUTE_MS : Number.POSITIVE_INFINITY
    const count = Math.min(1440 - first, untilChange, minutes - minute)
    open.set(dayOf(day).subarray(first, first + count), minute)
    minute += count
  }
  return open
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return hours * 60 + minutes
}

/** Numbers that look random and are the same each time (mulberry32). */
function randomness(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Up to before `below`. */
  const int = (below: number): number => Math.floor(next() * below)
  return { int, chance: (share: number) => next() < share, pick: <T>(all: readonly T[]): T => all[int(all.length)]! }
}
type Random = ReturnType<typeof randomness>

/** Minutes of the day at which much happens. */
const EDGES = [0, 60, 120, 150, 180, 540, 720, 1050, 1439, 1440]

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

function randomIntervals({ int, chance, pick }: Random): Interval[] {
  if (chance(0.2)) return []
  if (chance(0.1)) return [from('00:00', '24:00')]
  const marks = Array.from({ length: 2 * (1 + int(3)) }, () => (chance(0.5) ? pick(EDGES) : int(1441)))
  const sorted = marks.sort((one, other) => one - other)
  const pairs = sorted.flatMap((mark, index) => (index % 2 === 0 ? [[mark, sorted[index + 1]!]] : []))
  return pairs
    .filter(([opens, closes]) => opens! < closes!)
    .map(([opens, closes]) => from(clock(opens!), clock(closes!)))
}

function randomCalendar(random: Random, timezone: string, start: number, days: number): Calendar {
  const exceptions: DatedIntervals[] = []
  for (let day = -1; day < days + 1; day++) {
    if (!random.chance(0.15)) continue
    const last = day + (random.chance(0.5) ? 0 : random.int(4))
    const date = (of: number) => new Date(start + of * DAY_MS).toISOString().slice(0, 10)
    const intervals = random.chance(0.5) ? [] : randomIntervals(random)
    exceptions.push({ from_date: date(day), to_date: date(last), intervals })
    day = last
  }
  if (random.chance(0.5)) exceptions.reverse()
  const weekly = Object.fromEntries(
    WEEKDAYS.flatMap((day) => (random.chance(0.1) ? [] : [[day, randomIntervals(random)]])),
  )
  return { timezone, weekly, exceptions }
}

/** The answers, read off the minutes. What lies behind the span is left to be said: Infinity. */
function readOff(open: Uint8Array, start: number) {
  const minuteAt = (ms: number) => Math.floor((ms - start) / MINUTE_MS)
  const timeOf = (minute: number) => start + minute * MINUTE_MS

  function nextChange(ms: number, to: 0 | 1): number {
    for (let minute = minuteAt(ms) + 1; minute < open.length; minute++) {
      if (open[minute] === to && open[minute - 1] !== to) return timeOf(minute)
    }
    return Number.POSITIVE_INFINITY
  }

  function between(fromMs: number, toMs: number): number {
    let sum = 0
    const last = Math.min(minuteAt(toMs), open.length - 1)
    for (let minute = minuteAt(fromMs); minute <= last; minute++) {
      if (open[minute]) sum += Math.min(timeOf(minute + 1), toMs) - Math.max(timeOf(minute), fromMs)
    }
    return sum
  }

  function add(fromMs: number, amountMs: number): number {
    let left = amountMs
    for (let minute = minuteAt(fromMs); minute < open.length && left > 0; minute++) {
      if (!open[minute]) continue
      const begins = Math.max(timeOf(minute), fromMs)
      const there = timeOf(minute + 1) - begins
      if (left <= there) return begins + left
      left -= there
    }
    return left > 0 ? Number.POSITIVE_INFINITY : fromMs
  }

  return { isOpen: (ms: number) => open[minuteAt(ms)] === 1, nextChange, between, add }
}

const RUNS = examples(10_000)
const zones = Intl.supportedValuesOf('timeZone')

test(`${RUNS} calendars of all zones say what a wall clock says that is read minute by minute`, () => {
  const random = randomness(seedOf(20261120))
  const changes = new Map(
    zones.map((zone) => [zone, changesOf(zone, at('2005-01-01T00:00'), at('2031-01-01T00:00'), 28 * DAY_MS)]),
  )
  assert.ok(changes.get('Pacific/Apia')!.some(({ at: time }) => text(time) === '2011-12-30T10:00'))
  const leapDays = [2000, 2008, 2024, 2028].map((year) => Date.UTC(year, 1, 29))
  let acrossChanges = 0
  for (let run = 0; run < RUNS; run++) {
    const timezone = zones[run % zones.length]!
    const own = changes.get(timezone)!
    const days = random.chance(0.03) ? 60 : 1 + random.int(8)
    const centre =
      own.length > 0 && random.chance(0.7)
        ? random.pick(own).at
        : random.chance(0.3)
          ? random.pick(leapDays)
          : Date.UTC(1980 + random.int(60), random.int(12), random.int(28), random.int(24))
    const start = centre - random.int(days * 24) * HOUR_MS - random.int(60) * MINUTE_MS
    const end = start + days * DAY_MS
    if (own.some((change) => change.at > start && change.at < end)) acrossChanges++
    const given = randomCalendar(random, timezone, start, days)
    const time = businessTime(given)
    const wall = readOff(simulate(given, start, days * 1440), start)
    for (let query = 0; query < 5; query++) {
      const ms = start + (random.chance(0.5) ? random.int(days * 1440) * MINUTE_MS : random.int(days * DAY_MS))
      const to = ms + random.int(end - ms)
      const amount = random.chance(0.2)
        ? wall.between(ms, to)
        : 1 + random.int(random.chance(0.5) ? HOUR_MS : 2 * DAY_MS)
      const what = () => JSON.stringify({ run, ms: new Date(ms), to: new Date(to), amount, given })
      same(time.isOpen(ms), wall.isOpen(ms), end, what)
      same(time.between(ms, to), wall.between(ms, to), end, what)
      same(time.nextOpenAt(ms), wall.nextChange(ms, 1), end, what)
      same(time.nextCloseAt(ms), wall.nextChange(ms, 0), end, what)
      same(time.add(ms, amount), wall.add(ms, amount), end, what)
    }
  }
  assert.ok(acrossChanges > RUNS / 3, `${acrossChanges} across a change of the clocks`)
})

/** What the span does not show is behind it, or nowhere. */
function same<T extends number | boolean>(found: T | undefined, wanted: T, end: number, what: () => string): void {
  if (found === wanted) return
  const isBehind = wanted === Number.POSITIVE_INFINITY && (found === undefined || (found as number) >= end)
  if (!isBehind) assert.equal(found, wanted, what())
}

test('over years, what was added is what is between, and it is used up no earlier', () => {
  const random = randomness(seedOf(7))
  for (let run = 0; run < examples(300); run++) {
    const start = Date.UTC(1990 + random.int(50), random.int(12), 1 + random.int(28), random.int(24), random.int(60))
    const time = businessTime(randomCalendar(random, random.pick(zones), start, 700))
    const amount = 1 + random.int(400 * DAY_MS)
    const end = time.add(start, amount)
    if (end === undefined) continue
    assert.equal(time.between(start, end), amount)
    assert.equal(time.between(start, end - 1), amount - 1)
    assert.equal(time.add(start, amount + 1)! > end, true)
  }
})

test('what is kept of the calendar changes no answer', () => {
  const given: Calendar = { timezone: 'Europe/Berlin', weekly: weekdays, exceptions: [closed('2030-05-01')] }
  const used = businessTime(given)
  for (let year = 2060; year > 1960; year--) used.between(Date.UTC(year), Date.UTC(year + 1))
  for (let month = 0; month < 200; month++) {
    const start = Date.UTC(2020, month, 1, 10)
    const fresh = businessTime(given)
    assert.equal(used.add(start, 100 * HOUR_MS), fresh.add(start, 100 * HOUR_MS))
    assert.equal(used.between(start, start + YEAR_MS), fresh.between(start, start + YEAR_MS))
  }
})
