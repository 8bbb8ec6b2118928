import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROKEN, OK, type Received } from '../../support/receiver.ts'
import { deliveryHarness, HOUR, MINUTE, SECOND } from './delivery-harness.ts'

const failFor = (id: string) => (received: Received) => (received.event.data.object.id === id ? BROKEN : OK)
const titles = (received: Received[]) => received.map(({ event }) => event.data.object.title as string)

describe('the events of a record', () => {
  test('wait for an earlier one, and others do not', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url)
    const [slow, other] = [await harness.deal('Slow 1'), await harness.deal('Other 1')]
    await harness.idle()
    receiver.answer(failFor(slow))
    await harness.ok('PATCH', `/deals/${slow}`, { title: 'Slow 2' })
    await harness.idle()
    await harness.ok('PATCH', `/deals/${slow}`, { title: 'Slow 3' })
    await harness.ok('PATCH', `/deals/${other}`, { title: 'Other 2' })
    await harness.ok('PATCH', `/deals/${slow}`, { title: 'Slow 4' })
    await harness.advance(SECOND)
    assert.deepEqual(titles(receiver.requests.slice(2)), ['Slow 2', 'Other 2'])
    const shown = (await harness.call('GET', `/webhooks/${hook.id}/deliveries`)).body.data
    assert.deepEqual(
      shown
        .filter(({ status }: { status: string }) => status === 'pending')
        .map(({ next_try_at }: { next_try_at: string | null }) => next_try_at !== null),
      [false, false, true],
    )
    receiver.answer(() => OK)
    await harness.advance(4 * SECOND)
    assert.deepEqual(titles(receiver.requests.slice(4)), ['Slow 2', 'Slow 3', 'Slow 4'])
  })

  test('wait for one that is on its way, whatever the time', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver((_, index) => (index === 0 ? 'never' : OK))
    await harness.hook(receiver.url)
    const id = await harness.deal('First')
    await receiver.came(1)
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Second' })
    await harness.idle(1)
    await harness.advance(2 * HOUR, 1)
    assert.equal(receiver.requests.length, 1)
    receiver.release()
    await harness.idle()
    assert.deepEqual(titles(receiver.requests), ['First', 'Second'])
  })

  test('go on when the earlier one has failed for good', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(({ event }) => (event.data.object.title === 'First' ? BROKEN : OK))
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('First')
    await harness.idle()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Second' })
    // Successes in between, so that the receiver does not count as down.
    for (const wait of [5 * SECOND, 5 * MINUTE, ...[0.5, 2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)]) {
      assert.ok(!titles(receiver.requests).includes('Second'))
      await harness.deal('Other')
      await harness.advance(wait)
    }
    assert.deepEqual(
      harness.deliveries(hook).flatMap(({ object_id, status }) => (object_id === id ? [status] : [])),
      ['failed', 'delivered'],
    )
    assert.equal(titles(receiver.requests).filter((title) => title === 'Second').length, 1)
  })

  test('keep their order where many are planned at once', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver((_, index) => (index % 5 === 4 ? BROKEN : OK))
    const hook = await harness.hook(receiver.url)
    await harness.patch(hook, { status: 'paused' })
    const ids = [await harness.deal('0'), await harness.deal('0'), await harness.deal('0')]
    for (let n = 1; n < 12; n++) for (const id of ids) await harness.ok('PATCH', `/deals/${id}`, { title: String(n) })
    await harness.patch(hook, { status: 'active' })
    await harness.idle()
    for (let n = 0; n < 10; n++) await harness.advance(5 * MINUTE)
    for (const id of ids) {
      const own = receiver.requests.filter(({ event }) => event.object_id === id || event.data.object.id === id)
      const first = [...new Set(titles(own))]
      assert.deepEqual(
        first,
        Array.from({ length: 12 }, (_, n) => String(n)),
      )
    }
    assert.ok(harness.deliveries(hook).every(({ status }) => status === 'delivered'))
  })
})

describe('sent again', () => {
  test('what is done has its whole schedule anew, and holds up nothing of its record', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('First')
    await harness.idle()
    receiver.answer(({ event }) => (event.data.object.title === 'First' ? BROKEN : OK))
    const [delivery] = harness.deliveries(hook)
    const again = await harness.ok('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)
    assert.deepEqual([again.status, again.tries.length], ['pending', 1])
    await harness.idle()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Second' })
    await harness.idle()
    assert.deepEqual(titles(receiver.requests), ['First', 'First', 'Second'])
    assert.equal(receiver.requests[1]?.text, receiver.requests[0]?.text)
    receiver.answer(() => OK)
    await harness.advance(5 * SECOND)
    assert.deepEqual(
      harness.deliveries(hook).map(({ status, tries }) => [status, tries.length]),
      [
        ['delivered', 3],
        ['delivered', 1],
      ],
    )
  })

  test('what is pending is tried at once, also while the receiver asked for a pause', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    const hook = await harness.hook(receiver.url)
    await harness.deal()
    await harness.idle()
    await harness.advance(MINUTE)
    receiver.answer(() => OK)
    const [delivery] = harness.deliveries(hook)
    await harness.ok('POST', `/webhooks/${hook.id}/deliveries/${delivery?.id}/redeliver`)
    await harness.idle()
    assert.deepEqual([receiver.requests.length, harness.deliveries(hook)[0]?.status], [2, 'delivered'])
  })

  test('what waits for an earlier one goes on waiting', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => BROKEN)
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal('First')
    await harness.idle()
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Second' })
    await harness.idle()
    const [, second] = harness.deliveries(hook)
    await harness.ok('POST', `/webhooks/${hook.id}/deliveries/${second?.id}/redeliver`)
    await harness.idle()
    assert.deepEqual(titles(receiver.requests), ['First'])
  })
})
