import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import { Problem } from '../../../../src/lib/problem.ts'
import { MIB } from '../../../../src/lib/size.ts'
import { DAY_MS } from '../../../../src/lib/time.ts'
import { folderPlace, MARKER } from '../../../../src/ops/backup/places/folder.ts'
import { smallDisk } from '../../../support/small-disk.ts'
import { isEqual, nameOf, sample, temporaryFolder } from './samples.ts'

const base = temporaryFolder()
const dataDir = join(base, 'data')
mkdirSync(dataDir)
const small = sample(base, 'small', 300_000)
const name = nameOf(1)
let made = 0

/** A folder that counts as another disk, by the file that a person would make. */
function share(): string {
  const folder = join(base, `share-${++made}`)
  mkdirSync(folder)
  writeFileSync(join(folder, MARKER), '')
  return folder
}

const refused = (work: Promise<unknown>, code: string, sentence: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem, String(error))
    assert.match(error.message, sentence)
    assert.equal(error.code, code)
    return true
  })

test('a folder gets a copy, lists it, gives it back and removes it', async () => {
  const folder = share()
  const place = folderPlace({ folder, dataDir })
  await place.put(small, nameOf(2))
  await place.put(small, name)
  await place.put(small, name) // again
  assert.ok(isEqual(join(folder, name), small))
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
  const copies = await place.list()
  assert.deepEqual(
    copies.map((copy) => [copy.name, copy.bytes]),
    [
      [name, 300_000],
      [nameOf(2), 300_000],
    ],
  )
  assert.equal(copies[0]?.time, Math.floor(statSync(join(folder, name)).mtimeMs))
  await place.get(name, join(base, 'back'))
  assert.ok(isEqual(join(base, 'back'), small))
  await place.remove(name)
  await place.remove(name)
  await refused(place.get(name, join(base, 'none')), 'no_such_copy', /has no copy dealbox-/)
  assert.equal(existsSync(join(base, 'none')), false)
  assert.deepEqual(readdirSync(folder).sort(), [nameOf(2), MARKER].sort())
})

test('files of others are neither listed nor touched', async () => {
  const folder = share()
  const place = folderPlace({ folder, dataDir })
  writeFileSync(join(folder, 'dealbox-notes.txt'), 'mine')
  assert.deepEqual(await place.list(), [])
  for (const each of ['dealbox-notes.txt', '../small', MARKER])
    for (const work of [place.remove, place.put.bind(place, small), (name: string) => place.get(name, join(base, 'x'))])
      await refused(work(each), 'no_such_copy', /is not the name of a backup/)
  assert.equal(readFileSync(join(folder, 'dealbox-notes.txt'), 'utf8'), 'mine')
})

test('a folder that is not there is not created', async () => {
  const folder = join(base, 'not-mounted')
  const place = folderPlace({ folder, dataDir })
  await refused(
    place.put(small, name),
    'place_missing',
    /There is no folder .*not-mounted\. If it is on a share, mount/,
  )
  await refused(place.list(), 'place_missing', /There is no folder/)
  assert.equal(existsSync(folder), false)
})

test('a folder on the disk of the data needs a file that says so', async () => {
  const folder = join(base, 'same-disk')
  mkdirSync(folder)
  const place = folderPlace({ folder, dataDir })
  const sentence = /is on the same disk as the data folder\. .*create an empty file "dealbox-copies-here" in it\.$/
  await refused(place.put(small, name), 'place_missing', sentence)
  await refused(place.remove(name), 'place_missing', sentence)
  assert.deepEqual(readdirSync(folder), [])
})

test('another disk needs no such file; one without space keeps nothing', async (t) => {
  const disk = smallDisk(2048)
  if (!disk) return t.skip('this process may not mount a disk')
  t.after(disk.drop)
  const place = folderPlace({ folder: disk.folder, dataDir })
  await place.put(small, name)
  const large = sample(base, 'large', 3 * MIB)
  await refused(place.put(large, nameOf(2)), 'place_full', /has 1\.\d MiB free, and the copy needs 3 MiB\.$/)
  assert.deepEqual(readdirSync(disk.folder), [name])
})

test('a copy that cannot be read back as it was sent does not count', async () => {
  const folder = share()
  const place = folderPlace({ folder, dataDir })
  const large = sample(base, 'large', 8 * MIB)
  const put = place.put(large, name)
  let isOver = false
  put.then(
    () => (isOver = true),
    () => (isOver = true),
  )
  // As a failing disk would: the last byte changes as soon as it has been written, long before it is read back.
  while (!isOver) {
    const [part] = readdirSync(folder).filter((each) => each.endsWith('.part'))
    const path = join(folder, part ?? '')
    if (part && statSync(path, { throwIfNoEntry: false })?.size === 8 * MIB) {
      const descriptor = openSync(path, 'r+')
      writeSync(descriptor, 'x', 8 * MIB - 1)
      closeSync(descriptor)
      break
    }
    await turn()
  }
  await refused(put, 'copy_differs', /What arrived at .* differs from dealbox-.*, and does not count as a copy\.$/)
  assert.deepEqual(readdirSync(folder), [MARKER])
})

test('temporary files of interrupted copies are removed after a day', async () => {
  const folder = share()
  const [old, young] = ['1', '2'].map((digit) => `.${name}.${'0'.repeat(35)}${digit}.part`) as [string, string]
  for (const each of [old, young]) writeFileSync(join(folder, each), 'part')
  const dayAgo = (Date.now() - DAY_MS) / 1000 - 60
  utimesSync(join(folder, old), dayAgo, dayAgo)
  await folderPlace({ folder, dataDir }).put(small, nameOf(2))
  assert.deepEqual(readdirSync(folder).sort(), [young, nameOf(2), MARKER].sort())
})

test('a copy that is stopped leaves nothing', async () => {
  const folder = share()
  const stopping = new AbortController()
  const reason = new Error('stopping')
  const put = folderPlace({ folder, dataDir }).put(sample(base, 'large', 8 * MIB), name, stopping.signal)
  while (readdirSync(folder).length === 1) await turn()
  stopping.abort(reason)
  await assert.rejects(put, reason)
  while (readdirSync(folder).length > 1) await turn() // what was under way ends by itself
  await assert.rejects(folderPlace({ folder, dataDir }).list(stopping.signal), reason)
})

test('a share that hangs holds one thread at most', {
  skip: process.platform === 'win32' && 'Windows has no named pipes in folders',
}, async () => {
  const folder = share()
  // Opening a named pipe that nobody writes to hangs as a share does whose server is away.
  const pipe = join(folder, name)
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0)
  const place = folderPlace({ folder, dataDir, patience_ms: 20 })
  const target = join(base, 'hanging')
  for (let times = 0; times < 5; times++)
    await refused(place.get(name, target), 'place_failed', /does not answer\. If it is on a share, its server may be/)
  await refused(place.list(), 'place_failed', /does not answer/)
  // Of the four threads, others are free.
  const late = pause(5000, 'late', { ref: false })
  assert.notEqual(await Promise.race([readdir(base), late]), 'late')
  // The server is back. For writing alone this would wait, and so would this process, for one who is still about to read.
  const server = openSync(pipe, 'r+')
  rmSync(pipe)
  closeSync(server)
  const isBack = () =>
    place.list().then(
      () => true,
      () => false,
    )
  while (!(await isBack())) await turn()
  await place.put(small, name)
  assert.equal(existsSync(target), false)
})
