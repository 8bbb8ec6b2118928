import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { random } from '../../../src/demo/story/random.ts'
import { MIB } from '../../../src/lib/size.ts'
import { writeArchive } from '../../../src/ops/backup/archive.ts'
import { smallFiles, united } from '../../../src/ops/backup/contents.ts'
import { copyDatabase, sizeOfDatabase } from '../../../src/ops/backup/database.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { manifestBytes, peekManifest } from '../../../src/ops/backup/manifest.ts'
import { withFiles } from '../../../src/ops/backup/problems.ts'
import { BLOCK } from '../../../src/ops/backup/tar.ts'
import { verifyBackup } from '../../../src/ops/backup/verify.ts'
import { diskSpace } from '../../../src/store/folder/disk-space.ts'
import { lockFolder } from '../../../src/store/folder/lock.ts'
import { DATABASE, type OpenedStore } from '../../../src/store/open.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { NOW, places } from './backup-fixture.ts'

const { temporaryFolder, dataFolder } = places()

let dataDir: string
let store: OpenedStore
before(async () => {
  ;({ dataDir, store } = await dataFolder())
  store.vault.seal('test', 'secret') // makes the second kind of key
  writeFileSync(join(dataDir, 'dealbox.json'), '{}', { mode: 0o640 })
  writeFileSync(join(dataDir, 'server.reserve'), 'not in a backup')
})

const make = (folder: string, more: object = {}) =>
  makeBackup({ dataDir, folder, reason: 'command', now: NOW, ...more })

describe('a backup', () => {
  test('is one private file with all that a data folder needs, beside an open database', () => {
    const folder = join(temporaryFolder(), 'new', 'folder')
    const { file, bytes, manifest } = make(folder)
    assert.equal(file, join(folder, 'dealbox-20261123T031500Z.tar'))
    assert.deepEqual(
      [statSync(file).size, statSync(file).mode & 0o777, statSync(folder).mode & 0o777],
      [bytes, 0o600, 0o700],
    )
    assert.deepEqual(readdirSync(folder), ['dealbox-20261123T031500Z.tar'])
    const [pem] = readdirSync(join(dataDir, 'keys')).filter((name) => name.endsWith('.pem'))
    assert.deepEqual(
      manifest.parts.map(({ name, mode }) => [name, mode]),
      [
        ['dealbox.db', 0o600],
        [`keys/${pem}`, 0o600],
        ['keys/secrets.key', 0o600],
        ['dealbox.json', 0o640],
      ],
    )
    assert.equal(manifest.installation_id, store.installation)
    assert.deepEqual(
      [manifest.made_at, manifest.reason, manifest.rows.orgs],
      ['2026-11-23T03:15:00.000Z', 'command', 1],
    )
    assert.deepEqual(peekManifest(file), manifest)
    assert.deepEqual(verifyBackup(file), { manifest, bytes })
    assert.deepEqual(readdirSync(folder).length, 1, 'checking leaves nothing behind')
  })

  test('never replaces a file', () => {
    const folder = temporaryFolder()
    assert.deepEqual(
      [1, 2, 3].map(() => make(folder).file.slice(folder.length + 1)),
      ['dealbox-20261123T031500Z.tar', 'dealbox-20261123T031501Z.tar', 'dealbox-20261123T031502Z.tar'],
    )
    writeFileSync(join(folder, 'mine'), 'keep')
    const never = join(temporaryFolder(), 'never') // what is taken is said before anything is read
    assert.throws(() => make(folder, { name: 'mine', dataDir: never }), { code: 'file_exists' })
    assert.throws(() => make(folder, { name: 'mine' }), { code: 'file_exists' })
    assert.equal(readFileSync(join(folder, 'mine'), 'utf8'), 'keep')
    assert.equal(readdirSync(folder).length, 4)
  })

  test('has the keys that its database needs, whether they came or went while it was copied', () => {
    const key = (name: string, content = name) => ({ name: `keys/${name}`, mode: 0o600, content: Buffer.from(content) })
    const settings = { name: 'dealbox.json', mode: 0o600, content: Buffer.from('{}') }
    const both = united(
      [key('retired.pem'), key('secrets.key', 'before'), settings],
      [key('new.pem'), key('secrets.key', 'after')],
    )
    assert.deepEqual(
      both.map(({ name, content }) => [name, String(content)]),
      [
        ['keys/new.pem', 'new.pem'],
        ['keys/secrets.key', 'after'],
        ['keys/retired.pem', 'retired.pem'],
      ],
    )
    assert.deepEqual(smallFiles(join(dataDir, 'none')), [])
  })

  test('has the keys of Dealbox, and no other files beside them', async () => {
    const other = await dataFolder('Birch')
    const keys = join(other.dataDir, 'keys')
    const before = smallFiles(other.dataDir)
    for (const name of ['secrets copy.key', 'secrets.key.key', 'mine.pem', '.hidden.key'])
      writeFileSync(join(keys, name), 'of a person')
    mkdirSync(join(keys, 'old.key'))
    assert.deepEqual(smallFiles(other.dataDir), before)
    const { file } = makeBackup({ dataDir: other.dataDir, folder: temporaryFolder(), reason: 'command', now: NOW })
    assert.equal(verifyBackup(file).manifest.parts.length, 1 + before.length)
  })

  for (const [pragma, sql, fault] of [
    [
      'foreign_keys = OFF',
      "UPDATE members SET org_id = 77 WHERE name = 'Gone'",
      'a row of members refers to one of orgs',
    ],
    ['ignore_check_constraints = ON', 'UPDATE pipelines SET is_default = 5', 'CHECK constraint failed in pipelines'],
  ] as const) {
    test(`is not made of a database of which SQLite says "${fault}"`, async () => {
      const other = await dataFolder('Birch')
      const folder = temporaryFolder()
      other.store.db.pragma(pragma)
      other.store.db.exec(sql)
      assert.throws(() => makeBackup({ dataDir: other.dataDir, folder, reason: 'command', now: NOW }), {
        code: 'backup_failed',
        message: new RegExp(`^No backup was made: .*${fault}.*database itself`),
      })
      assert.deepEqual(readdirSync(folder), [])
    })
  }

  test('removes what killed processes have left, and nothing of running ones', () => {
    const folder = temporaryFolder()
    for (const name of ['dealbox.part-killed', 'dealbox.part-locked', 'dealbox.part-young']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'dealbox.db'), 'half')
    }
    const release = lockFolder(join(folder, 'dealbox.part-locked'))
    for (const name of ['killed', 'locked']) utimesSync(join(folder, `dealbox.part-${name}`), 1, 1)
    make(folder)
    assert.deepEqual(readdirSync(folder).sort(), [
      'dealbox-20261123T031500Z.tar',
      'dealbox.part-locked',
      'dealbox.part-young',
    ])
    release?.()
  })

  test('is refused with what to do where there is no space, and then leaves nothing', (t) => {
    const disk = smallDisk(64 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    try {
      // Enough for the backup, but not for a server on the same disk to go on writing.
      const needed = 2 * sizeOfDatabase(join(dataDir, DATABASE)) + 2 * MIB
      writeFileSync(join(disk.folder, 'others'), Buffer.alloc(diskSpace(disk.folder).freeBytes - needed))
      assert.throws(() => make(disk.folder), {
        code: 'storage_full',
        message:
          /A backup needs [\d.]+ MiB in .*, where [\d.]+ MiB are free\. Free some space, or choose another folder\./,
      })
      assert.deepEqual(readdirSync(disk.folder), ['others'])
    } finally {
      disk.drop()
    }
  })

  test('leaves nothing of it on a disk that fills meanwhile, and names the folder', async (t) => {
    const disk = smallDisk(24 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    const other = await dataFolder('Birch')
    try {
      // While the tar file is written: settings are not reckoned with.
      writeFileSync(join(other.dataDir, 'dealbox.json'), Buffer.alloc(32 * MIB, 'x'))
      const full = {
        code: 'storage_full',
        message: `A backup in ${disk.folder} failed: the disk of ${disk.folder} is full. Nothing of it was left there. Free some space, or choose another folder.`,
      }
      const into = { folder: disk.folder, reason: 'command' as const, now: NOW }
      assert.throws(() => makeBackup({ dataDir: other.dataDir, ...into }), full)
      assert.deepEqual(readdirSync(disk.folder), [])
      // While the database is copied, beside a server that has it open.
      disk.fill(512)
      assert.throws(() => copyDatabase(join(other.dataDir, DATABASE), join(disk.folder, 'copy')), {
        code: 'SQLITE_FULL',
      })
      assert.throws(
        () => withFiles('It', disk.folder, () => copyDatabase(join(dataDir, DATABASE), join(disk.folder, 'other'))),
        { code: 'storage_full', message: new RegExp(`^It failed: the disk of ${disk.folder} is full\\.`) },
      )
    } finally {
      disk.drop()
    }
  })

  test('leaves nothing of it where files may not grow while the database is copied', {
    skip: process.platform === 'win32',
  }, () => {
    const folder = temporaryFolder()
    const script = `
      import { makeBackup } from ${JSON.stringify(join(import.meta.dirname, '../../../src/ops/backup/make.ts'))}
      makeBackup({ dataDir: ${JSON.stringify(dataDir)}, folder: ${JSON.stringify(folder)}, reason: 'command', now: 0 })`
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 200; exec "$0" --input-type=module-typescript --eval "$1"', process.execPath, script],
      { encoding: 'utf8' },
    )
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`A backup in ${folder} failed \\(SQLITE_\\w+: .*\\)\\. Check the disks`))
    assert.deepEqual(readdirSync(folder), [])
  })

  test('is refused where the folder cannot be made', () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    assert.throws(() => make(join(file, 'folder')), { code: 'files_failed', message: /failed \(E\w+: .*\)\. Check/ })
  })
})

describe('verify', () => {
  let file: string
  before(() => {
    file = make(temporaryFolder()).file
  })

  test('refuses a backup with one wrong bit, wherever it is', () => {
    const { int } = random(seedOf(20261123))
    const size = statSync(file).size
    const data = 2 * BLOCK + Math.ceil((peekManifestBytes(file) + 1) / BLOCK) * BLOCK
    const fd = openSync(file, 'r+')
    const byte = Buffer.alloc(1)
    const places = Array.from({ length: examples(1000) }, (_, n) => {
      if (n % 2 === 0) return int(size)
      return n % 4 === 1 ? int(data) : size - 1 - int(12 * BLOCK) // where the headers, keys and hashes are
    })
    for (const at of places) {
      readSync(fd, byte, 0, 1, at)
      const right = byte[0] as number
      writeSync(fd, Buffer.of(right ^ (1 << int(8))), 0, 1, at)
      assert.throws(() => verifyBackup(file), { code: /^(backup_damaged|not_a_backup|newer_backup)$/ }, `byte ${at}`)
      writeSync(fd, byte, 0, 1, at)
    }
    closeSync(fd)
    verifyBackup(file)
  })

  const peekManifestBytes = (path: string): number => manifestBytes(peekManifest(path) as never).length

  /** Writes a file with a right checksum that only a person could make. */
  function forged(
    name: string,
    change: (manifest: Record<string, unknown>) => void,
    parts?: { name: string; text: string }[],
  ) {
    const path = join(temporaryFolder(), name)
    const manifest = structuredClone(peekManifest(file)) as unknown as Record<string, unknown>
    change(manifest)
    const all = [{ name: 'manifest.json', text: JSON.stringify(manifest) }, ...(parts ?? [])]
    writeArchive(
      path,
      all.map(({ name, text }) => ({ name, mode: 0o600, size: text.length, content: Buffer.from(text) })),
      1,
    )
    return path
  }

  test('refuses what is no backup, what a newer version made, and parts that are missing or not announced', () => {
    const text = join(temporaryFolder(), 'text')
    writeFileSync(text, 'hello')
    assert.throws(() => verifyBackup(text), { code: 'not_a_backup', message: /is not a backup of Dealbox/ })
    assert.throws(() => verifyBackup(join(text, 'none')), { code: /files_failed|no_backup/ })
    assert.throws(() => verifyBackup(`${text}-none`), { code: 'no_backup' })
    const newer = forged('newer', (manifest) => Object.assign(manifest, { format_version: 2 }))
    assert.throws(() => verifyBackup(newer), { code: 'newer_backup', message: /made by a newer version of Dealbox/ })
    assert.throws(() => verifyBackup(forged('short', () => undefined)), { message: /parts of it are missing/ })
    const other = forged('other', () => undefined, [{ name: 'dealbox.db', text: 'x' }])
    assert.throws(() => verifyBackup(other), { message: /contains dealbox\.db, which is not in its manifest/ })
  })

  test('writes nothing outside of its folder, whatever the names in a backup', () => {
    for (const name of ['../evil.pem', 'keys/../../evil.pem', '/tmp/evil.pem', 'keys/.hidden.pem', 'server.lock']) {
      const path = forged(
        'evil',
        ({ parts }) => void (parts as object[]).push({ name, bytes: 1, mode: 384, sha256: '0'.repeat(64) }),
      )
      assert.throws(() => verifyBackup(path), { code: 'backup_damaged', message: /its manifest cannot be read/ }, name)
    }
  })

  test('compares the rows with the manifest', () => {
    const database = join(temporaryFolder(), 'dealbox.db')
    store.db.prepare('VACUUM INTO ?').run(database)
    const manifest = peekManifest(file) as NonNullable<ReturnType<typeof peekManifest>>
    const parts = manifest.parts.slice(0, 1)
    const written = (rows: Record<string, number>) => {
      const path = join(temporaryFolder(), 'rows.tar')
      const bytes = manifestBytes({ ...manifest, parts, rows })
      const first = { name: 'manifest.json', mode: 0o600, size: bytes.length, content: bytes }
      writeArchive(
        path,
        [first, { ...(parts[0] as (typeof parts)[0]), size: parts[0]?.bytes as number, content: database }],
        1,
      )
      return path
    }
    assert.throws(() => verifyBackup(written(manifest.rows)), { code: 'keys_missing' }) // its rows are as they should be
    assert.throws(() => verifyBackup(written({ ...manifest.rows, orgs: 2 })), { message: /orgs has 1 rows and not 2/ })
    const { orgs, ...others } = manifest.rows
    assert.throws(() => verifyBackup(written(others)), { message: /orgs has 1 rows and not undefined/ })
  })

  test('works in a folder that cannot be written', {
    skip: process.getuid?.() === 0 && 'root may write everywhere',
  }, () => {
    const folder = temporaryFolder()
    const { file: path } = make(folder)
    chmodSync(folder, 0o500)
    verifyBackup(path)
    chmodSync(folder, 0o700)
    assert.ok(existsSync(path))
  })
})
