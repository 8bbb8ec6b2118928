import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isDate, isTimezone, parseTime, rfc3339 } from '../../src/lib/time.ts'

const FIRST = Date.parse('0001-01-01T00:00:00.000Z')
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const two = (n: number) => String(n).padStart(2, '0')

describe('times', () => {
  test('are written as Date writes them, from the year 1 to 9999', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST, max: LAST }), (ms) => {
        const text = rfc3339(ms)
        assert.equal(text, new Date(ms).toISOString())
        assert.equal(parseTime(text), ms)
      }),
      { numRuns: 5000, examples: [[FIRST], [LAST], [0], [-1], [86_399_999], [86_400_000], [-86_400_000]] },
    )
  })

  const parts = fc.record({
    day: fc.oneof(
      fc.constantFrom('2024-02-29', '2023-02-29', '2100-02-29', '2000-02-29', '0000-01-01', '0001-01-01', '9999-12-31'),
      fc
        .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 0, max: 13 }), fc.integer({ min: 0, max: 32 }))
        .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`),
    ),
    hour: fc.integer({ min: 0, max: 25 }),
    minute: fc.integer({ min: 0, max: 61 }),
    second: fc.integer({ min: 0, max: 59 }),
    fraction: fc.constantFrom(
      '',
      '.0',
      '.5',
      '.12',
      '.123',
      '.1230',
      '.123000000',
      '.1234',
      '.000000001',
      '.',
      '.1000001',
    ),
    zone: fc.oneof(
      fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+23:59', '-23:59', '+24:00', '', '+0100', '+01', 'UTC'),
      fc
        .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 24 }), fc.integer({ min: 0, max: 60 }))
        .map(([sign, hour, minute]) => `${sign}${two(hour)}:${two(minute)}`),
    ),
    between: fc.constantFrom('T', 'T', 'T', 't', ' ', ''),
  })

  test('are read as Temporal reads them, as far as RFC 3339 and milliseconds go', () => {
    let valid = 0
    fc.assert(
      fc.property(parts, ({ day, hour, minute, second, fraction, zone, between }) => {
        const text = `${day}${between}${two(hour)}:${two(minute)}:${two(second)}${fraction}${zone}`
        const isWritten = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,3}0*)?([Zz]|[+-]\d\d:\d\d)$/.test(text)
        let expected: number | undefined
        try {
          expected = isWritten ? Temporal.Instant.from(text).epochMilliseconds : undefined
        } catch {
          // not a time
        }
        // Temporal knows a year 0, and an hour 24 before midnight.
        if (text.startsWith('0000') || hour === 24) expected = undefined
        if (expected !== undefined && (expected < FIRST || expected > LAST)) expected = undefined
        if (expected !== undefined) valid++
        assert.equal(parseTime(text), expected, text)
      }),
      { numRuns: 5000 },
    )
    assert.ok(valid > 250, `${valid} of them were valid`)
  })

  for (const text of [
    '2026-11-20T08:36:60Z',
    '9999-12-31T23:59:59.999-00:01',
    '0001-01-01T00:00:00+00:01',
    '+002026-11-20T08:36:00Z',
    '2026-11-20T08:36Z',
    '2026-11-20T08:36:00Z ',
    '2026-11-20T08:36:00Z[UTC]',
    '２０２６-11-20T08:36:00Z',
    '2026-11-20',
    '',
  ]) {
    test(`do not include ${JSON.stringify(text)}`, () => assert.equal(parseTime(text), undefined))
  }
})

describe('dates', () => {
  test('are the days of the calendar, and nothing else', () => {
    for (const year of [1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999]) {
      for (let month = 0; month <= 13; month++) {
        for (let day = 0; day <= 32; day++) {
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
          const date = new Date(0)
          date.setUTCFullYear(year, month - 1, day)
          assert.equal(isDate(text), date.toISOString().slice(0, 10) === text, text)
        }
      }
    }
    for (const text of ['0000-01-01', '10000-01-01', '2026-1-1', '2026-11-20 ', '20261120', '2026-11-20T00:00:00Z', ''])
      assert.equal(isDate(text), false, text)
  })
})

describe('time zones', () => {
  test('are those of the IANA database', () => {
    for (const name of ['Europe/Berlin', 'UTC', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])
      assert.ok(isTimezone(name))
    for (const name of ['', 'Mars/Base', '+01:00', 'Europe/Berlin ', 'Europe', 'a'.repeat(1000)])
      assert.ok(!isTimezone(name))
  })
})
