import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { replaySeed } from '../../src/demo/replay/replay.ts'
import { restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import { firstIdAt } from '../../src/lib/id.ts'
import { BATCH_GAP_MS } from '../../src/store/batches.ts'
import { lockRestore } from '../../src/store/folder/lock.ts'
import { newestId } from '../../src/store/newest.ts'
import { DATABASE } from '../../src/store/open.ts'
import { type Connection, openSqlite } from '../../src/store/sqlite/driver.ts'
import { slowPace, stillPace } from '../support/pace.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

// A record takes 10 ms on the clock of these tests, so that a transaction has time for four of them.

const { folder, drop } = scratch()
const out = join(folder, 'out')
let server: TestServer
/** The server on the same folder. */
let other: Connection
before(async () => {
  server = await startServer()
  other = openSqlite(join(server.dataDir, DATABASE), { timeout: 0 })
  replaySeed(server.store, { org: server.a.org, seed: 2, profile: 'demo', asOf: server.now(), pace: stillPace })
  writeExport(server.store, server.a.org, out)
})
after(async () => {
  other.close()
  await server.stop()
  drop()
})

const count = (table: string, org: number): number =>
  other.prepare(`SELECT count(*) FROM ${table} WHERE org_id = ?`).pluck().get(org) as number
const numberOf = (id: string): number =>
  other.prepare('SELECT id FROM orgs WHERE public_id = ?').pluck().get(id) as number
const tables = (): string[] =>
  other
    .prepare(
      `SELECT m.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND c.name = 'org_id'`,
    )
    .pluck()
    .all() as string[]

/** Rows of organisations that are none of the two. */
const left = (): [string, number][] =>
  tables()
    .map((table): [string, number] => [
      table,
      other
        .prepare(`SELECT count(*) FROM ${table} WHERE org_id NOT IN (SELECT id FROM orgs WHERE public_id IN (?, ?))`)
        .pluck()
        .get(server.a.id, server.b.id) as number,
    ])
    .filter(([, rows]) => rows > 0)

function watchedPace(look: () => unknown = () => undefined) {
  const gaps: number[] = []
  const pace = slowPace(10, (ms) => {
    gaps.push(ms)
    other.exec('BEGIN IMMEDIATE; ROLLBACK') // throws SQLITE_BUSY where the command has the lock
    look()
  })
  return { gaps, pace }
}
const restore = (options: Partial<Parameters<typeof restoreExport>[1]>) =>
  restoreExport(server.store, { dataDir: server.dataDir, org: server.b.org, folder: out, ...options })

test('an export that is stopped half-way leaves nothing, and frees the lock while it is taken back', async () => {
  const stop = new AbortController()
  const ofOthers = 'org_id NOT IN (SELECT id FROM orgs WHERE public_id IN (@a, @b))'
  const sum = ['tags', 'companies', 'contacts', 'deals'].map(
    (table) => `(SELECT count(*) FROM ${table} WHERE ${ofOthers})`,
  )
  const recordsLeft = other.prepare(`SELECT ${sum.join(' + ')}`).pluck()
  let most = 0
  let dropped = 0
  let before = 0
  const { gaps, pace } = watchedPace(() => {
    const records = recordsLeft.get({ a: server.a.id, b: server.b.id }) as number
    if (stop.signal.aborted) dropped = Math.max(dropped, before - records)
    else most = Math.max(most, records - before)
    before = records
    if (gaps.length === 300) stop.abort()
  })
  await assert.rejects(restore({ signal: stop.signal, pace }), { status: 409, code: 'stopped' })
  assert.ok(gaps.length > 310 && gaps.every((ms) => ms === BATCH_GAP_MS))
  assert.ok(most === 4 && dropped > 0 && dropped <= 80, `${most} came, ${dropped} went in a transaction`)
  assert.deepEqual([left(), numberOf(server.b.id), count('members', server.b.org)], [[], server.b.org, 2])
  const { db } = server.store
  assert.deepEqual(db.prepare('SELECT name FROM temp.sqlite_schema').all(), [])
  assert.equal(db.pragma('foreign_keys', { simple: true }), 1)
})

test('an organisation that gets a record meanwhile keeps it, and nothing else', async () => {
  const add = other.prepare(
    "INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (?, 'own', 'x', 'x', 0, 0, 1)",
  )
  const { gaps, pace } = watchedPace(() => gaps.length === 50 && add.run(server.b.org))
  await assert.rejects(restore({ pace }), { status: 409, code: 'not_empty' })
  assert.ok(gaps.length > 300)
  assert.deepEqual([left(), count('tags', server.b.org), count('deals', server.b.org)], [[], 1, 0])
  other.prepare("DELETE FROM tags WHERE id = 'own'").run()
})

test('what an end in the middle has left is erased by the next one, which takes place of the organisation at once', async () => {
  // As a power cut leaves it.
  other.exec(
    "INSERT INTO orgs (public_id, name, timezone, currency, created_at, state) VALUES ('staged x', 'x', 'UTC', 'EUR', 0, 'staged')",
  )
  const staged = numberOf('staged x')
  const ahead = firstIdAt(server.now() + 3_600_000)
  other
    .prepare(
      "INSERT INTO tags (org_id, id, name, name_key, created_at, updated_at, version) VALUES (?, ?, 'x', 'x', 0, 0, 1)",
    )
    .run(staged, ahead)
  assert.ok((newestId(other) as string) < ahead) // a server that starts now goes on behind its own ids
  const { token } = server.b
  const seen = new Set<number>()
  const jobs = new Set<number>()
  const { gaps, pace } = watchedPace(() => {
    seen.add(count('deals', numberOf(server.b.id)))
    jobs.add(other.prepare('SELECT count(*) FROM jobs WHERE org_id <> ?').pluck().get(server.a.org) as number)
  })
  await restore({ pace })
  assert.ok(gaps.length > 300)
  assert.deepEqual([...seen], [0, 120])
  assert.equal(jobs.size, 2)
  assert.deepEqual([left(), numberOf('staged x')], [[], undefined])
  assert.equal(other.prepare('SELECT count(*) FROM tags WHERE id = ?').pluck().get(ahead), 0)
  assert.deepEqual(other.pragma('foreign_key_check'), [])
  const { body } = await server.call('GET', '/deals?count=true&limit=1', undefined, { token })
  assert.equal(body.total, 120)
  assert.equal((await server.call('POST', '/tags', { name: 'New' }, { token })).status, 201)
})

test('two are not brought back at the same time', async () => {
  const release = lockRestore(server.dataDir)
  const { org } = server.a
  const refused = restoreExport(server.store, { dataDir: server.dataDir, org: org + 1000, folder: out })
  await assert.rejects(refused, { status: 409, code: 'restore_running' })
  release()
})
