import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BROKEN, OK } from '../../support/receiver.ts'
import { DAY, HOUR, type Hook, MINUTE, type Rig, SECOND, startRig } from './delivery-harness.ts'

/** A webhook whose receiver has failed ten times in a row: it is held, with ten deliveries and three events behind. */
async function startHeld(t: Parameters<typeof startRig>[0]) {
  const rig = await startRig(t)
  const receiver = await rig.receiver(() => BROKEN)
  const hook = await rig.hook(receiver.url)
  for (let n = 0; n < 10; n++) {
    await rig.deal(`Deal ${n}`)
    await rig.idle()
  }
  for (let n = 10; n < 13; n++) await rig.deal(`Deal ${n}`)
  await rig.idle()
  return { rig, receiver, hook }
}

const statuses = (rig: Rig, hook: Hook) => Object.groupBy(rig.deliveries(hook), ({ status }) => status)

test('after ten failures in a row there is one probe every five minutes, and the rest waits', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  assert.equal(receiver.requests.length, 10)
  const before = rig.deliveries(hook).map(({ failures }) => failures)
  assert.deepEqual(before, Array(10).fill(1))
  for (let probes = 1; probes <= 20; probes++) {
    await rig.advance(5 * MINUTE - 1)
    assert.equal(receiver.requests.length, 9 + probes)
    await rig.advance(1)
    assert.equal(receiver.requests.length, 10 + probes)
  }
  const after = rig.deliveries(hook)
  assert.ok(after.every(({ failures, status }) => failures <= 1 && status === 'pending'))
  assert.equal(rig.log.filter(({ message }) => /held/.test(message)).length, 1)
})

test('with the first success everything is due at once', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  for (let n = 0; n < 3; n++) await rig.advance(5 * MINUTE)
  receiver.answer(() => OK)
  await rig.advance(5 * MINUTE)
  assert.deepEqual(Object.keys(statuses(rig, hook)), ['delivered'])
  assert.equal(rig.deliveries(hook).length, 13)
  assert.equal(new Set(receiver.requests.map(({ event }) => event.seq)).size, 13)
  const { failures, failing_since, held_until } = rig.state(hook)
  assert.deepEqual([failures, failing_since, held_until], [0, null, null])
})

test('a success in between keeps a webhook up', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver((_, index) => (index % 10 === 9 ? OK : BROKEN))
  const hook = await rig.hook(receiver.url)
  for (let n = 0; n < 30; n++) {
    await rig.deal(`Deal ${n}`)
    await rig.idle()
  }
  assert.equal(receiver.requests.length, 30)
  assert.equal(rig.state(hook).held_until, null)
})

test('what is sent again is tried at once although the webhook is held', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  receiver.answer(() => OK)
  const last = rig.deliveries(hook).at(-1)
  await rig.ok('POST', `/webhooks/${hook.id}/deliveries/${last?.id}/redeliver`)
  await rig.idle()
  assert.deepEqual(Object.keys(statuses(rig, hook)), ['delivered'])
})

test('and it is the one that is tried, though others have waited longer', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  await rig.advance(4 * MINUTE)
  for (const chosen of [rig.deliveries(hook)[4], rig.deliveries(hook)[7]]) {
    await rig.ok('POST', `/webhooks/${hook.id}/deliveries/${chosen?.id}/redeliver`)
    await rig.idle()
    assert.equal(receiver.requests.at(-1)?.headers['webhook-id'], chosen?.event_id)
  }
  assert.equal(receiver.requests.length, 12)
})

test('after five days it is disabled with the reason, and set to active again it loses nothing', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  await rig.advance(5 * DAY - MINUTE)
  assert.equal((await rig.webhook(hook)).status, 'active')
  await rig.advance(5 * MINUTE)
  const { status, disabled_reason } = await rig.webhook(hook)
  assert.equal(status, 'disabled')
  assert.match(disabled_reason, /five days.*It answered 500/)
  receiver.answer(() => OK)
  const count = receiver.requests.length
  await rig.deal('While it is disabled')
  await rig.advance(HOUR)
  assert.equal(receiver.requests.length, count)
  await rig.patch(hook, { status: 'active' })
  await rig.idle()
  assert.deepEqual(Object.keys(statuses(rig, hook)), ['delivered'])
  assert.equal(rig.deliveries(hook).length, 14)
  assert.equal((await rig.webhook(hook)).disabled_reason, null)
})

test('set to active again, what fails has its schedule before it, not five minutes', async (t) => {
  const { rig, receiver, hook } = await startHeld(t)
  await rig.patch(hook, { status: 'paused' })
  await rig.advance(6 * DAY)
  await rig.patch(hook, { status: 'active' })
  await rig.idle()
  assert.ok(receiver.requests.length >= 20)
  assert.equal((await rig.webhook(hook)).status, 'active')
  assert.equal(rig.state(hook).failing_since, rig.now())
})

test('another URL is tried at once', async (t) => {
  const { rig, hook } = await startHeld(t)
  const other = await rig.receiver()
  await rig.patch(hook, { url: other.url })
  await rig.idle()
  assert.equal(other.requests.length, 13)
  assert.deepEqual(Object.keys(statuses(rig, hook)), ['delivered'])
})

test('a pause that the receiver asked for outlasts the successes of tries that were on their way', async (t) => {
  const rig = await startRig(t)
  const receiver = await rig.receiver(() => 'never')
  await rig.hook(receiver.url)
  await rig.deal()
  await receiver.came(1)
  receiver.answer(() => ({ status: 429, headers: { 'retry-after': '60' } }))
  await rig.deal()
  await rig.idle(1)
  receiver.answer(() => OK)
  receiver.release()
  await rig.deal()
  await rig.idle()
  assert.equal(receiver.requests.length, 2)
  await rig.advance(60 * SECOND)
  assert.equal(receiver.requests.length, 4)
})
