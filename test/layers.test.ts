import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

/**
 * Imports point one way: each layer may use itself and those before it. A room is a folder below src, and belongs to the
 * layer that names it or the nearest folder above it.
 */
const LAYERS = [
  ['lib'],
  ['assets.ts', 'config.ts'],
  ['webhooks/egress'],
  ['mail'],
  ['store'],
  ['events'],
  ['auth'],
  ['http'],
  ['deps.ts'],
  ['crm/custom-fields'],
  ['crm/records'],
  ['filters', 'crm', 'meetings', 'inbox', 'sequences', 'webhooks', 'settings'],
  ['imports'],
  ['exports'],
  ['demo'],
  ['webhooks/delivery'],
  ['mail/sync'],
  ['jobs'],
  ['app.ts'],
  ['screens'],
  ['cli'],
  ['main.ts'],
]

const root = join(import.meta.dirname, '..')

/** The layer that names the longest part of the path; -1 for none. */
function layerOf(path: string): number {
  for (let part = path.replace(/^src\//, ''); part !== '.'; part = dirname(part)) {
    const layer = LAYERS.findIndex((rooms) => rooms.includes(part))
    if (layer >= 0) return layer
  }
  return -1
}

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
