import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { before, describe, test } from 'node:test'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { Problem } from '../../../src/lib/problem.ts'
import {
  checkKeys,
  decryptFile,
  decryptNow,
  encryptedStream,
  encryptFile,
  encryptNow,
} from '../../../src/ops/backup/encryption/encryption.ts'
import { isEncrypted } from '../../../src/ops/backup/encryption/header.ts'
import { encryptedName } from '../../../src/ops/backup/names.ts'
import { goTool, noGo } from '../../support/go-tools.ts'
import { smallDisk } from '../../support/small-disk.ts'
import { isEqual, sample, temporaryFolder } from './places/samples.ts'

const folder = temporaryFolder()
const path = (name: string) => join(folder, name)
/** The usual rounds of scrypt take a second each. */
const PASSPHRASE = { passphrase: 'a lake in the north', workFactor: 10 }
const CHUNK = 65_536 + 16
const plain = sample(folder, 'backup', 200_000) // three chunks and a part of one
const locked = path('backup.age')
const sealed = path('for-ana.age')
let ana: string
let recipient: string

before(async () => {
  ana = await generateX25519Identity()
  recipient = await identityToRecipient(ana)
  await encryptFile(plain, locked, PASSPHRASE)
  await encryptFile(plain, sealed, { recipients: [recipient] })
})

const refused = (work: Promise<unknown>, code: string, sentence: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String((error as Error).stack))
    assert.match(error.message, sentence)
    assert.equal(error.code, code)
    return true
  })

/** Nothing but what was there may be in the folder afterwards. */
async function leavesNothing(work: () => Promise<unknown>): Promise<void> {
  const there = readdirSync(folder)
  await work()
  assert.deepEqual(readdirSync(folder), there)
}

test('a passphrase encrypts and decrypts a file, which only its owner may read', async () => {
  assert.equal(encryptedName('dealbox-1.tar'), 'dealbox-1.tar.age')
  assert.equal(isEncrypted(locked), true)
  assert.equal(isEncrypted(plain), false)
  assert.equal(readFileSync(locked).includes(readFileSync(plain).subarray(0, 32)), false)
  await decryptFile(locked, path('back'), PASSPHRASE)
  assert.ok(isEqual(path('back'), plain))
  if (process.platform !== 'win32')
    for (const each of [locked, path('back')]) assert.equal(statSync(each).mode & 0o777, 0o600)
})

test('a thread that waits for it gets the same, and the same errors', async () => {
  encryptNow(plain, path('now.age'), PASSPHRASE)
  await decryptFile(path('now.age'), path('back'), PASSPHRASE)
  assert.ok(isEqual(path('back'), plain))
  decryptNow(sealed, path('now.tar'), { identities: [ana] })
  assert.ok(isEqual(path('now.tar'), plain))
  assert.throws(() => decryptNow(locked, path('no'), { passphrase: 'another one' }), { code: 'wrong_passphrase' })
  assert.throws(() => decryptNow(locked, path('no'), { identities: [ana] }), { code: 'wrong_identity' })
  writeFileSync(path('cut.age'), readFileSync(sealed).subarray(0, -1), { flag: 'w' })
  assert.throws(() => decryptNow(path('cut.age'), path('cut'), { identities: [ana] }), { code: 'backup_damaged' })
  assert.throws(() => encryptNow(path('none'), path('no'), PASSPHRASE), { code: 'ENOENT' })
  assert.throws(() => encryptNow(plain, path('now.age'), PASSPHRASE), { code: 'EEXIST' })
})

test('each of several recipients can decrypt it, with one of several identities', async () => {
  const bo = await generateX25519Identity()
  const to = path('for-both.age')
  await encryptFile(plain, to, { recipients: [recipient, await identityToRecipient(bo)] })
  for (const identities of [[ana], [await generateX25519Identity(), bo]]) {
    await decryptFile(to, path('back'), { identities })
    assert.ok(isEqual(path('back'), plain))
  }
})

test('a stream has the same content; one that nobody reads to its end ends its thread', async () => {
  await pipeline(encryptedStream(plain, { recipients: [recipient] }), createWriteStream(path('streamed.age')))
  await decryptFile(path('streamed.age'), path('back'), { identities: [ana] })
  assert.ok(isEqual(path('back'), plain))
  const stream = encryptedStream(sample(folder, 'long', 4_000_000), { recipients: [recipient] })
  for await (const chunk of stream) {
    assert.ok(chunk.length > 0)
    break
  }
  assert.ok(stream.destroyed)
})

test('another passphrase or identity, or the other kind, is refused with the reason', () =>
  leavesNothing(async () => {
    const other = { identities: [await generateX25519Identity()] }
    const to = path('never')
    await refused(
      decryptFile(locked, to, { passphrase: 'x' }),
      'wrong_passphrase',
      /^The passphrase is not the one that/,
    )
    await refused(decryptFile(sealed, to, other), 'wrong_identity', /is encrypted for another identity\.$/)
    await refused(decryptFile(locked, to, other), 'wrong_identity', /is encrypted with a passphrase, not for/)
    await refused(decryptFile(sealed, to, PASSPHRASE), 'wrong_passphrase', /is encrypted for an identity of age, not/)
    await refused(decryptFile(plain, to, PASSPHRASE), 'not_encrypted', /is not a file of age\.$/)
    await assert.rejects(decryptFile(path('missing'), to, PASSPHRASE), { code: 'ENOENT' })
  }))

describe('a file that was cut or changed', () => {
  const damaged = path('damaged.age')
  const identities = { identities: [] as string[] }
  let whole: Buffer
  let payload: number
  before(() => {
    identities.identities = [ana]
    whole = readFileSync(sealed)
    payload = whole.indexOf('\n', whole.indexOf('\n---') + 1) + 1
    writeFileSync(damaged, '')
  })
  const refusedDamaged = (bytes: Buffer) =>
    leavesNothing(async () => {
      writeFileSync(damaged, bytes)
      await refused(
        decryptFile(damaged, path('never'), identities),
        'backup_damaged',
        /^.*damaged\.age is damaged: it was/,
      )
    })

  test('is refused wherever it was cut, also between chunks', async () => {
    const lengths = [60, payload + 8, payload + 16, payload + 16 + 2 * CHUNK, whole.length - 1]
    for (const length of lengths) await refusedDamaged(whole.subarray(0, length))
  })

  test('is refused wherever a bit was flipped', async () => {
    const places = [payload - 2, payload, payload + 16, payload + 16 + CHUNK + 7, whole.length - 1]
    for (const place of places) {
      const changed = Buffer.from(whole)
      changed[place] = (changed[place] as number) ^ 1
      await refusedDamaged(changed)
    }
  })

  test('is refused with anything behind it', () => refusedDamaged(Buffer.concat([whole, Buffer.from('x')])))

  test('is refused with a header that has no end', () =>
    refusedDamaged(Buffer.concat([whole.subarray(0, 60), Buffer.alloc(100_000, 'A')])))
})

test('a disk without space keeps nothing', async (t) => {
  const disk = smallDisk(128)
  if (!disk) return t.skip('this process may not mount a disk')
  t.after(disk.drop)
  const to = join(disk.folder, 'backup.age')
  await refused(
    encryptFile(plain, to, PASSPHRASE),
    'storage_full',
    /There is no space on the disk for .*backup\.age\.$/,
  )
  await refused(decryptFile(locked, to, PASSPHRASE), 'storage_full', /There is no space/)
  assert.deepEqual(readdirSync(disk.folder), [])
})

test('what is stopped leaves nothing', () =>
  leavesNothing(async () => {
    const stopping = new AbortController()
    const reason = new Error('stopping')
    const work = encryptFile(plain, path('never'), { ...PASSPHRASE, workFactor: 18 }, stopping.signal)
    stopping.abort(reason)
    await assert.rejects(work, reason)
    await assert.rejects(decryptFile(locked, path('never'), PASSPHRASE, stopping.signal), reason)
  }))

test('a recipient or identity that is not valid is a mistake on the command line', async () => {
  const last = recipient.endsWith('q') ? 'p' : 'q'
  for (const wrong of [
    'age1nonsense',
    recipient.slice(0, -1) + last,
    'age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj',
  ])
    await refused(
      checkKeys('--backup-encrypt', { encryption: { recipients: [wrong] } }),
      'usage',
      /^--backup-encrypt can/,
    )
  await checkKeys('--backup-encrypt', { encryption: { recipients: [recipient] } })
  const decryption = { identities: [ana.slice(0, -1)] }
  await refused(checkKeys('--backup-identity-file', { decryption }), 'usage', /^--backup-identity-file cannot be used/)
})

describe('the age program', { skip: noGo }, () => {
  let tools: string
  before(() => {
    for (const name of ['age', 'age-keygen', 'age-plugin-batchpass']) tools = goTool(`filippo.io/age/cmd/${name}`)
  })
  const age = (...argv: string[]) =>
    execFileSync(join(tools, 'age'), argv, {
      env: {
        PATH: `${tools}${delimiter}${process.env.PATH}`,
        AGE_PASSPHRASE: PASSPHRASE.passphrase,
        AGE_PASSPHRASE_WORK_FACTOR: '10',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  test('decrypts what Dealbox encrypts, with a passphrase and with an identity of its own', async () => {
    age('--decrypt', '-j', 'batchpass', '-o', path('by-age'), locked)
    assert.ok(isEqual(path('by-age'), plain))
    execFileSync(join(tools, 'age-keygen'), ['-o', path('key.txt')], { stdio: 'ignore' })
    const [, own = ''] = /public key: (age1\w+)/.exec(readFileSync(path('key.txt'), 'utf8')) ?? []
    await encryptFile(plain, path('for-key.age'), { recipients: [own] })
    age('--decrypt', '-i', path('key.txt'), '-o', path('by-age'), path('for-key.age'))
    assert.ok(isEqual(path('by-age'), plain))
  })

  test('encrypts what Dealbox decrypts, with a passphrase and for a recipient', async () => {
    age('--encrypt', '-j', 'batchpass', '-o', path('by-age.age'), plain)
    await decryptFile(path('by-age.age'), path('back'), PASSPHRASE)
    assert.ok(isEqual(path('back'), plain))
    age('--encrypt', '-r', recipient, '-o', path('by-age.age'), plain)
    await decryptFile(path('by-age.age'), path('back'), { identities: [ana] })
    assert.ok(isEqual(path('back'), plain))
  })
})
