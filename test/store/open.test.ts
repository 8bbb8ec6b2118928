import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { timeOfId } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { lockInstance } from '../../src/store/folder/lock.ts'
import { DATABASE, openStore } from '../../src/store/open.ts'
import { APPLICATION_ID, SCHEMA_VERSION } from '../../src/store/schema/migrations.ts'
import { openSqlite } from '../../src/store/sqlite/driver.ts'
import { makeOrg } from '../support/org.ts'

const root = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
after(() => rmSync(root, { recursive: true, force: true }))

let folder: string
let file: string
let count = 0
beforeEach(() => {
  folder = join(root, String(count++))
  file = join(folder, DATABASE)
})

const isPosix = process.platform !== 'win32'

describe('an open store', () => {
  test('is durable and strict', () => {
    for (const create of [true, false]) {
      const { db, close } = openStore(folder, { create })
      const pragmas = {
        application_id: APPLICATION_ID,
        user_version: SCHEMA_VERSION,
        journal_mode: 'wal',
        synchronous: 2,
        foreign_keys: 1,
        busy_timeout: 30_000,
        trusted_schema: 0,
        cache_size: -16_000,
        mmap_size: 0,
        temp_store: 2,
        journal_size_limit: 67_108_864,
        encoding: 'UTF-8',
      }
      for (const [name, value] of Object.entries(pragmas)) assert.equal(db.pragma(name, { simple: true }), value, name)
      assert.throws(() => db.exec('SELECT * FROM orgs WHERE name = "text in double quotes"'), /no such column/)
      close()
    }
  })

  test('lies in a folder and a file that only their owner can read', {
    skip: !isPosix && 'Windows has no file modes',
  }, () => {
    openStore(folder, { create: true }).close()
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.equal(statSync(file).mode & 0o777, 0o600)
  })

  test('keeps its installation, which no other folder has', () => {
    const first = openStore(folder, { create: true })
    const { installation } = first
    first.close()
    const again = openStore(folder)
    assert.equal(again.installation, installation)
    again.close()
    const other = openStore(join(folder, 'other'), { create: true })
    assert.notEqual(other.installation, installation)
    other.close()
  })

  test('gives ids that go on ascending after a restart, though the wall clock was set back by up to a day', async () => {
    const HOUR_MS = 3_600_000
    let wall = Date.UTC(2026, 10, 20)
    let newest = ''
    for (let start = 0; start < 3; start++) {
      const store = openStore(folder, { create: true, wall: () => wall })
      const first = store.clock.id()
      assert.ok(first > newest, `${first} after ${newest}`)
      const { org } = await makeOrg(store, folder, `Org${start}`)
      newest = store.db.prepare('SELECT max(id) FROM tokens WHERE org_id = ?').pluck().get(org) as string
      wall += 20 * HOUR_MS
      const last = store.clock.id()
      // The record itself may be deleted by then: its event still names it.
      if (start === 1) {
        newest = last
        store.db
          .prepare(
            `INSERT INTO events (org_id, seq, id, type, object_id, at, actor_type, data) VALUES (?, 1, ?, '', '', 0, 'system', '{}')`,
          )
          .run(org, last)
      }
      store.close()
      wall -= 21 * HOUR_MS
    }
  })

  test('passes over ids of a clock that was far ahead, and goes on from the newest of the others', async () => {
    const HOUR_MS = 3_600_000
    const start = Date.UTC(2026, 10, 20)
    let wall = start
    const store = openStore(folder, { create: true, wall: () => wall })
    wall += 2 * HOUR_MS
    const { org } = await makeOrg(store, folder, 'Two hours')
    const newest = store.db.prepare('SELECT max(id) FROM tokens WHERE org_id = ?').pluck().get(org) as string
    wall += 400 * 24 * HOUR_MS
    await makeOrg(store, folder, 'Ahead')
    store.close()
    const { clock, close } = openStore(folder, { wall: () => start })
    const id = clock.id()
    assert.ok(id > newest)
    assert.ok(timeOfId(id) < start + 3 * HOUR_MS)
    close()
  })

  test('takes an empty file for a new database', () => {
    mkdirSync(folder)
    writeFileSync(file, '')
    const { db, close } = openStore(folder)
    assert.equal(db.pragma('user_version', { simple: true }), SCHEMA_VERSION)
    close()
  })
})

describe('what is no database of ours', () => {
  /** Expects an error of one line that leaves the folder unchanged. */
  function refused(code: string, options = {}): void {
    const before = contents()
    assert.throws(
      () => openStore(folder, options),
      (error) => {
        assert.ok(error instanceof Problem, String(error))
        assert.equal(error.code, code)
        assert.match(error.message, /^[^\n]+\.$/)
        assert.ok(error.message.includes(folder), error.message)
        return true
      },
    )
    assert.deepEqual(contents(), before)
  }

  const contents = (): string[] =>
    existsSync(folder) && statSync(folder).isDirectory()
      ? readdirSync(folder).map(
          (name) => `${name} ${statSync(join(folder, name)).isFile() ? hashOf(join(folder, name)) : ''}`,
        )
      : []
  const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

  function madeBy(sql: string): void {
    mkdirSync(folder)
    const db = openSqlite(file)
    db.exec(sql)
    db.close()
  }

  test('is not made in passing: a missing folder is refused', () => {
    refused('no_database')
    assert.ok(!existsSync(folder))
    mkdirSync(folder)
    refused('no_database')
  })

  for (const mode of ['DELETE', 'WAL']) {
    test(`is refused when it is the SQLite file of another program, in ${mode} mode`, () => {
      madeBy(`PRAGMA journal_mode = ${mode}; CREATE TABLE orgs (id); INSERT INTO orgs VALUES (1)`)
      refused('foreign_file')
      refused('foreign_file', { create: true })
    })
  }

  test('is refused when it has no tables yet, but the mark or the version of another program', () => {
    madeBy('PRAGMA application_id = 1')
    refused('foreign_file')
    rmSync(folder, { recursive: true })
    madeBy('PRAGMA user_version = 7')
    refused('foreign_file')
  })

  for (const [what, bytes] of [
    ['a short text', 'hello'],
    ['a long text', 'no database '.repeat(10_000)],
    ['a damaged header', `SQLite format 3\u0001${'\u0000'.repeat(5000)}`],
  ] as const) {
    test(`is refused when it is ${what}`, () => {
      mkdirSync(folder)
      writeFileSync(file, bytes)
      refused('foreign_file')
    })
  }

  test('is refused when a newer version wrote it', () => {
    openStore(folder, { create: true }).close()
    const db = openSqlite(file)
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    refused('newer_schema')
  })

  for (const [what, sql] of [
    ['another hash', "UPDATE installation SET schema_hash = 'another'"],
    ['no hash', 'ALTER TABLE installation DROP COLUMN schema_hash'],
    ['no installation', 'DELETE FROM installation'],
    ['no table of installations', 'DROP TABLE installation'],
  ] as const) {
    test(`is refused when it has the version of this schema, but ${what}`, () => {
      openStore(folder, { create: true }).close()
      const db = openSqlite(file)
      db.exec(sql)
      db.close()
      refused('other_schema')
      refused('other_schema', { create: true })
    })
  }

  test('is refused when it is a folder, or lies where a folder cannot be', () => {
    mkdirSync(file, { recursive: true })
    refused('cannot_open')
    rmSync(folder, { recursive: true })
    writeFileSync(folder, 'a file')
    refused('cannot_open', { create: true })
    refused('no_database')
  })

  test('is refused when it cannot be written', {
    skip: (!isPosix || process.getuid?.() === 0) && 'root may write everywhere',
  }, () => {
    openStore(folder, { create: true }).close()
    chmodSync(file, 0o400)
    chmodSync(folder, 0o500)
    refused('cannot_open')
    chmodSync(folder, 0o700)
  })
})

describe('the instance lock', () => {
  const taken = {
    code: 'already_running',
    message: /^Another Dealbox server is running on .+\. Stop it, or use another folder with --data\.$/,
  }

  test('is had once, and again after its release', () => {
    mkdirSync(folder)
    const release = lockInstance(folder)
    assert.throws(() => lockInstance(folder), taken)
    const other = lockInstance(mkdtempSync(join(root, 'other-')))
    release()
    lockInstance(folder)()
    other()
  })

  test('of another process is freed when that is killed', async () => {
    mkdirSync(folder)
    const child = holder(folder)
    try {
      assert.equal(String((await once(child.stdout, 'data'))[0]), 'held')
      assert.throws(() => lockInstance(folder), taken)
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    lockInstance(folder)()
  })

  test('says so when it is something else that is in the way', () => {
    const isOther = (error: { code?: string }) => error.code !== taken.code
    assert.throws(() => lockInstance(join(folder, 'missing')), isOther)
    mkdirSync(folder)
    writeFileSync(join(folder, 'server.lock'), 'no database '.repeat(100))
    assert.throws(() => lockInstance(folder), isOther)
  })

  /** A process that reports when it holds the lock. */
  function holder(dataDir: string) {
    const module = join(import.meta.dirname, '../../src/store/folder/lock.ts')
    const script = `import { lockInstance } from ${JSON.stringify(module)}
      import { setFlagsFromString } from 'node:v8'; import { runInNewContext } from 'node:vm'
      lockInstance(${JSON.stringify(dataDir)}); setFlagsFromString('--expose-gc'); runInNewContext('gc')()
      setImmediate(() => { process.stdout.write('held'); setInterval(() => {}, 1000) })`
    return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  }
})
