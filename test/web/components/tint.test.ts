import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tintOf } from '../../../src/web/components/tint.ts'
import { page } from '../../../src/web/data/boot.ts'
import type { Boot } from '../../../src/web/data/types.ts'

test('the first six members have six tints, whatever their ids are, and the seventh begins anew', () => {
  const ids = ['01', '0v', '1s', '2r', '3q', '4p', '5o']
  page.value = { signed_in: true, members: ids.map((id) => ({ id })) } as unknown as Boot
  assert.deepEqual(ids.map(tintOf), [1, 2, 3, 4, 5, 6, 1])
  assert.equal(tintOf('unknown'), 1)
  page.value = undefined
  assert.equal(tintOf('01'), 1)
})
