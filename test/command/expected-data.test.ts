import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { prepareEmptyFolder } from '../../src/cli/serve/setup.ts'
import { markData, refuseMissing } from '../../src/command/expected-data.ts'
import { cli, temporaryFolder } from '../cli/command-line.ts'

// A data folder whose disk is not mounted.

const root = temporaryFolder()
let count = 0
/** A mount point, and a data folder in it. */
function disk() {
  const point = join(root, String(++count), 'disk')
  mkdirSync(point, { recursive: true })
  return { data: join(point, 'crm'), mount: { point, type: 'ext4', source: '/dev/sdb', options: [] } }
}
const refusal = (text: RegExp) => ({ status: 409, code: 'data_missing', message: text })

test('a first start begins anew, and a later one does not where the disk is away', () => {
  const { data, mount } = disk()
  refuseMissing(data, false)
  prepareEmptyFolder(data)
  markData(data, mount)
  markData(data, mount)
  refuseMissing(data, false)
  rmSync(data, { recursive: true })
  assert.throws(
    () => refuseMissing(data, false),
    refusal(/is missing, although a server ran on it before: mount its disk/),
  )
  mkdirSync(data)
  writeFileSync(join(data, 'dealbox.json'), '{}')
  assert.throws(
    () => refuseMissing(data, false),
    refusal(/is empty.*To begin anew there, delete (.*\.dealbox-[0-9a-f]{16})/),
  )
  // It stays beside the mount point, and says what it is for.
  const [mark = ''] = readdirSync(join(mount.point, '..')).filter((name) => name.startsWith('.dealbox-'))
  rmSync(join(mount.point, '..', mark))
  refuseMissing(data, false)
  refuseMissing(join(mount.point, 'another'), false)
})

test('nothing is left where the folder is on no disk of its own, or the folder above belongs to others', () => {
  const { data, mount } = disk()
  for (const point of ['', '/', join(root, 'none/at/all')]) markData(data, { ...mount, point })
  markData(data, undefined)
  assert.deepEqual(readdirSync(join(mount.point, '..')), ['disk'])
})

test('--expect-data refuses what looks like a new folder, and makes nothing', async () => {
  const data = join(root, 'expected')
  const { code, err } = await cli(['serve', '--data', data, '--expect-data'])
  assert.deepEqual([code, existsSync(data)], [1, false])
  assert.match(err, /is missing, although it should have data \(--expect-data\).*start once without --expect-data/)
  prepareEmptyFolder(data)
  refuseMissing(data, true)
})
