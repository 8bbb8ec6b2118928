import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_OF_ALL, MAX_OF_ONE, MAX_TESTS } from '../../../src/webhooks/delivery/in-flight.ts'
import type { Reply } from '../../../src/webhooks/egress/http-post.ts'
import { BROKEN, OK } from '../../support/receiver.ts'
import { type DeliveryHarness, deliveryHarness, HOUR, MINUTE, SECOND } from './delivery-harness.ts'

const DONE: Reply = { status: 204, duration_ms: 1, reply: '', retry_after: null, error: null }
const { promise: never } = Promise.withResolvers<Reply>()

const deals = async (harness: DeliveryHarness, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await harness.deal(`Deal ${n}`)
}

describe('slow receivers', () => {
  test('hold up themselves only, with a few tries at a time', async (t) => {
    const harness = await deliveryHarness(t)
    const [slow, quick] = [await harness.receiver(() => 'never'), await harness.receiver()]
    const slowHook = await harness.hook(slow.url)
    const quickHook = await harness.hook(quick.url)
    await deals(harness, 40)
    await harness.idle(MAX_OF_ONE)
    const most = harness.onTheirWay.size
    assert.equal(most, MAX_OF_ONE)
    assert.ok(harness.deliveries(quickHook).every(({ status }) => status === 'delivered'))
    assert.equal(slow.requests.length, most)
    assert.equal(harness.deliveries(slowHook).filter(({ leased_until }) => leased_until !== null).length, most)
    slow.answer(() => OK)
    slow.release()
    await harness.idle()
    assert.ok(harness.deliveries(slowHook).every(({ status }) => status === 'delivered'))
  })

  test('leave one try at a time to each webhook, however many they are', async (t) => {
    const harness = await deliveryHarness(t, {
      post: ({ url }) => (url.endsWith('/quick') ? Promise.resolve(DONE) : never),
    })
    for (const org of [harness.a, harness.b])
      for (let n = 0; n < 49; n++) await harness.hook(`http://127.0.0.1:1/${n}`, { status: 'paused' }, org)
    harness.store.db.exec("UPDATE webhooks SET status = 'active'")
    for (const org of [harness.a, harness.b]) for (let n = 0; n < 20; n++) await harness.deal(`Deal ${n}`, org)
    const all = (): number => harness.onTheirWay.size
    await harness.idle(1000)
    assert.ok(all() >= MAX_OF_ALL && all() < MAX_OF_ALL + 98, `${all()} at a time`)
    const quick = await harness.hook('http://127.0.0.1:1/quick')
    await harness.deal('One at a time')
    await harness.deal('Another')
    await harness.idle(1000)
    assert.deepEqual(
      harness.deliveries(quick).map(({ status }) => status),
      ['delivered', 'delivered'],
    )
    assert.ok(all() < MAX_OF_ALL + 98)
  })
})

describe('tests', () => {
  test('are sent once, also where nothing else is, and say nothing of the health', async (t) => {
    const outcomes = new Set<string>()
    const harness = await deliveryHarness(t, { count: (outcome) => void outcomes.add(outcome) })
    const receiver = await harness.receiver(() => BROKEN)
    const hook = await harness.hook(receiver.url)
    const test = () => harness.ok('POST', `/webhooks/${hook.id}/test`)
    for (let n = 0; n < 12; n++) await test()
    await harness.idle()
    const states = { failures: 0, held_until: null, last_failure_at: null, last_success_at: null }
    const { failures, held_until, last_failure_at, last_success_at } = harness.state(hook)
    assert.deepEqual({ failures, held_until, last_failure_at, last_success_at }, states)
    assert.ok(harness.deliveries(hook).every(({ status, tries }) => status === 'failed' && tries.length === 1))
    assert.equal(receiver.requests.length, 12)
    assert.deepEqual([...outcomes], ['failed'])
    const { event } = receiver.requests[0]!
    assert.deepEqual([event.type, event.seq, event.data.object.id], ['webhook.test', null, hook.id])
    receiver.answer(() => ({ status: 410 }))
    await test()
    await harness.advance(24 * HOUR)
    assert.deepEqual([receiver.requests.length, (await harness.webhook(hook)).status], [13, 'active'])
    receiver.answer(() => OK)
    for (const status of ['paused', 'disabled', 'active']) {
      await harness.patch(hook, { status })
      if (status === 'active')
        harness.store.db.exec(`UPDATE webhook_states SET failures = 10, held_until = ${harness.now() + HOUR}`)
      await test()
      await harness.idle()
      assert.equal(harness.deliveries(hook).filter((each) => each.status === 'delivered').length, 1, status)
      harness.store.db.exec("DELETE FROM deliveries WHERE status = 'delivered'")
    }
    assert.equal(harness.state(hook).failures, 10)
  })

  test('are bounded, too', async (t) => {
    const harness = await deliveryHarness(t, { post: () => never })
    const hook = await harness.hook('http://127.0.0.1:1/')
    for (let n = 0; n < MAX_TESTS + 10; n++) await harness.ok('POST', `/webhooks/${hook.id}/test`)
    await harness.idle(MAX_TESTS)
    assert.equal(harness.onTheirWay.size, MAX_TESTS)
    const writes = harness.writes()
    await harness.advance(MINUTE, MAX_TESTS)
    assert.equal(harness.writes(), writes)
  })
})

test('where nothing is due nothing is written, and nothing is looked for again and again', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver(() => BROKEN)
  const hooks = {
    failing: await harness.hook(receiver.url, { event_types: ['deal.*'] }),
    held: await harness.hook(receiver.url),
    paused: await harness.hook(receiver.url),
    uninterested: await harness.hook(receiver.url, { event_types: ['tag.*'] }),
  }
  const first = await harness.deal()
  await harness.idle()
  await harness.patch(hooks.paused, { status: 'paused' })
  await harness.ok('PATCH', `/deals/${first}`, { title: 'Waits' })
  harness.store.db
    .prepare('UPDATE webhook_states SET failures = 10, held_until = ? WHERE webhook_id = ?')
    .run(harness.now() + HOUR, hooks.held.id)
  for (let n = 0; n < 3; n++) await harness.ok('PATCH', `/deals/${first}`, { title: `Waits ${n}` })
  await harness.idle()
  const [writes, sent] = [harness.writes(), harness.sent.length]
  let looks = 0
  const { db } = harness.store
  const { now } = harness.deps.clock
  harness.deps.clock.now = () => {
    looks++
    return now()
  }
  for (let n = 0; n < 20; n++) {
    harness.wake()
    await harness.idle()
  }
  assert.deepEqual([harness.writes(), harness.sent.length], [writes, sent])
  assert.ok(looks <= 60, `${looks} looks`)
  // The events that it had not passed over are gone: the sender does not look for them for ever.
  db.exec('DELETE FROM events')
  looks = 0
  harness.stopSender()
  harness.startSender()
  await harness.idle()
  assert.ok(looks <= 10, `${looks} looks`)
  await harness.advance(5 * SECOND)
  assert.match(harness.deliveries(hooks.failing)[0]?.tries.at(-1)?.error ?? '', /no longer stored/)
})
