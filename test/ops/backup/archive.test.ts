import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { DamagedArchive, readArchive, writeArchive } from '../../../src/ops/backup/archive.ts'
import { BLOCK, headerOf, readHeader } from '../../../src/ops/backup/tar.ts'
import { places } from './backup-fixture.ts'

const { temporaryFolder } = places()

const folder = temporaryFolder()
const hasTar = spawnSync('tar', ['--version']).status === 0

function entriesOf(file: string): Record<string, string> {
  const found: Record<string, string> = {}
  readArchive(file, ({ name }) => {
    found[name] = ''
    return (bytes) => {
      found[name] = `${found[name]}${bytes ?? ''}`
    }
  })
  return found
}

const part = (name: string, text: string) => ({ name, mode: 0o600, size: text.length, content: Buffer.from(text) })

describe('a tar file', () => {
  test('is read by every tar program, and has the same content', { skip: !hasTar && 'there is no tar' }, () => {
    const file = join(folder, 'a.tar')
    const large = join(folder, 'large')
    writeFileSync(large, 'x'.repeat(2_500_000))
    const parts = [part('manifest.json', 'first'), part('empty', ''), part('keys/a.pem', 'y'.repeat(BLOCK))]
    const bytes = writeArchive(
      file,
      [...parts, { name: 'large', mode: 0o600, size: 2_500_000, content: large }],
      1_700_000_000,
    )
    assert.equal(bytes, statSync(file).size)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const listed = execFileSync('tar', ['-tvf', file], { env: { TZ: 'UTC' } }).toString()
    assert.match(listed, /^-rw------- 0\/0 +5 2023-11-14 22:13 manifest\.json$/m)
    assert.match(listed, /^-rw------- 0\/0 +2500000 2023-11-14 22:13 large$/m)
    assert.equal(execFileSync('tar', ['-xOf', file, 'keys/a.pem']).toString(), 'y'.repeat(BLOCK))
    const read = entriesOf(file)
    assert.deepEqual(Object.keys(read), ['manifest.json', 'empty', 'keys/a.pem', 'large'])
    assert.equal(read.large, 'x'.repeat(2_500_000))
  })

  test('has sizes beyond 8 GiB in its headers', { skip: !hasTar && 'there is no tar' }, () => {
    const entry = { name: 'dealbox.db', mode: 0o600, size: 9 * 2 ** 30 + 1, mtime: 5 }
    assert.deepEqual(readHeader(headerOf(entry)), entry)
    const file = join(folder, 'huge.tar')
    writeFileSync(file, headerOf(entry))
    assert.match(spawnSync('tar', ['-tvf', file]).stdout.toString(), /9663676417/)
    assert.throws(() => headerOf({ ...entry, name: 'x'.repeat(101) }), /too long/)
  })

  test('is refused if a bit is wrong, it is cut off, or something follows', () => {
    const file = join(folder, 'b.tar')
    writeArchive(file, [part('one', 'hello'), part('two', 'hello, too')], 1)
    const whole = readFileSync(file)
    const fd = openSync(file, 'r+')
    for (let at = 0; at < whole.length; at++) {
      writeSync(fd, Buffer.of((whole[at] as number) ^ (1 << (at % 8))), 0, 1, at)
      assert.throws(() => entriesOf(file), DamagedArchive, `byte ${at}`)
      writeSync(fd, whole, at, 1, at)
    }
    closeSync(fd)
    entriesOf(file)
    for (const wrong of [
      whole.subarray(0, -1),
      whole.subarray(0, -BLOCK),
      whole.subarray(0, BLOCK),
      Buffer.alloc(0),
      Buffer.concat([whole, Buffer.alloc(BLOCK)]),
    ]) {
      writeFileSync(file, wrong)
      assert.throws(() => entriesOf(file), DamagedArchive, `${wrong.length} bytes`)
    }
  })
})
