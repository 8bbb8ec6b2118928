import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { openServedStore } from '../../../src/cli/serve/served-store.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { backUpFirst } from '../../../src/ops/backup/before-migration.ts'
import { decryptNow } from '../../../src/ops/backup/encryption/encryption.ts'
import { backupsFolder } from '../../../src/ops/backup/folders.ts'
import { peekManifest } from '../../../src/ops/backup/manifest.ts'
import { MARKER } from '../../../src/ops/backup/places/folder.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { lastBackup, noteMade } from '../../../src/ops/backup/state.ts'
import { verifyBackup } from '../../../src/ops/backup/verify.ts'
import { lockInstance } from '../../../src/store/folder/lock.ts'
import { APPLICATION_ID, migrate, SCHEMA_VERSION, SCHEMAS } from '../../../src/store/schema/migrations.ts'
import { type Connection, openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli } from '../../cli/command-line.ts'
import { releasedSchema } from '../../support/released.ts'
import { serve } from '../../support/served.ts'
import { places } from './backup-fixture.ts'

const { temporaryFolder } = places()

const OLD = 4
const root = join(import.meta.dirname, '../../..')
let dataDir: string
let file: string

/** A data folder as the release with schema 4 left it. */
beforeEach(() => {
  dataDir = temporaryFolder()
  file = join(dataDir, 'dealbox.db')
  const db = openSqlite(file)
  db.pragma('journal_mode = WAL')
  const { sql, hash } = releasedSchema(OLD)
  db.exec(sql)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${OLD}`)
  db.prepare("INSERT INTO installation (singleton, id, schema_hash, created_at) VALUES (1, 'x', ?, 0)").run(hash)
  db.exec(
    "INSERT INTO orgs (id, public_id, name, timezone, currency, created_at) VALUES (1, 'o', 'Old', 'UTC', 'EUR', 0)",
  )
  db.close()
})

/** What the older executable sees, which knows the schemas up to 4. */
function seenByOlder(at = file): unknown[] {
  const db = openSqlite(at)
  try {
    migrate(db, at, { schemas: SCHEMAS.filter(({ version }) => version <= OLD) })
    assert.deepEqual(db.pragma('integrity_check'), [{ integrity_check: 'ok' }])
    return db.prepare('SELECT name FROM orgs').pluck().all()
  } finally {
    db.close()
  }
}

const backups = () => readdirSync(backupsFolder(dataDir)).filter((name) => name.endsWith('.tar'))

async function saidOnStandardError(job: () => Promise<unknown>): Promise<string> {
  const { write } = process.stderr
  let said = ''
  process.stderr.write = (text: string | Uint8Array) => {
    said += text
    return true
  }
  try {
    await job()
  } finally {
    process.stderr.write = write
  }
  return said
}

describe('before a migration', () => {
  test('a command makes a backup of the old database, and names it', async () => {
    const said = await saidOnStandardError(() => cli(['keys', 'list', '--data', dataDir]))
    const [name = ''] = backups()
    const backup = join(backupsFolder(dataDir), name)
    assert.equal(
      said,
      `Migrating the database from schema ${OLD} to ${SCHEMA_VERSION}. A backup from before is ${backup}.\n`,
    )
    const { manifest } = verifyBackup(backup)
    assert.deepEqual([manifest.schema_version, manifest.reason, manifest.rows.orgs], [OLD, 'migration', 1])
    assert.equal(lastBackup(dataDir).last?.file, backup)
    assert.throws(() => seenByOlder(), { code: 'newer_schema' })
    // The way back: what is in the backup, which the older executable opens.
    const restored = join(temporaryFolder(), 'restored')
    const { described } = restoreBackup({
      file: backup,
      dataDir: restored,
      now: 0,
      dryRun: false,
      describe: () => 'opened',
    })
    assert.equal(described, 'opened', 'a newer version migrates it')
    assert.equal(await saidOnStandardError(() => cli(['keys', 'list', '--data', dataDir])), '')
    assert.equal(backups().length, 1, 'only when something is migrated')
  })

  test('a server does so in its folder for backups', () => {
    const folder = join(temporaryFolder(), 'elsewhere')
    const warnings: unknown[] = []
    const log = { ...silentLog, warn: (...said: unknown[]) => void warnings.push(said) }
    openServedStore(dataDir, log as never, { backupDir: folder }).close()
    const [name = ''] = readdirSync(folder)
    assert.equal(peekManifest(join(folder, name))?.schema_version, OLD)
    assert.deepEqual(warnings, [
      [
        { backup: join(folder, name), from: OLD, to: SCHEMA_VERSION },
        'the database is migrated to a newer schema; this backup is from before',
      ],
    ])
  })

  test('a server with --backup-encrypt leaves it encrypted only', async () => {
    const folder = join(temporaryFolder(), 'elsewhere')
    const identity = await generateX25519Identity()
    const encryption = { recipients: [await identityToRecipient(identity)] }
    openServedStore(dataDir, silentLog, { backupDir: folder, encryption }).close()
    const [name = '', ...others] = readdirSync(folder)
    assert.match(name, /^dealbox-\d{8}T\d{6}Z-migration-[0-9a-f]{12}\.tar\.age$/)
    assert.deepEqual(others, [])
    decryptNow(join(folder, name), join(folder, 'plain'), { identities: [identity] })
    assert.equal(verifyBackup(join(folder, 'plain')).manifest.schema_version, OLD)
    assert.equal(lastBackup(dataDir).last?.file, join(folder, name))
  })

  test('a command that does so beside the backups of a server leaves these the last ones', async () => {
    const sealed = join(temporaryFolder(), 'dealbox-20260101T000000Z-nightly-000000000000.tar.age')
    writeFileSync(sealed, 'sealed')
    const last = { made_at: '2026-01-01T00:00:00.000Z', file: sealed, bytes: 6, duration_ms: 1 }
    noteMade(dataDir, last)
    await saidOnStandardError(() => cli(['keys', 'list', '--data', dataDir]))
    assert.equal(backups().length, 1)
    assert.deepEqual(lastBackup(dataDir).last, last)
  })

  test('a backup by a command changes nothing, and removes no copies, as nobody can tell whether the clock is right', async () => {
    const usb = temporaryFolder()
    writeFileSync(join(usb, MARKER), '')
    for (const time of ['first', 'second']) {
      const { code, err } = await cli(['backup', '--data', dataDir, '--backup-copy-to', usb])
      assert.equal(code, 0, `${time}: ${err}`)
    }
    assert.deepEqual([readdirSync(usb).length, seenByOlder()], [3, ['Old']])
  })

  test('a command does nothing under a server, which is of an older version', async () => {
    const release = lockInstance(dataDir)
    const { code, err } = await cli(['keys', 'list', '--data', dataDir])
    assert.equal(code, 1)
    assert.match(
      err,
      /^A server of an older version runs on .*Nothing was changed: restart the server with this version/,
    )
    assert.deepEqual([seenByOlder(), existsSync(backupsFolder(dataDir))], [['Old'], false])
    release()
    await saidOnStandardError(() => cli(['keys', 'list', '--data', dataDir]))
    lockInstance(dataDir)()
    assert.equal(backups().length, 1)
  })

  test('nothing is migrated without a backup', async () => {
    writeFileSync(backupsFolder(dataDir), 'a file')
    const { code, err } = await cli(['keys', 'list', '--data', dataDir])
    assert.equal(code, 1)
    assert.match(err, /^A backup in .* failed \(E\w+/)
    assert.deepEqual(seenByOlder(), ['Old'])
  })

  test('a new database needs no backup', () => {
    const fresh = join(temporaryFolder(), 'fresh')
    mkdirSync(fresh)
    const db = openSqlite(join(fresh, 'dealbox.db'))
    migrate(db, 'fresh', { before: () => assert.fail('a backup of nothing') })
    db.close()
  })
})

describe('a migration', () => {
  const through = (step: (db: Connection) => void) => [
    ...SCHEMAS.filter(({ version }) => version <= OLD),
    { version: OLD + 1, hash: 'new', step },
  ]

  test('that fails leaves the old database, names the backup, and the older executable works again', () => {
    let backup = ''
    const tell = (made: string) => {
      backup = made
    }
    const before = backUpFirst({ dataDir, folder: backupsFolder(dataDir), isLast: true, tell })
    const db = openSqlite(file)
    const step = () => {
      db.exec("ALTER TABLE orgs ADD COLUMN x TEXT; UPDATE orgs SET name = 'New'; DROP TABLE recurring_jobs")
      throw new Error('no such thing')
    }
    assert.throws(() => migrate(db, file, { schemas: through(step), before }), {
      code: 'migration_failed',
      message: /could not be migrated from schema 4 to 5 \(no such thing\)\. It is as it was before/,
    })
    db.close()
    assert.deepEqual(seenByOlder(), ['Old'])
    assert.equal(verifyBackup(backup).manifest.schema_version, OLD)
  })

  test('that is killed leaves the old database', () => {
    const module = (path: string) => JSON.stringify(join(root, path))
    const script = `
      import { openSqlite } from ${module('src/store/sqlite/driver.ts')}
      import { migrate, SCHEMAS } from ${module('src/store/schema/migrations.ts')}
      const db = openSqlite(${JSON.stringify(file)})
      db.pragma('cache_size = 10') // so that pages are written before the commit
      const step = () => {
        db.exec("ALTER TABLE orgs ADD COLUMN x TEXT; UPDATE orgs SET name = 'New'; CREATE TABLE many (x)")
        for (let n = 0; n < 500; n++) db.prepare('INSERT INTO many VALUES (randomblob(2000))').run()
        process.kill(process.pid, 'SIGKILL')
      }
      migrate(db, 'old', { schemas: [...SCHEMAS.filter(({ version }) => version <= ${OLD}), { version: ${OLD + 1}, hash: 'new', step }] })`
    const { signal } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', script])
    assert.equal(signal, 'SIGKILL')
    assert.ok(statSync(`${file}-wal`).size > 500_000, 'it had written much')
    const copy = join(temporaryFolder(), 'dealbox.db')
    for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${copy}${end}`)
    assert.deepEqual(seenByOlder(copy), ['Old'], 'also without the index of the log, as after a power cut')
    assert.deepEqual(seenByOlder(), ['Old'])
    assert.ok(existsSync(file))
  })
})

describe('a service that is started again and again', () => {
  const module = (path: string) => JSON.stringify(join(root, path))
  /** Runs the job with a last step that does something else first. */
  function withStep<T>(first: (db: Connection) => void, job: () => T): T {
    const last = SCHEMAS.at(-1) as { step: (db: Connection) => void }
    const { step } = last
    last.step = (db) => {
      first(db)
      step(db)
    }
    try {
      return job()
    } finally {
      last.step = step
    }
  }

  test('makes one backup, however often the migration fails, and another one once the old version has written', () => {
    const said: unknown[] = []
    const log = { ...silentLog, warn: (_: unknown, text: string) => void said.push(text) } as never
    const start = (folder = backupsFolder(dataDir)) => openServedStore(dataDir, log, { backupDir: folder }).close()
    const fail = (db: Connection) => {
      db.exec('CREATE TABLE many (x)')
      throw new Error('no such thing')
    }
    const failing = (folder?: string) =>
      withStep(fail, () => assert.throws(() => start(folder), { code: 'migration_failed' }))
    for (let time = 0; time < 3; time++) failing()
    assert.equal(backups().length, 1)
    assert.deepEqual(
      said.map((text) => /once more; this backup from before the last attempt/.test(String(text))),
      [false, true, true],
    )
    // The older executable works again, and what it writes is in the next backup.
    assert.deepEqual(seenByOlder(), ['Old'])
    const db = openSqlite(file)
    db.exec("UPDATE orgs SET name = 'Changed'")
    db.close()
    failing()
    failing()
    assert.equal(backups().length, 2)
    // Settings are in it, and another folder, or one that lost it, needs one of its own.
    writeFileSync(join(dataDir, 'dealbox.json'), '{}')
    failing()
    assert.equal(backups().length, 3)
    rmSync(lastBackup(dataDir).last?.file as string)
    failing()
    assert.equal(backups().length, 3)
    const other = temporaryFolder()
    failing(other)
    failing(other)
    assert.equal(readdirSync(other).length, 1)
    start(other)
    const [name = ''] = readdirSync(other)
    assert.equal(verifyBackup(join(other, name)).manifest.schema_version, OLD)
  })

  test('that is killed in the middle of it goes on from the old database, with the backup that it has made', async () => {
    const argv = ['serve', '--data', dataDir, '--api-listen', '127.0.0.1:0', '--screens-listen', 'off']
    const script = `
      import { SCHEMAS } from ${module('src/store/schema/migrations.ts')}
      SCHEMAS.at(-1).step = (db) => {
        db.pragma('cache_size = 10') // so that pages are written before the commit
        db.exec("UPDATE orgs SET name = 'New'; CREATE TABLE many (x)")
        for (let n = 0; n < 500; n++) db.prepare('INSERT INTO many VALUES (randomblob(2000))').run()
        process.kill(process.pid, 'SIGKILL')
      }
      process.argv = [process.execPath, 'main.ts', ...${JSON.stringify(argv)}]
      await import(${module('src/main.ts')})`
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', script])
    assert.equal(signal, 'SIGKILL', String(stderr))
    assert.ok(statSync(`${file}-wal`).size > 500_000, 'it had written much')
    assert.equal(backups().length, 1)
    const { screen, lines, stop } = await serve(dataDir, '')
    try {
      assert.equal((await screen('/readyz')).status, 200)
      assert.match(String(lines.map(({ msg }) => msg)), /once more; this backup from before the last attempt/)
      assert.equal(backups().length, 1)
    } finally {
      await stop()
    }
    const db = openSqlite(file)
    assert.deepEqual(db.prepare('SELECT name FROM orgs').pluck().all(), ['Old'])
    db.close()
  })

  test('leaves no backup that it cannot note, so that none piles up', () => {
    mkdirSync(join(dataDir, 'backups.json')) // which a file cannot replace
    const folder = temporaryFolder()
    const options = { backupDir: folder }
    assert.throws(() => openServedStore(dataDir, silentLog, options), {
      code: 'storage_full',
      message: /cannot be noted in .*, and nothing was migrated\. Free some space there/,
    })
    assert.deepEqual([readdirSync(folder), seenByOlder()], [[], ['Old']])
  })
})
