import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { purgeDeliveries, purgeEvents } from '../../../src/webhooks/delivery/retention.ts'
import { BROKEN, OK } from '../../support/receiver.ts'
import { DAY, type DeliveryHarness, deliveryHarness, MINUTE } from './delivery-harness.ts'

const KEPT = 30 * DAY

const purge = (harness: DeliveryHarness, keepMs = KEPT) => [
  harness.store.transaction(() => purgeEvents(harness.store, keepMs)),
  harness.store.transaction(() => purgeDeliveries(harness.store, keepMs)),
]

/** As many events as that, without the records. */
function record(harness: DeliveryHarness, count: number, org = harness.a.org): void {
  const who = { org, member: null }
  harness.store.transaction(() => {
    for (let n = 0; n < count; n++) harness.deps.outbox.record(who, 'tag.created', { id: `tag-${n}` })
  })
}

test('events are kept for their time and purged some at a time, the oldest first', async (t) => {
  const harness = await deliveryHarness(t)
  await harness.stopSender()
  record(harness, 300)
  record(harness, 140, harness.b.org)
  await harness.ok('POST', '/tags', { name: 'Before' })
  const purged = harness.lastSeq()
  await harness.advance(DAY)
  await harness.ok('POST', '/tags', { name: 'Since' })
  harness.store.transaction(() => assert.equal(purgeEvents(harness.store, 2 * DAY), undefined))
  assert.equal(harness.lastSeq(), purged + 1)
  const run = () => harness.store.transaction(() => purgeEvents(harness.store, DAY - 1))
  assert.deepEqual([run(), run(), run(), run()], ['more', 'more', undefined, undefined])
  assert.deepEqual(
    harness.events().map(({ seq }) => seq),
    [purged + 1],
  )
  assert.equal(harness.events(0, harness.b).length, 0)
})

test('the stream says which events are gone, and starts behind them', async (t) => {
  const harness = await deliveryHarness(t)
  await harness.ok('POST', '/tags', { name: 'One' })
  await harness.ok('POST', '/tags', { name: 'Two' })
  const gone = harness.lastSeq()
  await harness.advance(KEPT + 1)
  await harness.ok('POST', '/tags', { name: 'Three' })
  purge(harness)
  const pull = (query: string) => harness.call('GET', `/webhooks/events${query}`)
  for (const query of ['', '?after_seq=0', `?after_seq=${gone}`]) {
    const { status, body } = await pull(query)
    assert.equal(status, 200, query)
    assert.deepEqual([body.data.map(({ seq }: { seq: number }) => seq), body.last_seq], [[gone + 1], gone + 1])
  }
  const { status, body } = await pull('?after_seq=1')
  assert.deepEqual([status, body.code], [409, 'events_expired'])
  assert.match(body.detail, new RegExp(`after_seq=${gone}`))
  await harness.advance(KEPT + 1)
  purge(harness)
  const empty = await pull('')
  assert.deepEqual([empty.body.data, empty.body.last_seq], [[], gone + 1])
  assert.equal((await pull(`?after_seq=${gone}`)).body.code, 'events_expired')
  assert.equal((await pull(`?after_seq=${gone + 2}`)).body.code, 'seq_ahead')
})

describe('deliveries', () => {
  test('are kept as long as events, and purged some at a time', async (t) => {
    const harness = await deliveryHarness(t, {
      post: async () => ({ status: 204, duration_ms: 0, reply: '', retry_after: null, error: null }),
    })
    const hook = await harness.hook('http://127.0.0.1:1/')
    record(harness, 220)
    await harness.idle()
    await harness.advance(DAY)
    const id = await harness.deal()
    await harness.idle()
    const run = (keepMs: number) => harness.store.transaction(() => purgeDeliveries(harness.store, keepMs))
    assert.equal(run(DAY + MINUTE), undefined)
    assert.equal(harness.deliveries(hook).length, 221)
    assert.deepEqual([run(DAY - 1), run(DAY - 1)], ['more', undefined])
    assert.deepEqual(
      harness.deliveries(hook).map(({ object_id }) => object_id),
      [id],
    )
  })

  test('of a deleted webhook are purged at once, and no others', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hooks = [await harness.hook(receiver.url), await harness.hook(receiver.url), await harness.hook(receiver.url)]
    const theirs = await harness.hook(receiver.url, {}, harness.b)
    await harness.deal()
    await harness.deal('Theirs', harness.b)
    await harness.idle()
    await harness.ok('DELETE', `/webhooks/${hooks[1]?.id}`)
    purge(harness)
    assert.deepEqual(
      [...hooks, theirs].map((hook) => harness.deliveries(hook).length),
      [1, 0, 1, 1],
    )
  })

  test('that are pending fail with the reason once their event is gone, and hold up nothing', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => BROKEN)
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('Gone')
    await harness.idle()
    await harness.patch(hook, { status: 'paused' })
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Gone, too' })
    await harness.advance(KEPT + 1)
    harness.store.transaction(() => purgeEvents(harness.store, KEPT))
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Kept' })
    receiver.answer(() => OK)
    await harness.patch(hook, { status: 'active' })
    await harness.idle()
    assert.deepEqual(
      harness.deliveries(hook).map(({ status, tries }) => [status, tries.at(-1)?.error]),
      [
        ['failed', 'The event is no longer stored and cannot be sent again.'],
        ['delivered', null],
      ],
    )
    const [delivery] = harness.deliveries(hook)
    const again = await harness.call('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)
    assert.deepEqual([again.status, again.body.code], [409, 'event_expired'])
  })

  test('that are purged while they are pending let the next of their record go on', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => BROKEN)
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('Gone')
    await harness.idle()
    await harness.advance(4 * MINUTE)
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Kept' })
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Kept, too' })
    await harness.idle()
    receiver.answer(() => OK)
    purge(harness, 3 * MINUTE)
    await harness.idle()
    assert.deepEqual(
      receiver.requests.slice(-2).map(({ event }) => event.data.object.title),
      ['Kept', 'Kept, too'],
    )
    assert.deepEqual(
      harness.deliveries(hook).map(({ status }) => status),
      ['delivered', 'delivered'],
    )
  })

  test('that are on their way are kept until they are done', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => 'never')
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('Old')
    await receiver.came(1)
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Waits' })
    await harness.idle(1)
    harness.store.transaction(() => purgeDeliveries(harness.store, -MINUTE))
    assert.deepEqual(
      harness.deliveries(hook).map(({ object_id }) => object_id),
      [id],
    )
    receiver.release()
    await harness.idle()
    assert.equal(harness.deliveries(hook)[0]?.status, 'delivered')
    purge(harness, -MINUTE)
    assert.deepEqual(harness.deliveries(hook), [])
  })
})
