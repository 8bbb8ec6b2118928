import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import pino from 'pino'
import type { Running } from '../../src/cli/serve/running.ts'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { groupCommit, LOCK_RETRY_MS, MAX_LOCK_WAIT_MS } from '../../src/store/commit.ts'
import { DATABASE, openStore } from '../../src/store/open.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { httpClient } from '../support/client.ts'
import { stillTimer } from '../support/lock-timer.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { type Result, startServer, type TestServer } from '../support/server.ts'

// Another process writes, as a command does: here, a second connection with BEGIN IMMEDIATE.

/** Records whether a promise has settled. */
function watched<T>(promise: Promise<T>) {
  const state = { promise, isSettled: false }
  const settled = () => void (state.isSettled = true)
  promise.then(settled, settled)
  return state
}

describe('a server beside a process that writes', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-locked-'))
  const client = httpClient()
  const lines: string[] = []
  let org: Org
  let other: Connection
  let running: Running
  before(async () => {
    const store = openStore(dataDir, { create: true })
    org = await makeOrg(store, dataDir, 'Acme')
    store.close()
    other = openSqlite(join(dataDir, DATABASE))
    other.exec('BEGIN IMMEDIATE')
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const options = { data: dataDir, apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', eventRetention: '30d' }
    running = await serveFolder({ ...options, rateLimit: 'off', corsOrigin: '', webhookAllow: '' }, log)
  })
  after(async () => {
    await running.stop()
    client.stop()
    other.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const send = (method: string, path: string, body?: unknown) =>
    client.send(`${running.api}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${org.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const health = async (path: string) =>
    (await client.send(`${running.screens}${path}`, { method: 'GET', headers: {}, body: undefined })).status

  test('starts, reads and says that it lives; writes wait for the other, and are then done', async () => {
    const write = watched(send('POST', '/tags', { name: 'Waits' }))
    assert.equal((await send('GET', '/deals')).status, 200)
    for (const path of ['/livez', '/readyz', '/livez']) assert.equal(await health(path), 200)
    assert.equal((await send('GET', '/tags')).text.includes('Waits'), false)
    assert.ok(!write.isSettled)
    other.exec('ROLLBACK')
    assert.equal((await write.promise).status, 201)
    assert.deepEqual(lines, [])
  })

  test('does it again and again', async () => {
    for (let round = 0; round < 3; round++) {
      other.exec('BEGIN IMMEDIATE')
      const writes = [1, 2, 3].map((n) => watched(send('POST', '/tags', { name: `${round}.${n}` })))
      assert.equal((await send('GET', '/deals')).status, 200)
      assert.equal(await health('/livez'), 200)
      assert.ok(writes.every(({ isSettled }) => !isSettled))
      other.exec('COMMIT')
      for (const { promise } of writes) assert.equal((await promise).status, 201)
    }
    assert.deepEqual(lines, [])
  })
})

describe('a write that waits for another process', () => {
  const timer = stillTimer()
  let server: TestServer
  let other: Connection
  before(async () => {
    server = await startServer({ lockTimer: timer })
    other = openSqlite(join(server.dataDir, DATABASE))
  })
  after(async () => {
    other.close()
    await server.stop()
  })
  beforeEach(() => assert.ok(!timer.isSet()))

  /** Begins a write and returns once it waits for the lock. */
  async function waiting(name: string): Promise<ReturnType<typeof watched<Result>>> {
    const begun = watched(server.call('POST', '/tags', { name }, { headers: { 'idempotency-key': name } }))
    while (!timer.isSet()) await server.call('GET', '/deals')
    return begun
  }
  const names = async (): Promise<string[]> =>
    (await server.call('GET', '/tags')).body.data.map(({ name }: { name: string }) => name)

  test('is done at the next try, once, also just before it would be refused', async () => {
    for (const [name, ms] of [
      ['soon', LOCK_RETRY_MS],
      ['late', MAX_LOCK_WAIT_MS - 1],
    ] as const) {
      other.exec('BEGIN IMMEDIATE')
      const seq = server.lastSeq()
      const write = await waiting(name)
      timer.pass(ms)
      assert.ok(timer.isSet()) // one attempt was made, and another is scheduled
      assert.equal((await server.call('GET', '/deals')).status, 200)
      assert.ok(!write.isSettled)
      other.exec('COMMIT')
      timer.pass(LOCK_RETRY_MS)
      assert.equal((await write.promise).status, 201)
      assert.equal(server.lastSeq(), seq + 1)
    }
    assert.deepEqual(await names(), ['late', 'soon'])
  })

  test('is refused with 503 after its time, with nothing written, and can be sent again', async () => {
    other.exec('BEGIN IMMEDIATE')
    const seq = server.lastSeq()
    const write = await waiting('refused')
    timer.pass(MAX_LOCK_WAIT_MS)
    const { status, body, headers } = await write.promise
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'busy', '5'])
    assert.match(body.detail, /nothing was written/)
    assert.ok(!timer.isSet())
    other.exec('COMMIT')
    assert.deepEqual([server.lastSeq(), (await names()).includes('refused')], [seq, false])
    const again = await server.call('POST', '/tags', { name: 'refused' }, { headers: { 'idempotency-key': 'refused' } })
    assert.deepEqual([again.status, again.headers.get('idempotency-replayed')], [201, null])
    assert.equal(server.lastSeq(), seq + 1)
  })

  test('is refused after its own time, not after that of an earlier one', async () => {
    other.exec('BEGIN IMMEDIATE')
    const first = await waiting('first')
    timer.pass(MAX_LOCK_WAIT_MS - 1000)
    const second = watched(server.call('POST', '/tags', { name: 'second' }))
    await server.call('GET', '/deals')
    timer.pass(LOCK_RETRY_MS) // from here on the second write waits
    timer.pass(1000)
    assert.equal((await first.promise).status, 503)
    assert.equal((await server.call('GET', '/deals')).status, 200)
    assert.ok(!second.isSettled)
    other.exec('COMMIT')
    timer.pass(LOCK_RETRY_MS)
    assert.equal((await second.promise).status, 201)
  })

  test('is run alone where another had left something to undo, also when the lock is taken in between', async () => {
    const { db } = server.store
    const insert = db.prepare('INSERT INTO tags VALUES (?, ?, ?, ?, NULL, NULL, 0, 0, 1)')
    const add = (id: string): number => insert.run(server.b.org, id, id, id).changes
    const lockAfter = (sql: string): Pick<Connection, 'prepare' | 'inTransaction'> => ({
      get inTransaction() {
        return db.inTransaction
      },
      prepare: ((text: string) => {
        const statement = db.prepare(text)
        if (text !== sql) return statement
        return { run: () => [statement.run(), other.exec('BEGIN IMMEDIATE')] }
      }) as never,
    })
    const write = groupCommit(lockAfter('ROLLBACK') as Connection, undefined, timer)
    let runs = 0
    const kept = watched(write(() => add('kept')))
    const undone = watched(
      write(() => {
        runs++
        add('undone')
        throw new Error('no')
      }),
    )
    while (!timer.isSet()) await server.call('GET', '/deals')
    assert.deepEqual([runs, kept.isSettled, undone.isSettled], [1, false, false])
    other.exec('COMMIT')
    timer.pass(LOCK_RETRY_MS)
    assert.equal(await kept.promise, 1)
    await assert.rejects(undone.promise, /^Error: no$/)
    const stored = db.prepare('SELECT id FROM tags WHERE org_id = ?').pluck().all(server.b.org)
    assert.deepEqual([runs, stored], [2, ['kept']])
  })
})

test('a write of an organisation whose number an export has changed meanwhile is refused with 503', async () => {
  const timer = stillTimer()
  const server = await startServer({ lockTimer: timer })
  const other = openSqlite(join(server.dataDir, DATABASE))
  try {
    assert.equal((await server.call('GET', '/deals')).status, 200)
    other.pragma('foreign_keys = OFF')
    other.exec('BEGIN IMMEDIATE')
    const waiting = server.call('POST', '/tags', { name: 'Late' })
    while (!timer.isSet()) await server.call('GET', '/deals', undefined, { token: server.b.token })
    for (const table of ['orgs', 'members', 'tokens']) {
      const column = table === 'orgs' ? 'id' : 'org_id'
      other.prepare(`UPDATE ${table} SET ${column} = 99 WHERE ${column} = ?`).run(server.a.org)
    }
    other.exec('COMMIT')
    timer.pass(LOCK_RETRY_MS)
    const { status, body } = await waiting
    assert.deepEqual([status, body.code], [503, 'busy'])
    assert.equal((await server.call('POST', '/tags', { name: 'Late' })).status, 201)
  } finally {
    other.close()
    await server.stop()
  }
})

test('only what commands run may wait in a transaction', () => {
  const src = join(import.meta.dirname, '../../src')
  const rooms = [
    'http',
    'site',
    'records',
    'crm',
    'cleanup',
    'filters',
    'meetings',
    'inbox',
    'sequences',
    'webhooks',
    'events',
    'store/jobs',
    'auth',
    'mail',
  ]
  const files = rooms.flatMap((room) =>
    readdirSync(join(src, room), { recursive: true, encoding: 'utf8' }).map((name) => join(src, room, name)),
  )
  /** It writes once more when the server stops: nobody is served by then, and its database does not wait for locks. */
  const AT_THE_END = join(src, 'site/sessions/refusals.ts')
  const sources = files.filter(
    (file) => file.endsWith('.ts') && file !== AT_THE_END && !/[\\/](commands|audit)[\\/]/.test(file),
  )
  assert.ok(sources.length > 100)
  assert.deepEqual(
    sources.filter((file) =>
      /\btransaction\(|\.(immediate|exclusive)\(|exec\(['"`]BEGIN/.test(readFileSync(file, 'utf8')),
    ),
    [],
  )
})
