import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_OF_ALL, MAX_OF_ONE, MAX_TESTS } from '../../../src/webhooks/delivery/in-flight.ts'
import type { Reply } from '../../../src/webhooks/egress/http-post.ts'
import { BROKEN, OK } from '../../support/receiver.ts'
import { HOUR, MINUTE, type Rig, SECOND, startRig } from './delivery-harness.ts'

const DONE: Reply = { status: 204, duration_ms: 1, reply: '', retry_after: null, error: null }
const { promise: never } = Promise.withResolvers<Reply>()

const deals = async (rig: Rig, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await rig.deal(`Deal ${n}`)
}

describe('slow receivers', () => {
  test('hold up themselves only, with a few tries at a time', async (t) => {
    const rig = await startRig(t)
    const [slow, quick] = [await rig.receiver(() => 'never'), await rig.receiver()]
    const slowHook = await rig.hook(slow.url)
    const quickHook = await rig.hook(quick.url)
    await deals(rig, 40)
    await rig.idle(MAX_OF_ONE)
    const most = rig.onTheirWay.size
    assert.equal(most, MAX_OF_ONE)
    assert.ok(rig.deliveries(quickHook).every(({ status }) => status === 'delivered'))
    assert.equal(slow.requests.length, most)
    assert.equal(rig.deliveries(slowHook).filter(({ leased_until }) => leased_until !== null).length, most)
    slow.answer(() => OK)
    slow.release()
    await rig.idle()
    assert.ok(rig.deliveries(slowHook).every(({ status }) => status === 'delivered'))
  })

  test('leave one try at a time to each webhook, however many they are', async (t) => {
    const rig = await startRig(t, { post: ({ url }) => (url.endsWith('/quick') ? Promise.resolve(DONE) : never) })
    for (const org of [rig.a, rig.b])
      for (let n = 0; n < 49; n++) await rig.hook(`http://127.0.0.1:1/${n}`, { status: 'paused' }, org)
    rig.store.db.exec("UPDATE webhooks SET status = 'active'")
    for (const org of [rig.a, rig.b]) for (let n = 0; n < 20; n++) await rig.deal(`Deal ${n}`, org)
    const all = (): number => rig.onTheirWay.size
    await rig.idle(1000)
    assert.ok(all() >= MAX_OF_ALL && all() < MAX_OF_ALL + 98, `${all()} at a time`)
    const quick = await rig.hook('http://127.0.0.1:1/quick')
    await rig.deal('One at a time')
    await rig.deal('Another')
    await rig.idle(1000)
    assert.deepEqual(
      rig.deliveries(quick).map(({ status }) => status),
      ['delivered', 'delivered'],
    )
    assert.ok(all() < MAX_OF_ALL + 98)
  })
})

describe('tests', () => {
  test('are sent once, also where nothing else is, and say nothing of the health', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => BROKEN)
    const hook = await rig.hook(receiver.url)
    const test = () => rig.ok('POST', `/webhooks/${hook.id}/test`)
    for (let n = 0; n < 12; n++) await test()
    await rig.idle()
    const states = { failures: 0, held_until: null, last_failure_at: null, last_success_at: null }
    const { failures, held_until, last_failure_at, last_success_at } = rig.state(hook)
    assert.deepEqual({ failures, held_until, last_failure_at, last_success_at }, states)
    assert.ok(rig.deliveries(hook).every(({ status, tries }) => status === 'failed' && tries.length === 1))
    assert.equal(receiver.requests.length, 12)
    const { event } = receiver.requests[0]!
    assert.deepEqual([event.type, event.seq, event.data.object.id], ['webhook.test', null, hook.id])
    receiver.answer(() => ({ status: 410 }))
    await test()
    await rig.advance(24 * HOUR)
    assert.deepEqual([receiver.requests.length, (await rig.webhook(hook)).status], [13, 'active'])
    receiver.answer(() => OK)
    for (const status of ['paused', 'disabled', 'active']) {
      await rig.patch(hook, { status })
      if (status === 'active')
        rig.store.db.exec(`UPDATE webhook_states SET failures = 10, held_until = ${rig.now() + HOUR}`)
      await test()
      await rig.idle()
      assert.equal(rig.deliveries(hook).filter((each) => each.status === 'delivered').length, 1, status)
      rig.store.db.exec("DELETE FROM deliveries WHERE status = 'delivered'")
    }
    assert.equal(rig.state(hook).failures, 10)
  })

  test('are bounded, too', async (t) => {
    const rig = await startRig(t, { post: () => never })
    const hook = await rig.hook('http://127.0.0.1:1/')
    for (let n = 0; n < MAX_TESTS + 10; n++) await rig.ok('POST', `/webhooks/${hook.id}/test`)
    await rig.idle(MAX_TESTS)
    assert.equal(rig.onTheirWay.size, MAX_TESTS)
    const writes = rig.writes()
    await rig.advance(MINUTE, MAX_TESTS)
    assert.equal(rig.writes(), writes)
  })
})

test('where nothing is due nothing is written, and nothing is looked for again and again', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver(() => BROKEN)
  const hooks = {
    failing: await rig.hook(receiver.url, { event_types: ['deal.*'] }),
    held: await rig.hook(receiver.url),
    paused: await rig.hook(receiver.url),
    uninterested: await rig.hook(receiver.url, { event_types: ['tag.*'] }),
  }
  const first = await rig.deal()
  await rig.idle()
  await rig.patch(hooks.paused, { status: 'paused' })
  await rig.ok('PATCH', `/deals/${first}`, { title: 'Waits' })
  rig.store.db
    .prepare('UPDATE webhook_states SET failures = 10, held_until = ? WHERE webhook_id = ?')
    .run(rig.now() + HOUR, hooks.held.id)
  for (let n = 0; n < 3; n++) await rig.ok('PATCH', `/deals/${first}`, { title: `Waits ${n}` })
  await rig.idle()
  const [writes, sent] = [rig.writes(), rig.sent.length]
  let looks = 0
  const { db } = rig.store
  const { now } = rig.deps.clock
  rig.deps.clock.now = () => {
    looks++
    return now()
  }
  for (let n = 0; n < 20; n++) {
    rig.wake()
    await rig.idle()
  }
  assert.deepEqual([rig.writes(), rig.sent.length], [writes, sent])
  assert.ok(looks <= 60, `${looks} looks`)
  // The events that it had not passed over are gone: the sender does not look for them for ever.
  db.exec('DELETE FROM events')
  looks = 0
  rig.stopSender()
  rig.startSender()
  await rig.idle()
  assert.ok(looks <= 10, `${looks} looks`)
  await rig.advance(5 * SECOND)
  assert.match(rig.deliveries(hooks.failing)[0]?.tries.at(-1)?.error ?? '', /not kept any longer/)
})
