import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idleCheckpoint } from '../../src/store/checkpoint.ts'
import type { Connection } from '../../src/store/sqlite/driver.ts'

test('a checkpoint that fails, as on a full disk, does not end the server', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let tries = 0
  const db = {
    pragma: () => {
      tries++
      throw new Error('database or disk is full')
    },
  } as unknown as Connection
  const { written } = idleCheckpoint(db)
  for (let count = 0; count < 2; count++) {
    written()
    t.mock.timers.tick(1000)
  }
  assert.equal(tries, 2)
})
