import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeyedEvent } from '../../../src/events/reading.ts'
import { eventFeed } from '../../../src/site/live/feed.ts'

/** Events without gaps up to a seq, that counts how often it is read. */
function storedUpTo(first: number, newest: number, chars = 2) {
  const stored = { newest, reads: 0 }
  const eventOf = (seq: number) =>
    ({ seq, type: 'deal.created', id: `e${seq}`, at: 0, actor_type: 'system', data: 'x'.repeat(chars) }) as KeyedEvent
  const after = (_: number, seq: number, limit: number) => {
    stored.reads++
    const from = Math.max(seq + 1, first)
    return Array.from({ length: Math.min(limit, Math.max(stored.newest + 1 - from, 0)) }, (_, at) => eventOf(from + at))
  }
  return { stored, feed: eventFeed({ after } as never, 1) }
}

const seqsOf = (frames: readonly { seq: number }[]) => frames.map(({ seq }) => seq)
const range = (from: number, to: number) => Array.from({ length: to + 1 - from }, (_, at) => from + at)

test('the newest events are read once for all that follow, however far each has come', () => {
  const { stored, feed } = storedUpTo(1, 10)
  assert.deepEqual(seqsOf(feed.after(4)), range(5, 10))
  for (const seq of [4, 5, 9]) assert.deepEqual(seqsOf(feed.after(seq)), range(seq + 1, 10))
  assert.equal(stored.reads, 1)
  stored.newest = 12
  assert.deepEqual(seqsOf(feed.after(10)), [11, 12])
  for (const seq of [4, 10, 11]) assert.deepEqual(seqsOf(feed.after(seq)), range(seq + 1, 12))
  assert.equal(stored.reads, 2)
})

test('nothing newer is nothing, and is looked for each time', () => {
  const { stored, feed } = storedUpTo(1, 3)
  assert.deepEqual(feed.after(3), [])
  assert.deepEqual(feed.after(3), [])
  stored.newest = 4
  assert.deepEqual(seqsOf(feed.after(3)), [4])
  assert.deepEqual(feed.after(4), [])
  assert.deepEqual([seqsOf(feed.after(3)), stored.reads], [[4], 4], 'what is there stays')
})

test('who is further back reads by itself, and takes nothing from the others', () => {
  const { stored, feed } = storedUpTo(1, 1000)
  assert.deepEqual(seqsOf(feed.after(990)), range(991, 1000))
  assert.deepEqual(seqsOf(feed.after(100)), range(101, 300))
  assert.equal(stored.reads, 2)
  assert.deepEqual(seqsOf(feed.after(995)), range(996, 1000))
  assert.equal(stored.reads, 2)
})

test('who is further ahead starts anew: what is kept has no gap', () => {
  const { stored, feed } = storedUpTo(1, 10)
  feed.after(4)
  stored.newest = 500
  assert.deepEqual(seqsOf(feed.after(450)), range(451, 500))
  assert.deepEqual(seqsOf(feed.after(9)), range(10, 209))
  assert.equal(stored.reads, 3)
})

test('at most 200 are given at once, also of those that are kept, and at most 400 are kept', () => {
  const { stored, feed } = storedUpTo(1, 600)
  for (const seq of [0, 200, 400]) assert.deepEqual(seqsOf(feed.after(seq)), range(seq + 1, seq + 200))
  assert.equal(stored.reads, 3)
  assert.deepEqual(seqsOf(feed.after(200)), range(201, 400))
  assert.equal(stored.reads, 3)
  feed.after(199)
  assert.equal(stored.reads, 4, 'the oldest of 401')
})

test('of large events as many are kept as 2 MB have, the newest', () => {
  const { stored, feed } = storedUpTo(1, 30, 200_000)
  assert.deepEqual(seqsOf(feed.after(0)), range(1, 30))
  assert.deepEqual(seqsOf(feed.after(20)), range(21, 30))
  assert.equal(stored.reads, 1)
  feed.after(19)
  assert.equal(stored.reads, 2)
})

test('what is after a gap of the numbers is given apart, and is kept without what was before', () => {
  const eventOf = (seq: number) => ({ seq, type: 'deal.created', id: `e${seq}`, at: 0, data: '{}' }) as KeyedEvent
  const stored = [1, 2, 3, 101, 102].map(eventOf)
  let reads = 0
  const after = (_: number, from: number, limit: number) => {
    reads++
    return stored.filter(({ seq }) => seq > from).slice(0, limit)
  }
  const feed = eventFeed({ after } as never, 1)
  assert.deepEqual(seqsOf(feed.after(1)), [2, 3])
  assert.deepEqual(seqsOf(feed.after(3)), [101, 102])
  for (const [seq, next] of [
    [100, [101, 102]],
    [101, [102]],
  ] as const)
    assert.deepEqual(seqsOf(feed.after(seq)), next)
  assert.equal(reads, 2)
  stored.push(eventOf(103))
  assert.deepEqual(seqsOf(feed.after(102)), [103])
  assert.deepEqual([seqsOf(feed.after(101)), reads], [[102, 103], 3])
})
