import assert from 'node:assert/strict'
import { test } from 'node:test'
import { de } from '../../../src/web/components/fields/de.ts'
import { en } from '../../../src/web/components/fields/en.ts'
import * as read from '../../../src/web/components/fields/parse.ts'
import * as figures from '../../../src/web/components/fields/parse-figures.ts'
import { formatFor } from '../../../src/web/lib/format.ts'

const now = Date.parse('2026-11-23T09:06:00Z')
const english: read.Reading = {
  format: formatFor({ language: 'en', timezone: 'Europe/Berlin' }),
  texts: en,
  now,
}
const german: read.Reading = { format: formatFor({ language: 'de', timezone: 'Europe/Berlin' }), texts: de, now }

test('a number is read as the language writes it', () => {
  for (const [text, value] of [
    ['1234.5', 1234.5],
    ['1,234.5', 1234.5],
    ['-3', -3],
    ['1 234', 1234],
    ['', null],
  ] as const) {
    assert.deepEqual(figures.parseNumber(text, english), { value })
  }
  assert.deepEqual(figures.parseNumber('1.234,5', german), { value: 1234.5 })
  assert.deepEqual(figures.parseNumber('1.234', german), { value: 1234 })
  assert.deepEqual(figures.parseNumber('12.5', german), { value: 12.5 })
  for (const wrong of ['48,5,', '12a', '1,23,4', '1234567890123456']) {
    assert.ok('error' in figures.parseNumber(wrong, english), wrong)
  }
})

test('an amount may bring its currency, and what cannot be read says how to write it', () => {
  assert.deepEqual(figures.parseMoney('48,500', 'EUR', english), { value: { amount: 48500, currency: 'EUR' } })
  assert.deepEqual(figures.parseMoney('chf 7,820.50', 'EUR', english), { value: { amount: 7820.5, currency: 'CHF' } })
  assert.deepEqual(figures.parseMoney('7.820,50 CHF', 'EUR', german), { value: { amount: 7820.5, currency: 'CHF' } })
  assert.deepEqual(figures.parseMoney('', 'EUR', english), { value: { amount: null, currency: 'EUR' } })
  assert.deepEqual(figures.parseMoney('48.500,0,', 'EUR', english), { error: 'Write 48500 or 48,500.00' })
  assert.ok('error' in figures.parseMoney('-5', 'EUR', english))
  assert.ok('error' in figures.parseMoney('0.0000001', 'EUR', english))
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
    assert.deepEqual(figures.parseDate(text, english), { value: '2026-11-19' }, text)
  }
  assert.deepEqual(figures.parseDate('3. März 2027', german), { value: '2027-03-03' })
  for (const wrong of ['2026-02-30', '31.4.2026', 'soon', '19 xyz'])
    assert.ok('error' in figures.parseDate(wrong, english), wrong)
})

test('a date with a time is a moment in the zone of the member', () => {
  assert.deepEqual(figures.parseDateTime('2026-11-24T15:00', english), { value: '2026-11-24T14:00:00.000Z' })
  assert.deepEqual(figures.parseDateTime('24.11.2026 15:00', english), { value: '2026-11-24T14:00:00.000Z' })
  assert.deepEqual(figures.parseDateTime('2026-11-24T15:00:00Z', english), { value: '2026-11-24T15:00:00.000Z' })
  assert.ok('error' in figures.parseDateTime('24.11.2026', english))
  assert.ok('error' in figures.parseDateTime('24.11.2026 25:00', english))
})

test('addresses and numbers are checked where they are typed', () => {
  assert.deepEqual(figures.parseUrl('example.com/a', english), { value: 'https://example.com/a' })
  assert.deepEqual(figures.parseUrl('http://example.com', english), { value: 'http://example.com' })
  for (const wrong of ['javascript:alert(1)', 'two words.com', 'word'])
    assert.ok('error' in figures.parseUrl(wrong, english), wrong)
  assert.deepEqual(figures.parseEmail(' mira@example.com ', english), { value: 'mira@example.com' })
  assert.deepEqual(figures.parseEmail('Mira <mailto:mira@example.com>', english), { value: 'mira@example.com' })
  for (const wrong of ['mira', 'mira@', 'mira@example', 'a b@example.com', 'a@b.example, c@d.example'])
    assert.ok('error' in figures.parseEmail(wrong, english), wrong)
  for (const good of ['+49 (30) 901820', '030 901820 Durchwahl 7', '1-800-KONTORE', '030 901820 / 0172 5550199'])
    assert.deepEqual(figures.parsePhone(`\u200e${good} `, english), { value: good })
  assert.deepEqual(figures.parsePhone('tel:+49-30-901820', english), { value: '+49-30-901820' })
  for (const wrong of ['call me', '12', '+49 30 x']) assert.ok('error' in figures.parsePhone(wrong, english), wrong)
  assert.deepEqual(figures.parsePhone('4.93090182E+11', english), { error: en.lostDigits })
})

test('a list of numbers takes several in one line, and never refuses what is stored', () => {
  const line = (text: string, stored?: string) => ({ text, label: 'work', is_primary: true, ...(stored && { stored }) })
  const number = (text: string, is_primary: boolean) => ({ number: text, label: 'work', is_primary })
  assert.deepEqual(figures.parseLines('tel', [line('030 901820 / 0172 5550199')], english), {
    value: [number('030 901820', true), number('0172 5550199', false)],
  })
  const odd = 'ask for Ida on 901'
  assert.ok('error' in figures.parseLines('tel', [line(odd)], english))
  assert.deepEqual(
    figures.parseLines('tel', [line(odd, odd), { ...line('+49 30 901820'), is_primary: false }], english),
    {
      value: [number(odd, true), number('+49 30 901820', false)],
    },
  )
  assert.ok('error' in figures.parseLines('tel', [line('ask for Ida on 902', odd)], english), 'it was changed')
  const local = 'ida@printer'
  assert.ok('error' in figures.parseLines('email', [line(local)], english))
  assert.ok('value' in figures.parseLines('email', [line(local, local)], english))
})

test('options are found by their labels without case and accents', () => {
  const options = [
    { value: 'gold', label: 'Górny' },
    { value: 'silver', label: 'Silver' },
  ]
  assert.deepEqual(figures.parseOptions('gorny, SILVER, gorny', options, english), { value: ['gold', 'silver'] })
  assert.deepEqual(figures.parseOptions('', options, english), { value: [] })
  const wrong = { error: '“bronze” is not one of the choices' }
  assert.deepEqual(figures.parseOptions('silver; bronze', options, english), wrong)
  assert.deepEqual(read.parseOption(' GÓRNY', options, english), { value: 'gold' })
  assert.deepEqual(read.parseOption('bronze', options, english), wrong)
  assert.deepEqual(read.parseOption(' ', options, english), { value: null })
})

test('a choice may contain what separates choices', () => {
  const options = ['Steel, glass', 'Steel', 'Wood'].map((label) => ({ value: label.toUpperCase(), label }))
  assert.deepEqual(figures.parseOptions('wood, Steel, glass', options, english), { value: ['WOOD', 'STEEL, GLASS'] })
  assert.deepEqual(read.parseOption('steel, GLASS', options, english), { value: 'STEEL, GLASS' })
})
