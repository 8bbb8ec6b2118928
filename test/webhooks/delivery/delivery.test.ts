import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { batches } from '../../../src/store/batches.ts'
import { replayStore } from '../../../src/webhooks/replay.ts'
import { stillPace } from '../../support/pace.ts'
import { OK } from '../../support/receiver.ts'
import { deliveryHarness } from './delivery-harness.ts'

describe('a webhook', () => {
  test('gets one delivery of each event from its creation on', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const before = await harness.deal('Before')
    const hook = await harness.hook(receiver.url)
    const second = await harness.hook(receiver.url)
    const since = harness.lastSeq()
    const id = await harness.deal('After')
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await harness.ok('PATCH', `/deals/${before}`, { title: 'Changed, too' })
    await harness.idle()
    const events = harness
      .events(since)
      .map(({ seq, type, object_id }) => ({ seq, type, object_id, status: 'delivered' }))
    assert.equal(events.length, 3)
    for (const each of [hook, second]) {
      const deliveries = harness.deliveries(each)
      assert.deepEqual(
        deliveries.map(({ seq, type, object_id, status }) => ({ seq, type, object_id, status })),
        events,
      )
      assert.ok(deliveries.every(({ tries, due_at }) => tries.length === 1 && due_at === null))
    }
    assert.equal(receiver.requests.length, 6)
    assert.equal((await harness.webhook(hook)).last_success_at, new Date(harness.now()).toISOString())
  })

  test('gets the types that it asks for, and what they bring along', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const wanted = {
      exact: await harness.hook(receiver.url, { event_types: ['deal.closed'] }),
      updated: await harness.hook(receiver.url, { event_types: ['deal.updated'] }),
      pattern: await harness.hook(receiver.url, { event_types: ['contact.*', 'deal.created'] }),
      all: await harness.hook(receiver.url, { event_types: ['*'] }),
    }
    const id = await harness.deal()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await harness.ok('PATCH', `/deals/${id}`, { stage: harness.a.stages.demo })
    await harness.ok('POST', `/deals/${id}/close`, { reason_id: harness.a.reasons.won })
    await harness.ok('POST', '/contacts', { first_name: 'Ada', last_name: 'Byron' })
    await harness.idle()
    const types = Object.entries(wanted).map(([name, hook]) => [name, harness.deliveries(hook).map(({ type }) => type)])
    assert.deepEqual(Object.fromEntries(types), {
      exact: ['deal.closed'],
      updated: ['deal.updated', 'deal.stage_changed', 'deal.closed'],
      pattern: ['deal.created', 'contact.created'],
      all: ['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.closed', 'contact.created'],
    })
  })

  test('that asks for more gets none of what came before, also after a restart, unless it is replayed', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url, { event_types: ['contact.*'] })
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await harness.deal(`Deal ${n}`))
    await harness.idle()
    await harness.patch(hook, { event_types: ['deal.*'] })
    await harness.idle()
    await harness.stopSender()
    harness.startSender()
    await harness.idle()
    assert.equal(receiver.requests.length, 0)
    const who = { org: harness.a.org, member: null }
    replayStore(harness.deps).replay(batches(harness.store, stillPace), who, hook.id, harness.lastSeq() - 1)
    harness.wake()
    await harness.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => event.data.object.id),
      ids.slice(2),
    )
  })

  test('keeps what it has still to get where it asks for something else', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url, { event_types: ['deal.*'], status: 'paused' })
    await harness.ok('POST', '/contacts', { first_name: 'Ada', last_name: 'Byron' })
    await harness.deal()
    await harness.ok('POST', '/contacts', { first_name: 'Grace', last_name: 'Hopper' })
    await harness.patch(hook, { event_types: ['*'], status: 'active' })
    await harness.idle()
    assert.deepEqual(
      harness.deliveries(hook).map(({ type }) => type),
      ['deal.created', 'contact.created'],
    )
  })

  test('finds what it asks for behind a long stretch of what it does not', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url, { event_types: ['deal.*'] })
    await harness.stopSender()
    const { outbox } = harness.deps
    const who = { org: harness.a.org, member: null }
    harness.store.transaction(() => {
      for (let n = 0; n < 1700; n++) outbox.record(who, 'tag.created', { id: `tag-${n}` })
    })
    const id = await harness.deal()
    harness.startSender()
    await harness.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => event.data.object.id),
      [id],
    )
    assert.equal(harness.state(hook).planned_seq, harness.lastSeq())
  })

  test('gets nothing of a write that was refused or rolled back', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    await harness.hook(receiver.url)
    const since = harness.lastSeq()
    const rolledBack = harness.store.write(() => {
      harness.deps.outbox.record({ org: harness.a.org, member: null }, 'tag.created', { id: 'rolled-back' })
      throw new Error('no')
    })
    const [id, refused] = await Promise.all([
      harness.deal('Kept'),
      harness.call('POST', '/deals', { title: 'Refused', stage: 'nowhere' }),
      assert.rejects(rolledBack, /no/),
    ])
    assert.equal(refused.status, 422)
    await harness.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => [event.seq, event.data.object.id]),
      [[since + 1, id]],
    )
  })

  test('gets nothing of another organisation', async (t) => {
    const harness = await deliveryHarness(t)
    const [ours, theirs] = [await harness.receiver(), await harness.receiver()]
    const ourHook = await harness.hook(ours.url)
    const theirHook = await harness.hook(theirs.url, {}, harness.b)
    const ourDeal = await harness.deal('Ours')
    const theirDeal = await harness.deal('Theirs', harness.b)
    await harness.idle()
    assert.deepEqual(
      [ours, theirs].map(({ requests }) => requests.map(({ event }) => event.data.object.id)),
      [[ourDeal], [theirDeal]],
    )
    const { org } = harness.a
    assert.equal(harness.rows('org_id = ? AND webhook_id = ?', org, theirHook.id).length, 0)
    assert.equal(harness.rows('org_id = ? AND webhook_id = ?', org, ourHook.id).length, 1)
  })
})

describe('paused and deleted', () => {
  test('while it is paused nothing is sent, and then it goes on where it stood', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url)
    await harness.patch(hook, { status: 'paused' })
    const ids = [await harness.deal(), await harness.deal()]
    await harness.advance(60_000)
    assert.deepEqual([receiver.requests.length, harness.sent.length], [0, 0])
    await harness.patch(hook, { status: 'active' })
    await harness.idle()
    assert.deepEqual(receiver.requests.map(({ event }) => event.data.object.id).sort(), ids.sort())
  })

  test('what is on its way to a deleted webhook ends quietly, and nothing comes after it', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => 'never')
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Waits behind' })
    await receiver.came(1)
    await harness.ok('DELETE', `/webhooks/${hook.id}`)
    receiver.answer(() => OK)
    receiver.release(500)
    await harness.idle()
    await harness.deal()
    await harness.advance(3_600_000)
    assert.equal(harness.sent.length, 1)
    assert.deepEqual(harness.log, [])
    assert.equal((await harness.call('GET', `/webhooks/${hook.id}/deliveries`)).status, 404)
  })
})
