import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { restoreBackup } from '../../../src/ops/backup/restore.ts'
import { claimEpoch } from '../../../src/ops/replication/epochs.ts'
import { folderCopy } from '../../../src/ops/replication/replica/folder.ts'
import { openStore } from '../../../src/store/open.ts'
import { cli } from '../../cli/command-line.ts'
import { makeOrg } from '../../support/org.ts'
import { serve } from '../../support/served.ts'
import { NOW, places } from './backup-fixture.ts'

// Which primary a restored database is of, and where the numbers of its events go on.

const { temporaryFolder, dataFolder } = places()

let file: string
before(async () => {
  const { dataDir } = await dataFolder()
  file = makeBackup({ dataDir, folder: temporaryFolder(), reason: 'command', now: NOW }).file
})

const restore = (dataDir: string, more: object = {}) =>
  restoreBackup({ file, dataDir, now: NOW, dryRun: false, describe: () => undefined, ...more })

/** A data folder with another organisation. */
async function occupied(): Promise<string> {
  const dataDir = temporaryFolder()
  const store = openStore(dataDir, { create: true })
  await makeOrg(store, dataDir, 'Before')
  store.close()
  return dataDir
}

const S = 1_000_000_000

/** Makes the database of a folder that of the primary of an epoch, whose last event has a number. */
function promote(dataDir: string, epoch: number, lastSeq: number): void {
  const { db, close } = openStore(dataDir)
  db.prepare('UPDATE replication SET epoch = ?, promoted_at = ?, primary_url = ?').run(
    epoch,
    NOW,
    'http://b.example.com',
  )
  db.prepare('UPDATE orgs SET last_seq = ?').run(lastSeq)
  close()
}

/** The epoch of a folder, the address of its primary, and the number of the last event. */
function standingOf(dataDir: string): unknown[] {
  const { db, close } = openStore(dataDir)
  try {
    const row = db.prepare('SELECT epoch, primary_url FROM replication').raw().get() as unknown[]
    return [...row, db.prepare('SELECT max(last_seq) FROM orgs').pluck().get()]
  } finally {
    close()
  }
}

describe('a backup of another epoch', () => {
  test('goes on as the last primary of the folder, with numbers that it has not given', async () => {
    const dataDir = await occupied()
    promote(dataDir, 2, S + 7)
    const { epoch, isEpochKnown } = restore(dataDir)
    assert.deepEqual([epoch, isEpochKnown], [2, true])
    assert.deepEqual(standingOf(dataDir), [2, 'http://b.example.com', 2 * S])
    const { file: newer } = makeBackup({ dataDir, folder: temporaryFolder(), reason: 'command', now: NOW })
    restore(dataDir)
    assert.deepEqual(standingOf(dataDir), [2, 'http://b.example.com', 3 * S], 'once more')
    restore(dataDir, { file: newer })
    assert.deepEqual(standingOf(dataDir), [2, 'http://b.example.com', 4 * S], 'of the same epoch')
    const other = await occupied()
    const later = restore(other, { file: newer })
    assert.deepEqual([later.epoch, later.isEpochKnown], [2, false], 'of a later epoch than the folder')
    assert.deepEqual(standingOf(other), [2, 'http://b.example.com', 3 * S])
  })

  test('stays what it is where no standby was ever promoted, and where nobody knows', async () => {
    const dataDir = await occupied()
    const numbered = standingOf(dataDir)
    assert.deepEqual([restore(dataDir).epoch, restore(dataDir).isEpochKnown], [1, true])
    assert.deepEqual(standingOf(dataDir), numbered)
    promote(dataDir, 5, 4 * S)
    writeFileSync(join(dataDir, 'dealbox.db'), 'noise'.repeat(10_000))
    const [none, empty] = [join(temporaryFolder(), 'none'), await occupied()]
    writeFileSync(join(empty, 'dealbox.db'), '')
    for (const each of [dataDir, none, empty]) {
      const { epoch, isEpochKnown } = restore(each)
      assert.deepEqual([epoch, isEpochKnown], [1, false])
    }
    assert.equal(restore(none, { dryRun: true }).epoch, null)
  })

  test('is not restored over a copy that follows a primary', async () => {
    const dataDir = await occupied()
    const database = join(dataDir, 'dealbox.db')
    const bytes = readFileSync(database)
    for (const name of ['dealbox.db-txid', 'dealbox.db-promoting']) {
      writeFileSync(join(dataDir, name), '1')
      assert.throws(() => restore(dataDir), { code: 'is_a_copy', message: /Restore into the folder of the primary/ })
      rmSync(join(dataDir, name))
    }
    assert.ok(readFileSync(database).equals(bytes))
  })

  test('is served with the replica of its successor', async () => {
    const dataDir = await occupied()
    promote(dataDir, 2, S)
    const replica = temporaryFolder()
    for (const epoch of [1, 2])
      await claimEpoch(folderCopy(replica), { epoch, from: epoch - 1, primary_url: null, now: NOW })
    const { out } = await cli(['restore', file, '--data', dataDir])
    assert.match(out, /\nIt goes on as the primary of epoch 2\.\n/)
    const server = await serve(dataDir, '', { replicated: true, replica })
    await server.stop()
    assert.equal(existsSync(join(dataDir, 'deposed.json')), false)
  })
})
