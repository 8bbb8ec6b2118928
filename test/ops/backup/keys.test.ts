import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { keyFaultsOf } from '../../../src/auth/needed-keys.ts'
import { lastBackup } from '../../../src/ops/backup/state.ts'
import { missingKeys } from '../../../src/ops/replication/followed/reader.ts'
import { DATABASE, openStore } from '../../../src/store/open.ts'
import { openSqlite } from '../../../src/store/sqlite/driver.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { serve } from '../../support/served.ts'
import { withoutKeys } from './without-keys.ts'

// A backup has the keys that its database needs, or there is none.

const root = temporaryFolder()
const whole = join(root, 'whole')
before(async () => {
  await cliJson('init', '--data', whole, '--org', 'Acme', '--email', 'ana@acme.example')
  const { token } = await cliJson('token', 'create', '--data', whole, '--email', 'ana@acme.example', '--scope', 'all')
  const server = await serve(whole, token)
  for (let n = 0; n < 2; n++) {
    const { status } = await server.call('POST', '/webhooks', { url: 'https://93.184.215.14/', event_types: ['*'] })
    assert.equal(status, 201)
  }
  await server.stop()
})

let data: string
let count = 0
beforeEach(() => {
  data = join(root, String(count++))
  cpSync(whole, data, { recursive: true })
})

const keyFile = (name: string): string => join(data, 'keys', name)
const pem = (): string => readdirSync(join(data, 'keys')).find((name) => name.endsWith('.pem')) as string
const backup = () => cli(['backup', '--data', data])
const made = () => (existsSync(join(data, 'backups')) ? readdirSync(join(data, 'backups')) : [])
const doctor = async () => (await cli(['doctor', '--data', data, '--json'])).out

test('init makes all keys, so that whoever copies them has all that a standby asks for', () => {
  const store = openStore(data)
  assert.deepEqual(missingKeys(data, store.db), [])
  store.close()
})

test('a server makes those that an older version has not made, but none in place of a lost one', async () => {
  rmSync(keyFile('cursor.key'))
  rmSync(keyFile('secrets.key'))
  const first = await serve(data, '')
  assert.deepEqual([existsSync(keyFile('cursor.key')), existsSync(keyFile('secrets.key'))], [true, false])
  await first.stop()
  const db = openSqlite(join(data, DATABASE))
  db.exec("UPDATE webhook_states SET secrets = ''")
  db.close()
  const second = await serve(data, '')
  assert.equal(statSync(keyFile('secrets.key')).size, 32)
  await second.stop()
})

describe('a backup is refused', () => {
  const damages: [string, RegExp, () => void][] = [
    ['a signing key', /keys\/[0-9a-f]{16}\.pem is missing.*"dealbox keys rotate"/, () => rmSync(keyFile(pem()))],
    ['a signing key that is whole', /\.pem is damaged/, () => writeFileSync(keyFile(pem()), 'x')],
    [
      'the key of secrets',
      /keys\/secrets\.key is missing.*set the passwords of mailboxes/,
      () => rmSync(keyFile('secrets.key')),
    ],
    [
      'the key that encrypted its secrets',
      /keys\/secrets\.key is not the key that encrypted its secrets/,
      () => writeFileSync(keyFile('secrets.key'), randomBytes(32)),
    ],
    [
      'a key of secrets that is whole',
      /keys\/secrets\.key is damaged/,
      () => writeFileSync(keyFile('secrets.key'), ''),
    ],
    [
      'all keys',
      /\.pem is missing, and keys\/secrets\.key is missing/,
      () => rmSync(join(data, 'keys'), { recursive: true }),
    ],
  ]
  for (const [what, sentence, damage] of damages)
    test(`without ${what}, and nothing of it is left`, async () => {
      damage()
      const { code, out, err } = await backup()
      assert.deepEqual([code, out, made()], [1, '', []])
      assert.match(err, /^No backup was made: keys\//)
      assert.match(err, sentence)
      assert.equal(lastBackup(data).last, null)
    })

  test('not without the key of cursors, nor once a secret was set with a new key', async () => {
    rmSync(keyFile('cursor.key'))
    assert.equal((await backup()).code, 0)
    writeFileSync(keyFile('secrets.key'), randomBytes(32))
    assert.equal((await backup()).code, 1)
    const store = openStore(data)
    const id = store.db.prepare('SELECT webhook_id FROM webhook_states LIMIT 1').pluck().get() as string
    const sealed = store.vault.seal(`webhook ${id}`, 'whsec_new')
    store.db.prepare('UPDATE webhook_states SET secrets = ? WHERE webhook_id = ?').run(sealed, id)
    assert.deepEqual(keyFaultsOf(store.db, data), [])
    store.close()
    assert.equal((await backup()).code, 0)
    assert.match(await doctor(), /1 stored secret cannot be decrypted/)
  })
})

test('/readyz says which keys cannot be used, until they are back', async () => {
  const server = await serve(data, '')
  const keys = async () => {
    const response = await fetch(`${server.screens}/readyz`)
    assert.equal(response.status, 200)
    return ((await response.json()) as { checks: Record<string, { status: string; detail?: string }> }).checks.keys
  }
  assert.deepEqual(await keys(), { status: 'pass' })
  const [name, content] = [pem(), readFileSync(keyFile(pem()))]
  rmSync(keyFile(name))
  const found = await keys()
  assert.equal(found?.status, 'warn')
  assert.match(
    found?.detail ?? '',
    new RegExp(
      `^Keys cannot be used: keys/${name} is missing\\. The server does not start without them\\. Restore the files`,
    ),
  )
  writeFileSync(keyFile(name), content)
  assert.deepEqual(await keys(), { status: 'pass' })
  await server.stop()
})

describe('a backup without keys, of an older version', () => {
  const cases: [string, (name: string) => boolean][] = [
    ['that sign tokens', (name) => name.endsWith('.pem')],
    ['of secrets', (name) => name === 'keys/secrets.key'],
    ['at all', (name) => name.startsWith('keys/')],
  ]
  for (const [what, isLost] of cases)
    test(`${what}: verify and restore refuse it, and the doctor finds and does not advise it`, async () => {
      const { file: bad } = await cliJson('backup', '--data', data)
      const good = join(data, 'backups', 'dealbox-20260101T000000Z.tar')
      renameSync(bad, good)
      withoutKeys(good, bad, isLost)
      for (const argv of [
        ['verify', bad],
        ['restore', bad, '--data', join(root, `restored-${count++}`)],
      ]) {
        const { code, err } = await cli(argv)
        assert.equal(code, 1, err)
        assert.match(err, new RegExp(`^${basename(bad)} cannot be restored as it is: in it keys/`))
      }
      assert.match(await doctor(), new RegExp(`${bad}, the newest backup, cannot be restored: it lacks `))
      writeFileSync(join(data, DATABASE), 'noise')
      const advice = await doctor()
      assert.match(advice, new RegExp(`restore the newest backup: dealbox restore ${good}`))
    })
})

describe('an upgrade', () => {
  const old = () => {
    const folder = join(root, `old-${count++}`)
    mkdirSync(folder)
    const bytes = readFileSync(join(import.meta.dirname, '../../upgrades/0.5.0.db.zst'))
    writeFileSync(join(folder, DATABASE), zstdDecompressSync(bytes))
    return folder
  }
  const version = (folder: string) => {
    const db = openSqlite(join(folder, DATABASE))
    const found = db.pragma('user_version', { simple: true })
    db.close()
    return found
  }

  test('looks for the keys before it migrates', async () => {
    const folder = old()
    const db = openSqlite(join(folder, DATABASE))
    db.prepare("INSERT OR IGNORE INTO signing_keys (kid, created_at) VALUES ('aaaaaaaaaaaaaaaa', 1)").run()
    db.close()
    const sentence = /^Nothing was migrated, since no backup could be made first: keys\/[0-9a-f]+\.pem is missing/
    const { code, err } = await cli(['member', 'list', '--data', folder, '--org', 'x'])
    assert.equal(code, 1)
    assert.match(err, sentence)
    await assert.rejects(serve(folder, ''), { code: 'keys_missing', message: sentence })
    assert.equal(version(folder), 5)
  })
})
