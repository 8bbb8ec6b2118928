import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { businessTime, type Calendar } from '../../src/lib/calendar/business-time.ts'
import { allowedFrom, dueAt, type Window } from '../../src/sequences/enrollments/timing.ts'

const DAY = 86_400
const HOUR = 3600

const weekly = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [{ from: '09:00', to: '17:00' }]]),
)
const windowIn = (timezone: string, calendar?: Partial<Calendar>): Window => ({
  timezone,
  hours: calendar && businessTime({ timezone, weekly, exceptions: [], ...calendar }),
})
const berlin = windowIn('Europe/Berlin')
const at = (text: string, timezone = 'Europe/Berlin') =>
  Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).epochMilliseconds
const wall = (ms: number, timezone = 'Europe/Berlin') =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone)
const shown = (ms: number) => wall(ms).toPlainDateTime().toString({ smallestUnit: 'minute' })

const plain = (delay_s: number) => ({ delay_s, business_days_only: false })
const working = (delay_s: number) => ({ delay_s, business_days_only: true })

describe('a step is due', () => {
  const holiday = { exceptions: [{ from_date: '2027-03-26', to_date: '2027-03-29', intervals: [] }] }
  const saturdays = { weekly: { ...weekly, sat: [{ from: '10:00', to: '12:00' }] } }
  for (const [what, from, step, window, due] of [
    ['at once without a delay', '2027-03-20T11:00', plain(0), berlin, '2027-03-20T11:00'],
    ['after its delay', '2027-03-20T11:00', plain(90), berlin, '2027-03-20T11:01'],
    [
      'at the same time of the day when the clocks go forward',
      '2027-03-27T10:00',
      plain(DAY),
      berlin,
      '2027-03-28T10:00',
    ],
    ['later where that time of the day is skipped', '2027-03-27T02:30', plain(DAY), berlin, '2027-03-28T03:30'],
    ['after hours that pass, also over the change', '2027-03-28T01:00', plain(3 * HOUR), berlin, '2027-03-28T05:00'],
    ['at the same time of the day when the clocks go back', '2027-10-30T10:00', plain(DAY), berlin, '2027-10-31T10:00'],
    [
      'after hours that pass, also those that come twice',
      '2027-10-31T01:00',
      plain(3 * HOUR),
      berlin,
      '2027-10-31T03:00',
    ],
    ['after business days', '2027-03-18T11:00', working(3 * DAY), berlin, '2027-03-23T11:00'],
    ['after business days from a weekend on', '2027-03-20T11:00', working(DAY), berlin, '2027-03-22T11:00'],
    ['on the next business day', '2027-03-20T11:00', working(0), berlin, '2027-03-22T11:00'],
    ['behind a weekend into which its hours lead', '2027-03-19T20:00', working(6 * HOUR), berlin, '2027-03-22T02:00'],
    ['behind holidays', '2027-03-25T11:00', working(DAY), windowIn('Europe/Berlin', holiday), '2027-03-30T11:00'],
    ['when the hours open', '2027-03-25T18:00', plain(0), windowIn('Europe/Berlin', holiday), '2027-03-30T09:00'],
    [
      'on a Saturday that is open',
      '2027-03-19T11:00',
      working(DAY),
      windowIn('Europe/Berlin', saturdays),
      '2027-03-20T11:00',
    ],
    [
      'behind a Saturday that is over',
      '2027-03-19T13:00',
      working(DAY),
      windowIn('Europe/Berlin', saturdays),
      '2027-03-22T09:00',
    ],
    [
      'a day later where it never opens',
      '2027-03-19T13:00',
      plain(0),
      windowIn('Europe/Berlin', { weekly: {} }),
      '2027-03-20T13:00',
    ],
  ] as const)
    test(what, () => assert.equal(shown(dueAt(at(from), step, window)), due))

  test('where nothing opens any more, without looking for ever', () => {
    const due = dueAt(at('2027-03-19T13:00'), working(365 * DAY), windowIn('Europe/Berlin', { weekly: {} }))
    assert.ok(due > at('2028-01-01T00:00'))
  })
})

describe('whatever the delay, the zone and the hours', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', 'UTC']
  const interval = fc.constantFrom(
    { from: '09:00', to: '17:00' },
    { from: '00:00', to: '24:00' },
    { from: '01:30', to: '02:30' },
    { from: '22:00', to: '24:00' },
  )
  const days = fc.record(Object.fromEntries(['mon', 'tue', 'thu', 'sat'].map((day) => [day, fc.tuple(interval)])), {
    requiredKeys: ['tue'],
  })
  const from = fc.integer({ min: Date.UTC(2027, 0, 1), max: Date.UTC(2027, 11, 31) })
  const delay = fc.oneof(
    fc.integer({ min: 0, max: 20 * DAY }),
    fc.integer({ min: 0, max: 20 }).map((n) => n * DAY),
  )
  const window = fc
    .tuple(fc.constantFrom(...zones), fc.option(days, { nil: undefined }))
    .map(([timezone, open]) => windowIn(timezone, open && { weekly: open }))
  const step = fc.record({ delay_s: delay, business_days_only: fc.boolean() })

  test('a step is never due before the one before it, and a moment at which it may be done stays', () => {
    fc.assert(
      fc.property(from, step, window, (start, given, open) => {
        const due = dueAt(start, given, open)
        assert.ok(due >= start)
        assert.equal(allowedFrom(due, given, open), due)
        if (open.hours) assert.ok(open.hours.isOpen(due))
        else if (given.business_days_only) assert.ok(wall(due, open.timezone).dayOfWeek <= 5)
      }),
    )
  })

  test('so many business days as it says lie between, and it is the first day behind them', () => {
    fc.assert(
      fc.property(from, fc.integer({ min: 1, max: 20 }), fc.constantFrom(...zones), (start, count, timezone) => {
        const [first, due] = [
          wall(start, timezone),
          wall(dueAt(start, working(count * DAY), windowIn(timezone)), timezone),
        ]
        let between = 0
        for (
          let day = first.toPlainDate().add({ days: 1 });
          Temporal.PlainDate.compare(day, due.toPlainDate()) <= 0;
        ) {
          if (day.dayOfWeek <= 5) between++
          day = day.add({ days: 1 })
        }
        assert.equal(between, count)
      }),
    )
  })

  test('without hours a delay of hours is what passes', () => {
    fc.assert(
      fc.property(from, fc.integer({ min: 0, max: DAY - 1 }), fc.constantFrom(...zones), (start, seconds, timezone) => {
        assert.equal(dueAt(start, plain(seconds), windowIn(timezone)), start + seconds * 1000)
      }),
    )
  })
})
