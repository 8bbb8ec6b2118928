import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { pauseAfter } from '../../../src/store/jobs/job-attempts.ts'
import { jobCounts } from '../../../src/store/jobs/job-counts.ts'
import { jobRows } from '../../../src/store/jobs/job-rows.ts'
import { type Job, jobQueue } from '../../../src/store/jobs/jobs.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const KIND = 'wake'
const LEASE_MS = 60_000
const MAX_TRIES = 3
const half = () => 0

let server: TestServer
let queue: ReturnType<typeof jobQueue>
before(async () => {
  server = await startServer()
  queue = jobQueue(server.store)
})
after(() => server.stop())
beforeEach(() => void server.store.db.exec('DELETE FROM jobs'))

const put = (payload: string, inMs = 0, key?: string, org = server.a.org, kind = KIND) =>
  queue.put(org, { kind, payload, dueAt: server.now() + inMs, ...(key === undefined ? {} : { key }) })
const claim = (limit = 10): Job[] => queue.claim(KIND, limit, LEASE_MS)
const claimOne = (): Job => {
  const [job, ...more] = claim()
  assert.ok(job && more.length === 0)
  return job
}
const payloads = (jobs: Job[]) => jobs.map(({ payload }) => payload)
const stored = (): Record<string, unknown>[] =>
  server.store.db
    .prepare('SELECT payload, due_at, tries, leased_until, last_error, failed_at FROM jobs ORDER BY id')
    .all() as Record<string, unknown>[]

describe('jobs', () => {
  test('are due from their time on, in the order of their times and then as they were put', () => {
    put('later', 2000)
    put('second', 1000)
    put('third', 1000)
    put('first', 999)
    assert.equal(queue.nextDueAt(KIND), server.now() + 999)
    server.advance(998)
    assert.deepEqual([queue.due(KIND, 10), claim()], [[], []])
    server.advance(2)
    assert.equal(queue.due(KIND, 10).length, 3)
    assert.deepEqual(payloads(claim(2)), ['first', 'second'])
    assert.deepEqual(payloads(claim(2)), ['third'])
    server.advance(1000)
    assert.deepEqual(payloads(claim()), ['later'])
    assert.equal(queue.nextDueAt(KIND), undefined)
  })

  test('of one kind know nothing of those of another', () => {
    put('other', 0, 'k', server.a.org, 'other')
    put('mine', 0, 'k')
    assert.deepEqual(payloads(claim()), ['mine'])
    queue.cancel(server.a.org, KIND, 'k')
    assert.deepEqual(
      stored().map(({ payload }) => payload),
      ['"other"'],
    )
    assert.equal(queue.nextDueAt(KIND), undefined)
  })

  test('carry any JSON', () => {
    const payload = { ids: [1, 'zwei', null], deep: { is: true } }
    queue.put(server.a.org, { kind: KIND, payload, dueAt: server.now() })
    assert.deepEqual(claimOne().payload, payload)
  })

  test('of a transaction that is rolled back were never put', () => {
    assert.throws(() =>
      server.store.transaction(() => {
        put('x')
        throw new Error('no')
      }),
    )
    assert.deepEqual(stored(), [])
  })

  test('without a key are any number', () => {
    put('same')
    put('same')
    assert.equal(claim().length, 2)
  })

  test('are taken once, with the try they are taken for, and only when due', () => {
    put('x', 1)
    const { id } = server.store.db.prepare('SELECT id FROM jobs').get() as { id: string }
    assert.equal(queue.take(server.a.org, id), undefined)
    server.advance(1)
    assert.equal(queue.take(server.b.org, id), undefined)
    const job = queue.take(server.a.org, id)
    assert.deepEqual([job?.payload, job?.tries, job?.leasedUntil], ['x', 1, null])
    assert.equal(queue.take(server.a.org, id), undefined)
  })
})

describe('a key that is put again', () => {
  test('moves the job and gives it all its tries again', () => {
    put('old', 0, 'k')
    queue.fail(claimOne(), new Error('no'), 1, half)
    put('new', 5000, 'k')
    const expected = { payload: '"new"', due_at: server.now() + 5000, tries: 0, leased_until: null }
    assert.deepEqual(stored(), [{ ...expected, last_error: null, failed_at: null }])
  })

  test('is another job in another organisation', () => {
    put('of a', 0, 'k')
    put('of b', 0, 'k', server.b.org)
    queue.cancel(server.b.org, KIND, 'k')
    const job = claimOne()
    assert.deepEqual([job.payload, job.org, job.key], ['of a', server.a.org, 'k'])
  })

  test('while the job is on its way has it done once more, after it and not beside it', () => {
    put('old', 0, 'k')
    const old = claimOne()
    put('new', 0, 'k')
    assert.deepEqual(claim(), [])
    queue.finish(old)
    const next = claimOne()
    assert.deepEqual([next.payload, next.tries], ['new', 1])
    queue.finish(next)
    assert.deepEqual(stored(), [])
  })

  test('while the job fails is not held up by that', () => {
    put('old', 0, 'k')
    const leased = claimOne()
    put('new', 0, 'k')
    queue.fail(leased, new Error('of the old one'), 1, half)
    const [row] = stored()
    assert.deepEqual([row?.last_error, row?.failed_at, row?.leased_until], [null, null, null])
    const { id } = server.store.db.prepare('SELECT id FROM jobs').get() as { id: string }
    const plain: Job = { ...leased, id, tries: 1, leasedUntil: null }
    put('newest', 7000, 'k')
    queue.fail(plain, new Error('of an older one'), MAX_TRIES, half)
    assert.deepEqual(stored()[0]?.due_at, server.now() + 7000)
  })

  test('can be canceled, also while it is on its way', () => {
    put('x', 0, 'k')
    const job = claimOne()
    queue.cancel(server.a.org, KIND, 'k')
    queue.finish(job)
    queue.fail(job, new Error('late'), MAX_TRIES, half)
    assert.deepEqual(stored(), [])
  })
})

describe('a lease', () => {
  test('keeps others away until it ends, and then gives the job back after a pause, as after a failure', () => {
    put('x')
    const first = claimOne()
    assert.equal(first.leasedUntil, server.now() + LEASE_MS)
    assert.equal(queue.nextLeaseEnd(), server.now() + LEASE_MS)
    server.advance(LEASE_MS - 1)
    assert.deepEqual(
      [
        queue.releaseExpired(
          10,
          () => MAX_TRIES,
          () => 0,
        ),
        claim(),
      ],
      [[], []],
    )
    server.advance(1)
    assert.deepEqual(
      queue
        .releaseExpired(
          10,
          () => MAX_TRIES,
          () => 0,
        )
        .map(({ id }) => id),
      [first.id],
    )
    assert.match(String(stored()[0]?.last_error), /lease/)
    assert.deepEqual(claim(), [])
    server.advance(500)
    const second = claimOne()
    assert.deepEqual([second.id, second.tries], [first.id, 2])
    // A late worker changes nothing.
    queue.finish(first)
    queue.fail(first, new Error('late'), MAX_TRIES, half)
    assert.equal(stored()[0]?.leased_until, server.now() + LEASE_MS)
    queue.finish(second)
    assert.deepEqual(stored(), [])
    assert.equal(queue.nextLeaseEnd(), undefined)
  })

  test('that ends counts as a try: a job that ends the server every time is given up', () => {
    put('x')
    for (let count = 1; count <= MAX_TRIES; count++) {
      assert.equal(claimOne().tries, count)
      server.advance(LEASE_MS)
      queue.releaseExpired(
        10,
        () => MAX_TRIES,
        () => 0,
      )
      if (count < MAX_TRIES) server.advance(500 * 2 ** (count - 1)) // the pauses do not use up the tries at once
    }
    assert.deepEqual(claim(), [])
    assert.equal(stored()[0]?.failed_at, server.now())
  })

  test('is given back some at a time', () => {
    for (let count = 0; count < 5; count++) put('x')
    assert.equal(claim().length, 5)
    server.advance(LEASE_MS)
    assert.equal(
      queue.releaseExpired(
        3,
        () => MAX_TRIES,
        () => 0,
      ).length,
      3,
    )
    assert.equal(
      queue.releaseExpired(
        3,
        () => MAX_TRIES,
        () => 0,
      ).length,
      2,
    )
  })
})

describe('a failure', () => {
  test('has the job tried again after a pause, and given up after its last try', () => {
    put('x')
    const answers: string[] = []
    for (const pauseMs of [500, 1000]) {
      answers.push(queue.fail(claimOne(), new Error(`no ${'x'.repeat(1000)}`), MAX_TRIES, half))
      assert.equal(queue.nextDueAt(KIND), server.now() + pauseMs)
      server.advance(pauseMs)
    }
    assert.equal(String(stored()[0]?.last_error).length, 500)
    answers.push(queue.fail(claimOne(), 'not an error', MAX_TRIES, half))
    assert.deepEqual(answers, ['again', 'again', 'given up'])
    server.advance(1e9)
    assert.deepEqual([claim(), queue.nextDueAt(KIND)], [[], undefined])
    const [row] = stored()
    assert.deepEqual([row?.tries, row?.last_error, row?.leased_until], [MAX_TRIES, 'not an error', null])
  })

  test('pauses for 1 s, 2 s, 4 s and so on up to an hour, and by chance for as little as half of it', () => {
    const pauses = (random: number) => [1, 2, 3, 4, 12, 13, 14, 99].map((tries) => pauseAfter(tries, () => random))
    assert.deepEqual(pauses(1), [1000, 2000, 4000, 8000, 2_048_000, 3_600_000, 3_600_000, 3_600_000])
    assert.deepEqual(pauses(0), [500, 1000, 2000, 4000, 1_024_000, 1_800_000, 1_800_000, 1_800_000])
    assert.deepEqual(pauses(0.5).slice(0, 2), [750, 1500])
  })
})

/** How SQLite would run each of the statements that are prepared meanwhile. */
function plansOf(prepareAll: () => unknown): { sql: string; details: string[] }[] {
  const { db } = server.store
  const prepared: string[] = []
  const { prepare } = db
  db.prepare = function (this: typeof db, sql: string) {
    prepared.push(sql)
    return prepare.call(this, sql)
  } as typeof prepare
  prepareAll()
  db.prepare = prepare
  return prepared.map((sql) => {
    const marks = Array(sql.split('?').length - 1).fill(null)
    const rows = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...marks) as { detail: string }[]
    return { sql, details: rows.map(({ detail }) => detail) }
  })
}

test('every look for jobs is answered by an index, in its order', () => {
  const plans = plansOf(() => jobQueue(server.store))
  assert.ok(plans.length > 8)
  for (const { sql, details } of plans) {
    for (const detail of details) {
      assert.doesNotMatch(detail, /TEMP B-TREE/, sql)
      if (!detail.includes('jobs_leased')) assert.doesNotMatch(detail, /^SCAN (?!CONSTANT ROW|lanes$)/, sql)
    }
    if (sql.includes('ORDER BY due_at')) assert.match(details[0] ?? '', /jobs_(due|lanes)/)
  }
})

test('jobs that were given up are counted by an index that has no others', () => {
  const plans = [...plansOf(() => jobCounts(server.store)), ...plansOf(() => jobRows(server.store))]
  const counts = plans.filter(({ sql }) => /failed_at IS NOT NULL\b.*GROUP BY/s.test(sql))
  assert.equal(counts.length, 2)
  for (const { sql, details } of counts) assert.match(details[0] ?? '', /USING COVERING INDEX jobs_failed/, sql)
  for (const { sql, details } of plans) assert.doesNotMatch(details.join(), /SCAN jobs(?! USING COVERING)/, sql)
})
