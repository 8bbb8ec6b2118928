import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { linkStore } from '../../../src/auth/links.ts'
import { afterJump, recurringWork } from '../../../src/cli/serve/recurring.ts'
import type { Kind } from '../../../src/store/jobs/kinds.ts'
import { PAUSE_AFTER_FAILURE_MS } from '../../../src/store/jobs/queue.ts'
import type { SchedulerOptions } from '../../../src/store/jobs/scheduler.ts'
import { openStore } from '../../../src/store/open.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { rowsOf, schedulerHarness } from './scheduler-harness.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const KEPT_MS = 30 * DAY_MS
const AHEAD_MS = 400 * DAY_MS

let server: TestServer
let stops: (() => Promise<void>)[]
beforeEach(async () => {
  server = await startServer()
  stops = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await server.stop()
})

function start(options: Partial<SchedulerOptions> = {}) {
  const scheduler = schedulerHarness(server, {
    recurring: recurringWork({ keepEventsMs: KEPT_MS }),
    afterJump,
    ...options,
  })
  stops.push(scheduler.stop)
  return scheduler
}

const row = (name: string) => rowsOf(server.store, 'recurring_jobs').find((each) => each.name === name)
const seqs = () => server.events().map(({ seq }) => seq)

async function createTag(name: string, headers = {}): Promise<{ id: string; created_at: string }> {
  const { status, body } = await server.call('POST', '/tags', { name }, { headers })
  assert.equal(status, 201)
  return body
}

test('what the scheduler itself does and that fails is counted, until it succeeds, also across a restart', async () => {
  const { wallClock } = server.store
  const { note } = wallClock
  const first = start()
  await first.tick()
  wallClock.note = () => {
    throw new Error('no')
  }
  server.advance(MINUTE_MS)
  for (let failures = 1; failures < 4; failures++) {
    await first.tick()
    assert.deepEqual([row('clock')?.failures, row('clock')?.last_error], [failures, 'no'])
    server.advance(PAUSE_AFTER_FAILURE_MS)
  }
  await first.stop()
  wallClock.note = note
  const second = start()
  server.advance(MINUTE_MS)
  await second.tick()
  assert.deepEqual([row('clock')?.failures, row('clock')?.last_error], [0, null])
})

describe('after a jump of the clock', () => {
  test('back, a link to sign in that was made ahead has its day from then on', async () => {
    const { tick } = start()
    await tick()
    server.jump(AHEAD_MS)
    await tick()
    server.store.transaction(() => linkStore(server.store).makeSignIn(server.a.org, server.a.owner))
    server.jump(-AHEAD_MS)
    await tick()
    const [link] = rowsOf(server.store, 'sign_in_links')
    assert.deepEqual([link?.created_at, link?.expires_at], [server.now(), server.now() + DAY_MS])
  })

  test('nothing old is deleted for an hour, ahead and back', async () => {
    const { tick, lines } = start()
    await tick()
    await createTag('One', { 'Idempotency-Key': 'one' })
    server.jump(AHEAD_MS)
    await tick()
    server.advance(HOUR_MS - 1)
    await tick()
    assert.deepEqual([seqs(), rowsOf(server.store, 'idempotency').length], [[1], 1])
    assert.equal(row('purge events')?.last_finished_at, server.now() - AHEAD_MS - HOUR_MS + 1)
    server.jump(-AHEAD_MS)
    await tick()
    server.advance(HOUR_MS - 1)
    await tick()
    assert.equal(row('purge events')?.last_finished_at, server.now() - 2 * (HOUR_MS - 1))
    server.advance(1)
    await tick()
    assert.equal(row('purge events')?.last_finished_at, server.now())
    assert.deepEqual([seqs(), rowsOf(server.store, 'idempotency').length], [[1], 1])
    assert.deepEqual(lines, Array(2).fill({ level: 'error', message: undefined, job: 'clock' }))
  })

  test('what is old is deleted when the hour is over', async () => {
    const { tick } = start()
    await tick()
    await createTag('One', { 'Idempotency-Key': 'one' })
    server.jump(AHEAD_MS)
    await tick()
    assert.deepEqual(seqs(), [1])
    server.advance(HOUR_MS)
    await tick()
    assert.deepEqual([seqs(), rowsOf(server.store, 'idempotency').length], [[], 0])
  })

  test('a step of a day is none', async () => {
    const { tick, lines } = start()
    await tick()
    server.jump(DAY_MS)
    await tick()
    assert.equal(row('purge events')?.last_finished_at, server.now())
    server.jump(-DAY_MS)
    await tick()
    assert.deepEqual([server.store.wallClock.warning(), lines], [undefined, []])
  })

  test('the next start remembers it, and compares the time with what the last server wrote down', async () => {
    const first = start()
    server.advance(MINUTE_MS)
    await first.tick() // which writes it down
    await createTag('One')
    await first.stop()
    const at = (wall: number) => {
      const store = openStore(server.dataDir, { wall: () => wall })
      const warning = store.wallClock.warning()
      store.close()
      return warning
    }
    const now = server.now()
    assert.equal(at(now + DAY_MS), undefined)
    assert.match(at(now + DAY_MS + 1) as string, /jumped from .* to /)
    assert.match(at(now - DAY_MS - 1) as string, /jumped from .* to /)
    server.jump(AHEAD_MS)
    const second = start()
    await second.tick()
    await second.stop()
    assert.match(at(server.now() + HOUR_MS - 1) as string, /jumped from .* to /)
    assert.equal(at(server.now() + HOUR_MS), undefined)
  })

  test('recurring work goes on, and so does what rested', async () => {
    let isBroken = false
    const work: Kind = {
      kind: 'work',
      run: () => {
        server.store.db.exec('DELETE FROM tags')
        return undefined
      },
    }
    const { write } = server.store
    const store = {
      ...server.store,
      write: ((job: never) =>
        isBroken
          ? Promise.reject(Object.assign(new Error('disk'), { status: 503 }))
          : write(job)) as typeof server.store.write,
    }
    const scheduler = schedulerHarness(
      { store, a: server.a },
      { kinds: [work], recurring: recurringWork({ keepEventsMs: KEPT_MS }), afterJump },
    )
    stops.push(scheduler.stop)
    await scheduler.tick()
    server.jump(AHEAD_MS)
    await scheduler.tick()
    await createTag('Gone')
    server.store.transaction(() =>
      scheduler.queue.put(server.a.org, { kind: 'work', payload: '', dueAt: server.now() }),
    )
    isBroken = true
    await scheduler.tick() // it rests
    isBroken = false
    server.jump(-AHEAD_MS + PAUSE_AFTER_FAILURE_MS - 1)
    await scheduler.tick()
    await nextTurn()
    await scheduler.tick()
    assert.equal((await server.call('GET', '/tags')).body.data.length, 0)
    server.advance(2 * HOUR_MS)
    await scheduler.tick()
    assert.equal(row('purge events')?.last_finished_at, server.now())
  })

  test('a job that was to be tried again is tried when it was meant to be', async () => {
    let tries = 0
    const flaky: Kind = {
      kind: 'flaky',
      run: (job) => {
        tries = job.tries
        if (tries === 1) throw new Error('no')
        return undefined
      },
    }
    const { tick, put } = start({ kinds: [flaky] })
    await tick()
    server.jump(AHEAD_MS)
    await put('flaky')
    await tick()
    server.jump(-AHEAD_MS)
    await tick()
    assert.equal(tries, 1)
    server.advance(1000)
    await tick()
    assert.equal(tries, 2)
  })

  test('recurring work that was done while it was ahead is done again after its period', async () => {
    let runs = 0
    const { tick } = start({ recurring: [{ name: 'look', everyMs: HOUR_MS, run: () => void runs++ as undefined }] })
    await tick()
    server.jump(AHEAD_MS)
    await tick()
    server.jump(-AHEAD_MS)
    await tick()
    assert.equal(runs, 2)
    server.advance(HOUR_MS)
    await tick()
    assert.equal(runs, 3)
  })

  test('what is due at a date goes on as soon as the clock was set back, and waits for its date', async () => {
    let runs: unknown[] = []
    const dated: Kind = { kind: 'dated', isDated: true, run: ({ payload }) => void runs.push(payload) as undefined }
    const { tick, put } = start({ kinds: [dated] })
    await tick()
    await put('dated', 'before', MINUTE_MS)
    server.jump(AHEAD_MS)
    await put('dated', 'ahead', DAY_MS)
    await tick()
    assert.deepEqual(runs, [])
    server.jump(-AHEAD_MS)
    await tick()
    server.advance(MINUTE_MS)
    await tick()
    assert.deepEqual(runs, ['before'])
    runs = []
    server.advance(2 * DAY_MS)
    await tick()
    assert.deepEqual(runs, [])
  })

  test('what is due at a date waits for an hour where the clock went ahead by more than a week', async () => {
    let runs = 0
    const dated: Kind = { kind: 'dated', isDated: true, run: () => void runs++ as undefined }
    const { tick, put } = start({ kinds: [dated] })
    await tick()
    await put('dated', '', 3 * DAY_MS)
    await put('dated', '', 20 * DAY_MS)
    server.jump(7 * DAY_MS)
    await tick()
    assert.equal(runs, 1)
    server.jump(8 * DAY_MS)
    await tick()
    server.jump(AHEAD_MS)
    await tick()
    server.advance(HOUR_MS - 1)
    await tick()
    assert.equal(runs, 1)
    server.jump(-AHEAD_MS)
    await tick()
    assert.equal(runs, 1)
    server.advance(5 * DAY_MS)
    await tick()
    assert.equal(runs, 2)
  })

  test('an answer that was kept is given again, whatever the clock shows', async () => {
    const headers = { 'Idempotency-Key': 'once' }
    const { id } = await createTag('Once', headers)
    server.jump(AHEAD_MS)
    assert.equal((await createTag('Once', headers)).id, id)
  })

  test('what was kept while it was ahead is kept for its day, and no longer', async () => {
    const { tick } = start()
    await tick()
    server.jump(AHEAD_MS)
    await tick()
    await createTag('Ahead', { 'Idempotency-Key': 'ahead' })
    server.jump(-AHEAD_MS)
    await tick()
    const count = () => rowsOf(server.store, 'idempotency').length
    for (const [ms, kept] of [
      [HOUR_MS, 1],
      [DAY_MS - 1, 1],
      [MINUTE_MS, 0],
    ] as const) {
      server.advance(ms)
      await tick()
      assert.equal(count(), kept, `${ms}`)
    }
  })

  test('events of a time that was ahead do not keep those behind them', async () => {
    const { tick } = start()
    await tick()
    await createTag('Before')
    server.jump(AHEAD_MS)
    await tick()
    for (let n = 0; n < 250; n++)
      server.store.transaction(() =>
        server.deps.outbox.record({ org: server.a.org, member: null }, 'tag.created', { id: `tag-${n}` }),
      )
    server.jump(-AHEAD_MS)
    await tick()
    await createTag('Behind')
    for (let day = 0; day < 30; day++) {
      server.advance(DAY_MS)
      await tick()
      assert.equal(seqs().length, 252)
    }
    server.advance(HOUR_MS)
    await tick()
    assert.deepEqual(seqs(), [])
  })

  test('deliveries of a time that was ahead are kept as long as their events', async () => {
    const { tick } = start()
    await tick()
    server.jump(AHEAD_MS)
    await tick()
    const given = { url: 'https://hooks.example/x', event_types: ['tag.created'] }
    const { body } = await server.call('POST', '/webhooks', given)
    await createTag('One')
    for (let n = 0; n < 2; n++) await server.call('POST', `/webhooks/${body.id}/test`)
    const { db } = server.store
    const ids = () => db.prepare('SELECT id FROM deliveries ORDER BY id').pluck().all()
    const [first, second] = ids()
    db.prepare('UPDATE deliveries SET seq = 1 WHERE id = ?').run(first)
    server.jump(-AHEAD_MS)
    await tick()
    assert.deepEqual(ids(), [first, second])
    server.advance(HOUR_MS)
    await tick()
    assert.deepEqual(ids(), [first])
  })

  test('webhooks are tried when they were meant to be, and have not failed for the time of the jump', async () => {
    const { tick } = start()
    await tick()
    const { db } = server.store
    const given = { url: 'https://hooks.example/x', event_types: ['tag.created'] }
    const { status, body } = await server.call('POST', '/webhooks', given)
    assert.equal(status, 201)
    assert.equal((await server.call('POST', `/webhooks/${body.id}/test`)).status, 200)
    const failing = db.prepare('UPDATE webhook_states SET failures = 9, failing_since = ?, held_until = ?')
    const state = () => db.prepare('SELECT failing_since, held_until FROM webhook_states').raw().get()
    const due = () => db.prepare('SELECT due_at FROM deliveries').pluck().get()
    const began = server.now()
    failing.run(began - HOUR_MS, began + HOUR_MS)
    server.jump(AHEAD_MS)
    await tick()
    assert.deepEqual(state(), [server.now() - HOUR_MS, began + HOUR_MS])
    failing.run(server.now() - HOUR_MS, server.now() + HOUR_MS)
    db.prepare('UPDATE deliveries SET due_at = ?').run(server.now() + HOUR_MS)
    server.jump(-AHEAD_MS)
    await tick()
    assert.deepEqual([state(), due()], [[began - HOUR_MS, began], began])
    failing.run(null, began + DAY_MS)
    db.prepare('UPDATE deliveries SET due_at = ?').run(began + DAY_MS)
    server.jump(-2 * DAY_MS)
    await tick()
    assert.deepEqual([state(), due()], [[null, began - 2 * DAY_MS], began - 2 * DAY_MS])
  })
})
