import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'

/** Imports point one way: each layer may use itself and those before it. */
const LAYERS = [
  'lib',
  'assets',
  'config',
  'egress',
  'mail',
  'store',
  'events',
  'auth',
  'http',
  'resources',
  'settings',
  'imports',
  'exports',
  'seed',
  'sender',
  'mailroom',
  'jobs',
  'app',
  'screens',
  'cli',
  'main',
]

const root = join(import.meta.dirname, '..')
const layerOf = (path: string) => LAYERS.indexOf(path.split('/')[1]?.replace(/\.ts$/, '') as string)

test('imports point one way, and no folder is outside of the layers', () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/web/'))
  assert.ok(files.length > 40)
  for (const file of files) {
    assert.ok(layerOf(file) >= 0, `${file} is in no layer`)
    for (const [, target] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
      const imported = relative(root, join(root, file, '..', target as string))
      if (imported.startsWith('src/'))
        assert.ok(layerOf(imported) <= layerOf(file), `${file} must not import ${imported}`)
    }
  }
})

test('files stay short', () => {
  for (const file of globSync('src/**/*.ts', { cwd: root })) {
    const lines = readFileSync(join(root, file), 'utf8').split('\n').length - 1
    assert.ok(lines <= 300, `${file} has ${lines} lines; over 300 it becomes a folder`)
  }
})
