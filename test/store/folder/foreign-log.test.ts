import assert from 'node:assert/strict'
import { copyFileSync, cpSync, mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pino from 'pino'
import { openServedStore } from '../../../src/cli/serve/served-store.ts'
import { refuseForeignLog } from '../../../src/store/folder/foreign-log.ts'
import { openStore } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'

// An older database beside the log of another one.

const root = mkdtempSync(join(tmpdir(), 'dealbox-log-'))
after(() => rmSync(root, { recursive: true, force: true }))
/** A folder as a killed server leaves it, and a copy of its database from before. */
const killed = join(root, 'killed')
const older = join(root, 'older.db')
let count = 0

before(() => {
  const live = join(root, 'live')
  openStore(live, { create: true }).close()
  const file = join(live, 'dealbox.db')
  copyFileSync(file, older)
  const db = openSqlite(file)
  db.pragma('wal_autocheckpoint = 0')
  db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)')
  const insert = db.prepare('INSERT INTO t (text) VALUES (?)')
  for (let n = 0; n < 200; n++) insert.run('x'.repeat(3000))
  db.pragma('wal_checkpoint(RESTART)')
  db.exec("UPDATE t SET text = 'y' WHERE n < 5")
  cpSync(live, killed, { recursive: true, preserveTimestamps: true })
  db.close()
})

function folder(): string {
  const to = join(root, String(++count))
  cpSync(killed, to, { recursive: true, preserveTimestamps: true })
  return join(to, 'dealbox.db')
}
const refusal = { status: 409, code: 'foreign_log', message: /do not belong together.*move .*-wal and .*-shm away/ }
const later = (file: string, seconds: number) => {
  const at = statSync(`${file}-wal`).mtimeMs / 1000 + seconds
  utimesSync(file, at, at)
}

test('what a killed server leaves is one whole, also if its last act was a checkpoint', () => {
  const file = folder()
  refuseForeignLog(file)
  const db = openSqlite(file)
  assert.equal(db.prepare("SELECT count(*) FROM t WHERE text = 'y'").pluck().get(), 4)
  db.pragma('wal_checkpoint(PASSIVE)')
  later(file, 3600)
  refuseForeignLog(file)
  db.close()
})

test('a database is refused that lacks pages which are not in the log, and stays as it is', () => {
  const file = folder()
  copyFileSync(older, file)
  const size = statSync(file).size
  assert.throws(() => openServedStore(join(file, '..'), pino({ level: 'silent' }), { backupDir: root }), refusal)
  assert.equal(statSync(file).size, size)
  rmSync(`${file}-wal`)
  rmSync(`${file}-shm`, { force: true })
  openServedStore(join(file, '..'), pino({ level: 'silent' }), { backupDir: root }).close()
})

test('free pages need not be anywhere', () => {
  const file = join(root, 'free.db')
  const db = openSqlite(file)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE kept (n)')
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('wal_autocheckpoint = 0')
  db.exec(
    'BEGIN; CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(400000)); DELETE FROM t; INSERT INTO kept VALUES (1); COMMIT',
  )
  refuseForeignLog(file)
  db.close()
})

test('a database is refused that is newer than the log and has nothing of it', () => {
  const file = folder()
  const db = openSqlite(`${older}.grown`)
  db.exec(`ATTACH '${older}' AS o; CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)`)
  db.exec(
    'WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900) INSERT INTO t SELECT n, hex(randomblob(1500)) FROM c',
  )
  db.close()
  copyFileSync(`${older}.grown`, file)
  later(file, 1)
  refuseForeignLog(file) // as a checkpoint that was interrupted
  later(file, 60)
  assert.throws(() => refuseForeignLog(file), refusal)
  const now = Date.now() / 1000 + 120
  utimesSync(`${file}-wal`, now, now) // somebody says that they belong together
  refuseForeignLog(file)
})

test('without a log, or with one that has nothing, there is nothing to compare', () => {
  const file = join(root, 'none.db')
  refuseForeignLog(file)
  openSqlite(file).close()
  refuseForeignLog(file)
})
