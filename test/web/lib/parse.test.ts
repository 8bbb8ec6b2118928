import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as read from '../../../src/web/components/fields/parse.ts'
import { formatFor } from '../../../src/web/lib/format.ts'
import { de } from '../../../src/web/texts/de.ts'
import { en } from '../../../src/web/texts/en.ts'

const now = Date.parse('2026-11-23T09:06:00Z')
const english: read.Reading = {
  format: formatFor({ language: 'en', timezone: 'Europe/Berlin' }),
  texts: en.fields,
  now,
}
const german: read.Reading = { format: formatFor({ language: 'de', timezone: 'Europe/Berlin' }), texts: de.fields, now }

test('a number is read as the language writes it', () => {
  for (const [text, value] of [
    ['1234.5', 1234.5],
    ['1,234.5', 1234.5],
    ['-3', -3],
    ['1 234', 1234],
    ['', null],
  ] as const) {
    assert.deepEqual(read.parseNumber(text, english), { value })
  }
  assert.deepEqual(read.parseNumber('1.234,5', german), { value: 1234.5 })
  assert.deepEqual(read.parseNumber('1.234', german), { value: 1234 })
  assert.deepEqual(read.parseNumber('12.5', german), { value: 12.5 })
  for (const wrong of ['48,5,', '12a', '1,23', '1234567890123456']) {
    assert.ok('error' in read.parseNumber(wrong, english), wrong)
  }
})

test('an amount may bring its currency, and what cannot be read says how to write it', () => {
  assert.deepEqual(read.parseMoney('48,500', 'EUR', english), { value: { amount: 48500, currency: 'EUR' } })
  assert.deepEqual(read.parseMoney('chf 7,820.50', 'EUR', english), { value: { amount: 7820.5, currency: 'CHF' } })
  assert.deepEqual(read.parseMoney('7.820,50 CHF', 'EUR', german), { value: { amount: 7820.5, currency: 'CHF' } })
  assert.deepEqual(read.parseMoney('', 'EUR', english), { value: { amount: null, currency: 'EUR' } })
  assert.deepEqual(read.parseMoney('48.500,0,', 'EUR', english), { error: 'Write 48500 or 48,500.00' })
  assert.ok('error' in read.parseMoney('-5', 'EUR', english))
  assert.ok('error' in read.parseMoney('0.0000001', 'EUR', english))
})

test('a date is read in the ways that people write one', () => {
  for (const text of [
    '2026-11-19',
    '19.11.2026',
    '19/11/2026',
    '19 Nov 2026',
    '19 November 2026',
    '19.11.26',
    '19.11.',
  ]) {
    assert.deepEqual(read.parseDate(text, english), { value: '2026-11-19' }, text)
  }
  assert.deepEqual(read.parseDate('3. März 2027', german), { value: '2027-03-03' })
  for (const wrong of ['2026-02-30', '31.4.2026', 'soon', '19 xyz'])
    assert.ok('error' in read.parseDate(wrong, english), wrong)
})

test('a date with a time is a moment in the zone of the member', () => {
  assert.deepEqual(read.parseDateTime('2026-11-24T15:00', english), { value: '2026-11-24T14:00:00.000Z' })
  assert.deepEqual(read.parseDateTime('24.11.2026 15:00', english), { value: '2026-11-24T14:00:00.000Z' })
  assert.deepEqual(read.parseDateTime('2026-11-24T15:00:00Z', english), { value: '2026-11-24T15:00:00.000Z' })
  assert.ok('error' in read.parseDateTime('24.11.2026', english))
  assert.ok('error' in read.parseDateTime('24.11.2026 25:00', english))
})

test('addresses and numbers are checked where they are typed', () => {
  assert.deepEqual(read.parseUrl('example.com/a', english), { value: 'https://example.com/a' })
  assert.deepEqual(read.parseUrl('http://example.com', english), { value: 'http://example.com' })
  for (const wrong of ['javascript:alert(1)', 'two words.com', 'word'])
    assert.ok('error' in read.parseUrl(wrong, english), wrong)
  assert.deepEqual(read.parseEmail(' mira@example.com ', english), { value: 'mira@example.com' })
  for (const wrong of ['mira', 'mira@', 'mira@example', 'a b@example.com'])
    assert.ok('error' in read.parseEmail(wrong, english))
  assert.deepEqual(read.parsePhone('+49 (30) 901820', english), { value: '+49 (30) 901820' })
  for (const wrong of ['call me', '12', '+49 30 x']) assert.ok('error' in read.parsePhone(wrong, english), wrong)
})

test('options are found by their labels without case and accents', () => {
  const options = [
    { value: 'gold', label: 'Górny' },
    { value: 'silver', label: 'Silver' },
  ]
  assert.deepEqual(read.parseOptions('gorny, SILVER, gorny', options, english), { values: ['gold', 'silver'] })
  assert.deepEqual(read.parseOptions('bronze', options, english), { error: '“bronze” is not one of the choices' })
})
