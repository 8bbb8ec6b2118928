import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { purgeDeliveries, purgeEvents } from '../../../src/webhooks/delivery/retention.ts'
import { BROKEN, OK } from '../../support/receiver.ts'
import { DAY, MINUTE, type Rig, startRig } from './delivery-harness.ts'

const KEPT = 30 * DAY

const purge = (rig: Rig, keepMs = KEPT) => [
  rig.store.transaction(() => purgeEvents(rig.store, keepMs)),
  rig.store.transaction(() => purgeDeliveries(rig.store, keepMs)),
]

/** As many events as that, without the records. */
function record(rig: Rig, count: number, org = rig.a.org): void {
  const who = { org, member: null }
  rig.store.transaction(() => {
    for (let n = 0; n < count; n++) rig.deps.outbox.record(who, 'tag.created', { id: `tag-${n}` })
  })
}

test('events are kept for their time and purged some at a time, the oldest first', async (t) => {
  const rig = await startRig(t)
  await rig.stopSender()
  record(rig, 300)
  record(rig, 140, rig.b.org)
  await rig.ok('POST', '/tags', { name: 'Before' })
  const purged = rig.lastSeq()
  await rig.advance(DAY)
  await rig.ok('POST', '/tags', { name: 'Since' })
  rig.store.transaction(() => assert.equal(purgeEvents(rig.store, 2 * DAY), undefined))
  assert.equal(rig.lastSeq(), purged + 1)
  const run = () => rig.store.transaction(() => purgeEvents(rig.store, DAY - 1))
  assert.deepEqual([run(), run(), run(), run()], ['more', 'more', undefined, undefined])
  assert.deepEqual(
    rig.events().map(({ seq }) => seq),
    [purged + 1],
  )
  assert.equal(rig.events(0, rig.b).length, 0)
})

test('the stream says which events are gone, and starts behind them', async (t) => {
  const rig = await startRig(t)
  await rig.ok('POST', '/tags', { name: 'One' })
  await rig.ok('POST', '/tags', { name: 'Two' })
  const gone = rig.lastSeq()
  await rig.advance(KEPT + 1)
  await rig.ok('POST', '/tags', { name: 'Three' })
  purge(rig)
  const pull = (query: string) => rig.call('GET', `/webhooks/events${query}`)
  for (const query of ['', '?after_seq=0', `?after_seq=${gone}`]) {
    const { status, body } = await pull(query)
    assert.equal(status, 200, query)
    assert.deepEqual([body.data.map(({ seq }: { seq: number }) => seq), body.last_seq], [[gone + 1], gone + 1])
  }
  const { status, body } = await pull('?after_seq=1')
  assert.deepEqual([status, body.code], [409, 'events_expired'])
  assert.match(body.detail, new RegExp(`after_seq=${gone}`))
  await rig.advance(KEPT + 1)
  purge(rig)
  const empty = await pull('')
  assert.deepEqual([empty.body.data, empty.body.last_seq], [[], gone + 1])
  assert.equal((await pull(`?after_seq=${gone}`)).body.code, 'events_expired')
  assert.equal((await pull(`?after_seq=${gone + 2}`)).body.code, 'seq_ahead')
})

describe('deliveries', () => {
  test('are kept as long as events, and purged some at a time', async (t) => {
    const rig = await startRig(t, {
      post: async () => ({ status: 204, duration_ms: 0, reply: '', retry_after: null, error: null }),
    })
    const hook = await rig.hook('http://127.0.0.1:1/')
    record(rig, 220)
    await rig.idle()
    await rig.advance(DAY)
    const id = await rig.deal()
    await rig.idle()
    const run = (keepMs: number) => rig.store.transaction(() => purgeDeliveries(rig.store, keepMs))
    assert.equal(run(DAY + MINUTE), undefined)
    assert.equal(rig.deliveries(hook).length, 221)
    assert.deepEqual([run(DAY - 1), run(DAY - 1)], ['more', undefined])
    assert.deepEqual(
      rig.deliveries(hook).map(({ object_id }) => object_id),
      [id],
    )
  })

  test('of a deleted webhook are purged at once, and no others', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hooks = [await rig.hook(receiver.url), await rig.hook(receiver.url), await rig.hook(receiver.url)]
    const theirs = await rig.hook(receiver.url, {}, rig.b)
    await rig.deal()
    await rig.deal('Theirs', rig.b)
    await rig.idle()
    await rig.ok('DELETE', `/webhooks/${hooks[1]?.id}`)
    purge(rig)
    assert.deepEqual(
      [...hooks, theirs].map((hook) => rig.deliveries(hook).length),
      [1, 0, 1, 1],
    )
  })

  test('that are pending fail with the reason once their event is gone, and hold up nothing', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => BROKEN)
    const hook = await rig.hook(receiver.url)
    const id = await rig.deal('Gone')
    await rig.idle()
    await rig.patch(hook, { status: 'paused' })
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Gone, too' })
    await rig.advance(KEPT + 1)
    rig.store.transaction(() => purgeEvents(rig.store, KEPT))
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Kept' })
    receiver.answer(() => OK)
    await rig.patch(hook, { status: 'active' })
    await rig.idle()
    assert.deepEqual(
      rig.deliveries(hook).map(({ status, tries }) => [status, tries.at(-1)?.error]),
      [
        ['failed', 'The event is not kept any longer.'],
        ['delivered', null],
      ],
    )
    const [delivery] = rig.deliveries(hook)
    const again = await rig.call('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)
    assert.deepEqual([again.status, again.body.code], [409, 'event_expired'])
  })

  test('that are purged while they are pending let the next of their record go on', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => BROKEN)
    const hook = await rig.hook(receiver.url)
    const id = await rig.deal('Gone')
    await rig.idle()
    await rig.advance(4 * MINUTE)
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Kept' })
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Kept, too' })
    await rig.idle()
    receiver.answer(() => OK)
    purge(rig, 3 * MINUTE)
    await rig.idle()
    assert.deepEqual(
      receiver.requests.slice(-2).map(({ event }) => event.data.object.title),
      ['Kept', 'Kept, too'],
    )
    assert.deepEqual(
      rig.deliveries(hook).map(({ status }) => status),
      ['delivered', 'delivered'],
    )
  })

  test('that are on their way are kept until they are done', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => 'never')
    const hook = await rig.hook(receiver.url)
    const id = await rig.deal('Old')
    await receiver.came(1)
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Waits' })
    await rig.idle(1)
    rig.store.transaction(() => purgeDeliveries(rig.store, -MINUTE))
    assert.deepEqual(
      rig.deliveries(hook).map(({ object_id }) => object_id),
      [id],
    )
    receiver.release()
    await rig.idle()
    assert.equal(rig.deliveries(hook)[0]?.status, 'delivered')
    purge(rig, -MINUTE)
    assert.deepEqual(rig.deliveries(hook), [])
  })
})
