import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Job } from '../../../src/store/jobs/jobs.ts'
import type { Kind, PerformKind, RunKind } from '../../../src/store/jobs/kinds.ts'
import { PAUSE_AFTER_FAILURE_MS } from '../../../src/store/jobs/queue.ts'
import type { SchedulerOptions } from '../../../src/store/jobs/scheduler.ts'
import { openStore } from '../../../src/store/open.ts'
import type { CommitListener } from '../../../src/store/watch.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { promised, rowsOf, schedulerHarness } from './scheduler-harness.ts'

let server: TestServer
let stops: (() => Promise<void>)[]
beforeEach(async () => {
  server = await startServer()
  server.store.db.exec('CREATE TABLE done (what TEXT NOT NULL, org INTEGER NOT NULL) STRICT')
  stops = []
})
afterEach(async () => {
  for (const stop of stops) await stop()
  await server.stop()
})

function start(options: Partial<SchedulerOptions> = {}) {
  const scheduler = schedulerHarness(server, options)
  stops.push(scheduler.stop)
  return scheduler
}

/** Notes down what it is given; `fails` is told the job, and may say with what. */
function noting(kind = 'note', fails: (job: Job) => string | undefined = () => undefined): RunKind {
  const insert = server.store.db.prepare('INSERT INTO done VALUES (?, ?)')
  const run = (job: Job) => {
    insert.run(String(job.payload), job.org)
    const failure = fails(job)
    if (failure) throw new Error(failure)
    return undefined
  }
  return { kind, run }
}
const done = () => rowsOf(server.store, 'done').map(({ what }) => what)
const jobs = () => rowsOf(server.store)

type Given = Partial<PerformKind> & Pick<PerformKind, 'perform'>
const performing = (given: Given): Kind => ({ kind: 'mail', concurrency: 2, maxTries: 3, leaseMs: 30_000, ...given })

test('nothing begins while nothing may be written, nor is it asked for but now and then', async () => {
  const { put, tick, waitMs, count, lines } = start({ kinds: [noting()], recurring: [] })
  await put('note', 'due')
  server.store.health.note(Object.assign(new Error('malformed'), { code: 'SQLITE_CORRUPT' }))
  for (let turns = 0; turns < 5; turns++) await nextTurn() // the commit wakes it
  const before = count()
  await tick()
  for (let turns = 0; turns < 5; turns++) await nextTurn()
  assert.deepEqual([done(), jobs().length], [[], 1])
  assert.deepEqual([waitMs(), count() - before], [PAUSE_AFTER_FAILURE_MS, 1])
  assert.deepEqual(lines, [])
})

describe('jobs that run in a transaction', () => {
  test('run when they are due, in the order of their times, and are gone', async () => {
    const { put, tick } = start({ kinds: [noting()] })
    await put('note', 'third', 2000)
    await put('note', 'second', 1000)
    await put('note', 'first', 500)
    await put('note', 'later', 3000)
    await tick()
    assert.deepEqual(done(), [])
    server.advance(2000)
    await tick()
    assert.deepEqual(done(), ['first', 'second', 'third'])
    assert.deepEqual(
      jobs().map(({ payload }) => payload),
      ['"later"'],
    )
  })

  test('may put jobs, also their own again', async () => {
    const { queue, put, tick } = start({
      kinds: [
        noting('other'),
        {
          kind: 'clock',
          run: ({ org, payload }) => {
            const now = server.now()
            queue.put(org, { kind: 'other', payload, dueAt: now })
            queue.put(org, { kind: 'clock', key: 'c', payload: Number(payload) + 1, dueAt: now + 1000 })
            return undefined
          },
        },
      ],
    })
    await put('clock', 1)
    for (let count = 0; count < 3; count++) {
      await tick()
      server.advance(1000)
    }
    assert.deepEqual([done(), jobs().length], [['1', '2', '3'], 1])
  })

  describe('that change nothing', () => {
    /** Puts itself again as `next` has it, and stops at 1,000 rounds: a test that goes on for ever shows nothing. */
    function idling(next: (job: Job) => Parameters<ReturnType<typeof start>['queue']['put']>[1][], more = () => {}) {
      let rounds = 0
      const scheduler: ReturnType<typeof start> = start({
        kinds: [
          noting('other'),
          {
            kind: 'idle',
            run: (job) => {
              if (++rounds > 1000) return undefined
              more()
              for (const each of next(job)) scheduler.queue.put(job.org, each)
              return undefined
            },
          },
        ],
      })
      return { ...scheduler, rounds: () => rounds }
    }
    const same = ({ payload, key }: Job) => ({ kind: 'idle', payload, dueAt: server.now(), ...(key ? { key } : {}) })
    const due = () => jobs().map(({ due_at }) => Number(due_at) - server.now())
    const begin = (queue: ReturnType<typeof start>['queue'], key?: string) =>
      server.store.write(() => {
        queue.put(server.a.org, {
          kind: 'idle',
          payload: { a: [1, 'é'] },
          dueAt: server.now(),
          ...(key ? { key } : {}),
        })
        return null
      })

    for (const key of [undefined, 'k']) {
      test(`and are due again at once ${key ? 'by their key' : 'without a key'} are put off for a minute, each time, and logged`, async () => {
        const { queue, put, rounds, tick, waitMs, lines } = idling((job) => [same(job)])
        await begin(queue, key)
        await tick()
        assert.deepEqual([rounds(), due(), waitMs()], [1, [60_000], 60_000])
        assert.deepEqual(lines, [{ level: 'warn', message: undefined, job: 'idle' }])
        await put('other', 'meanwhile')
        await tick()
        assert.deepEqual([rounds(), done()], [1, ['meanwhile']])
        server.advance(60_000)
        await tick()
        assert.deepEqual([rounds(), due(), lines.length], [2, [60_000], 2])
      })
    }

    test('are put off also where they cancel something, or put others', async () => {
      const { queue, rounds, tick } = idling((job) => {
        queue.put(job.org, { kind: 'later', key: 'x', payload: '', dueAt: server.now() + 1000 })
        queue.cancel(job.org, 'later', 'x')
        return [same(job)]
      })
      await begin(queue, 'k')
      await tick()
      assert.equal(rounds(), 1)
    })

    test('are not where they change a record, go on with something else, or are due later', async () => {
      const bump = server.store.db.prepare('UPDATE orgs SET name = name WHERE id = ?')
      for (const [next, more] of [
        [(job: Job) => [same(job)], () => void bump.run(server.a.org)],
        [(job: Job) => [{ ...same(job), payload: Number(job.payload) + 1 }], () => undefined],
        [(job: Job) => [same(job), { ...same(job), payload: Number(job.payload) + 1 }], () => undefined],
      ] as const) {
        let left = 5
        const scheduler = idling((job) => (--left > 0 ? [...next(job)] : []), more)
        await server.store.write(() => {
          scheduler.queue.put(server.a.org, { kind: 'idle', key: 'k', payload: 1, dueAt: server.now() })
          return null
        })
        await scheduler.tick()
        assert.deepEqual([scheduler.rounds(), jobs(), scheduler.lines], [5, [], []])
        await scheduler.stop()
      }
      const other = idling(({ payload }) => [{ kind: 'other', payload, dueAt: server.now() }])
      await other.put('idle', 'handed on')
      await other.tick()
      assert.deepEqual([done(), other.lines], [['handed on'], []])
      await other.stop()
      const scheduler = idling((job) => [{ ...same(job), dueAt: server.now() + 10 }])
      await begin(scheduler.queue, 'k')
      await scheduler.tick()
      assert.deepEqual([due(), scheduler.lines], [[10], []])
    })
  })

  test('that throw leave nothing but their error, and are tried again after a pause while others go on', async () => {
    const { put, tick, waitMs, lines } = start({
      kinds: [noting('note', ({ payload, tries }) => (payload === 'bad' && tries < 3 ? `no ${tries}` : undefined))],
    })
    for (const payload of ['one', 'bad', 'two']) await put('note', payload)
    await tick()
    assert.deepEqual(done(), ['one', 'two'])
    assert.deepEqual([jobs()[0]?.last_error, jobs()[0]?.tries, waitMs()], ['no 1', 1, 1000])
    server.advance(999)
    await tick()
    assert.equal(jobs()[0]?.tries, 1)
    server.advance(1)
    await tick()
    assert.deepEqual([jobs()[0]?.last_error, waitMs()], ['no 2', 2000])
    server.advance(2000)
    await tick()
    assert.deepEqual([done(), jobs()], [['one', 'two', 'bad'], []])
    assert.deepEqual(lines, [
      { level: 'error', message: 'no 1', job: 'note' },
      { level: 'error', message: 'no 2', job: 'note' },
    ])
  })

  test('are given up after their last try, and stay for people to see', async () => {
    const { put, tick, waitMs } = start({ kinds: [{ ...noting('note', () => 'never'), maxTries: 2 }] })
    await put('note')
    for (let count = 0; count < 4; count++) {
      await tick()
      server.advance(3_600_000)
    }
    const [row] = jobs()
    assert.deepEqual([row?.tries, row?.last_error, done(), waitMs()], [2, 'never', [], 60_000])
    assert.ok(row?.failed_at)
  })

  test('that are canceled or put off while they wait for their transaction do not run', async () => {
    const { queue, tick } = start({ kinds: [noting()] })
    const keyed = (key: string, inMs = 0) =>
      queue.put(server.a.org, { kind: 'note', key, payload: key, dueAt: server.now() + inMs })
    server.store.transaction(() => {
      for (const key of ['canceled', 'put off', 'kept']) keyed(key)
    })
    // This write stands in the same batch, before the jobs.
    const write = server.store.write(() => {
      queue.cancel(server.a.org, 'note', 'canceled')
      keyed('put off', 1000)
      return null
    })
    await Promise.all([write, tick()])
    assert.deepEqual(done(), ['kept'])
  })

  test('of an organisation know their own, and one that fails holds up no other', async () => {
    const { a, b } = server
    const { put, tick } = start({ kinds: [noting('note', ({ org }) => (org === a.org ? 'no' : undefined))] })
    for (const org of [a.org, b.org]) for (const payload of ['x', 'y']) await put('note', payload, 0, org)
    await tick()
    assert.deepEqual(rowsOf(server.store, 'done'), [
      { what: 'x', org: b.org },
      { what: 'y', org: b.org },
    ])
    assert.deepEqual(
      jobs().map(({ org_id, tries }) => [org_id, tries]),
      [
        [a.org, 1],
        [a.org, 1],
      ],
    )
  })

  test('wait while the store has no room, without losing a try', async () => {
    const { db } = server.store
    const { put, tick, waitMs } = start({
      kinds: [{ kind: 'big', run: () => void db.prepare('INSERT INTO done VALUES (?, 1)').run('x'.repeat(100_000)) }],
    })
    await put('big', '', 1000)
    db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
    server.advance(1000)
    await tick()
    await tick()
    assert.deepEqual([jobs()[0]?.tries, waitMs()], [0, PAUSE_AFTER_FAILURE_MS])
    db.pragma('max_page_count = 1073741823')
    server.advance(PAUSE_AFTER_FAILURE_MS)
    await tick()
    assert.deepEqual([done().length, jobs()], [1, []])
  })

  test('due in masses leave room for requests: 10,000 of them, never more than 64 in a turn', async () => {
    const MANY = 10_000
    let ran = 0
    let inTurn = 0
    let maxInTurn = 0
    const { queue, tick } = start({
      kinds: [
        {
          kind: 'many',
          run: () => {
            if (inTurn === 0) setImmediate(() => (inTurn = 0))
            maxInTurn = Math.max(maxInTurn, ++inTurn)
            ran++
            return undefined
          },
        },
      ],
    })
    server.store.transaction(() => {
      for (let n = 0; n < MANY; n++) queue.put(server.a.org, { kind: 'many', payload: n, dueAt: server.now() })
    })
    const answeredAt: number[] = []
    async function request(): Promise<void> {
      while (ran < MANY) {
        const { status } = await server.call('POST', '/tags', { name: `Tag ${answeredAt.length}` })
        assert.equal(status, 201)
        answeredAt.push(ran)
      }
    }
    await Promise.all([tick(), request()])
    assert.deepEqual([ran, jobs()], [MANY, []])
    assert.ok(maxInTurn <= 64, `${maxInTurn} in one turn`)
    const between = new Set(answeredAt.filter((at) => at < MANY))
    assert.ok(between.size > 10, `${between.size} requests were answered between jobs`)
  })
})

describe('jobs that are performed', () => {
  test('have a lease meanwhile, are outside of any transaction, and are gone when they are done', async () => {
    const seen: unknown[] = []
    const { put, tick } = start({
      kinds: [
        performing({
          perform: async ({ payload, tries, org }, { signal, store }) => {
            seen.push(payload, tries, org, jobs()[0]?.leased_until, store.db.inTransaction)
            await nextTurn()
            seen.push(signal.aborted)
          },
        }),
      ],
    })
    await put('mail', 'hello')
    await tick()
    assert.deepEqual(seen, ['hello', 1, server.a.org, server.now() + 30_000, false, false])
    assert.deepEqual(jobs(), [])
  })

  test('are as many at a time as their kind allows, in the order of their times', async () => {
    const began: unknown[] = []
    let now = 0
    let most = 0
    const { put, tick } = start({
      kinds: [
        performing({
          perform: async ({ payload }) => {
            began.push(payload)
            most = Math.max(most, ++now)
            for (let turn = 0; turn <= (Number(payload) % 2) * 20; turn++) await nextTurn()
            now--
          },
        }),
      ],
    })
    for (let n = 0; n < 7; n++) await put('mail', n, 100 - n)
    server.advance(100)
    await tick()
    assert.deepEqual([began, most, jobs()], [[6, 5, 4, 3, 2, 1, 0], 2, []])
  })

  test('that fail are tried again after a pause, and given up after their last try', async () => {
    const tries: number[] = []
    const { put, tick, waitMs } = start({
      kinds: [
        performing({
          perform: (job) => {
            tries.push(job.tries)
            if (job.tries === 2) throw new Error('not even a promise')
            return Promise.reject(new Error(`no ${job.tries}`))
          },
        }),
      ],
    })
    await put('mail')
    const waits: unknown[] = []
    for (const ms of [1000, 2000, 1e9]) {
      await tick()
      waits.push(waitMs(), jobs()[0]?.last_error)
      server.advance(ms)
    }
    await tick()
    assert.deepEqual(tries, [1, 2, 3])
    assert.deepEqual(waits, [1000, 'no 1', 2000, 'not even a promise', 60_000, 'no 3'])
    assert.ok(jobs()[0]?.failed_at)
  })

  test('hold up no other kind, however long they take', async () => {
    const hung = promised()
    const sent = promised<unknown>()
    const { put, wake } = start({
      kinds: [
        performing({ kind: 'slow', perform: () => hung.promise, concurrency: 1 }),
        performing({ perform: async ({ payload }) => sent.resolve(payload) }),
        noting(),
      ],
    })
    await put('slow')
    await put('slow')
    wake()
    await put('note', 'noted')
    await put('mail', 'sent')
    wake()
    assert.equal(await sent.promise, 'sent')
    while (done().length === 0) await nextTurn()
    assert.equal(jobs().filter(({ kind }) => kind === 'slow').length, 2)
    hung.resolve()
  })

  test('that outlive their lease are told, left to themselves and repeated; what they do late counts for nothing', async () => {
    const first = promised()
    const signals: AbortSignal[] = []
    const { put, tick, wake, waitMs, lines } = start({
      kinds: [
        performing({
          concurrency: 1,
          perform: (_, { signal }) => (signals.push(signal) === 1 ? first.promise : new Promise(() => undefined)),
        }),
      ],
    })
    await put('mail')
    wake()
    while (signals.length < 1) await nextTurn()
    await nextTurn()
    assert.equal(waitMs(), 30_000)
    const performedAgain = async (times: number) => {
      server.advance(30_000)
      wake()
      while (jobs()[0]?.leased_until !== null) await nextTurn()
      server.advance(2000) // the longest pause
      wake()
      while (signals.length < times) await nextTurn()
    }
    await performedAgain(2)
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    )
    first.resolve()
    await nextTurn()
    await nextTurn()
    assert.deepEqual([jobs()[0]?.tries, jobs()[0]?.leased_until], [2, server.now() + 30_000])
    await performedAgain(3)
    server.advance(30_000)
    wake()
    while (jobs()[0]?.failed_at === null) await nextTurn()
    await tick()
    assert.deepEqual([signals.length, jobs()[0]?.tries], [3, 3])
    assert.ok(jobs()[0]?.failed_at, 'given up')
    assert.ok(lines.every(({ level }) => level === 'warn'))
  })

  test('are left alone by a transaction that cannot be written: their lease ends, and they are repeated', async () => {
    const { db } = server.store
    let performed = 0
    const { put, tick } = start({
      kinds: [
        performing({
          perform: async () => {
            if (performed++ > 0) return
            db.exec("CREATE TEMP TRIGGER broken BEFORE DELETE ON jobs BEGIN SELECT RAISE(ABORT, 'no'); END")
          },
        }),
      ],
    })
    await put('mail')
    await tick()
    assert.ok(jobs()[0]?.leased_until)
    db.exec('DROP TRIGGER broken')
    server.advance(30_000)
    await tick()
    server.advance(1000)
    await tick()
    assert.deepEqual([performed, jobs()], [2, []])
  })
})

describe('the scheduler', () => {
  test('sleeps until the next job is due, and for a minute at most', async () => {
    const { put, tick, wake, waitMs, ring } = start({ kinds: [noting()] })
    assert.equal(waitMs(), 60_000)
    await put('note', 'far', 90_000)
    await nextTurn()
    assert.equal(waitMs(), 60_000)
    await put('note', 'near', 700)
    await nextTurn()
    assert.equal(waitMs(), 700)
    await put('unknown kind', '', 10)
    await nextTurn()
    wake()
    assert.equal(waitMs(), 700)
    server.advance(700)
    ring()
    await tick()
    assert.deepEqual([done(), waitMs()], [['near'], 60_000])
  })

  test('does not look again and again while there is nothing that it could begin', async () => {
    const hung = promised()
    const { put, count } = start({ kinds: [performing({ perform: () => hung.promise, concurrency: 1 })] })
    for (let n = 0; n < 5; n++) await put('mail')
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    const looks = count()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    for (let n = 0; n < 5; n++) await server.call('POST', '/tags', { name: `Tag ${n}` })
    assert.equal(count(), looks)
    hung.resolve()
  })

  test('is woken by a commit of this process that puts a job', async () => {
    const ran = promised<unknown>()
    const again = promised<unknown>()
    const { put, queue } = start({
      kinds: [
        performing({ perform: async ({ payload }) => ran.resolve(payload) }),
        performing({ kind: 'more', perform: async ({ payload }) => again.resolve(payload) }),
      ],
    })
    await put('mail', 'by write')
    assert.equal(await ran.promise, 'by write')
    server.store.transaction(() => queue.put(server.a.org, { kind: 'more', payload: 'at once', dueAt: server.now() }))
    assert.equal(await again.promise, 'at once')
  })

  test('is woken by a commit of another process', async () => {
    const ran = promised<unknown>()
    start({ kinds: [performing({ perform: async ({ payload }) => ran.resolve(payload) })] })
    const other = openStore(server.dataDir, { wall: server.now })
    const { put, stop } = schedulerHarness({ store: other, a: server.a })
    await put('mail', 'from elsewhere')
    assert.equal(await ran.promise, 'from elsewhere')
    await stop()
    other.close()
  })

  test('refuses two kinds of one name', () => {
    assert.throws(() => schedulerHarness(server, { kinds: [noting(), noting()] }), /same name/)
  })
})

describe('a stop', () => {
  test('lets what is performed finish, and begins nothing more', async () => {
    const began = promised()
    const end = promised()
    let performed = 0
    const { put, stop, wake, tick, waitMs } = start({
      kinds: [
        noting(),
        performing({
          concurrency: 1,
          perform: () => {
            performed++
            began.resolve()
            return end.promise
          },
        }),
      ],
    })
    await put('mail', 'first')
    await put('mail', 'second')
    await began.promise
    let isStopped = false
    const stopped = stop().then(() => (isStopped = true))
    await put('note', 'too late')
    await nextTurn()
    assert.equal(isStopped, false)
    end.resolve()
    await stopped
    wake()
    await tick()
    await nextTurn()
    assert.deepEqual(
      jobs().map(({ payload, leased_until }) => [payload, leased_until]),
      [
        ['"second"', null],
        ['"too late"', null],
      ],
    )
    assert.deepEqual([performed, done(), waitMs()], [1, [], undefined])
  })

  test('ends its listening to commits', async () => {
    let listeners = 0
    const subscribe = (listener: CommitListener) => {
      const end = server.store.committed.subscribe(listener)
      listeners++
      return () => {
        listeners--
        end()
      }
    }
    const { stop } = start({ store: { ...server.store, committed: { subscribe } } })
    assert.equal(listeners, 1)
    await stop()
    assert.equal(listeners, 0)
  })

  test('ends after the batch that runs, not after all that is due', async () => {
    const { queue, stop, wake } = start({ kinds: [noting()] })
    server.store.transaction(() => {
      for (let n = 0; n < 300; n++) queue.put(server.a.org, { kind: 'note', payload: n, dueAt: server.now() })
    })
    wake()
    await stop()
    assert.deepEqual([done().length, jobs().length], [64, 236])
  })

  test('waits for nothing that takes longer than the grace time; the next start repeats that when its lease ends', async () => {
    const began = promised()
    let signal: AbortSignal | undefined
    const first = start({
      graceMs: 1,
      kinds: [
        performing({
          perform: (_, context) => {
            signal = context.signal
            began.resolve()
            return new Promise(() => undefined)
          },
        }),
      ],
    })
    await first.put('mail')
    await began.promise
    await first.stop()
    assert.equal(await first.stop(), undefined)
    assert.equal(signal?.aborted, true)
    const { changes } = server.store
    const before = changes.byUs()
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    assert.equal(changes.byUs(), before)

    const tries: number[] = []
    const second = start({ kinds: [performing({ perform: async (job) => void tries.push(job.tries) })] })
    await second.tick()
    assert.deepEqual([tries, second.waitMs()], [[], 30_000])
    server.advance(30_000)
    await second.tick()
    assert.deepEqual(tries, [])
    server.advance(1000) // it pauses as after a failure
    await second.tick()
    assert.deepEqual([tries, jobs()], [[2], []])
  })
})
