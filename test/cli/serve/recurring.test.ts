import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { recurringWork } from '../../../src/cli/serve/recurring.ts'
import type { Recurring } from '../../../src/store/jobs/recurring-work.ts'
import { openStore } from '../../../src/store/open.ts'
import { rowsOf, schedulerHarness } from '../../store/jobs/scheduler-harness.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const ALL = recurringWork({ keepEventsMs: 30 * DAY_MS })

let server: TestServer
let stops: (() => Promise<void>)[]
let runs: string[]
beforeEach(async () => {
  server = await startServer()
  stops = []
  runs = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await server.stop()
})

function start(...recurring: Recurring[]) {
  const scheduler = schedulerHarness(server, { recurring })
  stops.push(scheduler.stop)
  return scheduler
}

const piece = (name: string, everyMs: number, run: Recurring['run'] = () => undefined): Recurring => ({
  name,
  everyMs,
  run: (store) => {
    runs.push(name)
    return run(store)
  },
})

const row = (name: string) => rowsOf(server.store, 'recurring_jobs').find((each) => each.name === name)

describe('recurring work', () => {
  test('runs at the first start, and then each time that its period is over', async () => {
    const { tick, waitMs } = start(piece('often', 10_000), piece('daily', DAY_MS))
    await tick()
    assert.deepEqual([runs.sort(), waitMs()], [['daily', 'often'], 10_000])
    server.advance(9999)
    await tick()
    assert.equal(runs.length, 2)
    server.advance(1)
    await tick()
    assert.deepEqual(runs.slice(2), ['often'])
    const [at, later] = [server.now(), server.now() + 10_000]
    const expected = {
      name: 'often',
      due_at: later,
      last_started_at: at,
      last_finished_at: at,
      last_error: null,
      failures: 0,
    }
    assert.deepEqual({ ...row('often') }, expected)
  })

  test('is not repeated by a restart, and what was missed meanwhile is done at the start', async () => {
    const daily = () => piece('daily', DAY_MS)
    const first = start(daily())
    await first.tick()
    await first.stop()
    server.advance(HOUR_MS)
    const second = start(daily())
    await second.tick()
    assert.equal(runs.length, 1)
    await second.stop()
    server.advance(3 * DAY_MS)
    await start(daily()).tick()
    assert.equal(runs.length, 2)
    assert.equal(row('daily')?.due_at, server.now() + DAY_MS)
  })

  test('that has become more frequent does not wait for the time that it had', async () => {
    const first = start(piece('purge', DAY_MS))
    await first.tick()
    await first.stop()
    const { tick } = start(piece('purge', HOUR_MS))
    server.advance(HOUR_MS)
    await tick()
    assert.equal(runs.length, 2)
  })

  test('about dates that are near waits after a jump of the clock, until it can have been set', async () => {
    const { tick } = start({ ...piece('near', HOUR_MS), isDated: true }, piece('other', HOUR_MS))
    await tick()
    server.jump(8 * DAY_MS)
    await tick()
    assert.deepEqual(runs.toSorted(), ['near', 'other', 'other'])
    server.advance(HOUR_MS - 1)
    await tick()
    assert.equal(runs.filter((name) => name === 'near').length, 1)
    server.advance(1)
    await tick()
    assert.equal(runs.filter((name) => name === 'near').length, 2)
  })

  test('with more to do is called again at once, in a transaction of its own, until it is done', async () => {
    const other = openStore(server.dataDir)
    const tags = other.db.prepare('SELECT count(*) FROM tags').pluck()
    const seen: unknown[] = []
    const insert = server.store.db.prepare(
      "INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (?, ?, 'x', ?, 0, 0, 1)",
    )
    const { tick } = start(
      piece('purge', DAY_MS, () => {
        seen.push(tags.get())
        insert.run(server.a.org, server.store.clock.id(), String(seen.length))
        return seen.length < 4 ? 'more' : undefined
      }),
    )
    await tick()
    other.close()
    assert.deepEqual(seen, [0, 1, 2, 3])
    assert.equal(row('purge')?.due_at, server.now() + DAY_MS)
  })

  test('that says that there is more, and changes nothing, is put off for a minute and logged', async () => {
    const { tick, waitMs, lines } = start(piece('idle', HOUR_MS, () => (runs.length < 1000 ? 'more' : undefined)))
    await tick()
    assert.deepEqual([runs.length, waitMs()], [1, 60_000])
    assert.deepEqual(lines, [{ level: 'warn', message: undefined, job: 'idle' }])
    server.advance(60_000)
    await tick()
    assert.equal(runs.length, 2)
  })

  test('with more to do goes on after a stop in the middle', async () => {
    const purge = server.store.db.prepare('UPDATE orgs SET name = name')
    const endless = piece('purge', DAY_MS, () => {
      purge.run()
      return runs.length < 3 ? 'more' : undefined
    })
    const { stop } = start(endless)
    await stop()
    assert.equal(runs.length, 1)
    await start(endless).tick()
    assert.equal(runs.length, 3)
  })

  test('that fails is undone, logged and tried again soon, and holds up no other', async () => {
    let isBroken = true
    const { status } = await server.call('POST', '/tags', { name: 'Kept' })
    assert.equal(status, 201)
    const { tick, lines } = start(
      piece('broken', DAY_MS, ({ db }) => {
        db.prepare('DELETE FROM tags').run()
        if (isBroken) throw new Error('no')
        return undefined
      }),
      piece('daily', DAY_MS),
    )
    await tick()
    assert.equal((await server.call('GET', '/tags')).body.data.length, 1)
    assert.deepEqual([row('broken')?.last_error, row('broken')?.last_finished_at], ['no', null])
    assert.deepEqual(lines, [{ level: 'error', message: 'no', job: 'broken' }])
    assert.equal(row('daily')?.last_finished_at, server.now())
    server.advance(300_000)
    await tick()
    assert.equal(row('broken')?.failures, 2)
    isBroken = false
    server.advance(299_999)
    await tick()
    assert.equal(row('broken')?.last_error, 'no')
    server.advance(1)
    await tick()
    const { last_error, last_finished_at, failures } = row('broken') as Record<string, unknown>
    assert.deepEqual([last_error, last_finished_at, failures], [null, server.now(), 0])
  })

  test('has names of its own', () => {
    assert.equal(new Set(ALL.map(({ name }) => name)).size, ALL.length)
  })
})

test('idempotent answers are forgotten after a day, all of them, some at a time', async () => {
  const { store, a } = server
  const forget = ALL.find(({ name }) => name === 'forget idempotent answers')
  assert.ok(forget)
  const counts: number[] = []
  const count = () => rowsOf(store, 'idempotency').length
  const { tick } = start({
    ...forget,
    run: (given) => {
      const next = forget.run(given)
      counts.push(count())
      return next
    },
  })
  await tick()
  const insert = store.db.prepare("INSERT INTO idempotency VALUES (?, ?, ?, '', 201, '[]', '', ?)")
  store.transaction(() => {
    for (let n = 0; n < 2500; n++) insert.run(a.org, a.tokenId, String(n), server.now())
    insert.run(a.org, a.tokenId, 'newer', server.now() + 60_000)
  })
  server.advance(DAY_MS - 1)
  await tick()
  server.advance(60_000)
  await tick()
  assert.deepEqual(counts, [0, 2501, 1501, 501, 1])
})
