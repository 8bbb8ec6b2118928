import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'

type File = { bytes: number; sizes: Record<string, number>; forms: Record<string, string> }
type Manifest = { script: string; style: string; preload: string[]; files: Record<string, File> }

const folder = join(import.meta.dirname, '../../dist/web')
const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
const gzipped = (names: string[]): number =>
  names.reduce((sum, name) => sum + (manifest.files[name]?.sizes.gzip as number), 0)

test('the first load stays within its budgets of bytes and requests', () => {
  const { script, style, preload } = manifest
  assert.ok(gzipped([script, ...preload]) <= 80_000, `${gzipped([script, ...preload])} bytes of scripts`)
  assert.ok(gzipped([style]) <= 25_000, `${gzipped([style])} bytes of styles`)
  // The page itself, its script, style and chunks; the font, the icons and the stream come on top.
  assert.ok(1 + [script, style, ...preload].length <= 5, preload.join())
})

test('the manifest lists every file in each of its forms, and nothing of earlier builds is left', () => {
  const forms = Object.values(manifest.files).flatMap((file) => Object.values(file.forms))
  const there = readdirSync(folder).filter((name) => !name.endsWith('.tmp'))
  assert.deepEqual(there.sort(), ['.built-from', 'manifest.json', ...forms].sort())
  for (const { bytes, forms } of Object.values(manifest.files)) {
    if (forms.gzip) assert.equal(gunzipSync(readFileSync(join(folder, forms.gzip))).length, bytes)
  }
})

/** What the server and the browser share: pure, and small. */
const SHARED = /^(?:\.\.\/)+lib\/(?:pure|written)\/[\w/-]+\.ts$/

test('the browser app takes only types from the rest of the sources, but for what both share', () => {
  const web = join(import.meta.dirname, '../../src/web')
  for (const name of readdirSync(web, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(name)) continue
    const text = readFileSync(join(web, name), 'utf8')
    const depth = name.split(/[\\/]/).length - 1
    for (const [line, path = '', up = ''] of text.matchAll(/^(?:import|export) (?!type ).*from '(((?:\.\.\/)+).*)'$/gm))
      assert.ok(up.length / 3 <= depth || SHARED.test(path), `${name}: ${line}`)
  }
})

test('a class by itself is styled by one file: all of them become one stylesheet', () => {
  const owners = new Map<string, string>()
  const root = join(import.meta.dirname, '../..')
  for (const file of globSync('src/web/{components,shell,tables,record,screens}/**/*.css', { cwd: root })) {
    const css = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
    for (const [, name = ''] of css.matchAll(/(?<=[{},;]\s*)\.([\w-]+)(?=\s*[,{])(?![^(){}]*\))/g)) {
      const other = owners.get(name) ?? file
      assert.equal(other, file, `.${name} is of ${other} and of ${file}`)
      owners.set(name, file)
    }
  }
  assert.ok(owners.size > 150, `${owners.size} classes`)
})

test('every class of the sheets is named in the sources: what nothing has is not styled', () => {
  const root = join(import.meta.dirname, '../..')
  const read = (pattern: string) =>
    globSync(pattern, { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const code = read('src/web/**/*.{ts,tsx}').join('\n')
  const names = new Set(code.match(/[\w-]+/g))
  /** Names that are put together: tints and sizes of people, speakers, how a deal has ended, and the bars of a report. */
  const isMade = (name: string) =>
    /^(?:m\d|s\d|x\d\d|is-won|is-lost|(?:b|lg)-(?:won|lost|whole|main|committed))$/.test(name)
  const css = read('src/web/*/**/*.css')
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\/|url\(.*\)/g, '')
  const unnamed = [...css.matchAll(/\.([a-z][\w-]*)(?=[^;{}]*\{)/g)]
    .map(([, name]) => name as string)
    .filter((name) => !names.has(name) && !isMade(name))
  assert.deepEqual(unnamed, [])
})
