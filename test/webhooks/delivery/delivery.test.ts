import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { replayStore } from '../../../src/webhooks/replay.ts'
import { OK } from '../../support/receiver.ts'
import { startRig } from './delivery-harness.ts'

describe('a webhook', () => {
  test('gets one delivery of each event from its creation on', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const before = await rig.deal('Before')
    const hook = await rig.hook(receiver.url)
    const second = await rig.hook(receiver.url)
    const since = rig.lastSeq()
    const id = await rig.deal('After')
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await rig.ok('PATCH', `/deals/${before}`, { title: 'Changed, too' })
    await rig.idle()
    const events = rig.events(since).map(({ seq, type, object_id }) => ({ seq, type, object_id, status: 'delivered' }))
    assert.equal(events.length, 3)
    for (const each of [hook, second]) {
      const deliveries = rig.deliveries(each)
      assert.deepEqual(
        deliveries.map(({ seq, type, object_id, status }) => ({ seq, type, object_id, status })),
        events,
      )
      assert.ok(deliveries.every(({ tries, due_at }) => tries.length === 1 && due_at === null))
    }
    assert.equal(receiver.requests.length, 6)
    assert.equal((await rig.webhook(hook)).last_success_at, new Date(rig.now()).toISOString())
  })

  test('gets the types that it asks for, and what they bring along', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const wanted = {
      exact: await rig.hook(receiver.url, { event_types: ['deal.closed'] }),
      updated: await rig.hook(receiver.url, { event_types: ['deal.updated'] }),
      pattern: await rig.hook(receiver.url, { event_types: ['contact.*', 'deal.created'] }),
      all: await rig.hook(receiver.url, { event_types: ['*'] }),
    }
    const id = await rig.deal()
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Changed' })
    await rig.ok('PATCH', `/deals/${id}`, { stage: rig.a.stages.demo })
    await rig.ok('POST', `/deals/${id}/close`, { reason_id: rig.a.reasons.won })
    await rig.ok('POST', '/contacts', { first_name: 'Ada', last_name: 'Byron' })
    await rig.idle()
    const types = Object.entries(wanted).map(([name, hook]) => [name, rig.deliveries(hook).map(({ type }) => type)])
    assert.deepEqual(Object.fromEntries(types), {
      exact: ['deal.closed'],
      updated: ['deal.updated', 'deal.stage_changed', 'deal.closed'],
      pattern: ['deal.created', 'contact.created'],
      all: ['deal.created', 'deal.updated', 'deal.stage_changed', 'deal.closed', 'contact.created'],
    })
  })

  test('that asks for more gets none of what came before, also after a restart, unless it is replayed', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hook = await rig.hook(receiver.url, { event_types: ['contact.*'] })
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.push(await rig.deal(`Deal ${n}`))
    await rig.idle()
    await rig.patch(hook, { event_types: ['deal.*'] })
    await rig.idle()
    await rig.stopSender()
    rig.startSender()
    await rig.idle()
    assert.equal(receiver.requests.length, 0)
    const who = { org: rig.a.org, member: null }
    rig.store.transaction(() => replayStore(rig.deps).replay(who, hook.id, rig.lastSeq() - 1))
    rig.wake()
    await rig.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => event.data.object.id),
      ids.slice(2),
    )
  })

  test('keeps what it has still to get where it asks for something else', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hook = await rig.hook(receiver.url, { event_types: ['deal.*'], status: 'paused' })
    await rig.ok('POST', '/contacts', { first_name: 'Ada', last_name: 'Byron' })
    await rig.deal()
    await rig.ok('POST', '/contacts', { first_name: 'Grace', last_name: 'Hopper' })
    await rig.patch(hook, { event_types: ['*'], status: 'active' })
    await rig.idle()
    assert.deepEqual(
      rig.deliveries(hook).map(({ type }) => type),
      ['deal.created', 'contact.created'],
    )
  })

  test('finds what it asks for behind a long stretch of what it does not', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hook = await rig.hook(receiver.url, { event_types: ['deal.*'] })
    await rig.stopSender()
    const { outbox } = rig.deps
    const who = { org: rig.a.org, member: null }
    rig.store.transaction(() => {
      for (let n = 0; n < 1700; n++) outbox.record(who, 'tag.created', { id: `tag-${n}` })
    })
    const id = await rig.deal()
    rig.startSender()
    await rig.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => event.data.object.id),
      [id],
    )
    assert.equal(rig.state(hook).planned_seq, rig.lastSeq())
  })

  test('gets nothing of a write that was refused or rolled back', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    await rig.hook(receiver.url)
    const since = rig.lastSeq()
    const rolledBack = rig.store.write(() => {
      rig.deps.outbox.record({ org: rig.a.org, member: null }, 'tag.created', { id: 'rolled-back' })
      throw new Error('no')
    })
    const [id, refused] = await Promise.all([
      rig.deal('Kept'),
      rig.call('POST', '/deals', { title: 'Refused', stage: 'nowhere' }),
      assert.rejects(rolledBack, /no/),
    ])
    assert.equal(refused.status, 422)
    await rig.idle()
    assert.deepEqual(
      receiver.requests.map(({ event }) => [event.seq, event.data.object.id]),
      [[since + 1, id]],
    )
  })

  test('gets nothing of another organisation', async (t) => {
    const rig = await startRig(t)
    const [ours, theirs] = [await rig.receiver(), await rig.receiver()]
    const ourHook = await rig.hook(ours.url)
    const theirHook = await rig.hook(theirs.url, {}, rig.b)
    const ourDeal = await rig.deal('Ours')
    const theirDeal = await rig.deal('Theirs', rig.b)
    await rig.idle()
    assert.deepEqual(
      [ours, theirs].map(({ requests }) => requests.map(({ event }) => event.data.object.id)),
      [[ourDeal], [theirDeal]],
    )
    const { org } = rig.a
    assert.equal(rig.rows('org_id = ? AND webhook_id = ?', org, theirHook.id).length, 0)
    assert.equal(rig.rows('org_id = ? AND webhook_id = ?', org, ourHook.id).length, 1)
  })
})

describe('paused and deleted', () => {
  test('while it is paused nothing is sent, and then it goes on where it stood', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    const hook = await rig.hook(receiver.url)
    await rig.patch(hook, { status: 'paused' })
    const ids = [await rig.deal(), await rig.deal()]
    await rig.advance(60_000)
    assert.deepEqual([receiver.requests.length, rig.sent.length], [0, 0])
    await rig.patch(hook, { status: 'active' })
    await rig.idle()
    assert.deepEqual(receiver.requests.map(({ event }) => event.data.object.id).sort(), ids.sort())
  })

  test('what is on its way to a deleted webhook ends quietly, and nothing comes after it', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => 'never')
    const hook = await rig.hook(receiver.url)
    const id = await rig.deal()
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Waits behind' })
    await receiver.came(1)
    await rig.ok('DELETE', `/webhooks/${hook.id}`)
    receiver.answer(() => OK)
    receiver.release(500)
    await rig.idle()
    await rig.deal()
    await rig.advance(3_600_000)
    assert.equal(rig.sent.length, 1)
    assert.deepEqual(rig.log, [])
    assert.equal((await rig.call('GET', `/webhooks/${hook.id}/deliveries`)).status, 404)
  })
})
