import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS, rfc3339 } from '../../../src/lib/time.ts'
import { decryptNow } from '../../../src/ops/backup/encryption/encryption.ts'
import type { Encryption } from '../../../src/ops/backup/encryption/secrets.ts'
import { listBackups } from '../../../src/ops/backup/list.ts'
import { makeBackup } from '../../../src/ops/backup/make.ts'
import { markOf, plainName, readName, sealedName } from '../../../src/ops/backup/names.ts'
import { type NightOptions, night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { lastBackup } from '../../../src/ops/backup/state.ts'
import { verifyBackup } from '../../../src/ops/backup/verify.ts'
import { installedAt } from '../../../src/store/installation.ts'
import type { OpenedStore } from '../../../src/store/open.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { NOW, places } from './backup-fixture.ts'

// Backups that are encrypted where they are made: --backup-encrypt of a server.

const { temporaryFolder, dataFolder } = places()

let dataDir: string
let store: OpenedStore
let folder: string
let identity: string
let recipient: Encryption
/** The usual rounds of scrypt take a second each. */
const PASSPHRASE = { passphrase: 'a lake in the north', workFactor: 10 }
const KEEP = { keep: { days: 2, weeks: 0, months: 0 }, timezone: 'UTC', mayPrune: true }
before(async () => {
  ;({ dataDir, store } = await dataFolder())
  identity = await generateX25519Identity()
  recipient = { recipients: [await identityToRecipient(identity)] }
})
beforeEach(() => {
  folder = join(temporaryFolder(), 'backups')
  rmSync(join(dataDir, 'backups.json'), { force: true })
})

const run = (day: number, encryption: Encryption | undefined, more: Partial<NightOptions> = {}) =>
  night({ dataDir, folder, installation: store.installation, ...KEEP, now: NOW + day * DAY_MS, encryption, ...more })

const nameOn = (day: number) => sealedName(NOW + day * DAY_MS, 'nightly', store.installation)
const names = () => readdirSync(folder).sort()
const partsIn = (path: string) => readdirSync(path).filter((name) => name.startsWith('dealbox.part-'))

/** The manifest of an encrypted backup that is whole. */
function opened(file: string) {
  const plain = join(temporaryFolder(), 'plain.tar')
  decryptNow(file, plain, { identities: [identity] })
  return verifyBackup(plain).manifest
}

test('a name says when, why and of which installation, and nothing else', () => {
  assert.equal(plainName(NOW), 'dealbox-20261123T031500Z.tar')
  const name = sealedName(NOW, 'migration', 'some-id')
  assert.equal(name, `dealbox-20261123T031500Z-migration-${markOf('some-id')}.tar.age`)
  assert.deepEqual(readName(name), { made: NOW, reason: 'migration', mark: markOf('some-id') })
  assert.match(markOf('some-id'), /^[0-9a-f]{12}$/)
  assert.notEqual(markOf('some-id'), markOf('other-id'))
  for (const known of ['dealbox-20261123T031500Z.tar', 'dealbox-20261123T031500Z.tar.age'])
    assert.deepEqual(readName(known), { made: NOW })
  const others = ['dealbox-20261123T031500Z-x.tar', 'dealbox-20269923T031500Z.tar', `${name}.damaged`, `x${name}`]
  for (const other of others) assert.equal(readName(other), undefined, other)
})

describe('a night with --backup-encrypt', () => {
  test('leaves the backup encrypted only, and it was whole before', () => {
    const { last, failure, deleted } = run(0, recipient)
    assert.deepEqual([failure, deleted, names()], [null, [], [nameOn(0)]])
    const file = join(folder, nameOn(0))
    assert.deepEqual([last?.file, last?.bytes], [file, statSync(file).size])
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.ok(readFileSync(file).subarray(0, 21).equals(Buffer.from('age-encryption.org/v1')))
    const manifest = opened(file)
    assert.deepEqual([manifest.reason, manifest.made_at], ['nightly', rfc3339(NOW)])
    assert.deepEqual(lastBackup(dataDir).last?.file, file)
    assert.deepEqual(partsIn(dataDir), [])
  })

  test('works in the data folder, where only its owner can read, until it is encrypted', () => {
    let looked = 0
    const tryOut = (plain: string, workspace: string) => {
      looked++
      assert.ok(workspace.startsWith(join(dataDir, 'dealbox.part-')))
      assert.equal(statSync(workspace).mode & 0o777, 0o700)
      assert.equal(statSync(plain).mode & 0o777, 0o600)
      assert.equal(verifyBackup(plain, workspace).manifest.installation_id, store.installation)
      assert.deepEqual(names(), [])
    }
    makeBackup({ dataDir, folder, reason: 'command', now: NOW, encryption: recipient, tryOut })
    assert.equal(looked, 1)
  })

  test('that cannot encrypt leaves nothing, and says why', () => {
    const { last, failure } = run(0, { recipients: ['age1nobody'] })
    assert.equal(last, null)
    assert.match(failure?.message ?? '', /^Unknown letter "o"/)
    assert.deepEqual([names(), partsIn(dataDir)], [[], []])
  })

  test('needs space in both folders', (t) => {
    const disk = smallDisk(256)
    if (!disk) return t.skip('this process may not mount a disk')
    t.after(disk.drop)
    const { failure } = run(0, recipient, { folder: disk.folder })
    assert.equal(failure?.code, 'storage_full')
    assert.ok(failure?.message.includes(`in ${disk.folder}, where`), failure?.message)
    assert.deepEqual(readdirSync(disk.folder), [])
  })

  test('keeps what it should, and neither others nor what is not whole', async () => {
    const other = await dataFolder('Birch')
    night({
      ...KEEP,
      dataDir: other.dataDir,
      folder,
      installation: other.store.installation,
      now: NOW,
      encryption: recipient,
    })
    const [stranger = ''] = names()
    const early = makeBackup({ dataDir, folder, reason: 'migration', now: NOW - DAY_MS, encryption: recipient })
    makeBackup({ dataDir, folder, reason: 'command', now: NOW - 2 * DAY_MS })
    const cut = sealedName(NOW - 3 * DAY_MS, 'nightly', store.installation)
    writeFileSync(join(folder, cut), 'not of age')
    const deleted = [0, 1, 2].flatMap((day) => run(day, recipient).deleted)
    assert.deepEqual(
      deleted.map((file) => basename(file)),
      [plainName(NOW - 2 * DAY_MS), nameOn(0)],
    )
    const kept = [nameOn(1), nameOn(2), basename(early.file)]
    assert.deepEqual(names(), [...kept, stranger, cut].sort())
    assert.deepEqual(
      listBackups(folder, store.installation, NOW + 2 * DAY_MS).map(({ file, reason, made }) => [
        basename(file),
        reason,
        made,
      ]),
      [
        [nameOn(2), 'nightly', NOW + 2 * DAY_MS],
        [nameOn(1), 'nightly', NOW + DAY_MS],
        [basename(early.file), 'migration', NOW - DAY_MS],
      ],
    )
  })
})

describe('the drill of encrypted backups', () => {
  test('decrypts the newest with the passphrase of the server, in the data folder', () => {
    assert.equal(run(0, PASSPHRASE).drill, null)
    const { drill } = run(1, PASSPHRASE)
    assert.deepEqual([drill?.file, drill?.error], [join(folder, nameOn(0)), null])
    assert.deepEqual([run(2, PASSPHRASE).drill, partsIn(dataDir), partsIn(folder)], [null, [], []])
  })

  test('sets a damaged one aside', () => {
    run(0, PASSPHRASE)
    const file = join(folder, nameOn(0))
    const bytes = readFileSync(file)
    bytes[100_000] = (bytes[100_000] as number) ^ 1
    writeFileSync(file, bytes)
    const { drill, last } = run(1, PASSPHRASE)
    assert.match(drill?.error ?? '', /is damaged: it was cut or changed after it was encrypted/)
    assert.deepEqual(names(), [`${nameOn(0)}.damaged`, nameOn(1)])
    assert.equal(last?.file, join(folder, nameOn(1)))
  })

  test('tries the next one before it is encrypted, where the server cannot decrypt the newest', () => {
    run(0, recipient)
    const first = run(1, recipient)
    assert.deepEqual([first.drill?.file, first.drill?.error], [join(folder, nameOn(1)), null])
    assert.deepEqual(lastBackup(dataDir).drill, first.drill)
    assert.equal(run(2, recipient).drill, null)
    const changed = run(9, { ...PASSPHRASE, passphrase: 'another lake' })
    assert.equal(changed.drill?.file, join(folder, nameOn(9)))
    const again = run(18, PASSPHRASE)
    assert.deepEqual([again.drill?.file, again.drill?.error], [join(folder, nameOn(18)), null])
  })

  test('takes one from before the option as it is', () => {
    run(0, undefined)
    assert.equal(run(1, recipient).drill?.file, join(folder, plainName(NOW)))
    copyFileSync(join(folder, nameOn(1)), join(folder, 'spare'))
    assert.equal(opened(join(folder, 'spare')).reason, 'nightly')
  })
})

test('the thread of the night encrypts as well', async () => {
  const now = installedAt(store.db) + 2 * DAY_MS
  const nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: () => now } },
    ...{ log: silentLog, dataDir, at: '03:15', folder, keep: KEEP.keep, timezone: 'UTC', encryption: recipient },
  })
  await nightly.tick()
  await nightly.stop()
  const { last } = lastBackup(dataDir)
  assert.equal(opened(last?.file as string).installation_id, store.installation)
})
