import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attempt, Reply } from '../../../src/webhooks/egress/http-post.ts'
import { OK } from '../../support/receiver.ts'
import { deliveryHarness } from './delivery-harness.ts'

const DONE: Reply = { status: 204, duration_ms: 1, reply: '', retry_after: null, error: null }
const { promise: never } = Promise.withResolvers<Reply>()

/** Somebody who makes the tries as the test says. */
function manualTimers() {
  const made = { answer: (_attempt: Attempt): Promise<Reply> => Promise.resolve(DONE) }
  return { made, post: (attempt: Attempt) => made.answer(attempt) }
}

const URL = 'http://127.0.0.1:1/'

describe('what was on its way', () => {
  test('when a server died is sent again by the next one', async (t) => {
    const { made, post } = manualTimers()
    const harness = await deliveryHarness(t, { post })
    const hook = await harness.hook(URL)
    made.answer = () => never
    const ids = [await harness.deal(), await harness.deal()]
    await harness.ok('PATCH', `/deals/${ids[0]}`, { title: 'Waits' })
    await harness.ok('POST', `/webhooks/${hook.id}/test`)
    await harness.idle(3)
    const leases = harness.deliveries(hook).map(({ leased_until }) => leased_until !== null)
    assert.deepEqual(leases.sort(), [false, true, true, true])
    await harness.stopSender(0)
    made.answer = async () => DONE
    harness.startSender()
    await harness.idle(3)
    const deliveries = harness.deliveries(hook)
    assert.equal(deliveries.length, 4)
    for (const { status, tries, leased_until } of deliveries)
      assert.deepEqual([status, tries.length, leased_until], ['delivered', 1, null])
    const sent = Object.groupBy(harness.sent, ({ headers }) => headers['webhook-id'] as string)
    assert.deepEqual(
      Object.values(sent)
        .map((tries) => tries?.length)
        .sort(),
      [1, 2, 2, 2],
    )
    assert.ok(Object.values(sent).every((tries) => new Set(tries?.map(({ body }) => body)).size === 1))
  })

  test('when a server died under a disabled webhook is sent when it is active', async (t) => {
    const { made, post } = manualTimers()
    const harness = await deliveryHarness(t, { post })
    const hook = await harness.hook(URL)
    made.answer = () => never
    await harness.deal()
    await harness.idle(1)
    await harness.patch(hook, { status: 'paused' })
    await harness.stopSender(0)
    made.answer = async () => DONE
    harness.startSender()
    await harness.idle(1)
    assert.equal(harness.sent.length, 1)
    await harness.patch(hook, { status: 'active' })
    await harness.idle(1)
    assert.deepEqual([harness.sent.length, harness.deliveries(hook)[0]?.status], [2, 'delivered'])
  })

  test('and was lost on this side is repeated, after a rest, and says nothing of the receiver', async (t) => {
    const { made, post } = manualTimers()
    const outcomes: string[] = []
    const harness = await deliveryHarness(t, { post, count: (outcome) => void outcomes.push(outcome) })
    const hook = await harness.hook(URL)
    made.answer = () => Promise.reject(new Error('The thread has ended.'))
    await harness.deal()
    await harness.ok('POST', `/webhooks/${hook.id}/test`)
    await harness.idle()
    const before = harness.sent.length
    assert.ok(before <= 2)
    await harness.deal()
    await harness.advance(4999)
    assert.equal(harness.sent.length, before)
    made.answer = async () => DONE
    await harness.advance(1)
    const deliveries = harness.deliveries(hook)
    assert.equal(deliveries.length, 3)
    for (const { status, tries, failures } of deliveries)
      assert.deepEqual([status, tries.length, failures], ['delivered', 1, 0])
    assert.equal(harness.state(hook).last_failure_at, null)
    assert.deepEqual([...new Set(outcomes)], ['lost', 'delivered'])
    assert.equal(harness.log.filter(({ level, message }) => level === 'error' && /lost/.test(message)).length, 1)
  })
})

describe('while the store cannot be written', () => {
  test('nothing is lost, and nothing is sent twice', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => 'never')
    const hook = await harness.hook(receiver.url)
    await harness.deal()
    await receiver.came(1)
    harness.beforeWrite(() => {
      throw new Error('The disk is full.')
    })
    receiver.answer(() => OK)
    receiver.release()
    await harness.idle()
    await harness.deal()
    await harness.idle()
    assert.equal(receiver.requests.length, 1)
    assert.ok(harness.log.some(({ level, message }) => level === 'error' && /round failed/.test(message)))
    harness.beforeWrite(() => undefined)
    await harness.advance(1000)
    assert.deepEqual(
      harness.deliveries(hook).map(({ status, tries }) => [status, tries.length]),
      [
        ['delivered', 1],
        ['delivered', 1],
      ],
    )
    assert.equal(receiver.requests.length, 2)
  })

  test('nothing is taken, nor tried to be written, once the database is known to be damaged', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => OK)
    await harness.hook(receiver.url)
    await harness.stopSender()
    await harness.deal()
    harness.store.health.note(Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' }))
    const writes = harness.writes()
    harness.startSender()
    for (let count = 0; count < 3; count++) await harness.advance(1000)
    assert.equal(receiver.requests.length, 0)
    assert.deepEqual([harness.writes(), harness.log], [writes, []])
  })

  test('stopping comes to its end, and the next server repeats what could not be written down', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => 'never')
    const hook = await harness.hook(receiver.url)
    await harness.deal()
    await receiver.came(1)
    harness.beforeWrite(() => {
      throw new Error('The disk is full.')
    })
    receiver.answer(() => OK)
    const stopped = harness.stopSender()
    receiver.release()
    await stopped
    harness.beforeWrite(() => undefined)
    harness.startSender()
    await harness.idle()
    assert.deepEqual([receiver.requests.length, harness.deliveries(hook)[0]?.status], [2, 'delivered'])
  })
})

describe('stopping', () => {
  test('waits for what is on its way, and sends nothing more', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver(() => 'never')
    const hook = await harness.hook(receiver.url)
    const id = await harness.deal()
    await receiver.came(1)
    await harness.ok('PATCH', `/deals/${id}`, { title: 'Too late' })
    await harness.idle(1)
    const stopped = harness.stopSender(60_000)
    receiver.answer(() => OK)
    receiver.release()
    await stopped
    await harness.deal()
    harness.wake()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      harness.deliveries(hook).map(({ status, leased_until }) => [status, leased_until]),
      [
        ['delivered', null],
        ['pending', null],
      ],
    )
    assert.equal(receiver.requests.length, 1)
  })

  test('in the middle of a round takes nothing more', async (t) => {
    const harness = await deliveryHarness(t)
    const receiver = await harness.receiver()
    await harness.hook(receiver.url)
    await harness.idle()
    const stopped = Promise.withResolvers<void>()
    harness.beforeWrite(() => {
      harness.beforeWrite(() => undefined)
      queueMicrotask(() => harness.stopSender(0).then(stopped.resolve)) // the write stands in line by then
    })
    await harness.deal()
    await stopped.promise
    assert.equal(harness.sent.length, 0)
    harness.startSender()
    await receiver.came(1)
    await harness.idle()
  })

  test('leaves what does not end within the grace to the next server', async (t) => {
    const { made, post } = manualTimers()
    const harness = await deliveryHarness(t, { post })
    const hook = await harness.hook(URL)
    const late = Promise.withResolvers<Reply>()
    made.answer = () => late.promise
    await harness.deal()
    await harness.idle(1)
    await harness.stopSender(1)
    late.resolve(DONE)
    await late.promise
    assert.notEqual(harness.deliveries(hook)[0]?.leased_until, null)
    harness.startSender()
    await harness.idle()
    assert.deepEqual([harness.sent.length, harness.deliveries(hook)[0]?.status], [2, 'delivered'])
  })
})
