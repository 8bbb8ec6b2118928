import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BROKEN, OK } from '../../support/receiver.ts'
import { DAY, type DeliveryHarness, deliveryHarness, HOUR, type Hook, MINUTE, SECOND } from './delivery-harness.ts'

/** A webhook whose receiver has failed ten times in a row: it is held, with ten deliveries and three events behind. */
async function startHeld(t: Parameters<typeof deliveryHarness>[0]) {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver(() => BROKEN)
  const hook = await harness.hook(receiver.url)
  for (let n = 0; n < 10; n++) {
    await harness.deal(`Deal ${n}`)
    await harness.idle()
  }
  for (let n = 10; n < 13; n++) await harness.deal(`Deal ${n}`)
  await harness.idle()
  return { harness, receiver, hook }
}

const statuses = (harness: DeliveryHarness, hook: Hook) =>
  Object.groupBy(harness.deliveries(hook), ({ status }) => status)

test('after ten failures in a row there is one probe every five minutes, and the rest waits', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  assert.equal(receiver.requests.length, 10)
  const before = harness.deliveries(hook).map(({ failures }) => failures)
  assert.deepEqual(before, Array(10).fill(1))
  for (let probes = 1; probes <= 20; probes++) {
    await harness.advance(5 * MINUTE - 1)
    assert.equal(receiver.requests.length, 9 + probes)
    await harness.advance(1)
    assert.equal(receiver.requests.length, 10 + probes)
  }
  const after = harness.deliveries(hook)
  assert.ok(after.every(({ failures, status }) => failures <= 1 && status === 'pending'))
  assert.equal(harness.log.filter(({ message }) => /on hold/.test(message)).length, 1)
})

test('with the first success everything is due at once', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  for (let n = 0; n < 3; n++) await harness.advance(5 * MINUTE)
  receiver.answer(() => OK)
  await harness.advance(5 * MINUTE)
  assert.deepEqual(Object.keys(statuses(harness, hook)), ['delivered'])
  assert.equal(harness.deliveries(hook).length, 13)
  assert.equal(new Set(receiver.requests.map(({ event }) => event.seq)).size, 13)
  const { failures, failing_since, held_until } = harness.state(hook)
  assert.deepEqual([failures, failing_since, held_until], [0, null, null])
})

test('a success in between keeps a webhook up', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver((_, index) => (index % 10 === 9 ? OK : BROKEN))
  const hook = await harness.hook(receiver.url)
  for (let n = 0; n < 30; n++) {
    await harness.deal(`Deal ${n}`)
    await harness.idle()
  }
  assert.equal(receiver.requests.length, 30)
  assert.equal(harness.state(hook).held_until, null)
})

test('what is sent again is tried at once although the webhook is held', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  receiver.answer(() => OK)
  const last = harness.deliveries(hook).at(-1)
  await harness.ok('POST', `/webhooks/${hook.id}/deliveries/${last?.id}/redeliver`)
  await harness.idle()
  assert.deepEqual(Object.keys(statuses(harness, hook)), ['delivered'])
})

test('and it is the one that is tried, though others have waited longer', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  await harness.advance(4 * MINUTE)
  for (const chosen of [harness.deliveries(hook)[4], harness.deliveries(hook)[7]]) {
    await harness.ok('POST', `/webhooks/${hook.id}/deliveries/${chosen?.id}/redeliver`)
    await harness.idle()
    assert.equal(receiver.requests.at(-1)?.headers['webhook-id'], chosen?.event_id)
  }
  assert.equal(receiver.requests.length, 12)
})

test('after five days it is disabled with the reason, and set to active again it loses nothing', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  await harness.advance(5 * DAY - MINUTE)
  assert.equal((await harness.webhook(hook)).status, 'active')
  await harness.advance(5 * MINUTE)
  const { status, disabled_reason } = await harness.webhook(hook)
  assert.equal(status, 'disabled')
  assert.match(disabled_reason, /five days.*The receiver answered 500/)
  receiver.answer(() => OK)
  const count = receiver.requests.length
  await harness.deal('While it is disabled')
  await harness.advance(HOUR)
  assert.equal(receiver.requests.length, count)
  await harness.patch(hook, { status: 'active' })
  await harness.idle()
  assert.deepEqual(Object.keys(statuses(harness, hook)), ['delivered'])
  assert.equal(harness.deliveries(hook).length, 14)
  assert.equal((await harness.webhook(hook)).disabled_reason, null)
})

test('set to active again, what fails has its schedule before it, not five minutes', async (t) => {
  const { harness, receiver, hook } = await startHeld(t)
  await harness.patch(hook, { status: 'paused' })
  await harness.advance(6 * DAY)
  await harness.patch(hook, { status: 'active' })
  await harness.idle()
  assert.ok(receiver.requests.length >= 20)
  assert.equal((await harness.webhook(hook)).status, 'active')
  assert.equal(harness.state(hook).failing_since, harness.now())
})

test('another URL is tried at once', async (t) => {
  const { harness, hook } = await startHeld(t)
  const other = await harness.receiver()
  await harness.patch(hook, { url: other.url })
  await harness.idle()
  assert.equal(other.requests.length, 13)
  assert.deepEqual(Object.keys(statuses(harness, hook)), ['delivered'])
})

test('a pause that the receiver asked for outlasts the successes of tries that were on their way', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver(() => 'never')
  await harness.hook(receiver.url)
  await harness.deal()
  await receiver.came(1)
  receiver.answer(() => ({ status: 429, headers: { 'retry-after': '60' } }))
  await harness.deal()
  await harness.idle(1)
  receiver.answer(() => OK)
  receiver.release()
  await harness.deal()
  await harness.idle()
  assert.equal(receiver.requests.length, 2)
  await harness.advance(60 * SECOND)
  assert.equal(receiver.requests.length, 4)
})
