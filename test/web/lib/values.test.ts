import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fromMicros, hasFraction, sumByCurrency, toMicros } from '../../../src/web/lib/decimal.ts'
import { differences } from '../../../src/web/lib/diff.ts'
import { heightsOf, rowsInView } from '../../../src/web/lib/heights.ts'
import { matching } from '../../../src/web/lib/match.ts'
import { initials } from '../../../src/web/lib/names.ts'
import { dateIn, momentOf, timeIn, zoned } from '../../../src/web/lib/zoned.ts'
import { examples } from '../../support/seed.ts'

test('millionths come back as the amount they were', () => {
  for (const amount of ['0', '25000', '25000.5', '0.000001', '9000000000000', '-12.34']) {
    assert.equal(fromMicros(toMicros(amount)), amount)
  }
  assert.equal(toMicros(123456.789), 123456789000n)
  assert.throws(() => toMicros('1e5'), RangeError)
  assert.throws(() => toMicros('0.0000001'), RangeError)
  assert.equal(hasFraction('12.00'), false)
  assert.equal(hasFraction(12.01), true)
})

test('sums are exact, each currency by itself, with the own one first', () => {
  const rows = [
    { amount: '0.1', currency: 'USD' },
    { amount: '0.2', currency: 'USD' },
    { amount: '5', currency: 'EUR' },
    { amount: '7', currency: 'CHF' },
    { amount: null, currency: 'EUR' },
  ]
  assert.deepEqual(
    sumByCurrency(rows, 'USD').map(({ currency, micros, count }) => [currency, fromMicros(micros), count]),
    [
      ['USD', '0.3', 2],
      ['CHF', '7', 1],
      ['EUR', '5', 1],
    ],
  )
})

test('what begins with the typed text comes first, and accents do not matter', () => {
  const names = ['Anders Jo', 'João Vasco', 'Jonas Lindqvist', 'Marjo', 'Ana']
  assert.deepEqual(matching('jo', names, String), ['João Vasco', 'Jonas Lindqvist', 'Anders Jo', 'Marjo'])
  assert.deepEqual(matching('lind jon', names, String), ['Jonas Lindqvist'])
  assert.deepEqual(matching('', names, String), names)
})

test('initials are of the first and the last word', () => {
  assert.equal(initials('Zoë Okonkwo-Hartmann'), 'ZH')
  assert.equal(initials('Øresund Robotics ApS'), 'ØR')
  assert.equal(initials('Amazon'), 'AM')
  assert.equal(initials('Dr. Maja Lindqvist, MBA'), 'ML')
  assert.equal(initials('Herr Prof.'), 'HP')
  assert.equal(initials('van der Meer Logistiek'), 'ML')
  assert.equal(initials(''), '')
})

test('a clock time becomes the moment at which the zone shows it', () => {
  const winter = { year: 2026, month: 11, day: 24, hour: 15, minute: 0, second: 0 }
  assert.equal(new Date(momentOf(winter, 'Europe/Berlin')).toISOString(), '2026-11-24T14:00:00.000Z')
  // Between two and three the clocks of Berlin are put forward on this day.
  const gap = { year: 2026, month: 3, day: 29, hour: 2, minute: 30, second: 0 }
  assert.equal(new Date(momentOf(gap, 'Europe/Berlin')).toISOString(), '2026-03-29T01:30:00.000Z')
  assert.equal(dateIn(Date.parse('2026-11-23T23:30:00Z'), 'Europe/Berlin'), '2026-11-24')
  assert.equal(timeIn(Date.parse('2026-11-23T23:30:00Z'), 'Europe/Berlin'), '00:30')
})

test('any moment that is shown once in a zone comes back from what is shown', () => {
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu')
  const hours = fc.integer({ min: 0, max: 24 * 365 * 3 })
  fc.assert(
    fc.property(zones, hours, (zone, hour) => {
      const ms = Date.parse('2025-01-01T00:00:00Z') + hour * 3_600_000
      const shown = zoned(ms, zone)
      // An hour that the clock goes through twice stands for one of both.
      assert.deepEqual(zoned(momentOf(shown, zone), zone), shown)
    }),
    { numRuns: examples(300) },
  )
})

test('the words that differ are marked on both sides', () => {
  const { one, other } = differences('Plant board, 3 December, then group', 'Plant board, both plants, then group')
  assert.deepEqual(
    one.filter(({ same }) => !same).map(({ text }) => text.trim()),
    ['3 December,'],
  )
  assert.deepEqual(
    other.filter(({ same }) => !same).map(({ text }) => text.trim()),
    ['both plants,'],
  )
  assert.equal(one.map(({ text }) => text).join(''), 'Plant board, 3 December, then group')
  assert.deepEqual(differences('same', 'same').one, [{ text: 'same', same: true }])
})

test('texts of any kind are kept whole by the marks', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n'), { maxLength: 40 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(words, words, (one, other) => {
      const marked = differences(one, other)
      assert.equal(marked.one.map(({ text }) => text).join(''), one)
      assert.equal(marked.other.map(({ text }) => text).join(''), other)
    }),
    { numRuns: examples(300) },
  )
})

test('a list knows where its rows stand, also after some were measured', () => {
  const heights = heightsOf(50)
  const keys = Array.from({ length: 1000 }, (_, index) => String(index))
  heights.setKeys(keys)
  assert.equal(heights.total(), 50_000)
  assert.deepEqual(rowsInView(heights, 1000, { top: 500, height: 200 }, 2), { first: 8, last: 15 })
  assert.equal(heights.setHeight('3', 80), true)
  assert.equal(heights.setHeight('3', 80.2), false)
  heights.build()
  assert.equal(heights.offsetOf(4), 230)
  assert.equal(heights.indexAt(229), 3)
  assert.equal(heights.indexAt(1e9), 999)
  heights.setKeys(['3', '0'])
  assert.equal(heights.offsetOf(1), 80)
  assert.deepEqual(rowsInView(heights, 0, { top: 0, height: 100 }, 2), { first: 0, last: -1 })
})
