import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAUSES_MS } from '../../../src/webhooks/delivery/retry-policy.ts'
import type { Reply } from '../../../src/webhooks/egress/http-post.ts'
import { BROKEN, OK, startReceiver } from '../../support/receiver.ts'
import { deliveryHarness, HOUR, MINUTE, SECOND } from './delivery-harness.ts'

const time = (ms: number) => new Date(ms).toISOString()

test('a delivery is tried along the schedule and then has failed, and shows when it is tried next', async (t) => {
  const counted: Record<string, number> = {}
  const count = (outcome: string) => void (counted[outcome] = (counted[outcome] ?? 0) + 1)
  const harness = await deliveryHarness(t, { random: () => 1, count })
  const receiver = await harness.receiver(() => BROKEN)
  const hook = await harness.hook(receiver.url)
  await harness.deal()
  await harness.idle()
  const shown = async () => (await harness.call('GET', `/webhooks/${hook.id}/deliveries`)).body.data[0]
  const start = harness.now()
  let at = start
  const times = [time(start)]
  for (const [index, pause] of PAUSES_MS.entries()) {
    assert.deepEqual([receiver.requests.length, (await shown()).status], [index + 1, 'pending'])
    const wait = pause * 1.1
    assert.equal((await shown()).next_try_at, time(at + wait))
    await harness.advance(wait - 1)
    assert.equal(receiver.requests.length, index + 1, `not before ${wait} ms`)
    await harness.advance(1)
    at += wait
    times.push(time(at))
  }
  const { status, next_try_at, tries } = await shown()
  assert.deepEqual([status, next_try_at], ['failed', null])
  assert.deepEqual(
    tries.map((each: { at: string }) => each.at),
    times,
  )
  for (const { response_status, response_body, error } of tries)
    assert.deepEqual([response_status, response_body, error], [500, 'It broke.', 'The receiver answered 500.'])
  await harness.advance(4 * 24 * HOUR)
  assert.equal(receiver.requests.length, 10)
  assert.deepEqual(counted, { failed: 10, given_up: 1 })
})

test('a success ends it', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver((_, index) => (index < 2 ? BROKEN : { status: 200, body: 'Thanks.' }))
  const hook = await harness.hook(receiver.url)
  await harness.deal()
  await harness.idle()
  await harness.advance(5 * SECOND)
  await harness.advance(5 * MINUTE)
  const [delivery] = harness.deliveries(hook)
  assert.equal(delivery?.status, 'delivered')
  assert.deepEqual(
    delivery.tries.map(({ response_status, error }) => [response_status, error]),
    [
      [500, 'The receiver answered 500.'],
      [500, 'The receiver answered 500.'],
      [200, null],
    ],
  )
  await harness.advance(24 * HOUR)
  assert.equal(receiver.requests.length, 3)
  const { failures, failing_since } = harness.state(hook)
  assert.deepEqual([failures, failing_since], [0, null])
})

test('Retry-After delays the delivery, and holds the whole webhook as long', async (t) => {
  for (const retryAfter of ['3600', time]) {
    const harness = await deliveryHarness(t)
    const header = typeof retryAfter === 'string' ? retryAfter : new Date(harness.now() + HOUR).toUTCString()
    const receiver = await harness.receiver((_, index) =>
      index === 0 ? { status: 429, headers: { 'retry-after': header } } : OK,
    )
    const other = await harness.receiver()
    const hook = await harness.hook(receiver.url)
    await harness.hook(other.url)
    await harness.deal()
    await harness.idle()
    assert.equal(harness.deliveries(hook)[0]?.due_at, harness.now() + HOUR)
    await harness.deal()
    await harness.advance(HOUR - 1)
    assert.deepEqual([receiver.requests.length, other.requests.length], [1, 2])
    await harness.advance(1)
    assert.equal(receiver.requests.length, 3)
    assert.deepEqual(
      harness.deliveries(hook).map(({ status }) => status),
      ['delivered', 'delivered'],
    )
  }
})

test('410 disables the webhook, which says so', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver(() => ({ status: 410 }))
  const hook = await harness.hook(receiver.url)
  await harness.deal()
  await harness.idle()
  await harness.deal()
  await harness.advance(24 * HOUR)
  const { status, disabled_reason, version } = await harness.webhook(hook)
  assert.deepEqual([status, receiver.requests.length, version], ['disabled', 1, 2])
  assert.match(disabled_reason, /410/)
  const statuses = () =>
    harness
      .deliveries(hook)
      .map(({ status }) => status)
      .toSorted()
  assert.deepEqual(statuses(), ['failed'], 'the one that was answered so is not waited for')
  receiver.answer(() => OK)
  await harness.patch(hook, { status: 'active' })
  await harness.idle()
  assert.deepEqual(statuses(), ['delivered', 'failed'])
})

test('a redirect is a failure, and nobody follows it', async (t) => {
  const harness = await deliveryHarness(t)
  const elsewhere = await harness.receiver()
  const receiver = await harness.receiver(() => ({ status: 307, headers: { location: elsewhere.url } }))
  const hook = await harness.hook(receiver.url)
  await harness.deal()
  await harness.idle()
  const [delivery] = harness.deliveries(hook)
  assert.match(delivery?.tries[0]?.error ?? '', /redirect, which is not followed/)
  assert.deepEqual([delivery?.status, delivery?.failures, elsewhere.requests.length], ['pending', 1, 0])
})

test('what does not answer, refuses, cuts off or is no TLS fails with a reason in words', async (t) => {
  const harness = await deliveryHarness(t)
  const gone = await startReceiver()
  await gone.stop()
  const cut = await harness.receiver(() => 'drop')
  const tls = (await harness.receiver()).url.replace('http:', 'https:')
  const urls = { [gone.url]: /refused/, [cut.url]: /connection/i, [tls]: /TLS/ }
  const hooks = await Promise.all(Object.keys(urls).map((url) => harness.hook(url)))
  await harness.deal()
  await harness.idle()
  for (const [index, reason] of Object.values(urls).entries()) {
    const [delivery] = harness.deliveries(hooks[index]!)
    const [first] = delivery?.tries ?? []
    assert.match(first?.error ?? '', reason)
    assert.deepEqual([first?.response_status, delivery?.failures], [null, 1])
    assert.equal((await harness.webhook(hooks[index]!)).last_failure_at, time(harness.now()))
  }
})

test('a try without an end fails', async (t) => {
  const late: Reply = {
    status: null,
    duration_ms: 15_000,
    reply: null,
    retry_after: null,
    error: 'There was no response within 15 s.',
  }
  const harness = await deliveryHarness(t, { post: async () => late })
  const hook = await harness.hook('http://127.0.0.1:1/')
  await harness.deal()
  await harness.idle()
  const [{ status, failures, tries } = {}] = harness.deliveries(hook)
  assert.deepEqual([status, failures, tries?.[0]?.error], ['pending', 1, late.error])
})

test('what the guard allowed on creation and refuses by now fails with its reason', async (t) => {
  const harness = await deliveryHarness(t)
  const receiver = await harness.receiver()
  const hook = await harness.hook(receiver.url)
  harness.allow('')
  await harness.deal()
  await harness.idle()
  const [delivery] = harness.deliveries(hook)
  assert.match(delivery?.tries[0]?.error ?? '', /127\.0\.0\.1.*--webhook-allow/)
  assert.deepEqual([delivery?.status, delivery?.failures, receiver.requests.length], ['pending', 1, 0])
  harness.allow('127.0.0.1')
  await harness.advance(5 * SECOND)
  assert.equal(receiver.requests.length, 1)
})
