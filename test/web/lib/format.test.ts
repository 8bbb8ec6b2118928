import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatFor } from '../../../src/web/lib/format.ts'

const berlin = formatFor({ language: 'en', timezone: 'Europe/Berlin' })
const deutsch = formatFor({ language: 'de', timezone: 'Europe/Berlin' })
const NOW = Date.parse('2026-11-23T09:06:00Z') // Monday, 10:06 in Berlin
const MINUTE = 60_000
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ')

test('an amount has decimals only where they are not zero, or where all are asked for', () => {
  assert.equal(berlin.amount('48500', 'EUR'), '48,500')
  assert.equal(berlin.amount('48500.00', 'EUR'), '48,500')
  assert.equal(berlin.amount('7820.5', 'CHF'), '7,820.50')
  assert.equal(berlin.amount('48500', 'EUR', 'all'), '48,500.00')
  assert.equal(berlin.amount('48500', 'JPY', 'all'), '48,500')
  assert.equal(berlin.amount(0, 'EUR'), '0')
  assert.equal(deutsch.amount('7820.5', 'CHF'), '7.820,50')
  assert.equal(plain(berlin.money('48500', 'EUR')), 'EUR 48,500')
})

test('an amount keeps every digit that a floating point number would lose', () => {
  assert.equal(berlin.amount('9000000000000.123456', 'EUR'), '9,000,000,000,000.123456')
  assert.equal(berlin.amount('0.000001', 'EUR'), '0.000001')
})

test('a percentage has a space, in every language', () => {
  assert.equal(plain(berlin.percent(13.7)), '13.7 %')
  assert.equal(plain(deutsch.percent(13.7)), '13,7 %')
})

test('a time is near by its day and clock, further away by its date', () => {
  assert.equal(berlin.when('2026-11-23T14:00:00Z', NOW), 'today 15:00')
  assert.equal(berlin.when('2026-11-25T08:30:00Z', NOW), 'Wed 09:30')
  assert.equal(berlin.when('2026-11-19T08:30:00Z', NOW), 'Thu 09:30')
  assert.equal(berlin.when('2026-11-29T08:30:00Z', NOW), 'Sun 09:30')
  assert.equal(berlin.when('2026-11-30T08:30:00Z', NOW), '30 Nov')
  assert.equal(berlin.when('2027-12-31T08:30:00Z', NOW), '31 Dec 2027')
  assert.equal(deutsch.when('2026-11-23T14:00:00Z', NOW), 'heute 15:00')
  assert.equal(deutsch.when('2026-12-30T14:00:00Z', NOW), '30. Dez.')
})

test('the day is the one of the zone, not of UTC', () => {
  assert.equal(berlin.when('2026-11-23T23:30:00Z', NOW), 'Tue 00:30')
  const auckland = formatFor({ language: 'en', timezone: 'Pacific/Auckland' })
  assert.equal(auckland.when('2026-11-23T14:00:00Z', NOW), 'Tue 03:00')
  assert.equal(berlin.daysAway('2026-11-23T23:30:00Z', NOW), 1)
})

test('a date without a time is the same day in every zone', () => {
  for (const timezone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'Europe/Berlin']) {
    assert.equal(formatFor({ language: 'en', timezone }).date('2026-12-18'), '18 Dec 2026')
  }
  assert.equal(berlin.day('2026-11-23', NOW), 'today')
  assert.equal(berlin.day('2026-11-19', NOW), 'Thu')
  assert.equal(berlin.day('2026-11-16', NOW), '16 Nov')
  assert.equal(berlin.full('2026-12-18'), 'Friday, 18 December 2026')
  assert.equal(berlin.full('2026-12-18T08:00:00Z'), 'Friday, 18 December 2026, 09:00')
})

test('a duration has two units at most, and days alone', () => {
  const cases: [number, string, string][] = [
    [0, '0 min', '0 min late'],
    [18 * MINUTE, '18 min', '18 min late'],
    [65 * MINUTE, '1 h 05', '1 h 05 late'],
    [120 * MINUTE, '2 h', '2 h late'],
    [50 * 60 * MINUTE, '2 d', '2 d late'],
    [-5 * MINUTE, '0 min', '0 min late'],
  ]
  for (const [ms, short, late] of cases) {
    assert.equal(plain(berlin.duration(ms)), short)
    assert.equal(plain(berlin.late(ms)), late)
  }
  assert.equal(plain(berlin.lateInFull(50 * 60 * MINUTE)), '2 days late')
  assert.equal(plain(berlin.lateInFull(65 * MINUTE)), '1 hour 5 minutes late')
  assert.equal(plain(deutsch.late(50 * 60 * MINUTE)), '2 T zu spät')
})

test('what was a moment ago is said in words', () => {
  assert.equal(berlin.ago(NOW - 20_000, NOW), 'just now')
  assert.equal(berlin.ago(NOW - MINUTE, NOW), 'a minute ago')
  assert.equal(berlin.ago(NOW - 180 * MINUTE, NOW), '3 hours ago')
  assert.equal(deutsch.ago(NOW - MINUTE, NOW), 'vor 1 Minute')
})
