import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import {
  hasKeys,
  makeKeyFile,
  readKeyFile,
  removeStaleFiles,
  replaceKeyFile,
} from '../../../src/store/folder/key-file.ts'
import { openStore } from '../../../src/store/open.ts'
import { smallDisk } from '../../support/small-disk.ts'

const root = mkdtempSync(join(tmpdir(), 'dealbox-keys-'))
after(() => rmSync(root, { recursive: true, force: true }))

let folder: string
let count = 0
beforeEach(() => {
  folder = join(root, String(count++))
})

const keys = (): string[] => readdirSync(join(folder, 'keys'))
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
const KEY = Buffer.alloc(32, 1)
const OTHER = Buffer.alloc(32, 2)

/** The arguments of a process that calls the module. */
const calling = (call: string): string[] => [
  '--input-type=module',
  '-e',
  `import * as files from ${JSON.stringify(join(import.meta.dirname, '../../../src/store/folder/key-file.ts'))}; ${call}`,
]

describe('a key file', () => {
  test('is made for its owner alone, in a folder of the same kind', {
    skip: process.platform === 'win32' && 'Windows has no file modes',
  }, () => {
    makeKeyFile(folder, 'a.key', KEY)
    assert.deepEqual(keys(), ['a.key'])
    assert.deepEqual(readKeyFile(folder, 'a.key'), KEY)
    assert.deepEqual([modeOf(join(folder, 'keys')), modeOf(join(folder, 'keys', 'a.key'))], ['700', '600'])
  })

  test('is kept where there is one, and replaced where that is asked for', () => {
    makeKeyFile(folder, 'a.key', KEY)
    makeKeyFile(folder, 'a.key', OTHER)
    assert.deepEqual(readKeyFile(folder, 'a.key'), KEY)
    replaceKeyFile(folder, 'a.key', OTHER)
    assert.deepEqual(readKeyFile(folder, 'a.key'), OTHER)
    assert.deepEqual(keys(), ['a.key'])
  })

  test('is the same for all of several processes that make it at once', async () => {
    mkdirSync(folder, { recursive: true })
    const call = `const own = Buffer.alloc(32, process.pid)
      process.stdin.once('data', () => {
        files.makeKeyFile(${JSON.stringify(folder)}, 'a.key', own)
        process.stdout.write(files.readKeyFile(${JSON.stringify(folder)}, 'a.key').toString('hex'))
        process.stdin.unref()
      })
      process.stdout.write('ready ')`
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, calling(call), { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    const outputs = children.map(() => '')
    await Promise.all(
      children.map(async (child, at) => {
        child.stdout.on('data', (bytes) => (outputs[at] += bytes))
        await once(child.stdout, 'data')
      }),
    )
    for (const child of children) child.stdin.end('go')
    await Promise.all(children.map((child) => once(child, 'close')))
    const stored = readKeyFile(folder, 'a.key')?.toString('hex')
    assert.deepEqual(
      outputs,
      outputs.map(() => `ready ${stored}`),
    )
    assert.deepEqual(keys(), ['a.key'])
  })

  test('that a crash has left half written is not in the way, and is removed after an hour', () => {
    makeKeyFile(folder, 'a.key', KEY)
    const place = (name: string) => join(folder, 'keys', name)
    const [old, young] = ['.01890000-0000-4000-8000-000000000000.tmp', '.01890000-0000-4000-8000-000000000001.tmp']
    writeFileSync(place(old), 'ha')
    writeFileSync(place(young), 'ha')
    writeFileSync(place('.mine'), 'of a person')
    const seconds = Date.now() / 1000
    for (const name of [old, '.mine']) utimesSync(place(name), seconds - 3700, seconds - 3700)
    utimesSync(place(young), seconds - 3500, seconds - 3500)
    makeKeyFile(folder, 'b.key', KEY)
    assert.deepEqual(keys(), [young, '.mine', 'a.key', 'b.key'])
    utimesSync(place(young), seconds - 3700, seconds - 3700)
    removeStaleFiles(folder)
    assert.deepEqual(keys(), ['.mine', 'a.key', 'b.key'])
  })

  test('is what a data folder with keys has, and a half written one is none', () => {
    assert.equal(hasKeys(folder), false)
    mkdirSync(join(folder, 'keys'), { recursive: true })
    writeFileSync(join(folder, 'keys', '.01890000-0000-4000-8000-000000000000.tmp'), '')
    assert.equal(hasKeys(folder), false)
    makeKeyFile(folder, '0123456789abcdef.pem', 'x')
    assert.equal(hasKeys(folder), true)
  })

  test('that cannot be read or written is refused with the reason', () => {
    mkdirSync(join(folder, 'keys', 'a.key'), { recursive: true })
    const unreadable = { status: 409, code: 'key_unreadable', message: /^keys\/a\.key cannot be read \(EISDIR\)/ }
    assert.throws(() => readKeyFile(folder, 'a.key'), unreadable)
    const unwritable = { status: 503, code: 'storage_failed', message: /^keys\/a\.key cannot be written \(\w+\)/ }
    assert.throws(() => replaceKeyFile(folder, 'a.key', KEY), unwritable)
    rmSync(join(folder, 'keys'), { recursive: true })
    writeFileSync(join(folder, 'keys'), '')
    assert.throws(() => makeKeyFile(folder, 'a.key', KEY), unwritable)
  })
})

describe('a full disk', () => {
  const disk = smallDisk(64)
  after(() => disk?.drop())

  test('leaves no half of a key file, and the one that is there', {
    skip: !disk && 'this process may not mount a file system',
  }, () => {
    if (!disk) return
    folder = disk.folder
    makeKeyFile(folder, 'a.key', KEY)
    disk.fill()
    const full = {
      status: 503,
      code: 'storage_full',
      message: /^There is no space on the disk for keys\/\w\.key, and /,
    }
    assert.throws(() => makeKeyFile(folder, 'b.key', KEY), full)
    assert.throws(() => replaceKeyFile(folder, 'a.key', OTHER), full)
    assert.deepEqual([keys(), readKeyFile(folder, 'a.key')], [['a.key'], KEY])
    disk.free()
    makeKeyFile(folder, 'b.key', KEY)
    assert.deepEqual(keys(), ['a.key', 'b.key'])
  })
})

describe('the system calls that make a key file', {
  skip: spawnSync('strace', ['-V']).status !== 0 && 'there is no strace here',
}, () => {
  /** The system calls of one call, in order, with folders and descriptors replaced by names. */
  function traced(call: string, ...options: string[]): string[] {
    const log = join(root, 'trace')
    const filter = 'trace=mkdir,link,linkat,rename,renameat,renameat2,unlink,fsync,fdatasync,openat,write'
    const argv = ['-f', '-y', '-s', '0', '-e', filter, '-o', log, ...options]
    const given = calling(call.replaceAll('FOLDER', JSON.stringify(folder)))
    const { status, stderr } = spawnSync('strace', [...argv, process.execPath, ...given], { encoding: 'utf8' })
    assert.equal(status, 0, stderr)
    return readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line.includes(root) && !line.includes('openat(') && !line.includes('ENOENT'))
      .map((line) =>
        line
          .replace(/^\d+ +/, '')
          .replaceAll(folder, 'DATA')
          .replaceAll(root, 'ABOVE'),
      )
      .map((line) => line.replace(/\.[0-9a-f-]{36}\.tmp/g, 'TEMPORARY'))
      .map((line) => `${/^\w+/.exec(line)?.[0]} ${[...line.matchAll(/(?:DATA|ABOVE)[\w./-]*/g)].join(' ')}`)
  }

  const WRITTEN = ['write DATA/keys/TEMPORARY', 'fsync DATA/keys/TEMPORARY']

  test('put its content on the disk before its name, and its name, with that of a new folder, before they return', () => {
    mkdirSync(folder)
    assert.deepEqual(traced("files.makeKeyFile(FOLDER, 'a.key', Buffer.alloc(32, 1))"), [
      'mkdir DATA/keys',
      'fsync DATA',
      ...WRITTEN,
      'link DATA/keys/TEMPORARY DATA/keys/a.key',
      'unlink DATA/keys/TEMPORARY',
      'fsync DATA/keys',
    ])
    assert.deepEqual(traced("files.replaceKeyFile(FOLDER, 'a.key', Buffer.alloc(32, 2))"), [
      'mkdir DATA/keys',
      ...WRITTEN,
      'rename DATA/keys/TEMPORARY DATA/keys/a.key',
      'fsync DATA/keys',
    ])
  })

  test('end before the secret that was sealed is committed', () => {
    const open = join(import.meta.dirname, '../../../src/store/open.ts')
    openStore(folder, { create: true }).close()
    const made = traced(`const { openStore } = await import(${JSON.stringify(open)})
      const store = openStore(FOLDER)
      store.transaction(() => {
        store.db.prepare('UPDATE installation SET id = ?').run(store.vault.seal('x', 'secret'))
      })
      store.close()`)
    const named = made.indexOf('fsync DATA/keys')
    const committed = made.findIndex((call) => /^(fsync|fdatasync) DATA.dealbox.db-wal$/.test(call))
    assert.ok(named > 0 && committed > named, made.join('\n'))
  })

  test('sync every folder that has a new one in it', () => {
    const made = traced("files.createPrivateFolder(FOLDER + '/one/two')")
    assert.deepEqual(
      made.filter((call) => call.startsWith('fsync')),
      ['fsync DATA/one', 'fsync DATA', 'fsync ABOVE'],
    )
  })

  test('rename where the file system has no links, unless the file is there', () => {
    const noLinks = ['-e', 'inject=link,linkat:error=EPERM']
    const call = "files.makeKeyFile(FOLDER, 'a.key', Buffer.alloc(32, 1))"
    assert.ok(traced(call, ...noLinks).includes('rename DATA/keys/TEMPORARY DATA/keys/a.key'))
    assert.ok(!traced(call, ...noLinks).some((each) => each.startsWith('rename')))
    assert.deepEqual(keys(), ['a.key'])
    assert.ok(existsSync(join(folder, 'keys', 'a.key')))
  })
})
