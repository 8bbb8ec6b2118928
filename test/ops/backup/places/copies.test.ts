import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { copyToPlaces } from '../../../../src/ops/backup/places/copies.ts'
import { folderPlace, MARKER } from '../../../../src/ops/backup/places/folder.ts'
import type { BackupPlace } from '../../../../src/ops/backup/places/place.ts'
import { nameOf, sample, temporaryFolder } from './samples.ts'

const base = temporaryFolder()
const dataDir = join(base, 'data')
mkdirSync(dataDir)
const file = sample(base, 'small', 2048)

function share(name: string): { folder: string; place: BackupPlace; names: () => string[] } {
  const folder = join(base, name)
  mkdirSync(folder)
  writeFileSync(join(folder, MARKER), '')
  const names = () => readdirSync(folder).filter((each) => each !== MARKER)
  return { folder, place: folderPlace({ folder, dataDir }), names }
}

const newest = (names: readonly string[]) => [...names].sort().slice(-2)

test('every place gets a copy and keeps its own, and one that fails keeps none from it', async () => {
  const [first, second] = [share('first'), share('second')]
  for (const day of [1, 2, 3]) await first.place.put(file, nameOf(day))
  const missing = folderPlace({ folder: join(base, 'missing'), dataDir })
  const reports = await copyToPlaces({
    ...{ file, name: nameOf(9), keep: newest },
    places: [missing, first.place, second.place],
  })
  assert.deepEqual(reports, [
    {
      ...{ place: join(base, 'missing'), ok: false },
      sentence: `There is no folder ${join(base, 'missing')}. If it is on a share, mount the share.`,
    },
    {
      ...{ place: first.folder, ok: true },
      sentence: `${nameOf(9)} (2 KiB) is at ${first.folder}. 2 older copies were removed.`,
    },
    { place: second.folder, ok: true, sentence: `${nameOf(9)} (2 KiB) is at ${second.folder}.` },
  ])
  assert.deepEqual(first.names(), [nameOf(3), nameOf(9)])
  assert.deepEqual(second.names(), [nameOf(9)])
})

test('the new copy is kept, whatever the retention says', async () => {
  const { place, names } = share('none')
  await place.put(file, nameOf(2))
  const [report] = await copyToPlaces({ file, name: nameOf(1), places: [place], keep: () => [] })
  assert.match(report?.sentence ?? '', /An older copy was removed\.$/)
  assert.deepEqual(names(), [nameOf(1)])
})

test('older copies that may not be removed do not make the new one fail', async () => {
  const { folder, place, names } = share('kept')
  await place.put(file, nameOf(1))
  // As a folder that allows to add files but not to remove them.
  const sealed: BackupPlace = {
    ...place,
    remove: async (name) => {
      await folderPlace({ folder: join(folder, name), dataDir }).remove(name)
    },
  }
  const [report] = await copyToPlaces({ file, name: nameOf(2), places: [sealed], keep: () => [] })
  assert.equal(report?.ok, true)
  assert.match(report?.sentence ?? '', /is at .*kept\. Older copies were not removed: There is no folder/)
  assert.deepEqual(names(), [nameOf(1), nameOf(2)])
  chmodSync(folder, 0o700)
})

test('what is not a Problem is for the log', async () => {
  const { place, names } = share('odd')
  const error = new TypeError('odd')
  const odd: BackupPlace = { ...place, name: 'odd', put: () => Promise.reject(error) }
  const reports = await copyToPlaces({ file, name: nameOf(1), places: [odd, place], keep: newest })
  assert.deepEqual(reports[0], {
    ...{ place: 'odd', ok: false, error },
    sentence: 'The copy to odd failed; the log has the reason.',
  })
  assert.deepEqual(names(), [nameOf(1)])
})

test('a signal ends all of it', async () => {
  const { place, names } = share('stopped')
  const stopped = AbortSignal.abort(new Error('stopping'))
  const copy = copyToPlaces({ file, name: nameOf(1), places: [place, place], keep: newest, signal: stopped })
  await assert.rejects(copy, /stopping/)
  assert.deepEqual(names(), [])
})
