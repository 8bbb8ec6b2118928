import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { en } from '../../../src/web/components/fields/en.ts'
import * as figures from '../../../src/web/components/fields/parse-figures.ts'
import { formatFor } from '../../../src/web/lib/format.ts'
import { examples } from '../../support/seed.ts'

// What a field shows, typed again, is the same value, in both languages and whatever the browser's own format of days.

const NOW = Date.parse('2026-11-28T12:00:00Z')
const READINGS = ['en', 'de'].flatMap((language) =>
  ['en-US', 'en-GB', undefined].map((dayLocale) => ({
    format: formatFor({ language, timezone: 'Europe/Berlin' }),
    texts: en,
    now: NOW,
    dayLocale: language === 'en' ? dayLocale : undefined,
  })),
)

const numRuns = examples(1000)
/** Up to 15 digits, of which up to six are behind the point. */
const numbers = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat(999_999), fc.nat(6))
  .map(([whole, fraction, places]) => Number(`${whole}.${String(fraction).padStart(6, '0').slice(0, places)}`))
const days = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const minutes = fc.integer({ min: Date.parse('1990-01-01') / 60_000, max: Date.parse('2090-01-01') / 60_000 })

test('a number is', () => {
  fc.assert(
    fc.property(numbers, fc.constantFrom(...READINGS), (value, reading) => {
      assert.deepEqual(figures.parseNumber(reading.format.number(value), reading), { value: value === 0 ? 0 : value })
    }),
    { numRuns },
  )
})

test('an amount is, with its currency', () => {
  const currencies = fc.constantFrom('EUR', 'USD', 'CHF', 'JPY', 'KWD', 'SEK', 'PLN', 'INR')
  fc.assert(
    fc.property(numbers, currencies, fc.constantFrom(...READINGS), (value, currency, reading) => {
      const amount = Math.abs(value)
      for (const shown of [
        reading.format.money(amount, currency),
        reading.format.money(amount, currency, 'all'),
        `${currency} ${reading.format.amount(amount)}`,
      ])
        assert.deepEqual(figures.parseMoney(shown, 'GBP', reading), { value: { amount, currency } }, shown)
    }),
    { numRuns },
  )
})

test('a day is, short and in full', () => {
  fc.assert(
    fc.property(days, fc.constantFrom(...READINGS), (day, reading) => {
      for (const shown of [day, reading.format.date(day), reading.format.full(day)])
        assert.deepEqual(figures.parseDate(shown, reading), { value: day }, shown)
    }),
    { numRuns },
  )
})

test('a moment is, to the minute, unless the clock shows it twice', () => {
  fc.assert(
    fc.property(minutes, fc.constantFrom(...READINGS), (minute, reading) => {
      const { format } = reading
      const value = new Date(minute * 60_000).toISOString()
      const shown = `${format.date(value)}, ${format.time(value)}`
      const found = figures.parseDateTime(shown, reading)
      if ('value' in found) assert.deepEqual(found, { value }, shown)
      else assert.match(found.error, /^This may be/)
    }),
    { numRuns },
  )
})
