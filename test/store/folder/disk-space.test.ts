import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GIB, MIB } from '../../../src/lib/size.ts'
import { minFreeOf, watchSpace } from '../../../src/store/folder/disk-space.ts'
import type { Reserve } from '../../../src/store/folder/reserve.ts'
import { storageHealth } from '../../../src/store/health.ts'

function watched(minFree?: number, sizeBytes = 512 * MIB) {
  const disk = { freeBytes: 100 * MIB, sizeBytes, asked: 0, ms: 0, isGone: false }
  const space = watchSpace('.', {
    minFree,
    elapsed: () => disk.ms,
    space: () => {
      disk.asked++
      if (disk.isGone) throw new Error('ENOENT')
      return { freeBytes: disk.freeBytes, sizeBytes: disk.sizeBytes }
    },
  })
  /** Whether it is low a second later. */
  const isLowAt = (freeBytes: number): boolean => {
    disk.freeBytes = freeBytes
    disk.ms += 1000
    return space.isLow()
  }
  return { disk, space, isLowAt }
}

test('256 MB have to stay free, and less on a small disk', () => {
  for (const [sizeBytes, least] of [
    [GIB * 1000, 256 * MIB],
    [GIB * 4, 256 * MIB],
    [512 * MIB, 32 * MIB],
    [24 * MIB, 1.5 * MIB],
  ] as const)
    assert.equal(minFreeOf({ freeBytes: 0, sizeBytes }), least)
  assert.equal(minFreeOf({ freeBytes: 0, sizeBytes: GIB }, 7), 7)
})

test('the operating system is asked once a second, however often somebody wants to know', () => {
  const { disk, space } = watched(10 * MIB)
  for (let ms = 0; ms < 5000; ms++) {
    disk.ms = ms
    for (let times = 0; times < 4; times++) assert.equal(space.isLow(), false)
  }
  assert.equal(disk.asked, 5)
})

test('it is low below the limit, until there is an eighth more', () => {
  const { isLowAt } = watched(80 * MIB)
  assert.equal(isLowAt(80 * MIB), false)
  assert.equal(isLowAt(80 * MIB - 1), true)
  assert.equal(isLowAt(90 * MIB - 1), true)
  assert.equal(isLowAt(90 * MIB), false)
  assert.equal(isLowAt(85 * MIB), false)
})

test('a disk that does not answer is as it was, and off never asks', () => {
  const { disk, isLowAt } = watched(80 * MIB)
  assert.equal(isLowAt(MIB), true)
  disk.isGone = true
  assert.equal(isLowAt(GIB), true)
  const off = watched(0)
  assert.deepEqual([off.isLowAt(0), off.disk.asked], [false, 0])
})

test('a low disk lets deletions and sign-ins through, and a full one deletions only; each is reported once', () => {
  const { disk, space, isLowAt } = watched(80 * MIB)
  const said: string[] = []
  let hasSpace = true
  const reserve = { allocate: () => true, hasSpace: () => hasSpace, release: () => (hasSpace = false) }
  const health = storageHealth({
    wall: () => disk.ms,
    space,
    reserve: { ...reserve, isDiskFull: () => false } as unknown as Reserve,
    report: ({ failure }) => void said.push(failure),
    reportSpace: () => void said.push('space'),
  })
  const codes = () =>
    [{}, { isSmall: true }, { frees: true }].map((allowed) => health.refusal(allowed)?.code ?? 'written')
  assert.deepEqual(codes(), ['written', 'written', 'written'])
  isLowAt(MIB)
  assert.deepEqual(codes(), ['storage_full', 'written', 'written'])
  assert.deepEqual([health.shortage(), health.isDiskFull()], ['low', false])
  health.note(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))
  assert.deepEqual(codes(), ['storage_full', 'storage_full', 'written'])
  assert.equal(health.shortage(), 'full')
  hasSpace = true
  disk.ms += 1000
  assert.deepEqual([health.shortage(), said], ['low', ['low', 'full']])
  isLowAt(100 * MIB)
  assert.deepEqual(codes(), ['written', 'written', 'written'])
  assert.deepEqual(said, ['low', 'full', 'space'])
})
