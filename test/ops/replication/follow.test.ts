import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openFollowed } from '../../../src/ops/replication/followed/connection.ts'
import { openReader } from '../../../src/ops/replication/followed/reader.ts'
import { SCHEMA_VERSION, SCHEMAS } from '../../../src/store/schema/migrations.ts'
import { dataVersion } from '../../../src/store/sqlite/changes.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli } from '../../cli/command-line.ts'
import { type Primary, rest, type StartedReader, startPrimary } from '../../support/copied.ts'
import { follow, litestreamProgram, noLitestream, type Running, replicate } from '../../support/litestream.ts'
import { until, untilIs } from '../../support/until.ts'

// How a copy is kept and read, whatever happens to Litestream.

const needs = { skip: noLitestream }
let primary: Primary

before(async () => {
  if (!noLitestream) primary = await startPrimary()
})
after(() => primary?.stop())

const seqNow = async (): Promise<string> =>
  (await primary.call('POST', '/deals', { title: 'Deal' })).headers.get('dealbox-seq') as string

const readAt = (reader: StartedReader, seq: string) =>
  untilIs(
    () => reader.call('GET', '/deals', undefined, { 'dealbox-seq': seq }),
    ({ status }) => status === 200,
  )

/** The code of the error if the copy cannot be read now. */
function orCode(read: () => unknown): unknown {
  try {
    return read()
  } catch (error) {
    return (error as { code: string }).code
  }
}

const followerOf = (folder: string): number => Number(readFileSync(join(folder, 'dealbox.db-follower'), 'utf8'))

test('what Litestream writes past SQLite is read at once, whatever was read before', needs, async () => {
  const root = mkdtempSync(join(tmpdir(), 'dealbox-past-'))
  const db = openSqlite(join(root, 'a.db'))
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a, text)')
  db.exec(
    'WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 2000) INSERT INTO t SELECT 0, hex(zeroblob(100)) FROM n',
  )
  const replica = { folder: join(root, 'replica') }
  const copying = replicate(join(root, 'a.db'), replica, { everyMs: 50 })
  let following: Running | undefined
  try {
    await until(() => existsSync(join(replica.folder, 'ltx')))
    const file = join(root, 'b.db')
    await until(async () => {
      following = follow(replica, file, { everyMs: 50 })
      await until(() => existsSync(`${file}-txid`) || !following?.isRunning())
      return existsSync(`${file}-txid`)
    })
    const copy = openFollowed(file, () => undefined)
    const states = copy.prepare('SELECT min(a), max(a), count(*) FROM t').raw()
    const read = () => orCode(() => states.get())
    const version = dataVersion(copy)
    const versionOf = () => orCode(version)
    const versions = new Set<unknown>()
    for (let round = 1; round <= 5; round++) {
      db.exec('UPDATE t SET a = a + 1') // in place: the first page, by which SQLite notices changes, stays as it is
      const seen = await untilIs(read, (found) => Array.isArray(found) && found[0] === round)
      assert.deepEqual(seen, [round, round, 2000])
      versions.add(await untilIs(versionOf, (found) => typeof found === 'number'))
    }
    assert.equal(versions.size, 5) // what is cached in memory is forgotten as well
    copy.close()
  } finally {
    await following?.kill()
    await copying.kill()
    db.close()
    rmSync(root, { recursive: true })
  }
})

test('whoever has the store of a reader cannot write with it', needs, async () => {
  const reader = await primary.startReader()
  await reader.stop()
  const store = openReader(reader.folder, join(reader.folder, 'dealbox.db'), { primary: 'https://crm.example.com' })
  try {
    const refused = { code: 'read_only', more: { primary: 'https://crm.example.com' } }
    const insert = () => void store.db.prepare('DELETE FROM deals').run()
    await assert.rejects(store.write(insert), refused)
    for (const write of [store.writeAtOnce, store.savepoint]) assert.throws(() => write(insert), refused)
    assert.throws(insert, { code: 'SQLITE_READONLY' })
    rmSync(join(reader.folder, 'keys/secrets.key'))
    assert.throws(() => store.vault.seal('test', 'secret'), refused) // would make a key that no other server has
    assert.equal(existsSync(join(reader.folder, 'keys/secrets.key')), false)
  } finally {
    store.close()
  }
})

test('a copy of which a part is newer than its position is not read until it is whole again', needs, async () => {
  const reader = await primary.startReader()
  try {
    await readAt(reader, await seqNow())
    const [data, position] = [join(reader.folder, 'dealbox.db'), join(reader.folder, 'dealbox.db-txid')]
    await rest(primary, reader.folder)
    assert.equal((await reader.call('GET', '/deals')).status, 200)
    const torn = new Date(Date.now() + 5000)
    utimesSync(data, torn, torn) // as if a round had begun and ended in the middle
    const refused = await reader.call('GET', '/deals')
    assert.deepEqual([refused.status, refused.body.code], [503, 'copy_unavailable'])
    const unready = await fetch(`${reader.screens}/readyz`)
    assert.equal(unready.status, 503)
    utimesSync(position, torn, new Date(torn.getTime() + 1))
    assert.equal((await reader.call('GET', '/deals')).status, 200)
    const before = new Date(torn.getTime() - 2000)
    utimesSync(data, before, before) // the clock was set back, and the position is of the round before
    assert.equal((await reader.call('GET', '/deals')).status, 503)
  } finally {
    await reader.stop()
    primary.replicateAgain()
  }
})

test('Litestream that is killed is started again, and what was whole is read meanwhile', needs, async () => {
  const reader = await primary.startReader()
  try {
    await readAt(reader, await seqNow())
    for (let round = 0; round < 2; round++) {
      const pid = followerOf(reader.folder)
      process.kill(pid, 'SIGKILL')
      const { status, headers } = await reader.call('GET', '/deals')
      assert.ok(status === 200 || status === 503) // 503 if it was killed in the middle of a round
      assert.match(headers.get('dealbox-lag-ms') ?? '0', /^\d+$/)
      const seq = await seqNow()
      assert.equal((await readAt(reader, seq)).status, 200)
      assert.notEqual(followerOf(reader.folder), pid)
    }
    assert.match(await (await fetch(`${reader.screens}/metrics`)).text(), /^dealbox_reader_restarts_total 2$/m)
    assert.equal(reader.lines.filter(({ msg }) => /is started again/.test(msg)).length, 2)
  } finally {
    await reader.stop()
  }
  assert.equal(existsSync(join(reader.folder, 'dealbox.db-follower')), false)
})

test('a reader that is started again goes on, and ends what a killed one has left running', needs, async () => {
  const reader = await primary.startReader()
  await reader.stop()
  const seq = await seqNow()
  const file = join(reader.folder, 'dealbox.db')
  const left = follow({ folder: `${(primary.replica as { folder: string }).folder}` }, file)
  writeFileSync(`${file}-follower`, String(left.pid))
  const again = await primary.startReader({}, reader.folder)
  try {
    await left.exit
    assert.notEqual(followerOf(again.folder), left.pid)
    assert.equal((await readAt(again, seq)).status, 200)
  } finally {
    await again.stop()
  }
})

test('a copy that cannot be continued is made anew', needs, async () => {
  const reader = await primary.startReader()
  await reader.stop()
  const file = join(reader.folder, 'dealbox.db')
  writeFileSync(`${file}-txid`, '00000000ffffffff\n') // further than the replica
  const again = await primary.startReader({}, reader.folder)
  try {
    assert.equal((await readAt(again, await seqNow())).status, 200)
    assert.equal(again.lines.filter(({ msg }) => /made anew/.test(msg)).length, 1)
  } finally {
    await again.stop()
  }
})

test('only a reader opens a copy, and a reader opens nothing else', needs, async () => {
  const reader = await primary.startReader()
  await reader.stop()
  const { folder } = reader
  for (const line of [
    ['token', 'list'],
    ['serve'],
    ['member', 'list'],
    ['init', '--org', 'B', '--email', 'b@b.example'],
  ]) {
    const { code, err } = await cli([...line, '--data', folder])
    assert.equal(code, 1, line.join(' '))
    assert.match(err, /is a copy, which Litestream keeps up to date/)
  }
  const own = await cli(['serve', '--data', primary.dataDir, '--follow', primary.root])
  assert.match(own.err, /is a database of its own, not a copy/)
})

test('a reader says what it lacks', needs, async () => {
  const reader = await primary.startReader()
  await reader.stop()
  const { folder } = reader
  const replica = (primary.replica as { folder: string }).folder
  const start = async (data = folder, program = litestreamProgram()) => {
    const more = ['--api-listen', '127.0.0.1:0', '--screens-listen', 'off', '--litestream', program]
    return (await cli(['serve', '--data', data, '--follow', replica, ...more])).err
  }
  assert.match(
    await start(folder, '/nowhere/litestream'),
    /There is no program \/nowhere\/litestream. Install Litestream/,
  )
  renameSync(join(folder, 'keys'), join(folder, 'others'))
  assert.match(await start(), /keys lacks the keys\. .*copy the folder keys of the primary/)
  renameSync(join(folder, 'others'), join(folder, 'keys'))
  const key = readFileSync(join(folder, 'keys/cursor.key'))
  rmSync(join(folder, 'keys/cursor.key'))
  assert.match(await start(), /keys lacks cursor\.key\. /)
  writeFileSync(join(folder, 'keys/cursor.key'), key)
  for (const [version, said] of [
    [SCHEMA_VERSION + 1, /was written by a newer version of Dealbox/],
    [SCHEMA_VERSION - 1, /A copy cannot be migrated: update the primary first/],
  ] as const) {
    const other = join(primary.root, `schema${version}`)
    cpSync(folder, other, { recursive: true })
    const db = openSqlite(join(other, 'dealbox.db'))
    db.pragma(`user_version = ${version}`)
    db.prepare('UPDATE installation SET schema_hash = ?').run(
      SCHEMAS.find((each) => each.version === version)?.hash ?? 'newer',
    )
    db.close()
    const later = Date.now() / 1000 + 1
    utimesSync(join(other, 'dealbox.db-txid'), later, later) // or the copy would look half written
    assert.match(await start(other), said)
  }
})
