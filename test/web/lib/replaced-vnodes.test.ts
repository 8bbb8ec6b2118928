import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

test('src/web/lib/replaced-vnodes.ts knows the insides of this version of Preact, and of no other', () => {
  const { version } = JSON.parse(readFileSync('node_modules/preact/package.json', 'utf8'))
  assert.equal(
    version,
    '11.2.0',
    'look whether the names there are still those of its builds, and whether it is still needed',
  )
})
