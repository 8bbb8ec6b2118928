import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')

test('modules of node are not imported while the server runs: in the executable that prints a warning', () => {
  for (const file of globSync('src/**/*.{ts,tsx,cjs}', { cwd: root }))
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /(?<!typeof )\bimport\(\s*['"`]node:/,
      `${file}: use process.getBuiltinModule`,
    )
})

test('files stay short', () => {
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: root })) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
    assert.ok(lines <= 300, `${file} has ${lines} lines; over 300 it becomes a folder`)
  }
})
