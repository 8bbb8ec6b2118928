import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeOrg, newOrgSettings } from '../../../src/app/settings/new-org.ts'
import { importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import type { Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { stillPace } from '../../support/pace.ts'
import { airtable } from './address-books.ts'
import { hubspot } from './hubspot.ts'
import { OWNER, type ProductFile } from './mess.ts'

// A file that is imported a second time with --match changes nothing, whatever is wrong in it; and an undo leaves nothing.
// The files of other products add nothing to this.

const folder = temporaryFolder()
const opened: Store[] = []
after(() => {
  for (const store of opened) store.close()
})

const ALL = { hubspot, airtable }
const RULES = { lenient: true, makeStages: true, unknownContacts: 'make', unknownOwner: OWNER.email } as const

for (const [product, files] of Object.entries(ALL)) {
  test(`a second run of the files of ${product} changes nothing, and all can be taken back`, async () => {
    const place = join(folder, product)
    mkdirSync(place)
    const store = openEmptyStore(place)
    opened.push(store)
    const settings = newOrgSettings({ name: 'Acme', currency: 'EUR', timezone: 'Europe/Berlin', owner: OWNER })
    const { org } = makeOrg(store, settings)
    const lastSeq = () => store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(org)
    const shown = () => store.db.prepare('SELECT id, name, position, outcome FROM stages ORDER BY rank').all()
    const [before, stages] = [lastSeq(), shown()]

    const run = ({ object, name, text }: ProductFile, again: boolean) => {
      const file = join(place, name)
      writeFileSync(file, text)
      const hasIds = product !== 'airtable'
      const match = hasIds || object === 'deal' ? 'external_id' : object === 'company' ? 'domain' : 'email'
      return importFile(store, { org, object, order: 'mdy', pace: stillPace, file, match, rules: RULES, again })
    }
    const made = files()
    const first: RowsImported[] = []
    for (const each of made) first.push(await run(each, false))
    const seq = lastSeq()
    for (const [index, each] of made.entries()) {
      const { created, updated, unchanged, rejected } = await run(each, true)
      const once = first[index]
      assert.deepEqual([created, updated], [0, 0], each.name)
      assert.equal(
        unchanged + rejected,
        (once?.created ?? 0) + (once?.updated ?? 0) + (once?.unchanged ?? 0) + (once?.rejected ?? 0),
      )
      assert.equal(rejected, once?.rejected, each.name)
    }
    assert.equal(lastSeq(), seq)
    assert.notEqual(seq, before)
    for (const { id } of first.toReversed()) assert.deepEqual((await undoImport(store, { org, id })).kept, [])
    assert.deepEqual(shown(), stages)
    for (const table of ['contacts', 'companies', 'deals', 'notes', 'tags'])
      assert.equal(store.db.prepare(`SELECT count(*) FROM ${table}`).pluck().get(), 0, table)
  })
}
