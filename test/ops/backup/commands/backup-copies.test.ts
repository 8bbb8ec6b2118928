import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import pino from 'pino'
import { flagOf } from '../../../../src/command/config/options.ts'
import { MIB } from '../../../../src/lib/size.ts'
import { DAY_MS, HOUR_MS, rfc3339 } from '../../../../src/lib/time.ts'
import { copyBackup, notYetCopied } from '../../../../src/ops/backup/commands/backup-copies.ts'
import { backupOptions, copyAndLog, readCopying } from '../../../../src/ops/backup/commands/backup-options.ts'
import { decryptFile } from '../../../../src/ops/backup/encryption/encryption.ts'
import { type Night, night } from '../../../../src/ops/backup/night.ts'
import { startNightly } from '../../../../src/ops/backup/nightly.ts'
import { MARKER } from '../../../../src/ops/backup/places/folder.ts'
import { lastBackup, noteBackup } from '../../../../src/ops/backup/state.ts'
import { verifyBackup } from '../../../../src/ops/backup/verify.ts'
import { installedAt } from '../../../../src/store/installation.ts'
import { openStore } from '../../../../src/store/open.ts'
import { openSqlite } from '../../../../src/store/sqlite/driver.ts'
import { cli, cliJson, temporaryFolder } from '../../../cli/command-line.ts'
import { noGo } from '../../../support/go-tools.ts'
import { MAIN } from '../../../support/program.ts'
import { BUCKET, KEYS, startVersitygw } from '../../../support/versitygw.ts'

const folder = temporaryFolder()
const data = join(folder, 'data')
const identityFile = join(folder, 'key.txt')
const passphraseFile = join(folder, 'passphrase')
const usb = join(folder, 'usb')
const at = (name: string) => join(folder, name)
// Not a passphrase, which costs a second each time.
let identity: string
let recipient: string
before(async () => {
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  writeFileSync(identityFile, `# of Ana\n${identity}\n`, { mode: 0o600 })
  writeFileSync(passphraseFile, 'a lake in the north', { mode: 0o600 })
  await cliJson('init', '--data', data, '--org', 'Acme', '--email', 'ana@acme.example')
  mkdirSync(usb)
  writeFileSync(join(usb, MARKER), '')
})

const copiesAt = (place: string) => readdirSync(place).filter((name) => name !== MARKER)

describe('a backup that is encrypted', () => {
  const file = at('sealed.tar.age')
  const encrypt = () => ['--backup-encrypt', recipient]
  const decrypt = ['--backup-identity-file', identityFile]

  test('is verified and restored with the identity, and leaves nothing beside it', async () => {
    const made = await cliJson('backup', '--data', data, '--to', file, ...encrypt())
    assert.deepEqual([made.file, made.bytes], [file, statSync(file).size])
    const before = readdirSync(folder)
    const verified = await cliJson('verify', file, ...decrypt)
    assert.deepEqual([verified.file, verified.made_at], [file, made.made_at])
    const restored = await cliJson('restore', file, '--data', at('copy'), ...decrypt)
    assert.equal(restored.made_at, made.made_at)
    assert.deepEqual(readdirSync(folder).sort(), [...before, 'copy'].sort())
    const { org } = await cliJson('settings', 'show', '--data', at('copy'))
    assert.equal(org.name, 'Acme')
  })

  test('is refused without the identity, with a passphrase, and where a file is', async () => {
    const none = await cli(['verify', file])
    assert.deepEqual([none.code, none.out], [1, ''])
    assert.match(
      none.err,
      /sealed\.tar\.age is encrypted\. Decrypt it with --backup-passphrase-file or --backup-identity/,
    )
    const before = readdirSync(folder)
    const wrong = await cli(['restore', file, '--data', at('never'), '--backup-passphrase-file', passphraseFile])
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /sealed\.tar\.age is encrypted for an identity of age, not with a passphrase/)
    const again = await cli(['backup', '--data', data, '--to', file, ...encrypt()])
    assert.equal(again.code, 1)
    assert.match(again.err, /sealed\.tar\.age exists\./)
    assert.deepEqual(readdirSync(folder), before)
  })

  test('is encrypted in the folder of the nightly backups as well, and the copies are that file', async () => {
    const here = at('elsewhere')
    const argv = ['backup', '--data', data, '--backup-dir', here, '--backup-copy-to', usb, ...encrypt()]
    const { code, out, err } = await cli(argv)
    assert.equal(code, 0, err)
    const [name = '', ...others] = readdirSync(here)
    assert.deepEqual(others, [])
    assert.match(name, /^dealbox-\d{8}T\d{6}Z-command-[0-9a-f]{12}\.tar\.age$/)
    assert.match(`${out}${err}`, new RegExp(`dealbox restore .*${name} --data \\S+ --backup-identity-file FILE`))
    assert.ok(readFileSync(join(usb, name)).equals(readFileSync(join(here, name))))
    assert.equal((await cliJson('verify', join(here, name), ...decrypt)).keys, 3)
    rmSync(join(usb, name))
  })

  test('can go to standard output', async () => {
    const argv = [MAIN, 'backup', '--data', data, '--to', '-', ...encrypt()]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { encoding: 'buffer', maxBuffer: 64e6 })
    writeFileSync(at('streamed.age'), stdout)
    await decryptFile(at('streamed.age'), at('streamed.tar'), { identities: [identity] })
    assert.equal(verifyBackup(at('streamed.tar')).manifest.reason, 'command')
  })
})

test('after a backup that is encrypted, one that is not is refused, unless it goes to another place', async () => {
  const before = lastBackup(data)
  const { code, err } = await cli(['backup', '--data', data])
  assert.equal(code, 1)
  assert.match(
    err,
    /^The last backup is encrypted \(.*\.tar\.age\).*Add --backup-encrypt .*choose another place with --to/,
  )
  assert.deepEqual(lastBackup(data), before)
  await cliJson('backup', '--data', data, '--to', at('plain.tar'))
  const { file } = await cliJson('backup', '--data', data, '--backup-encrypt', recipient)
  assert.equal(dirname(file), at('elsewhere'))
  noteBackup(data, { last: null })
})

test('"dealbox backup" copies to every place, and fails if one has no copy', async () => {
  const { file, copies } = await cliJson('backup', '--data', data, '--backup-copy-to', usb)
  const [name = ''] = copiesAt(usb)
  assert.equal(join(data, 'backups', name), file)
  assert.deepEqual(copies, [{ place: usb, ok: true, sentence: copies[0].sentence }])
  assert.ok(readFileSync(join(usb, name)).equals(readFileSync(file)))
  const argv = ['backup', '--data', data, '--backup-copy-to', at('gone'), '--backup-copy-to', usb]
  const { code, err } = await cli(argv)
  assert.equal(code, 1)
  assert.match(err, /The backup .* was made, but not every place has it\.\s+There is no folder .*gone/)
  assert.equal(copiesAt(usb).length, 1) // one a day is kept
  assert.notEqual(copiesAt(usb)[0], name)
  const [first, second] = lastBackup(data).copies ?? []
  assert.deepEqual([first?.place, first?.error], [at('gone'), first?.error])
  assert.match(first?.error ?? '', /There is no folder/)
  assert.deepEqual([second?.place, second?.error], [usb, null])
})

test('older copies are not removed while the clock may be wrong', async () => {
  const seen = (ms: number) => {
    const db = openSqlite(join(data, 'dealbox.db'))
    db.prepare('INSERT OR REPLACE INTO wall_clock VALUES (1, ?, NULL, NULL)').run(ms)
    db.close()
  }
  seen(Date.now() - 3 * DAY_MS)
  await cliJson('backup', '--data', data, '--backup-copy-to', usb)
  assert.equal(copiesAt(usb).length, 2)
  seen(Date.now())
  await cliJson('backup', '--data', data, '--backup-copy-to', usb)
  assert.equal(copiesAt(usb).length, 1)
})

test('the guide has commands that work as they are printed', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../../docs/backup-places.md'), 'utf8')
  const [, block = ''] = /```sh\n(.*?)```/s.exec(guide) ?? []
  const lines = block.split('\n').filter((line) => line.startsWith('dealbox '))
  assert.equal(lines.length, 4)
  const here: Record<string, string> = { 'age1...': recipient, 'key.txt': identityFile, '/mnt/nas/dealbox': usb }
  for (const line of lines) {
    const words = line.split(' ').slice(1)
    const argv = words.map((word) => here[word] ?? (/^(sealed|restored)/.test(word) ? at(`guide-${word}`) : word))
    const { code, err } = await cli(argv.includes('--data') ? argv : [...argv, '--data', data])
    assert.equal(code, 0, `${line}: ${err}`)
  }
  assert.ok(copiesAt(usb).some((name) => name.endsWith('.age')))
  for (const [, option = ''] of guide.matchAll(/^\| `(--[a-z0-9-]+)/gm))
    assert.ok([...Object.keys(backupOptions)].map(flagOf).includes(option), option)
})

test('a restored copy copies nothing, until it may send', async () => {
  const before = copiesAt(usb)
  const made = await cliJson('backup', '--data', at('copy'), '--backup-copy-to', usb)
  assert.equal(made.copies, undefined)
  assert.deepEqual(copiesAt(usb), before)
})

describe('a backup of before the option', () => {
  /** A folder with such a backup, which takes no space on the disk, and how it is copied to another one. */
  async function unencrypted(name: string, bytes: number) {
    const [here, place] = [at(name), at(`${name}-place`)]
    for (const path of [here, place]) mkdirSync(path)
    writeFileSync(join(place, MARKER), '')
    const file = join(here, 'dealbox-20260101T031500Z.tar')
    writeFileSync(file, '')
    truncateSync(file, bytes)
    const copying = await readCopying(here, { backupEncrypt: [recipient], backupCopyTo: [place] })
    const signal = AbortSignal.timeout(60_000)
    return { here, place, copy: () => copyBackup(copying, { file, now: Date.now(), mayPrune: false, signal }) }
  }

  test('is encrypted for its copies, and what that leaves is removed while the event loop turns', async () => {
    const { here, place, copy } = await unencrypted('large', 17 * MIB)
    const killed = join(here, 'dealbox.part-killed')
    mkdirSync(killed)
    writeFileSync(join(killed, 'left.age'), '')
    truncateSync(join(killed, 'left.age'), 17 * MIB)
    utimesSync(killed, 1, 1)
    const seen: Record<string, number[]> = {}
    const looking = setInterval(() => {
      for (const name of readdirSync(here, { recursive: true }) as string[]) {
        const [folder = '', file = ''] = name.split('/')
        const size = statSync(join(here, name), { throwIfNoEntry: false })?.size ?? 0
        if (!folder.startsWith('dealbox.part-') || !/^[^.].*\.age$/.test(file)) continue
        seen[file] = [...new Set([...(seen[file] ?? []), size])]
      }
    }, 1)
    const [report] = await copy()
    clearInterval(looking)
    assert.equal(report?.ok, true, report?.sentence ?? '')
    const [sent = ''] = copiesAt(place)
    const { size } = statSync(join(place, sent))
    assert.deepEqual(seen[sent], [size, size - 8 * MIB, size - 16 * MIB])
    assert.deepEqual(seen['left.age']?.slice(-2), [9 * MIB, MIB])
    assert.deepEqual(readdirSync(here).sort(), ['backups.json', 'dealbox-20260101T031500Z.tar'])
  })

  test('is not begun with where there is no space for it, which is a failure of all places', async () => {
    const { here, place, copy } = await unencrypted('huge', 2 ** 43)
    const [report] = await copy()
    assert.equal(report?.ok, false)
    assert.match(report?.sentence ?? '', /^To encrypt a copy of a backup, Dealbox needs .* Free some space/)
    assert.deepEqual([copiesAt(place), readdirSync(here).length], [[], 2])
    const [noted] = lastBackup(here).copies ?? []
    assert.deepEqual([noted?.place, noted?.file, noted?.error], [place, null, report?.sentence])
  })
})

describe('each night', () => {
  /** Nights of a server in this process, with the options of its command line. */
  async function nightly(
    t: { after: (end: () => unknown) => void },
    options: Parameters<typeof readCopying>[1],
    isFirst = true,
  ) {
    if (isFirst) rmSync(join(data, 'backups.json'), { force: true })
    const store = openStore(data)
    const made = installedAt(store.db)
    let now = made - (made % DAY_MS) + 2 * DAY_MS + 5 * HOUR_MS // well after 03:15
    const lines: { level: number; place?: string; msg: string }[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const folder = at(`nightly-${made}-${lines.length}-${Math.random()}`)
    const copying = await readCopying(data, options)
    const left = notYetCopied(copying)
    const { tick, stop } = startNightly({
      store: { ...store, clock: { ...store.clock, now: () => now } },
      ...{ log, dataDir: data, at: '03:15', folder, keep: { days: 7, weeks: 4, months: 6 }, timezone: 'UTC' },
      work: async (how): Promise<Night> => night(how),
      ...{ copy: copyAndLog(copying, log, left), uncopied: left?.file, encryption: copying.encryption },
    })
    t.after(async () => {
      await stop()
      store.close()
    })
    const pass = async (ms: number) => {
      now += ms
      await tick()
    }
    return { pass, lines, folder, now: () => now }
  }

  test('the backup and its copies are encrypted, each place keeps its own, and one that failed is tried again every hour', async (t) => {
    const [first, second] = [at('first'), at('second')]
    mkdirSync(first)
    writeFileSync(join(first, MARKER), '')
    const { pass, lines, folder, now } = await nightly(t, {
      ...{ backupEncrypt: [recipient], backupCopyTo: [first, second], backupCopyKeep: '2,1,1' },
    })
    await pass(0)
    const [own = ''] = readdirSync(folder)
    assert.match(own, /^dealbox-\d{8}T\d{6}Z-nightly-[0-9a-f]{12}\.tar\.age$/)
    assert.deepEqual(copiesAt(first), [own])
    await pass(HOUR_MS) // fails again, which is not logged again
    await pass(HOUR_MS - 1)
    mkdirSync(second)
    writeFileSync(join(second, MARKER), '')
    rmSync(join(first, own)) // it is not copied there again
    await pass(1)
    assert.deepEqual([copiesAt(first), copiesAt(second)], [[], [own]])
    const states = lastBackup(data).copies?.map(({ place, file, error }) => ({ place, file, error }))
    assert.deepEqual(states, [
      { place: first, file: own, error: null },
      { place: second, file: own, error: null },
    ])
    const said = lines.filter(({ place }) => place).map(({ level, place }) => [level, place])
    assert.deepEqual(said, [
      [30, first],
      [50, second],
      [30, second],
    ])
    assert.ok(readFileSync(join(second, own)).equals(readFileSync(join(folder, own))))
    for (let days = 0; days < 3; days++) await pass(DAY_MS)
    const stamp = rfc3339(now()).slice(0, 10).replaceAll('-', '')
    assert.equal(copiesAt(second).length, 2)
    assert.ok(copiesAt(second).some((name) => name.startsWith(`dealbox-${stamp}`)))
    assert.equal(readdirSync(folder).length, 4)
  })

  test('a server goes on with what an earlier one has left, and encrypts one from before the option', async (t) => {
    const [third, fourth] = [at('third'), at('fourth')]
    mkdirSync(third)
    writeFileSync(join(third, MARKER), '')
    const first = await nightly(t, { backupCopyTo: [third, fourth] })
    await first.pass(0)
    const [own = ''] = readdirSync(first.folder)
    assert.deepEqual(copiesAt(third), [own])
    mkdirSync(fourth)
    writeFileSync(join(fourth, MARKER), '')
    rmSync(join(third, own))
    const next = await nightly(t, { backupCopyTo: [third, fourth], backupEncrypt: [recipient] }, false)
    await next.pass(1)
    assert.deepEqual([existsSync(next.folder), copiesAt(third), copiesAt(fourth)], [false, [], [`${own}.age`]])
    const last = await nightly(t, { backupCopyTo: [third, fourth], backupEncrypt: [recipient] }, false)
    await last.pass(2)
    assert.deepEqual(last.lines, [])
  })

  test('a place that was not tried for a month is forgotten', async () => {
    const tried = (days: number) => rfc3339(Date.now() - days * DAY_MS)
    const old = (place: string, days: number) => ({
      ...{ place, file: null, copied_at: null, error: 'gone', tried_at: tried(days) },
    })
    noteBackup(data, { copies: [old('/old', 31), old('/younger', 29)] })
    await cliJson('backup', '--data', data, '--backup-copy-to', usb)
    assert.deepEqual(
      lastBackup(data).copies?.map(({ place }) => place),
      ['/younger', usb],
    )
  })

  test('a bucket gets a copy', { skip: noGo }, async (t) => {
    const gateway = await startVersitygw()
    t.after(gateway.stop)
    const keyFile = at('s3')
    writeFileSync(keyFile, `aws_access_key_id=${KEYS.id}\naws_secret_access_key=${KEYS.secret}\n`, { mode: 0o600 })
    const { pass, folder } = await nightly(t, {
      ...{ backupS3: `http://127.0.0.1:${gateway.port}/${BUCKET}/crm`, backupS3KeyFile: keyFile },
    })
    await pass(0)
    const [own = ''] = readdirSync(folder)
    assert.ok(readFileSync(join(gateway.bucket, 'crm', own)).equals(readFileSync(join(folder, own))))
  })
})
