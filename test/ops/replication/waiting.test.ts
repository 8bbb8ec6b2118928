import assert from 'node:assert/strict'
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { api } from '../../../src/app/api.ts'
import { listen } from '../../../src/http/listener/server.ts'
import { LAG } from '../../../src/http/reader.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { openReader, type ReaderStore, untilReadable } from '../../../src/ops/replication/followed/reader.ts'
import { openStore } from '../../../src/store/open.ts'
import { type Connection, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg } from '../../support/org.ts'
import { startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// What a reader does while Litestream writes: here a connection of SQLite has the lock, and files have the times that
// Litestream would leave. What counts is how often the copy is locked, and whether the process may stand still for it.

const WAITS = 100
/** As often as who waits looks. */
const LOOK_MS = 5
const MANY = 50
const unavailable = { code: 'copy_unavailable' }

test('what reads a copy is made anew while that is replaced, and whatever else fails ends it', async () => {
  const passing = new Problem(503, 'copy_unavailable', 'It is being replaced.')
  const failures: Error[] = [passing, passing]
  let waits = 0
  const job = () => {
    const failure = failures.shift()
    if (failure) throw failure
    return 'read'
  }
  const between = async () => void waits++
  assert.deepEqual([await untilReadable(job, between), waits], ['read', 2])
  failures.push(passing, new Error('no folder'), passing)
  await assert.rejects(untilReadable(job, between), /no folder/)
  assert.equal(waits, 3)
  await assert.rejects(
    untilReadable(job, () => Promise.reject(new Error('stopped'))),
    /stopped/,
  )
})

describe('a copy that Litestream writes', () => {
  const folder = temporaryFolder()
  const [file, position] = [join(folder, 'dealbox.db'), join(folder, 'dealbox.db-txid')]
  let reader: ReaderStore
  let litestream: Connection
  /** How long each attempt to lock might have stopped the process. */
  let locks: number[] = []
  let onLock: () => void = () => undefined

  before(async () => {
    const store = openStore(folder, { create: true })
    await makeOrg(store, folder, 'Acme')
    store.close()
    litestream = openSqlite(file)
    litestream.pragma('journal_mode = DELETE')
    writeFileSync(position, '1')
    setTimes({ data: -10, position: -9 })
    reader = openReader(folder, file, {
      onLock: (waitMs) => {
        locks.push(waitMs)
        onLock()
      },
    })
  })
  after(() => {
    reader?.close()
    litestream?.close()
  })
  beforeEach(async () => {
    await reader.readable()
    await turn()
    locks = []
    onLock = () => undefined
  })

  /** In seconds from now. */
  function setTimes(at: { data?: number; position?: number }): void {
    const now = Date.now() / 1000
    if (at.data !== undefined) utimesSync(file, now + at.data, now + at.data)
    if (at.position !== undefined) utimesSync(position, now + at.position, now + at.position)
  }
  const lock = () => litestream.exec('BEGIN EXCLUSIVE')
  const unlock = () => litestream.exec('COMMIT')
  const read = () => reader.db.prepare('SELECT count(*) FROM orgs').pluck().get()
  const readWhenReadable = async () => {
    await reader.readable()
    return read()
  }

  test('is not locked in the middle of a round, and afterwards once for all who wait', async () => {
    setTimes({ data: -8 })
    const waiting = Array.from({ length: MANY }, readWhenReadable)
    assert.throws(read, unavailable)
    for (let looks = 0; looks < 3; looks++) await pause(LOOK_MS)
    assert.deepEqual(locks, [])
    setTimes({ position: -7 })
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([1]))
    assert.deepEqual(locks, [0])
  })

  test('is tried by one for all who wait while it is locked, and stops nobody', async () => {
    lock()
    onLock = () => {
      if (locks.length === 3) unlock()
    }
    const waiting = Array.from({ length: MANY }, readWhenReadable)
    assert.deepEqual(locks, [0])
    assert.deepEqual(new Set(await Promise.all(waiting)), new Set([1]))
    assert.deepEqual(locks, [0, 0, 0])
  })

  test('stops nobody who looks by itself whether there is something new', async () => {
    const unsubscribe = reader.committed.subscribe(() => undefined)
    await turn()
    lock()
    locks = []
    while (locks.length === 0) await pause(LOOK_MS)
    unlock()
    unsubscribe()
    assert.deepEqual(new Set(locks), new Set([0]))
  })

  test('stops what reads without waiting only once', async () => {
    lock()
    for (let reads = 0; reads < 3; reads++) assert.throws(read, unavailable)
    assert.deepEqual(locks, [WAITS, 0, 0])
    unlock()
    assert.equal(read(), 1)
    await turn()
    lock()
    assert.throws(read, unavailable)
    unlock()
    assert.deepEqual(locks, [WAITS, 0, 0, 0, WAITS], 'the next lock')
  })
})

describe('a request that', () => {
  let server: TestServer
  let asked = 0
  const reader = { readable: () => void asked++, lagMs: () => 7 }
  const ends: (() => Promise<void>)[] = []
  let auth: Record<string, string>
  let cookie: Record<string, string>
  const urls = { api: '', screens: '' }

  before(async () => {
    server = await startServer()
    const { store, deps, dataDir } = server
    const options = {
      dataDir,
      deps,
      log: silentLog,
      rate: null,
      corsOrigins: [],
      stopping: new AbortController().signal,
    }
    const listener = await listen(api(store, { ...options, reader }).callback(), { host: '127.0.0.1', port: 0 })
    const screens = await startScreens(server, { reader })
    ends.push(() => listener.stop(0), screens.stop, server.stop)
    urls.api = listener.url
    urls.screens = screens.url
    auth = { authorization: `Bearer ${server.a.token}` }
    cookie = { cookie: (await screens.signedIn({ id: server.a.owner })).cookie }
  })
  after(async () => {
    for (const end of ends) await end()
  })

  /** The status, whether it has waited for the copy, and how old that is said to be. */
  async function ask(base: 'api' | 'screens', method: string, path: string, headers: Record<string, string> = {}) {
    asked = 0
    const answer = await fetch(urls[base] + path, { method, headers })
    await answer.arrayBuffer()
    return [answer.status, asked > 0, answer.headers.get(LAG)]
  }

  test('is refused without the copy does not wait for it', async () => {
    assert.deepEqual(await ask('api', 'GET', '/api/v1/none', auth), [404, false, null])
    assert.deepEqual(await ask('api', 'PUT', '/api/v1/deals', auth), [405, false, null])
    assert.deepEqual(await ask('api', 'GET', '/api/v1/deals'), [401, false, null])
    assert.deepEqual(await ask('screens', 'GET', '/wp-login.php'), [404, false, null])
  })

  test('reads it waits for it, and says how old it is', async () => {
    assert.deepEqual(await ask('api', 'GET', '/api/v1/deals', auth), [200, true, '7'])
    for (const path of ['/api/v1/deals', '/app/sessions', '/readyz'])
      assert.deepEqual(await ask('screens', 'GET', path, cookie), [200, true, '7'], path)
  })
})
