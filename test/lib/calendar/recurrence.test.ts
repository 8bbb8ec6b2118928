import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import nodeIcal from 'node-ical'
import { dayOf } from '../../../src/lib/calendar/days.ts'
import { daysOf, type Rule } from '../../../src/lib/calendar/recurrence.ts'
import { examples } from '../../support/seed.ts'

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']

const at = (date: string): number => Date.parse(date) / 86_400_000
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10)

/** A rule as iCalendar writes it. */
function ruleOf(text: string): Rule {
  const parts = new Map(text.split(';').map((part) => part.split('=') as [string, string]))
  const numbers = (name: string): number[] => parts.get(name)?.split(',').map(Number) ?? []
  const [count, until] = [parts.get('COUNT'), parts.get('UNTIL')]
  return {
    freq: parts.get('FREQ') as Rule['freq'],
    interval: Number(parts.get('INTERVAL') ?? 1),
    count: count === undefined ? undefined : Number(count),
    until: until === undefined ? undefined : at(until),
    weekStart: DAYS.indexOf(parts.get('WKST') ?? 'MO') + 1,
    months: numbers('BYMONTH'),
    weeks: numbers('BYWEEKNO'),
    yearDays: numbers('BYYEARDAY'),
    monthDays: numbers('BYMONTHDAY'),
    weekdays: (parts.get('BYDAY')?.split(',') ?? []).map((day) => ({
      weekday: DAYS.indexOf(day.slice(-2)) + 1,
      nth: Number(day.slice(0, -2)),
    })),
    positions: numbers('BYSETPOS'),
  }
}

const datesOf = (text: string, start: string, last: string): string[] =>
  [...daysOf(ruleOf(text), at(start), at(last))].map(dateOf)

describe('the days of a rule', () => {
  for (const [rule, start, last, expected] of [
    ['FREQ=DAILY', '2026-02-27', '2026-03-02', '2026-02-27 2026-02-28 2026-03-01 2026-03-02'],
    ['FREQ=DAILY;INTERVAL=3', '2026-02-27', '2026-03-06', '2026-02-27 2026-03-02 2026-03-05'],
    ['FREQ=DAILY;COUNT=2', '2026-02-27', '2026-12-31', '2026-02-27 2026-02-28'],
    ['FREQ=DAILY;COUNT=1', '2026-02-27', '2026-12-31', '2026-02-27'],
    ['FREQ=DAILY;UNTIL=2026-02-28', '2026-02-27', '2026-12-31', '2026-02-27 2026-02-28'],
    ['FREQ=DAILY;BYDAY=MO,FR', '2026-02-27', '2026-03-09', '2026-02-27 2026-03-02 2026-03-06 2026-03-09'],
    ['FREQ=WEEKLY', '2026-02-27', '2026-03-13', '2026-02-27 2026-03-06 2026-03-13'],
    ['FREQ=WEEKLY;BYDAY=TU,FR;BYSETPOS=-1', '2026-02-24', '2026-03-07', '2026-02-24 2026-02-27 2026-03-06'],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO;COUNT=4',
      '1997-08-05',
      '1998-01-01',
      '1997-08-05 1997-08-10 1997-08-19 1997-08-24',
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=4',
      '1997-08-05',
      '1998-01-01',
      '1997-08-05 1997-08-17 1997-08-19 1997-08-31',
    ],
    ['FREQ=MONTHLY', '2026-01-31', '2026-06-30', '2026-01-31 2026-03-31 2026-05-31'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2026-01-31', '2026-04-30', '2026-01-31 2026-02-28 2026-03-31 2026-04-30'],
    ['FREQ=MONTHLY;BYDAY=2TU', '2026-01-13', '2026-03-31', '2026-01-13 2026-02-10 2026-03-10'],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2026-01-30', '2026-03-31', '2026-01-30 2026-02-27 2026-03-27'],
    ['FREQ=MONTHLY;BYDAY=5MO', '2026-03-30', '2026-08-31', '2026-03-30 2026-06-29 2026-08-31'],
    ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13', '2026-02-13', '2026-12-31', '2026-02-13 2026-03-13 2026-11-13'],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2026-01-30', '2026-03-31', '2026-01-30 2026-02-27 2026-03-31'],
    ['FREQ=YEARLY', '2024-02-29', '2032-12-31', '2024-02-29 2028-02-29 2032-02-29'],
    ['FREQ=YEARLY;BYMONTH=11;BYDAY=4TH', '2026-11-26', '2028-12-31', '2026-11-26 2027-11-25 2028-11-23'],
    ['FREQ=YEARLY;BYDAY=20MO', '1997-05-19', '1999-12-31', '1997-05-19 1998-05-18 1999-05-17'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO', '1997-05-12', '1999-12-31', '1997-05-12 1998-05-11 1999-05-17'],
    ['FREQ=YEARLY;BYWEEKNO=-1;BYDAY=TH', '2026-12-31', '2028-12-31', '2026-12-31 2027-12-30 2028-12-28'],
    ['FREQ=YEARLY;BYYEARDAY=1,-1', '2026-01-01', '2027-01-01', '2026-01-01 2026-12-31 2027-01-01'],
    // What other programs get wrong.
    [
      'FREQ=YEARLY;BYDAY=MO,-2WE',
      '2026-12-07',
      '2027-01-04',
      '2026-12-07 2026-12-14 2026-12-21 2026-12-23 2026-12-28 2027-01-04',
    ],
    ['FREQ=YEARLY;BYMONTHDAY=9,31;BYDAY=2FR', '2026-01-09', '2032-12-31', '2026-01-09 2032-01-09'],
    ['FREQ=YEARLY;BYYEARDAY=1,60;BYDAY=TH', '2026-01-01', '2029-12-31', '2026-01-01 2029-03-01'],
    ['FREQ=YEARLY;BYMONTHDAY=29;BYDAY=TU,-2MO', '2026-09-29', '2027-07-01', '2026-09-29 2026-12-29 2027-06-29'],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5', '2026-02-27', '2026-12-31', '2026-02-27'],
    [
      'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
      '1996-11-05',
      '2004-12-31',
      '1996-11-05 2000-11-07 2004-11-02',
    ],
  ] as const)
    test(`${rule} from ${start} on`, () => {
      assert.equal(datesOf(rule, start, last).join(' '), expected)
    })

  test('are counted however many there are', () => {
    const days = datesOf('FREQ=DAILY;COUNT=20000', '1990-01-01', '2100-12-31')
    assert.deepEqual([days.length, days.at(-1)], [20000, '2044-10-03'])
  })

  test('begin with the first one, also where the rule does not mean it', () => {
    assert.deepEqual(datesOf('FREQ=WEEKLY;BYDAY=MO;COUNT=2', '2026-02-27', '2026-12-31'), ['2026-02-27', '2026-03-02'])
    assert.deepEqual(datesOf('FREQ=DAILY;UNTIL=2020-01-01', '2026-02-27', '2026-12-31'), ['2026-02-27'])
    assert.deepEqual(datesOf('FREQ=DAILY', '2026-02-27', '2026-02-26'), [])
  })

  for (const rule of [
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6',
    'FREQ=YEARLY;BYMONTH=4;BYDAY=1MO;BYMONTHDAY=15',
    'FREQ=DAILY;INTERVAL=99999999999999',
    'FREQ=WEEKLY;INTERVAL=999999999',
    'FREQ=MONTHLY;INTERVAL=99999999999999',
    'FREQ=YEARLY;INTERVAL=99999999999999',
  ])
    test(`end where there are none: ${rule}`, () => {
      assert.deepEqual(datesOf(rule, '0001-01-01', '2026-12-31'), ['0001-01-01'])
    })

  test('are those that another program finds', () => {
    const some = <T>(values: readonly T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
    const list = <T>(name: string, values: readonly T[]) => some(values).map((all) => `;${name}=${all.join(',')}`)
    const maybe = (part: fc.Arbitrary<string>) => fc.oneof({ weight: 2, arbitrary: fc.constant('') }, part)
    const weekday = list('BYDAY', DAYS)
    const nth = list(
      'BYDAY',
      DAYS.flatMap((day) => [1, 2, 4, 5, -1, -2].map((n) => `${n}${day}`)),
    )
    const month = list('BYMONTH', [1, 2, 3, 6, 11, 12])
    const date = list('BYMONTHDAY', [1, 2, 15, 28, 29, 30, 31, -1])
    const position = list('BYSETPOS', [1, 2, -1])
    const interval = fc.constantFrom('', '', ';INTERVAL=2', ';INTERVAL=3')
    const rule = (freq: string, ...parts: fc.Arbitrary<string>[]) =>
      fc.tuple(fc.constant(`FREQ=${freq}`), interval, ...parts.map(maybe)).map((all) => all.join(''))
    const rules = fc.oneof(
      rule('DAILY', weekday, month, date),
      rule(
        'WEEKLY',
        weekday,
        month,
        list('WKST', ['SU', 'MO']).filter((text) => !text.includes(',')),
      ),
      rule('MONTHLY', fc.oneof(weekday, nth), date, month, position),
      rule('YEARLY', month, date, weekday),
      fc.tuple(rule('YEARLY', position), month, nth).map((all) => all.join('')),
    )
    const starts = fc.constantFrom('2024-01-01', '2024-01-31', '2024-02-29', '2023-12-31', '2025-06-15')
    fc.assert(
      fc.property(rules, starts, (text, start) => {
        const day = start.replaceAll('-', '')
        const event = `UID:1\nDTSTART:${day}T090000Z\nDTEND:${day}T100000Z\nRRULE:${text}`
        const file = `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${event}\nEND:VEVENT\nEND:VCALENDAR`
        const [parsed] = Object.values(nodeIcal.sync.parseICS(file.replaceAll('\n', '\r\n')))
        const [from, last] = [new Date(`${start}T10:00:00Z`), new Date('2027-12-31T23:00:00Z')]
        // biome-ignore lint/suspicious/noExplicitAny: its types leave out the rule
        const theirs: string[] = (parsed as any).rrule
          .between(from, last)
          .map((each: Date) => each.toISOString().slice(0, 10))
        assert.deepEqual(datesOf(text, start, '2027-12-31').slice(1), theirs)
      }),
      { numRuns: examples(150) },
    )
  })

  for (const [rule, next] of [
    ['FREQ=DAILY', '2026-06-15'],
    ['FREQ=DAILY;INTERVAL=7', '2026-06-15'],
    ['FREQ=WEEKLY;BYDAY=SU;WKST=SU', '2026-06-14'],
    ['FREQ=MONTHLY', '2026-06-01'],
    ['FREQ=YEARLY;BYMONTH=1,12', '2026-01-01'],
  ] as const)
    test(`begin in the period of the day from which they are wanted: ${rule}`, () => {
      const [first, second] = daysOf(ruleOf(rule), at('0001-01-01'), at('9999-12-31'), at('2026-06-15'))
      assert.deepEqual(
        [first, second].map((day) => dateOf(day as number)),
        ['0001-01-01', next],
      )
    })

  test('are the same from any day on, also where they are counted', () => {
    const parts = fc.constantFrom('', ';INTERVAL=2', ';INTERVAL=5', ';COUNT=40', ';UNTIL=2025-03-31', ';WKST=WE')
    const rules = fc.constantFrom(
      ...['DAILY', 'DAILY;BYDAY=TU', 'WEEKLY', 'WEEKLY;BYDAY=TU,SU', 'WEEKLY;BYDAY=TU,SU;BYSETPOS=-1'],
      ...['MONTHLY;BYMONTHDAY=31', 'MONTHLY;BYDAY=-1FR', 'YEARLY;BYYEARDAY=-1,60', 'YEARLY;BYWEEKNO=1,53;BYDAY=MO,SU'],
    )
    const start = at('2023-12-31')
    fc.assert(
      fc.property(rules, parts, fc.integer({ min: -50, max: 1600 }), (rule, part, later) => {
        const [text, from, last] = [ruleOf(`FREQ=${rule}${part}`), start + later, at('2028-01-31')]
        const wanted = (days: Iterable<number>) => [...days].filter((day) => day >= from)
        assert.deepEqual(wanted(daysOf(text, start, last, from)), wanted(daysOf(text, start, last)))
      }),
      { numRuns: examples(300) },
    )
  })

  test('are counted from 1970 on', () => {
    assert.deepEqual(
      [dayOf(1970, 1, 1), dayOf(1969, 12, 31), dayOf(1, 1, 1), dayOf(2026, 14, 1)],
      [0, -1, -719162, at('2027-02-01')],
    )
  })
})
