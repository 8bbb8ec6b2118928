import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { firstIdAt, MAX_AHEAD_MS, startClock, timeOfId, UUID } from '../../src/lib/id.ts'
import { rfc3339 } from '../../src/lib/time.ts'
import { startServer } from '../support/server.ts'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const START = Date.UTC(2026, 10, 20, 8, 36)

const isAscending = (ids: string[]) => ids.every((id, at) => at === 0 || (ids[at - 1] as string) < id)
const many = (clock: { id: () => string }, count: number) => Array.from({ length: count }, () => clock.id())

describe('ids', () => {
  test('are UUIDs v7 that carry the wall clock', () => {
    let now = START
    const clock = startClock(() => now)
    for (const ms of [START, START + 1, START + 86_400_000, 2 ** 48 - 1]) {
      now = ms
      const id = clock.id()
      assert.match(id, V7)
      assert.match(id, UUID)
      assert.equal(timeOfId(id), ms)
    }
  })

  test('ascend within a millisecond and across, also while the wall clock is set back and forth', () => {
    const moves = fc.array(fc.integer({ min: -100_000, max: 100_000 }), { minLength: 1, maxLength: 50 })
    fc.assert(
      fc.property(moves, fc.integer({ min: 1, max: 100 }), (steps, perStep) => {
        let now = START
        const clock = startClock(() => now)
        const ids = steps.flatMap((step) => {
          now += step
          return many(clock, perStep)
        })
        assert.ok(isAscending(ids))
        assert.ok(ids.every((id) => timeOfId(id) <= now + MAX_AHEAD_MS))
      }),
    )
  })

  test('ascend across a restart: in the same millisecond, with the wall clock set back by up to a day, and ahead of it by a day', () => {
    for (const shift of [0, 1, -1, -1_700_000, 5000]) {
      let newest: string | undefined
      for (let start = 0; start < 50; start++) {
        const ids = many(
          startClock(() => START + start * shift, newest),
          20,
        )
        assert.ok(isAscending(newest ? [newest, ...ids] : ids))
        newest = ids.at(-1)
      }
    }
    const ahead = firstIdAt(START + MAX_AHEAD_MS)
    assert.ok(startClock(() => START, ahead).id() > ahead)
  })

  test('follow the wall clock again where it was further ahead than a day, and are unique', () => {
    let now = START
    const clock = startClock(() => now)
    const before = many(clock, 1000)
    for (const ahead of [MAX_AHEAD_MS + 1, 400 * MAX_AHEAD_MS]) {
      now = START + ahead
      before.push(...many(clock, 1000))
      now = START
      const after = many(clock, 1000)
      assert.equal(timeOfId(after[0] as string), START)
      assert.ok(isAscending(after))
      assert.equal(new Set([...before, ...after]).size, before.length + after.length)
      before.push(...after)
    }
    now = START + MAX_AHEAD_MS
    const ahead = clock.id()
    now = START
    assert.ok(clock.id() > ahead)
  })

  test('that use up the counter of a millisecond go on in the next one', () => {
    fc.assert(
      fc.property(fc.constantFrom(0, 0xff), fc.integer({ min: 20, max: 500 }), (random, count) => {
        const clock = startClock(
          () => START,
          undefined,
          (bytes) => bytes.fill(random),
          16,
        )
        const ids = many(clock, count)
        assert.ok(isAscending(ids))
        assert.equal(timeOfId(ids.at(-1) as string), START + Math.floor((count - 1) / (random === 0 ? 16 : 9)))
        assert.equal(clock.now(), timeOfId(ids.at(-1) as string))
      }),
    )
  })

  test('stay ahead of a clock that was set back, and the time does so for five minutes', () => {
    let now = START
    const clock = startClock(() => now)
    clock.id()
    for (const [back, expected] of [
      [1, START],
      [300_000, START],
      [300_001, START - 300_001],
      [3_600_000, START - 3_600_000],
      [-1, START + 1],
    ] as const) {
      now = START - back
      assert.equal(clock.now(), expected)
    }
  })

  test('count from a random number in the lower half, so that there is room', () => {
    const first = (random: number) =>
      startClock(
        () => START,
        undefined,
        (bytes) => bytes.fill(random),
      ).id()
    assert.match(first(0x00), /-7000-8000-000000000000$/)
    assert.match(first(0xff), /-77ff-bfff-ffffffffffff$/)
  })

  test('of two clocks on one wall clock never meet', () => {
    const clocks = [startClock(() => START), startClock(() => START)]
    const all = clocks.map((clock) => many(clock, 50_000))
    assert.ok(all.every(isAscending))
    assert.equal(new Set(all.flat()).size, 100_000)
  })

  test('of a millisecond lie behind its first id and before that of the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 48 - 2 }), (ms) => {
        const id = startClock(() => ms).id()
        assert.ok(firstIdAt(ms) <= id && id < firstIdAt(ms + 1))
      }),
    )
    assert.equal(firstIdAt(-1), firstIdAt(0))
    assert.equal(timeOfId(firstIdAt(2 ** 50)), 2 ** 48 - 1)
  })

  test('give every record its created_at, also of a clock that was set back by hours or by years', async () => {
    const { call, events, jump, now, stop } = await startServer()
    const message = { channel: 'chat', direction: 'inbound', body_text: 'M' }
    try {
      for (const back of [7_200_000, 400 * MAX_AHEAD_MS]) {
        jump(back)
        await call('POST', '/tags', { name: `Ahead by ${back}` })
        jump(-back)
        const before = events().length
        for (const [path, given] of [
          ['/deals', { title: 'D' }],
          ['/tags', { name: `T ${back}` }],
          ['/tasks', { title: 'T' }],
          ['/companies', { name: 'C' }],
          ['/contacts', { last_name: 'C' }],
          ['/lists', { name: `L ${back}`, object: 'contact', kind: 'static' }],
          ['/webhooks', { url: 'https://hooks.example/x', event_types: ['deal.created'] }],
          ['/messages', { ...message, from: { email: `m${back}@example.com` } }],
        ] as const) {
          const { status, text } = await call('POST', path, given)
          assert.equal(status, 201, text)
        }
        const made = events(before).filter(({ type }) => type.endsWith('.created'))
        assert.ok(made.length >= 7, `${made.map(({ type }) => type)}`)
        for (const { type, object, at } of made) {
          assert.equal(object.created_at, rfc3339(timeOfId(object.id)), type)
          assert.equal(at, now(), type)
          const isAhead = timeOfId(object.id) - now() > 1000
          assert.equal(isAhead, back < MAX_AHEAD_MS, type)
        }
        const { body } = await call('GET', `/deals?created_at[gte]=${rfc3339(now() - 1)}&limit=1`)
        assert.equal(body.data.length, 1)
        const id = made.find(({ type }) => type === 'conversation.created')?.object.id
        const { body: open } = await call('GET', `/conversations/${id}`)
        const read = await call('PATCH', `/conversations/${id}`, { read_at: rfc3339(now()) })
        assert.deepEqual([read.status, open.unread_count, read.body.unread_count], [200, 1, 0])
      }
    } finally {
      await stop()
    }
  })

  test('give a record its created_at, and its events their order', async () => {
    const { advance, call, events, stop } = await startServer()
    try {
      for (const step of [0, 0, 1, -5000, 0, 20_000]) {
        advance(step)
        const { body } = await call('POST', '/deals', { title: 'On time' })
        assert.equal(body.created_at, rfc3339(timeOfId(body.id)))
        assert.ok(body.updated_at >= body.created_at)
      }
      const ids = events().map(({ object_id }) => object_id)
      assert.ok(ids.length === 6 && isAscending(ids))
    } finally {
      await stop()
    }
  })
})
