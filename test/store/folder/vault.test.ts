import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { vault } from '../../../src/store/folder/vault.ts'

const SECRET = 'whsec_correct-horse 日本'

describe('a vault', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dealbox-vault-'))
    file = join(folder, 'keys', 'secrets.key')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const unreadable = (message: RegExp) => ({ status: 409, code: 'secret_unreadable', message })

  test('opens what it sealed, also when it is opened again', () => {
    const sealed = vault(folder).seal('webhook 1', SECRET)
    assert.equal(vault(folder).open('webhook 1', sealed), SECRET)
    assert.equal(vault(folder).open('x', vault(folder).seal('x', '')), '')
  })

  test('seals the same secret differently each time, and shows nothing of it', () => {
    const { seal } = vault(folder)
    const [one, other] = [seal('webhook 1', SECRET), seal('webhook 1', SECRET)]
    assert.notEqual(one, other)
    for (const sealed of [one, other]) assert.ok(!Buffer.from(sealed, 'base64').includes('whsec'))
  })

  test('makes its key at the first use, for its owner alone', () => {
    const { seal } = vault(folder)
    assert.ok(!existsSync(file))
    seal('x', SECRET)
    assert.deepEqual(readdirSync(join(folder, 'keys')), ['secrets.key'])
    assert.equal(readFileSync(file).length, 32)
    if (process.platform === 'win32') return
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.equal(statSync(join(folder, 'keys')).mode & 0o777, 0o700)
  })

  test('has one key, also where two processes begin at once', () => {
    const [one, other] = [vault(folder), vault(folder)]
    const sealed = one.seal('x', SECRET)
    assert.equal(other.open('x', other.seal('x', SECRET)), SECRET)
    assert.equal(other.open('x', sealed), SECRET)
  })

  test('opens for its purpose alone, and nothing that was altered', () => {
    const { seal, open } = vault(folder)
    const sealed = seal('webhook 1', SECRET)
    assert.throws(() => open('webhook 2', sealed), unreadable(/is not the key that encrypted it/))
    const bytes = Buffer.from(sealed, 'base64')
    for (const at of [0, 12, bytes.length - 1]) {
      const altered = Buffer.from(bytes)
      altered[at] = (altered[at] as number) ^ 1
      assert.throws(() => open('webhook 1', altered.toString('base64')), unreadable(/is not the key/))
    }
    for (const none of ['', 'x', sealed.slice(0, 20)])
      assert.throws(() => open('webhook 1', none), { code: 'secret_unreadable' })
  })

  test('says that the key is missing, and makes none only to open', () => {
    const sealed = vault(folder).seal('x', SECRET)
    rmSync(file)
    assert.throws(
      () => vault(folder).open('x', sealed),
      unreadable(/keys\/secrets\.key is missing; restore it from a backup of the data folder\.$/),
    )
    assert.ok(!existsSync(file))
  })

  test('says that the key is another one, and opens again as soon as the right one is back', () => {
    const { seal } = vault(folder)
    const sealed = seal('x', SECRET)
    const right = readFileSync(file)
    writeFileSync(file, Buffer.alloc(32, 7))
    const later = vault(folder)
    assert.throws(
      () => later.open('x', sealed),
      unreadable(/is not the key that encrypted it; restore it from a backup of the data folder\.$/),
    )
    writeFileSync(file, right)
    assert.equal(later.open('x', sealed), SECRET)
  })

  test('says that the key is damaged, and overwrites it for nobody', () => {
    mkdirSync(join(folder, 'keys'))
    writeFileSync(file, 'short')
    const { seal } = vault(folder)
    assert.throws(
      () => seal('x', SECRET),
      unreadable(
        /keys\/secrets\.key is damaged \(5 bytes instead of 32\); restore it from a backup of the data folder\. Without a backup, delete it, /,
      ),
    )
    assert.equal(readFileSync(file, 'utf8'), 'short')
    rmSync(file)
    seal('x', SECRET)
  })

  test('seals with a key that is there, also where it was lost under a running server', () => {
    const { seal } = vault(folder)
    const before = seal('x', SECRET)
    rmSync(file)
    const after = seal('x', SECRET)
    assert.equal(vault(folder).open('x', after), SECRET)
    assert.throws(() => vault(folder).open('x', before), { code: 'secret_unreadable' })
  })

  test('signs a text the same way each time, also when it is opened again, in 22 characters of a link', () => {
    const signature = vault(folder).sign('unsubscribe', 'a.b')
    assert.match(signature, /^[A-Za-z0-9_-]{22}$/)
    assert.equal(vault(folder).sign('unsubscribe', 'a.b'), signature)
  })

  test('signs another text, for another purpose and with another key in another way', () => {
    const { sign } = vault(folder)
    const all = [sign('x', 'a'), sign('x', 'b'), sign('y', 'a'), sign('', 'xa'), sign('xa', ''), sign('x', 'A')]
    writeFileSync(file, Buffer.alloc(32, 7))
    all.push(vault(folder).sign('x', 'a'))
    assert.equal(new Set(all).size, all.length)
  })

  test('signs with a key of its own, not with the one that seals', () => {
    const signature = vault(folder).sign('x', 'a')
    const plain = createHmac('sha256', readFileSync(file)).update('a').digest('base64url').slice(0, 22)
    assert.notEqual(signature, plain)
    assert.ok(!readFileSync(file).toString('base64url').includes(signature))
  })

  test('replaces a damaged key only while nothing depends on it, and not the one that another process has put there', () => {
    mkdirSync(join(folder, 'keys'))
    writeFileSync(file, 'short')
    const one = vault(folder, (replace) => replace())
    const sealed = one.seal('x', SECRET)
    assert.equal(vault(folder).open('x', sealed), SECRET)
    writeFileSync(file, 'short')
    const theirs = Buffer.alloc(32, 7)
    const other = vault(folder, (replace) => {
      writeFileSync(file, theirs)
      replace()
    })
    other.seal('x', SECRET)
    assert.deepEqual(readFileSync(file), theirs)
  })

  test('seals with the key that is there, also where another process has replaced the one that it knows', () => {
    const { seal } = vault(folder)
    seal('x', SECRET)
    rmSync(file)
    vault(folder).seal('x', SECRET)
    assert.equal(vault(folder).open('x', seal('x', SECRET)), SECRET)
  })

  test('signs nothing with a damaged key', () => {
    mkdirSync(join(folder, 'keys'))
    writeFileSync(file, 'short')
    assert.throws(() => vault(folder).sign('x', 'a'), unreadable(/is damaged/))
  })
})
