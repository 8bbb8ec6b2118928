import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { batches } from '../../../src/store/batches.ts'
import { DATABASE } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { replayStore } from '../../../src/webhooks/replay.ts'
import { slowPace } from '../../support/pace.ts'
import { BROKEN, OK } from '../../support/receiver.ts'
import { deliveryHarness, MINUTE } from './delivery-harness.ts'

const PATCHES = 250

test('a replay frees the write lock again and again, and loses and repeats nothing', async (t) => {
  const harness = await deliveryHarness(t)
  let isUp = false
  const receiver = await harness.receiver(() => (isUp ? OK : BROKEN))
  const hook = await harness.hook(receiver.url, { event_types: ['deal.*'], status: 'paused' })
  const deal = await harness.deal()
  const first = harness.lastSeq()
  for (let n = 0; n < PATCHES; n++) await harness.ok('PATCH', `/deals/${deal}`, { title: `Deal ${n}` })
  await harness.patch(hook, { status: 'active' })
  await harness.idle()
  const last = harness.lastSeq()
  const pending = () => harness.deliveries(hook).filter(({ status }) => status === 'pending')
  const state = () =>
    harness.store.db.prepare('SELECT planned_seq, held_until FROM webhook_states').get() as Record<string, number>
  assert.deepEqual([receiver.requests.length, pending().length], [1, PATCHES + 1])
  const before = state()

  const other = openSqlite(join(harness.dataDir, DATABASE), { timeout: 0 })
  t.after(() => other.close())
  const counts = [pending().length]
  const pace = slowPace(10, () => {
    other.exec('BEGIN IMMEDIATE; ROLLBACK') // throws SQLITE_BUSY where the replay has the lock
    const left = pending()
    const { planned_seq = 0, held_until = 0 } = state()
    const kept = new Set(left.map(({ seq }) => seq))
    for (let seq = first; seq <= planned_seq; seq++) assert.ok(kept.has(seq), `event ${seq} is lost`)
    assert.ok(left.length === counts[0] || left.length === 0 || held_until > harness.now(), 'it is sent in between')
    counts.push(left.length)
  })
  const who = { org: harness.a.org, member: null }
  replayStore(harness.deps).replay(batches(harness.store, pace), who, hook.id, first)

  const most = Math.max(...counts.slice(1).map((left, at) => (counts[at] as number) - left))
  assert.ok(most <= 100, `${most} deliveries were deleted in one transaction`)
  assert.deepEqual([counts.at(-1), state()], [0, { planned_seq: first - 1, held_until: before.held_until }])
  isUp = true
  receiver.requests.length = 0
  for (let turn = 0; turn < 3; turn++) await harness.advance(MINUTE)
  assert.deepEqual(
    receiver.requests.map(({ event }) => event.seq),
    Array.from({ length: last - first + 1 }, (_, n) => first + n),
  )
})
