import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { schemaDrift } from '../../../src/ops/doctor/inspect/shape.ts'
import { leftCheckpoint } from '../../../src/store/checkpoint.ts'
import { DATABASE, type OpenedStore, openStore } from '../../../src/store/open.ts'
import { replicationRow } from '../../../src/store/replication.ts'
import { connection } from '../../../src/store/sqlite/driver.ts'

const root = mkdtempSync(join(tmpdir(), 'dealbox-left-'))
after(() => rmSync(root, { recursive: true, force: true }))

let folder: string
let count = 0
beforeEach(() => {
  folder = join(root, String(count++))
})

const framesOf = ({ db }: OpenedStore) => (db.pragma('wal_checkpoint(NOOP)') as [{ log: number }])[0].log
const databaseBytes = () => statSync(join(folder, DATABASE)).size

/** A few hundred pages. */
function write({ db }: OpenedStore): void {
  db.exec('CREATE TABLE IF NOT EXISTS filling (text TEXT)')
  db.prepare('INSERT INTO filling SELECT hex(randomblob(400000)) FROM (SELECT 1)').run()
}

describe('the log of a replicated database', () => {
  test('is left alone by the server and by commands, since the database says so', () => {
    const store = openStore(folder, { create: true, isReplicated: true })
    assert.equal(store.db.pragma('wal_autocheckpoint', { simple: true }), 0)
    store.transaction(() => replicationRow(store.db).serve(true, null))
    const before = databaseBytes()
    for (let at = 0; at < 8; at++) write(store)
    const command = openStore(folder)
    assert.equal(command.db.pragma('wal_autocheckpoint', { simple: true }), 0)
    write(command)
    command.close()
    assert.ok(framesOf(store) > 1000)
    assert.equal(databaseBytes(), before)
    store.transaction(() => replicationRow(store.db).serve(false, null))
    const other = openStore(folder)
    assert.equal(other.db.pragma('wal_autocheckpoint', { simple: true }), 1000)
    other.close()
    store.close()
  })

  test('does not grow for ever without Litestream', () => {
    const store = openStore(folder, { create: true, isReplicated: true })
    const db = connection(store.db)
    const long: number[] = []
    let now = 0
    const failures: unknown[] = []
    const longest = 2_000_000
    const left = leftCheckpoint(db, {
      ...{ longest, now: () => now },
      note: (error) => void failures.push(error),
      onLong: (bytes) => void long.push(bytes),
    })
    let most = 0
    for (let at = 0; at < 40; at++) {
      write(store)
      left.written()
      most = Math.max(most, framesOf(store))
      now += 60_000
    }
    assert.ok(long.length > 5 && long.every((bytes) => bytes >= longest))
    assert.ok(most * 4096 < 2 * longest, `${most} pages`)
    assert.deepEqual(failures, [])
    // Somebody who reads, as Litestream does, keeps what it has not read.
    const reader = openStore(folder)
    reader.db.exec('BEGIN')
    write(store)
    reader.db.prepare('SELECT count(*) FROM filling').get()
    const frames = framesOf(store)
    for (let at = 0; at < 10; at++) {
      write(store)
      left.written()
      now += 60_000
    }
    assert.ok(framesOf(store) > frames + 1000)
    reader.db.exec('COMMIT')
    reader.close()
    store.close()
  })

  test('is looked at once a second, and once a minute while it is long', () => {
    const store = openStore(folder, { create: true })
    const asked: string[] = []
    let log = 0
    let now = 0
    const db = {
      pragma: (source: string) => {
        asked.push(source)
        return source.startsWith('wal') ? [{ log }] : 1
      },
    } as unknown as ReturnType<typeof connection>
    const left = leftCheckpoint(db, {
      longest: 10,
      now: () => now,
      note: (error) => assert.fail(String(error)),
      onLong: () => undefined,
    })
    const after = (ms: number) => {
      asked.length = 0
      now += ms
      left.written()
      return asked.filter((source) => source.startsWith('wal'))
    }
    const look = 'wal_checkpoint(NOOP)'
    assert.deepEqual([after(0), after(999), after(1)], [[look], [], [look]])
    log = 10
    assert.deepEqual(
      [after(1000), after(59_999), after(1)],
      [[look, 'wal_checkpoint(PASSIVE)'], [], [look, 'wal_checkpoint(PASSIVE)']],
    )
    store.close()
  })
})

test('the tables of Litestream are no change of the schema; others of such a name are', () => {
  const store = openStore(folder, { create: true })
  store.db.exec('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
  store.db.exec('CREATE TABLE _litestream_lock (id INTEGER)')
  assert.deepEqual(schemaDrift(store.db), [])
  store.db.exec('CREATE TABLE _litestream_other (id INTEGER)')
  assert.deepEqual(schemaDrift(store.db), ['table _litestream_other was added'])
  store.close()
})
