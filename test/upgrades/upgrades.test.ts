import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { version } from '../../src/assets.ts'
import { writeExport } from '../../src/exports/write.ts'
import { DATABASE, openStore } from '../../src/store/open.ts'
import { allOrgs } from '../../src/store/orgs/orgs.ts'
import { CHANGES, NEW_FILES } from './changes.ts'

type Row = Record<string, unknown>
type Export = Record<string, Row[]>

const MAX_BYTES = 200_000
const own = import.meta.dirname
/** Those before were never published, and are no longer migrated. */
const BEFORE = ['0.1.0', '0.2.0', '0.3.0']
const released = [...readFileSync(join(own, '../../CHANGELOG.md'), 'utf8').matchAll(/^## (\d+\.\d+\.\d+)$/gm)].flatMap(
  ([, name = '']) => (name === version || BEFORE.includes(name) ? [] : [name]),
)
const read = (name: string): Buffer => zstdDecompressSync(readFileSync(join(own, name)))

function exported(folder: string): Export {
  const lines = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
  const documents = globSync('*.ndjson', { cwd: folder }).map((name) => [
    name,
    lines(name).map((line) => JSON.parse(line)),
  ])
  return {
    ...Object.fromEntries(documents),
    'settings.json': [JSON.parse(readFileSync(join(folder, 'settings.json'), 'utf8'))],
  }
}

test('there is a database of each released version', () => {
  assert.ok(released.length >= 2)
  for (const each of released)
    for (const name of [`${each}.db.zst`, `${each}.export.json.zst`])
      assert.ok(statSync(join(own, name)).size < MAX_BYTES, name)
})

for (const from of released)
  test(`a database of ${from} is upgraded with every record`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'dealbox-upgrade-'))
    try {
      writeFileSync(join(folder, DATABASE), read(`${from}.db.zst`))
      const { 'manifest.json': manifest, ...before } = JSON.parse(String(read(`${from}.export.json.zst`))) as Export
      assert.equal(manifest?.[0]?.dealbox_version, from)
      openStore(folder).close() // migrates it
      const out = join(folder, 'out')
      const store = openStore(folder)
      const org = allOrgs(store.db).find(({ name }) => name === 'Acme')
      writeExport(store, org?.id as number, out)
      store.db.prepare("INSERT INTO search (search) VALUES ('integrity-check')").run()
      assert.deepEqual(store.db.pragma('integrity_check'), [{ integrity_check: 'ok' }])
      assert.deepEqual(store.db.pragma('foreign_key_check'), [])
      store.close()
      const now = exported(out)
      const added = NEW_FILES[from] ?? {}
      assert.deepEqual(Object.keys(now).toSorted(), [...Object.keys(before), ...Object.keys(added)].toSorted())
      for (const [name, expected] of Object.entries(added)) assert.deepEqual(now[name], expected(before), name)
      for (const [name, records] of Object.entries(before))
        assert.deepEqual(
          now[name],
          records.map((record) => CHANGES[from]?.[name]?.(record) ?? record),
          name,
        )
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
