import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { WORKING_DAY_MS, workingTime } from '../../../src/demo/story/calendar.ts'

const from = Date.UTC(2025, 10, 3)
const to = Date.UTC(2026, 10, 20, 9, 30)
const time = workingTime(from, to)

test('working time is found back from the instants that it stands for', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: time.total }), (work) => {
      assert.equal(time.of(time.at(work)), work)
    }),
  )
})

test('an instant at which nobody works counts as the next one at which somebody does', () => {
  const opening = time.of(Date.UTC(2026, 10, 16, 8)) // a Monday
  for (const at of [Date.UTC(2026, 10, 13, 16), Date.UTC(2026, 10, 14, 12), Date.UTC(2026, 10, 16, 7, 59)]) {
    assert.equal(time.of(at), opening)
  }
  assert.equal(time.at(opening), Date.UTC(2026, 10, 16, 8))
  assert.equal(time.of(Date.UTC(2025, 11, 24, 10)), time.of(Date.UTC(2026, 0, 2, 8)))
  assert.equal(time.of(Date.UTC(2026, 0, 2, 9)) - time.of(Date.UTC(2025, 11, 23, 15)), 2 * (WORKING_DAY_MS / 8))
})

test('instants outside of it count as its ends', () => {
  assert.equal(time.of(from - 1), 0)
  assert.equal(time.of(to + 1), time.total)
  assert.equal(time.of(to + 10 * 86_400_000), time.total)
})
