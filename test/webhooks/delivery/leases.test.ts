import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attempt, Reply } from '../../../src/webhooks/egress/http-post.ts'
import { OK } from '../../support/receiver.ts'
import { startRig } from './delivery-harness.ts'

const DONE: Reply = { status: 204, duration_ms: 1, reply: '', retry_after: null, error: null }
const { promise: never } = Promise.withResolvers<Reply>()

/** Somebody who makes the tries as the test says. */
function byHand() {
  const made = { answer: (_attempt: Attempt): Promise<Reply> => Promise.resolve(DONE) }
  return { made, post: (attempt: Attempt) => made.answer(attempt) }
}

const URL = 'http://127.0.0.1:1/'

describe('what was on its way', () => {
  test('when a server died is sent again by the next one', async (t) => {
    const { made, post } = byHand()
    const rig = await startRig(t, { post })
    const hook = await rig.hook(URL)
    made.answer = () => never
    const ids = [await rig.deal(), await rig.deal()]
    await rig.ok('PATCH', `/deals/${ids[0]}`, { title: 'Waits' })
    await rig.ok('POST', `/webhooks/${hook.id}/test`)
    await rig.idle(3)
    const leases = rig.deliveries(hook).map(({ leased_until }) => leased_until !== null)
    assert.deepEqual(leases.sort(), [false, true, true, true])
    await rig.stopSender(0)
    made.answer = async () => DONE
    rig.startSender()
    await rig.idle(3)
    const deliveries = rig.deliveries(hook)
    assert.equal(deliveries.length, 4)
    for (const { status, tries, leased_until } of deliveries)
      assert.deepEqual([status, tries.length, leased_until], ['delivered', 1, null])
    const sent = Object.groupBy(rig.sent, ({ headers }) => headers['webhook-id'] as string)
    assert.deepEqual(
      Object.values(sent)
        .map((tries) => tries?.length)
        .sort(),
      [1, 2, 2, 2],
    )
    assert.ok(Object.values(sent).every((tries) => new Set(tries?.map(({ body }) => body)).size === 1))
  })

  test('when a server died under a disabled webhook is sent when it is active', async (t) => {
    const { made, post } = byHand()
    const rig = await startRig(t, { post })
    const hook = await rig.hook(URL)
    made.answer = () => never
    await rig.deal()
    await rig.idle(1)
    await rig.patch(hook, { status: 'paused' })
    await rig.stopSender(0)
    made.answer = async () => DONE
    rig.startSender()
    await rig.idle(1)
    assert.equal(rig.sent.length, 1)
    await rig.patch(hook, { status: 'active' })
    await rig.idle(1)
    assert.deepEqual([rig.sent.length, rig.deliveries(hook)[0]?.status], [2, 'delivered'])
  })

  test('and was lost on this side is repeated, after a rest, and says nothing of the receiver', async (t) => {
    const { made, post } = byHand()
    const rig = await startRig(t, { post })
    const hook = await rig.hook(URL)
    made.answer = () => Promise.reject(new Error('The thread has ended.'))
    await rig.deal()
    await rig.ok('POST', `/webhooks/${hook.id}/test`)
    await rig.idle()
    const before = rig.sent.length
    assert.ok(before <= 2)
    await rig.deal()
    await rig.advance(4999)
    assert.equal(rig.sent.length, before)
    made.answer = async () => DONE
    await rig.advance(1)
    const deliveries = rig.deliveries(hook)
    assert.equal(deliveries.length, 3)
    for (const { status, tries, failures } of deliveries)
      assert.deepEqual([status, tries.length, failures], ['delivered', 1, 0])
    assert.equal(rig.state(hook).last_failure_at, null)
    assert.equal(rig.log.filter(({ level, message }) => level === 'error' && /lost/.test(message)).length, 1)
  })
})

describe('while the store cannot be written', () => {
  test('nothing is lost, and nothing is sent twice', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => 'never')
    const hook = await rig.hook(receiver.url)
    await rig.deal()
    await receiver.came(1)
    rig.beforeWrite(() => {
      throw new Error('The disk is full.')
    })
    receiver.answer(() => OK)
    receiver.release()
    await rig.idle()
    await rig.deal()
    await rig.idle()
    assert.equal(receiver.requests.length, 1)
    assert.ok(rig.log.some(({ level, message }) => level === 'error' && /round failed/.test(message)))
    rig.beforeWrite(() => undefined)
    await rig.advance(1000)
    assert.deepEqual(
      rig.deliveries(hook).map(({ status, tries }) => [status, tries.length]),
      [
        ['delivered', 1],
        ['delivered', 1],
      ],
    )
    assert.equal(receiver.requests.length, 2)
  })

  test('nothing is taken, nor tried to be written, once the database is known to be damaged', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => OK)
    await rig.hook(receiver.url)
    await rig.stopSender()
    await rig.deal()
    rig.store.health.note(Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' }))
    const writes = rig.writes()
    rig.startSender()
    for (let count = 0; count < 3; count++) await rig.advance(1000)
    assert.equal(receiver.requests.length, 0)
    assert.deepEqual([rig.writes(), rig.log], [writes, []])
  })

  test('stopping comes to its end, and the next server repeats what could not be written down', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => 'never')
    const hook = await rig.hook(receiver.url)
    await rig.deal()
    await receiver.came(1)
    rig.beforeWrite(() => {
      throw new Error('The disk is full.')
    })
    receiver.answer(() => OK)
    const stopped = rig.stopSender()
    receiver.release()
    await stopped
    rig.beforeWrite(() => undefined)
    rig.startSender()
    await rig.idle()
    assert.deepEqual([receiver.requests.length, rig.deliveries(hook)[0]?.status], [2, 'delivered'])
  })
})

describe('stopping', () => {
  test('waits for what is on its way, and sends nothing more', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver(() => 'never')
    const hook = await rig.hook(receiver.url)
    const id = await rig.deal()
    await receiver.came(1)
    await rig.ok('PATCH', `/deals/${id}`, { title: 'Too late' })
    await rig.idle(1)
    const stopped = rig.stopSender(60_000)
    receiver.answer(() => OK)
    receiver.release()
    await stopped
    await rig.deal()
    rig.wake()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(
      rig.deliveries(hook).map(({ status, leased_until }) => [status, leased_until]),
      [
        ['delivered', null],
        ['pending', null],
      ],
    )
    assert.equal(receiver.requests.length, 1)
  })

  test('in the middle of a round takes nothing more', async (t) => {
    const rig = await startRig(t)
    const receiver = await rig.receiver()
    await rig.hook(receiver.url)
    await rig.idle()
    const stopped = Promise.withResolvers<void>()
    rig.beforeWrite(() => {
      rig.beforeWrite(() => undefined)
      queueMicrotask(() => rig.stopSender(0).then(stopped.resolve)) // the write stands in line by then
    })
    await rig.deal()
    await stopped.promise
    assert.equal(rig.sent.length, 0)
    rig.startSender()
    await receiver.came(1)
    await rig.idle()
  })

  test('leaves what does not end within the grace to the next server', async (t) => {
    const { made, post } = byHand()
    const rig = await startRig(t, { post })
    const hook = await rig.hook(URL)
    const late = Promise.withResolvers<Reply>()
    made.answer = () => late.promise
    await rig.deal()
    await rig.idle(1)
    await rig.stopSender(1)
    late.resolve(DONE)
    await late.promise
    assert.notEqual(rig.deliveries(hook)[0]?.leased_until, null)
    rig.startSender()
    await rig.idle()
    assert.deepEqual([rig.sent.length, rig.deliveries(hook)[0]?.status], [2, 'delivered'])
  })
})
