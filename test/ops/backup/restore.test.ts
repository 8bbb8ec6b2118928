import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { isSendingPaused, resumeSending } from '../../../src/ops/backup/sending.ts'
import { lockInstance, lockRestore } from '../../../src/store/folder/lock.ts'
import { finishSwap, swapIn } from '../../../src/store/folder/swap.ts'
import { openStore, type Store } from '../../../src/store/open.ts'
import { makeOrg } from '../../support/org.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { NOW, places } from './backup-fixture.ts'
import { withoutKeys } from './without-keys.ts'

const { temporaryFolder, dataFolder } = places()

const ASIDE = 'before-restore-20261123T031500Z'

let file: string
let installation: string
before(async () => {
  const { dataDir, store } = await dataFolder()
  file = makeBackup({ dataDir, folder: temporaryFolder(), reason: 'command', now: NOW }).file
  installation = store.installation
})

const restore = (dataDir: string, more: object = {}) =>
  restoreBackup({ file, dataDir, now: NOW, dryRun: false, describe: (store) => orgsOf(store), ...more })

const orgsOf = ({ db }: Pick<Store, 'db'>) => db.prepare('SELECT name FROM orgs').pluck().all()

function openedOrgs(dataDir: string): [unknown[], string] {
  const store = openStore(dataDir)
  try {
    return [orgsOf(store), store.installation]
  } finally {
    store.close()
  }
}

/** A data folder with another organisation and a file that is not ours. */
async function occupied(at = temporaryFolder()): Promise<string> {
  const store = openStore(at, { create: true })
  await makeOrg(store, at, 'Before')
  store.close()
  writeFileSync(join(at, 'note.txt'), 'mine')
  return at
}

/** All files of a folder with their contents; not the locks. */
function contentsOf(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return Object.fromEntries(
    found
      .map((each) => join(each.parentPath, each.name))
      .filter((path) => !path.endsWith('.lock'))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  )
}

describe('a restore', () => {
  test('makes a data folder where there is none, which sends nothing at first', () => {
    const dataDir = join(temporaryFolder(), 'new')
    const { described, aside, manifest } = restore(dataDir)
    assert.deepEqual([described, aside, manifest.installation_id], [['Acme'], null, installation])
    assert.deepEqual(openedOrgs(dataDir), [['Acme'], installation])
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.equal(statSync(join(dataDir, 'dealbox.db')).mode & 0o777, 0o600)
    for (const name of readdirSync(join(dataDir, 'keys')))
      assert.equal(statSync(join(dataDir, 'keys', name)).mode & 0o777, 0o600)
    assert.equal(isSendingPaused(dataDir), true)
    assert.equal(resumeSending(dataDir), true)
    assert.deepEqual([isSendingPaused(dataDir), resumeSending(dataDir)], [false, false])
  })

  test('moves what is there aside, never deletes it, and leaves the rest of the folder', async () => {
    const dataDir = await occupied()
    const before = contentsOf(dataDir)
    const { aside } = restore(dataDir)
    assert.equal(aside, join(dataDir, ASIDE))
    assert.deepEqual(openedOrgs(dataDir), [['Acme'], installation])
    const moved = contentsOf(aside as string)
    for (const name of ['dealbox.db', ...Object.keys(before).filter((each) => each.startsWith('keys/'))])
      assert.equal(moved[name], before[name], name)
    assert.equal(readFileSync(join(dataDir, 'note.txt'), 'utf8'), 'mine')
    assert.deepEqual(openedOrgs(aside as string)[0], ['Before'])
    assert.equal(restore(dataDir).aside, `${join(dataDir, ASIDE)}-2`, 'a second time')
    assert.deepEqual(openedOrgs(aside as string)[0], ['Before'])
  })

  test('works where the data folder is a mount point', async (t) => {
    const disk = smallDisk(64 * 1024)
    if (!disk) return t.skip('no file system can be mounted here')
    try {
      await occupied(disk.folder)
      restore(disk.folder)
      assert.deepEqual(openedOrgs(disk.folder)[0], ['Acme'])
      assert.deepEqual(openedOrgs(join(disk.folder, ASIDE))[0], ['Before'])
    } finally {
      disk.drop()
    }
  })

  test('changes nothing in a dry run', async () => {
    const dataDir = await occupied()
    const before = contentsOf(dataDir)
    assert.deepEqual(restore(dataDir, { dryRun: true }).described, ['Acme'])
    assert.deepEqual(contentsOf(dataDir), before)
    const none = join(temporaryFolder(), 'none')
    assert.deepEqual(restore(none, { dryRun: true }).described, ['Acme'])
    assert.ok(!existsSync(none))
  })

  test('is refused while a server or a command uses the folder', async () => {
    const dataDir = await occupied()
    const before = contentsOf(dataDir)
    const release = lockInstance(dataDir)
    for (const dryRun of [false, true])
      assert.throws(() => restore(dataDir, { dryRun }), { code: 'already_running', message: /Stop it/ })
    release()
    const other = openStore(dataDir)
    other.db.prepare('SELECT 1 FROM orgs').get()
    assert.throws(() => restore(dataDir), { code: 'database_in_use', message: /Wait until it ends/ })
    other.close()
    assert.deepEqual(contentsOf(dataDir), before)
    restore(dataDir)
  })

  test('takes the place of a database that is damaged or lost', async () => {
    const dataDir = await occupied()
    writeFileSync(join(dataDir, 'dealbox.db'), 'noise'.repeat(10_000))
    const { aside } = restore(dataDir)
    assert.equal(readFileSync(join(aside as string, 'dealbox.db'), 'utf8'), 'noise'.repeat(10_000))
    assert.deepEqual(openedOrgs(dataDir)[0], ['Acme'])
    rmSync(join(dataDir, 'dealbox.db'))
    assert.throws(() => openStore(dataDir), { code: 'database_lost' })
    restore(dataDir)
    assert.deepEqual(openedOrgs(dataDir)[0], ['Acme'])
  })

  test('of a damaged or newer backup is refused, and makes no folder', async () => {
    const folder = temporaryFolder()
    const damaged = join(folder, 'damaged.tar')
    const bytes = readFileSync(file)
    bytes[200_000] = (bytes[200_000] as number) ^ 1
    writeFileSync(damaged, bytes)
    assert.throws(() => restore(join(folder, 'new'), { file: damaged }), { code: 'backup_damaged' })
    assert.ok(!existsSync(join(folder, 'new')))
    const { dataDir, store } = await dataFolder('Newer')
    store.db.pragma('user_version = 99')
    const newer = makeBackup({ dataDir, folder, reason: 'command', now: NOW }).file
    const occupiedDir = await occupied()
    const before = contentsOf(occupiedDir)
    assert.throws(() => restore(occupiedDir, { file: newer }), {
      code: 'newer_schema',
      message:
        /was made by Dealbox [\d.]+ \(schema 99\), and this version supports \d+\. Use that version or a newer one\./,
    })
    assert.deepEqual(contentsOf(occupiedDir), before)
  })

  test('needs the key files of its tokens', async () => {
    const { dataDir, store } = await dataFolder('Keyless')
    const keyless = join(temporaryFolder(), 'keyless.tar')
    const { file: good } = makeBackup({ dataDir, folder: temporaryFolder(), reason: 'command', now: NOW })
    withoutKeys(good, keyless, (name) => name.endsWith('.pem'))
    assert.throws(() => restore(join(temporaryFolder(), 'new'), { file: keyless }), { code: 'keys_missing' })
    store.db.exec('UPDATE signing_keys SET retired_at = 1')
  })
})

describe('a restore that is interrupted', () => {
  /** Throws before the nth rename, as if the process were killed there. */
  function interrupted(dataDir: string, nth: number): boolean {
    let count = 0
    const files = join(dataDir, 'prepared')
    const from = temporaryFolder()
    restore(join(from, 'data'))
    renameSync(join(from, 'data'), files)
    for (const name of readdirSync(files)) if (name.endsWith('.lock')) rmSync(join(files, name))
    const rename = (one: string, other: string) => {
      if (count++ === nth) throw new Error('killed')
      renameSync(one, other)
    }
    try {
      swapIn(dataDir, files, ASIDE, rename)
      return false
    } catch (error) {
      assert.equal((error as Error).message, 'killed')
      return true
    }
  }

  test('leaves the old folder or the new one, wherever it is interrupted, and however often', async () => {
    let wasInterrupted = true
    for (let nth = 0; wasInterrupted; nth++) {
      const dataDir = await occupied()
      writeFileSync(join(dataDir, 'dealbox.db-wal'), 'of the old database')
      wasInterrupted = interrupted(dataDir, nth)
      if (nth === 0) {
        assert.deepEqual(openedOrgs(dataDir)[0], ['Before'])
        continue
      }
      // Whoever opens the folder completes it, and may be killed as well.
      for (let again = 0; again < nth % 3; again++) {
        let count = 0
        const rename = (one: string, other: string) => {
          if (count++ === again) throw new Error('killed')
          renameSync(one, other)
        }
        try {
          finishSwap(dataDir, rename)
        } catch (error) {
          assert.equal((error as Error).message, 'killed')
        }
      }
      finishSwap(dataDir)
      assert.equal(readFileSync(join(dataDir, ASIDE, 'dealbox.db-wal'), 'utf8'), 'of the old database')
      assert.ok(!existsSync(join(dataDir, 'dealbox.db-wal')), 'a log beside another database would damage it')
      assert.deepEqual(openedOrgs(dataDir), [['Acme'], installation], `interrupted at ${nth}`)
      assert.ok(isSendingPaused(dataDir))
      assert.deepEqual(openedOrgs(join(dataDir, ASIDE))[0], ['Before'])
      assert.ok(!existsSync(join(dataDir, 'restored.part')))
      if (!wasInterrupted) assert.ok(nth > 4, String(nth))
    }
  })

  test('is not completed by two processes at once', async () => {
    const dataDir = await occupied()
    assert.ok(interrupted(dataDir, 2))
    const release = lockRestore(dataDir)
    assert.throws(() => openStore(dataDir), { code: 'restore_running' })
    release()
    assert.deepEqual(openedOrgs(dataDir)[0], ['Acme'])
  })
})
