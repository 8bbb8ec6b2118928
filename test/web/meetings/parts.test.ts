import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeDaysOf } from '../../../src/lib/written/days/whole-days.ts'
import { canShift, playAt, shiftOf, withShift } from '../../../src/web/screens/meetings/transcript/recording.ts'
import { hitsIn, indexOf, segmentOfSecond, timeIn } from '../../../src/web/screens/meetings/transcript/search.ts'
import { given, isUnknown, merged, named } from '../../../src/web/screens/meetings/transcript/speakers.ts'
import type { Segment, Speaker, Transcript } from '../../../src/web/screens/meetings/transcript/types.ts'

const said = (...texts: string[]): Segment[] =>
  texts.map((text, index) => ({ index, speaker: 'a', start_ms: index * 1000, end_ms: index * 1000 + 900, text }))

const found = (q: string, ...texts: string[]) => {
  const segments = said(...texts)
  return hitsIn(indexOf(segments), q).map(({ marks }) =>
    marks.map(({ segment, from, to }) => `${segment}:${segments[segment]?.text.slice(from, to)}`).join(' '),
  )
}

test('a hit is words in a row, whatever signs stand between them, also across the ends of lines', () => {
  assert.deepEqual(found('st gallen', 'We sit in St. Gallen.'), ['0:St. Gallen'])
  assert.deepEqual(found('serve both', 'Can one gateway serve', 'both halls?'), ['0:serve 1:both'])
  assert.deepEqual(found('gate', 'A gateway, and the gate. Investigate'), ['0:gate', '0:gate'])
  assert.deepEqual(found('uber', 'Über alles'), ['0:Über'])
  assert.deepEqual(found('strasse', 'Die Straße hier'), ['0:Straße'])
  assert.deepEqual(found('GATEWAY', 'gateway gateway'), ['0:gateway', '0:gateway'])
  assert.deepEqual(found('a a', 'a a a a'), ['0:a a', '0:a a'])
  assert.deepEqual(found('one two three', 'one', 'two', 'three'), ['0:one 1:two 2:three'])
  for (const none of ['', ' . ', 'both serve', 'ateway']) assert.deepEqual(found(none, 'gateway serve both'), [])
  assert.deepEqual(found('x'), [])
})

test('the last of 20,000 lines is found among them, and each hit is marked once', () => {
  const texts = Array.from({ length: 20_000 }, (_, n) => (n % 4999 === 0 ? 'a needle' : `line ${n} of the talk`))
  assert.deepEqual(
    found('needle', ...texts).map((hit) => hit.split(':')[0]),
    ['0', '4999', '9998', '14997', '19996'],
  )
})

test('a hit in the middle of a long turn is there, and an address means the line that begins in its second', () => {
  const turn = { index: 0, speaker: 'a', start_ms: 60_000, end_ms: 300_000, text: 'x'.repeat(100) }
  assert.equal(timeIn(turn, 50), 180_000)
  const segments = [0, 23_000, 25_400, 25_900, 40_000].map((start_ms, index) => ({ ...turn, index, start_ms }))
  assert.deepEqual(
    [0, 22, 23, 24, 25, 26, 39, 40, 99].map((second) => segmentOfSecond(segments, second)),
    [0, 0, 1, 1, 2, 3, 3, 4, 4],
  )
})

const speaker = (key: string, more: Partial<Speaker> = {}): Speaker => ({
  key,
  name: null,
  member_id: null,
  contact_id: null,
  talk_ms: 0,
  ...more,
})
const talk = { speakers: [speaker('a', { name: 'Dana' }), speaker('b')], segments: said('One', 'Two') } as Transcript

test('of two speakers who are one, the name that was given survives in either direction', () => {
  assert.deepEqual(merged(talk, 'a', 'b').speakers, [speaker('b', { name: 'Dana' })])
  assert.deepEqual(merged(talk, 'b', 'a').speakers, [speaker('a', { name: 'Dana' })])
  assert.deepEqual(
    merged(talk, 'a', 'b').segments.map((each) => each.speaker),
    ['b', 'b'],
  )
  assert.equal(merged(talk, 'a', 'a'), talk)
  assert.equal(merged(talk, 'gone', 'a'), talk)
})

test('one line is given away alone, and a file that calls a voice by its key does not name it', () => {
  assert.deepEqual(
    given(talk, 1, 'b').segments.map((each) => each.speaker),
    ['a', 'b'],
  )
  assert.deepEqual([speaker('b'), speaker('b', { name: 'b' }), speaker('b', { name: 'B.' })].map(isUnknown), [
    true,
    true,
    false,
  ])
  const who = { name: 'Ana', member_id: '1', contact_id: null }
  assert.deepEqual(named(talk, 'b', who).speakers[1], speaker('b', who))
})

test('the shift of a recording stands in its address, and nothing of another kind is lost', () => {
  const plain = 'https://rec.example/talk.mp4'
  assert.equal(playAt(plain, 754_900), `${plain}#t=754`)
  const shifted = withShift(plain, -30) as string
  assert.deepEqual([shifted, shiftOf(shifted)], [`${plain}#shift=-30`, -30])
  assert.equal(playAt(shifted, 754_000), `${plain}#t=724`)
  assert.equal(playAt(shifted, 10_000), `${plain}#t=0`)
  assert.equal(withShift(shifted, 0), plain)
  assert.equal(withShift(shifted, 12.4), `${plain}#shift=12`)
  for (const own of ['https://app.example/#/rec/5', 'https://app.example/#shift=x']) {
    assert.equal(canShift(own), false)
    assert.equal(withShift(own, 5), undefined)
    assert.equal(playAt(own, 5000), own)
  }
})

test('whole days are from midnight to midnight in the zone of the meeting, also where a day has 23 hours', () => {
  const days = (starts_at: string, ends_at: string, timezone: string | null, own = 'Europe/Berlin') =>
    wholeDaysOf({ starts_at, ends_at, timezone }, own)
  assert.deepEqual(days('2027-01-22T23:00:00Z', '2027-01-24T23:00:00Z', 'Europe/Berlin'), ['2027-01-23', '2027-01-24'])
  assert.deepEqual(days('2027-01-22T23:00:00Z', '2027-01-23T23:00:00Z', null), ['2027-01-23', '2027-01-23'])
  assert.deepEqual(days('2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z', 'Europe/Berlin'), ['2027-03-28', '2027-03-28'])
  assert.equal(days('2027-01-22T23:00:00Z', '2027-01-23T22:00:00Z', 'Europe/Berlin'), undefined)
  assert.equal(days('2027-01-23T00:00:00Z', '2027-01-24T00:00:00Z', 'Europe/Berlin'), undefined)
})
