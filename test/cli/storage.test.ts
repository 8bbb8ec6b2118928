import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs, { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { after, afterEach, describe, test } from 'node:test'
import { readEnvironment } from '../../src/command/config/environment.ts'
import { readConfigFile } from '../../src/command/config/file.ts'
import { sentenceOf } from '../../src/command/sentence.ts'
import { plainText } from '../../src/lib/plain-text.ts'
import { Problem } from '../../src/lib/problem.ts'
import { readNewPassphrase, readPassphrase } from '../../src/ops/backup/encryption/secrets.ts'
import { readKeys } from '../../src/ops/backup/places/s3/account.ts'
import { storageProblem } from '../../src/store/sqlite/failures.ts'
import { cli, temporaryFolder } from './command-line.ts'

// Storage and files as people have them.

const folder = temporaryFolder()
const isPosix = process.platform !== 'win32'

describe('a share on which chmod fails', { skip: !isPosix }, () => {
  const { chmodSync: real } = fs
  afterEach(() => {
    fs.chmodSync = real
    syncBuiltinESMExports()
  })

  test('takes a data folder, backups and what is restored, for their owner alone', async () => {
    fs.chmodSync = () => {
      throw Object.assign(new Error('EPERM: operation not permitted, chmod'), { code: 'EPERM', syscall: 'chmod' })
    }
    syncBuiltinESMExports()
    const umask = process.umask(0)
    try {
      const [data, backups, restored] = ['data', 'backups', 'restored'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ]
      for (const argv of [
        ['init', '--org', 'T', '--email', 't@t.example', '--data', data],
        ['backup', '--data', data, '--backup-dir', backups],
        ['backup', '--data', data, '--to', join(folder, 'one.tar')],
        ['restore', join(folder, 'one.tar'), '--data', restored],
      ]) {
        const { code, err } = await cli(argv)
        assert.equal(code, 0, `${argv[0]}: ${err}`)
      }
      for (const file of [
        join(data, 'dealbox.db'),
        join(restored, 'dealbox.db'),
        ...readdirSync(backups).map((name) => join(backups, name)),
      ])
        assert.equal(statSync(file).mode & 0o077, 0, file)
    } finally {
      process.umask(umask)
    }
  })
})

describe('what a command says where it has no log', () => {
  const said = (error: unknown) => (sentenceOf(error) as Error).message
  const sqlite = (code: string) => Object.assign(new Error('disk I/O error'), { code })

  test('has the code of SQLite', () => {
    assert.match(
      said(storageProblem(sqlite('SQLITE_IOERR_WRITE'))),
      /^The database of the server cannot be written.* \(SQLITE_IOERR_WRITE: disk I\/O error\)\.$/,
    )
    assert.doesNotMatch(said(storageProblem(sqlite('SQLITE_IOERR_READ'), 'read')), /the log/i)
  })

  test('names the file system that has no shared memory, and the way out', () => {
    for (const code of ['SQLITE_IOERR_SHMMAP', 'SQLITE_IOERR_SHMOPEN', 'SQLITE_IOERR_SHMLOCK'])
      assert.match(
        said(storageProblem(sqlite(code))),
        new RegExp(`no shared memory.*Put the data folder on the disk itself.*${code}`),
      )
    assert.doesNotMatch(said(storageProblem(sqlite('SQLITE_IOERR_SHMSIZE'))), /shared memory/) // a full disk
  })

  test('is a sentence about a file, and a stack only for what nobody expects', () => {
    const failed = Object.assign(new Error('x'), { code: 'EROFS', syscall: 'open', path: '/mnt/a' })
    const problem = sentenceOf(failed) as Problem
    assert.deepEqual(
      [problem.code, problem.message],
      ['files_failed', 'A file could not be used: /mnt/a (open: EROFS). It is mounted for reading only.'],
    )
    const bug = new TypeError('x is undefined')
    assert.equal(sentenceOf(bug), bug)
    const known = new Problem(409, 'known', 'As it is; the log of the server has the reason.')
    assert.equal(said(known), known.message)
  })
})

describe('a file that a person has saved', () => {
  const write = (name: string, text: string, mode = 0o600) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    chmodSync(file, mode)
    return file
  }
  const MARK = '\uFEFF'

  test('may have a mark in front and spaces at its end', () => {
    assert.equal(plainText(`${MARK} a b \t\r\n\n`), ' a b')
    const passphrase = write('passphrase', `${MARK}a lake in the north  \r\n`)
    assert.deepEqual(readNewPassphrase('--x', passphrase), { passphrase: 'a lake in the north' })
    // An earlier version has encrypted with the spaces.
    assert.deepEqual(readPassphrase('--x', passphrase), {
      passphrase: 'a lake in the north',
      asWritten: 'a lake in the north  ',
    })
    const keys = write('keys', `${MARK}aws_access_key_id = A  \r\naws_secret_access_key = B \r\n`)
    assert.deepEqual(readKeys('--x', keys), { id: 'A', secret: 'B' })
    const option = { type: 'string', secret: true, help: '' } as const
    const secret = write('secret', `${MARK}word \n`)
    assert.equal(readEnvironment('pass', option, { DEALBOX_PASS_FILE: secret })?.value, 'word')
    const config = write('dealbox.json', `${MARK}{"pass": "word"}\n`)
    assert.deepEqual([...(readConfigFile(config, { pass: option }, false)?.values ?? [])], [['pass', 'word']])
  })

  test('decrypts what was encrypted with spaces at the end of the passphrase, and without them', {
    timeout: 120_000,
  }, async () => {
    const { encryptFile, decryptFile } = await import('../../src/ops/backup/encryption/encryption.ts')
    const plain = write('plain', 'content')
    const file = write('spaces', 'a lake in the north  \n')
    for (const passphrase of ['a lake in the north  ', 'a lake in the north']) {
      const sealed = join(folder, `sealed-${passphrase.length}`)
      await encryptFile(plain, sealed, { passphrase, workFactor: 10 })
      await decryptFile(sealed, `${sealed}.opened`, readPassphrase('--x', file))
      assert.equal(fs.readFileSync(`${sealed}.opened`, 'utf8'), 'content')
    }
  })

  const mounted: string[] = []
  after(() => {
    for (const point of mounted) spawnSync('umount', [point])
  })
  const point = join(folder, 'secrets')
  mkdirSync(point)
  const canMount =
    process.platform === 'linux' && spawnSync('mount', ['--bind', point, point]).status === 0 && mounted.push(point) > 0

  test('may be read by others where nobody can change that, as Docker and Kubernetes mount secrets', {
    skip: !canMount && 'only root can mount',
  }, () => {
    const file = write('secrets/pass', 'a lake in the north\n', 0o444)
    const open = write('secrets/open', 'a lake in the north\n', 0o666)
    const refusal = {
      code: 'usage',
      message: /may be read or written by others \(mode 444\): chmod 600 it\. A secret of Docker/,
    }
    assert.throws(() => readPassphrase('--x', file), refusal)
    assert.equal(spawnSync('mount', ['-o', 'remount,bind,ro', point]).status, 0)
    assert.equal(readPassphrase('--x', file).passphrase, 'a lake in the north')
    assert.throws(() => readPassphrase('--x', open), { code: 'usage', message: /mode 666/ })
  })
})
