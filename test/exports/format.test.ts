import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { lineOf } from '../../src/events/audit/entry.ts'
import { FORMAT, SHAPES } from '../../src/exports/manifest.ts'
import { parts } from '../../src/exports/parts.ts'
import { writeExport } from '../../src/exports/write.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

// The format of exports has another number as soon as their shape is another one.

const { folder, drop } = scratch()
let server: TestServer
before(async () => {
  server = await startServer()
})
after(async () => {
  await server.stop()
  drop()
})

const ENTRY = {
  ...{ org: '', seq: 1, at: 0, actor_type: 'server', actor_id: null, actor_email: null, via: null },
  ...{ action: 'x', record_id: null, detail: '{}' },
}

type Shape = Record<string, readonly string[]>

/** The audit log, and the files that a restore reads, in its order, with the fields of each; what the records in them hold is their own. */
function shape(): Shape {
  const place = join(folder, 'export')
  const manifest = writeExport(server.store, server.a.org, place)
  const { org } = JSON.parse(readFileSync(join(place, 'settings.json'), 'utf8'))
  const of = (record: object): string[] => Object.keys(record).sort()
  const all: Shape = {
    'manifest.json': of(manifest),
    'manifest.json org': of(manifest.org),
    'manifest.json files': of(manifest.files[0] as object),
    'settings.json org': of(org),
  }
  all['audit_log.ndjson'] = of(JSON.parse(lineOf({ ...ENTRY, hash: '' })))
  for (const { name, columns } of parts(server.deps)) all[`${name}.ndjson`] = [...columns.stored.fields].sort()
  return all
}

const hashOf = (all: Shape): string => hash('sha256', JSON.stringify(all)).slice(0, 16)

test('the shape of an export is that of its format', () => {
  const now = hashOf(shape())
  const todo = `the shape of exports has changed: add '${now}' as the last of SHAPES in src/exports/manifest.ts`
  assert.equal(SHAPES.at(-1), now, todo)
  assert.equal(FORMAT, SHAPES.length)
})
