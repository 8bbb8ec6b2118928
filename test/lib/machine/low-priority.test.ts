import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { giveWay } from '../../../src/lib/machine/low-priority.ts'

const src = join(import.meta.dirname, '../../../src')

test('a thread works also where a sandbox keeps it from letting others go first', () => {
  const asked: (number | undefined)[] = []
  giveWay((priority: number) => {
    asked.push(priority)
    throw Object.assign(new Error('not permitted'), { code: 'ERR_SYSTEM_ERROR' })
  })
  assert.deepEqual(asked, process.platform === 'linux' ? [10] : [])
})

/** While a copy is checked before it is promoted, there is nobody to let go first. */
const FIRST = 'ops/replication/followed/whole-thread.ts'

test('no thread sets its priority otherwise', () => {
  const files = globSync('**/*.ts', { cwd: src }).filter((file) =>
    /\b(giveWay|setPriority)\(/.test(readFileSync(join(src, file), 'utf8')),
  )
  const threads = globSync('**/*-thread.ts', { cwd: src }).filter((file) => file !== FIRST)
  assert.deepEqual(files.sort(), [...threads, 'lib/machine/low-priority.ts'].sort())
})
