import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSize, sizeText } from '../../src/lib/size.ts'

test('a size is written with one decimal at most', () => {
  for (const [bytes, text] of [
    [0, '0 bytes'],
    [1023, '1023 bytes'],
    [1024, '1 KiB'],
    [1536, '1.5 KiB'],
    [1_048_576, '1 MiB'],
    [43_000_000, '41 MiB'],
    [36 * 1_048_576, '36 MiB'],
    [1_610_612_736, '1.5 GiB'],
  ] as const)
    assert.equal(sizeText(bytes), text)
})

test('a size is read in KiB, MiB and GiB', () => {
  assert.deepEqual(['36M', '512K', '2G', '0M'].map(parseSize), [36 * 1_048_576, 512 * 1024, 2 ** 31, 0])
  for (const text of ['', '36', 'M', '36m', '36MB', '1.5M', '-1M', ' 1M', '1234567890M'])
    assert.equal(parseSize(text), undefined)
})
