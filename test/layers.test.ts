import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { test } from 'node:test'

// The house: docs/developing/architecture.md says what each floor is for.

/** The folders of src, lowest first: a file may import from its own and from those before it, types included. */
const FLOORS = `executable.cjs assets.ts lib store events deps.ts command auth http records filters crm meetings inbox
  sequences mail webhooks personal cleanup app imports exports site ops demo cli main.ts web`.split(/\s+/)
/** The same inside of two of them. Others have no order, only no circles. */
const INSIDE: Record<string, string[]> = {
  ops: 'audit.ts backup moves replication install monitoring doctor'.split(' '),
  web: 'lib data components shell tables record screens screens.ts app.tsx begin.tsx main.tsx'.split(' '),
}
/** What the browser app takes besides types, because it only computes. */
const SHARED = /^lib\/(written|pure)\//

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.{ts,tsx,cjs}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/').slice(4))
  .filter((file) => !file.endsWith('.d.ts'))
const textOf = (file: string): string => readFileSync(join(root, 'src', file), 'utf8')

type Import = { from: string; to: string; isType: boolean }

/** What a file imports, later on and as a type as well. */
function importsOf(from: string): Import[] {
  const code = textOf(from).replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm, '')
  const pattern =
    /^(?:import|export) (type )?[^'\n;]*?(?:\{[^}]*\} )?from '(\.[^']+)'|(typeof )?\bimport\('(\.[^']+)'\)/gm
  return [...code.matchAll(pattern)].flatMap(([, type, at, typeOf, later]) => {
    const to = posix.join(posix.dirname(from), at ?? (later as string))
    return files.includes(to) ? [{ from, to, isType: Boolean(type ?? typeOf) }] : []
  })
}

const imports = files.flatMap(importsOf)

function placeOf(file: string): [floor: number, room: number] {
  const [floor = '', room = ''] = file.split('/')
  return [FLOORS.indexOf(floor), INSIDE[floor]?.indexOf(room) ?? 0]
}

test('every folder has a floor, and no file imports from above it', () => {
  assert.deepEqual(
    files.filter((file) => placeOf(file).includes(-1)),
    [],
  )
  const web = FLOORS.indexOf('web')
  const climbs = imports.filter(({ from, to, isType }) => {
    const [[floor, room], [onto, into]] = [placeOf(from), placeOf(to)]
    if (floor === web && onto !== web) return !isType && !SHARED.test(to)
    return onto > floor || (onto === floor && into > room)
  })
  assert.deepEqual(climbs, [])
})

for (const [name, depth] of Object.entries({ folders: 1, 'folders of folders': 2, files: 99 }))
  test(`no ${name} import each other in a circle`, () => {
    const roomOf = (file: string): string => file.split('/').slice(0, depth).join('/')
    const left = new Map(files.map((file) => [roomOf(file), new Set<string>()]))
    for (const { from, to } of imports) if (roomOf(from) !== roomOf(to)) left.get(roomOf(from))?.add(roomOf(to))
    // Who imports only what was taken away before is in no circle.
    for (let taken = -1; taken !== left.size; ) {
      taken = left.size
      for (const [room, others] of left) if (![...others].some((other) => left.has(other))) left.delete(room)
    }
    assert.deepEqual([...left.keys()], [])
  })

test('modules of node are not imported while the server runs: in the executable that prints a warning', () => {
  for (const file of files)
    assert.doesNotMatch(textOf(file), /(?<!typeof )\bimport\(\s*['"`]node:/, `${file}: use process.getBuiltinModule`)
})

test('files stay short', () => {
  for (const file of files) {
    const lines = textOf(file).split('\n').length - 1
    assert.ok(lines <= 300, `${file} has ${lines} lines; over 300 it becomes a folder`)
  }
})
