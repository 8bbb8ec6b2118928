import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { restoreExport } from '../../src/exports/restore.ts'
import { writeExport } from '../../src/exports/write.ts'
import { lowerCase } from '../../src/lib/pure/fold.ts'
import { renewUnique } from '../../src/store/schema/schema-6-unique.ts'
import { stillPace } from '../support/pace.ts'
import { startServer, type TestServer } from '../support/server.ts'

// What must be unique in a database of schema 5, after the migration.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('all spellings of an address and a number are one, and where two records have one already, none is lost', async () => {
  const { call, store, a } = server
  store.db.prepare("UPDATE orgs SET country = 'DE' WHERE id = ?").run(a.org)
  const values: Record<string, string[]> = {
    email: ['Ana@grün.example', 'ana@xn--grn-ioa.example', 'ida@x.example'],
    phone: ['0711 4839210', '+49 711 4839210', '1-800-GO-TRAIN'],
    text: ['Zug', 'Bus'],
  }
  for (const [type, all] of Object.entries(values)) {
    const given = { object: 'contact', key: `own_${type}`, label: type, type }
    const { body: field } = await call('POST', '/custom-fields', given)
    for (const value of all) {
      const { status } = await call('POST', '/contacts', { last_name: value, custom_fields: { [field.key]: value } })
      assert.equal(status, 201)
    }
    // As schema 5 has left them.
    store.transaction(() => {
      store.db.prepare('UPDATE custom_fields SET is_unique = 1 WHERE id = ?').run(field.id)
      for (const { id, custom_fields } of store.db.prepare('SELECT id, custom_fields FROM contacts').all() as Row[]) {
        const value = JSON.parse(custom_fields)[field.key]
        const put = store.db.prepare('UPDATE contact_values SET unique_value = ? WHERE field_id = ? AND contact_id = ?')
        if (value !== undefined) put.run(lowerCase(value), field.id, id)
      }
    })
  }
  store.transaction(() => renewUnique(store.db))
  const stored = store.db
    .prepare('SELECT unique_value FROM contact_values WHERE org_id = ? ORDER BY 1')
    .pluck()
    .all(a.org)
  assert.deepEqual(
    stored,
    [
      '0711 4839210',
      '18004687246',
      '497114839210',
      'ana@xn--grn-ioa.example',
      'ana@grün.example',
      'bus',
      'ida@x.example',
      'zug',
    ].sort(),
  )
  for (const [type, other] of [
    ['email', 'ANA@Grün.example'],
    ['phone', '(0711) 48 39 210'],
  ] as const) {
    const { status } = await call('POST', '/contacts', { last_name: 'x', custom_fields: { [`own_${type}`]: other } })
    assert.equal(status, 422, other)
  }
  // An export of it comes back whole.
  const folder = mkdtempSync(join(tmpdir(), 'dealbox-unique-'))
  try {
    const kept = () =>
      store.db.prepare('SELECT count(*), count(unique_value) FROM contact_values WHERE org_id = ?').raw().get(a.org)
    const before = kept()
    writeExport(store, a.org, join(folder, 'export'))
    const to = { dataDir: server.dataDir, org: server.b.org, folder: join(folder, 'export'), pace: stillPace }
    const { records } = await restoreExport(store, to)
    assert.equal(records.contacts, 8)
    const all = store.db.prepare('SELECT count(*), count(unique_value) FROM contact_values WHERE org_id <> ?')
    assert.deepEqual(all.raw().get(a.org), before)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

type Row = { id: string; custom_fields: string }
