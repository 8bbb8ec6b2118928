import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { Problem } from '../../src/lib/problem.ts'
import { DATABASE, type OpenedStore, openStore } from '../../src/store/open.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** Stops the database from growing, as a full disk would; returns a function that lifts the limit. */
function fillUp(db: Connection): () => void {
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`)
  return () => void db.pragma('max_page_count = 1073741823')
}

describe('writes', () => {
  let folder: string
  let store: OpenedStore
  /** A second connection, which sees only what is committed. */
  let reader: Connection
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
    store = openStore(folder, { create: true })
    store.db.exec('CREATE TABLE done (n INTEGER NOT NULL PRIMARY KEY, pad TEXT) STRICT')
    reader = openSqlite(join(folder, DATABASE))
  })
  afterEach(() => {
    reader.close()
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const insert = (n: number, pad = '') => store.db.prepare('INSERT INTO done VALUES (?, ?)').run(n, pad).changes
  const committed = (): number[] => reader.prepare('SELECT n FROM done ORDER BY n').pluck().all() as number[]
  const refusals = async (answers: Promise<unknown>[], code: string) => {
    for (const answer of await Promise.allSettled(answers)) {
      assert.equal(answer.status, 'rejected')
      const { reason } = answer as PromiseRejectedResult
      assert.ok(reason instanceof Problem, String(reason))
      assert.deepEqual([reason.status, reason.code, reason.headers], [503, code, { 'Retry-After': '5' }])
      assert.match(reason.message, /nothing was written\./)
    }
  }

  test('of one turn share a transaction: nobody sees a part of them, and none is answered before all are there', async () => {
    const seen: number[][] = []
    const answers = [1, 2, 3].map((n) =>
      store
        .write(() => {
          insert(n)
          seen.push(committed())
          return n * 10
        })
        .then((value) => {
          assert.deepEqual(committed(), [1, 2, 3])
          return value
        }),
    )
    assert.ok(!store.db.inTransaction)
    assert.deepEqual(await Promise.all(answers), [10, 20, 30])
    assert.deepEqual(seen, [[], [], []])
  })

  test('that fail roll back alone, and are told their own error', async () => {
    const own = new Error('its own')
    const answers = await Promise.allSettled([
      store.write(() => insert(1)),
      store.write(() => {
        insert(2)
        throw own
      }),
      store.write(() => insert(1)),
      store.write(() => insert(3)),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    )
    assert.equal((answers[1] as PromiseRejectedResult).reason, own)
    assert.equal((answers[2] as PromiseRejectedResult).reason.code, 'SQLITE_CONSTRAINT_PRIMARYKEY')
    assert.deepEqual(committed(), [1, 3])
  })

  test('are run again, each by itself, where one of them left something to undo, and only there', async () => {
    for (const writesFirst of [false, true]) {
      let runs = 0
      const answers = await Promise.allSettled([
        store.write(() => {
          runs++
          return insert(writesFirst ? 2 : 1)
        }),
        store.write(() => {
          if (writesFirst) insert(3)
          throw new Error('no')
        }),
      ])
      assert.deepEqual(
        answers.map(({ status }) => status),
        ['fulfilled', 'rejected'],
      )
      assert.equal(runs, writesFirst ? 2 : 1)
    }
    assert.deepEqual(committed(), [1, 2])
  })

  test('that come in masses are done in batches, in their order, with room for readers between', async () => {
    const before: number[] = []
    const order: number[] = []
    const answers = Array.from({ length: 300 }, (_, n) =>
      store
        .write(() => {
          insert(n)
          return before.push(committed().length)
        })
        .then(() => order.push(n)),
    )
    await Promise.all(answers)
    assert.deepEqual([...new Set(before)], [0, 128, 256])
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
    )
  })

  test('that are asked for while others run are done as well', async () => {
    const inner: Promise<number>[] = []
    await store.write(() => {
      insert(1)
      return inner.push(store.write(() => insert(2)))
    })
    await Promise.all(inner)
    assert.deepEqual(committed(), [1, 2])
  })

  test('are all refused when COMMIT fails, and none of them happened', async () => {
    store.db.exec('CREATE TABLE part (whole INTEGER REFERENCES done (n)) STRICT')
    const answers = await Promise.allSettled([
      store.write(() => insert(1)),
      store.write(() => {
        store.db.pragma('defer_foreign_keys = ON')
        return store.db.prepare('INSERT INTO part VALUES (99)').run().changes
      }),
      store.write(() => insert(2)),
    ])
    assert.ok(answers.every(({ status }) => status === 'rejected'))
    assert.deepEqual([committed(), store.db.inTransaction], [[], false])
    await store.write(() => insert(3))
    assert.deepEqual(committed(), [3])
  })

  test('are all refused with 503 when the disk is full, and go on when it has room', async () => {
    await store.write(() => insert(1))
    const free = fillUp(store.db)
    await refusals([store.write(() => insert(2)), store.write(() => insert(3, 'x'.repeat(100_000)))], 'storage_full')
    assert.deepEqual([committed(), store.db.inTransaction], [[1], false])
    free()
    await store.write(() => insert(3, 'x'.repeat(100_000)))
    assert.deepEqual(committed(), [1, 3])
  })

  // COMMIT writes the pages of a transaction to the disk: a limit on the size of files makes it fail.
  test('are refused with 503 when the disk takes no more at COMMIT', {
    skip: process.platform === 'win32' && 'needs a limit on the size of files',
  }, () => {
    store.close()
    const open = JSON.stringify(join(import.meta.dirname, '../../src/store/open.ts'))
    const script = `import { openStore } from ${open}
      const store = openStore(${JSON.stringify(folder)})
      const insert = store.db.prepare('INSERT INTO done VALUES (?, ?)')
      const write = (n, size) => store.write(() => void insert.run(n, 'x'.repeat(size))).then(() => 'done', ({ code }) => code)
      const answers = [await write(1, 10), ...(await Promise.all([write(2, 10), write(3, 3_000_000)])), await write(4, 10)]
      console.log(JSON.stringify([answers, store.db.prepare('SELECT n FROM done').pluck().all(), store.db.inTransaction]))
      process.exit(0)`
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 4000; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    )
    const refusal = stdout.includes('storage_full') ? 'storage_full' : 'storage_failed'
    assert.deepEqual(JSON.parse(stdout || stderr), [['done', refusal, refusal, 'done'], [1, 4], false])
    store = openStore(folder)
    assert.deepEqual(committed(), [1, 4])
    assert.equal(store.db.pragma('integrity_check', { simple: true }), 'ok')
  })

  test('cannot be asynchronous', () => {
    // @ts-expect-error a job must not return a promise
    void (() => store.write(async () => 1))
    // @ts-expect-error nor a union that contains one
    void (() => store.write(() => (Math.random() > 2 ? 1 : Promise.resolve(1))))
  })
})

describe('a server whose disk is full', () => {
  let server: TestServer
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  test('refuses writes with 503 and Retry-After, answers reads, and goes on once there is room', async () => {
    const { call, lastSeq, store } = server
    const { body: deal } = await call('POST', '/deals', { title: 'Before' })
    const seq = lastSeq()
    const free = fillUp(store.db)
    const headers = { 'idempotency-key': 'once' }
    const given = { name: 'Large', description: 'x'.repeat(60_000) }
    for (let n = 0; n < 2; n++) {
      const { status, body, headers: answered } = await call('POST', '/tags', given, { headers })
      assert.deepEqual([status, body.code, answered.get('retry-after')], [503, 'storage_full', '5'])
    }
    assert.deepEqual((await call('GET', `/deals/${deal.id}`)).body, deal)
    assert.deepEqual((await call('GET', '/tags')).body.data, [])
    assert.equal(lastSeq(), seq)
    free()
    const { status, headers: answered } = await call('POST', '/tags', given, { headers })
    assert.deepEqual([status, answered.get('idempotency-replayed')], [201, null])
    assert.equal(lastSeq(), seq + 1)
  })
})
