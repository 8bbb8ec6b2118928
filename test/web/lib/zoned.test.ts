import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { momentOf } from '../../../src/web/lib/zoned.ts'
import { startOfDay } from '../../../src/web/screens/tasks/groups.ts'
import { examples } from '../../support/seed.ts'

// Days of 23 and 25 hours, also where the clocks change at midnight, by half an hour, or over a whole day. Temporal is the
// judge: not all browsers have it.

const ZONES = [
  ...['Europe/Berlin', 'America/New_York', 'America/Santiago', 'America/Havana', 'Asia/Beirut', 'Africa/Cairo'],
  ...['Australia/Lord_Howe', 'America/Sao_Paulo', 'America/Asuncion', 'Asia/Gaza', 'Pacific/Apia', 'Asia/Kolkata'],
]
const FROM = Date.parse('2011-01-01T00:00:00Z')
const HOURS = 24 * 365 * 20

/** Moments within two days of a change of the clocks, where there is one: the others are easy. */
const moments = fc
  .tuple(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: HOURS }), fc.integer({ min: -96, max: 96 }))
  .map(([zone, hour, halves]) => {
    const some = Temporal.Instant.fromEpochMilliseconds(FROM + hour * 3_600_000).toZonedDateTimeISO(zone)
    const change = some.getTimeZoneTransition('next') ?? some
    return change.add({ minutes: halves * 30 })
  })

test('a day begins with its first moment', () => {
  fc.assert(
    fc.property(moments, (at) => {
      const started = at.startOfDay().epochMilliseconds
      assert.equal(Date.parse(startOfDay(at.epochMilliseconds, at.timeZoneId)), started, String(at))
    }),
    { numRuns: examples(2000) },
  )
})

test('what a clock shows is its moment: the first where there are two, and after the gap where there is none', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: -1440, max: 1440 }), (at, minutes) => {
      const shown = at.toPlainDateTime().add({ minutes })
      const { year, month, day, hour, minute, second } = shown
      const expected = shown.toZonedDateTime(at.timeZoneId, { disambiguation: 'compatible' }).epochMilliseconds
      assert.equal(momentOf({ year, month, day, hour, minute, second }, at.timeZoneId), expected, `${shown} ${at}`)
    }),
    { numRuns: examples(2000) },
  )
})
