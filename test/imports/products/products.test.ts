import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { type Imported, type ImportOptions, importFile } from '../../../src/imports/csv/import.ts'
import { journal } from '../../../src/imports/journal/journal.ts'
import { makeOrg, newOrgSettings } from '../../../src/settings/new-org.ts'
import type { Store } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { stillPace } from '../../support/pace.ts'
import { airtable, google, linkedin, outlook } from './address-books.ts'
import { hubspot } from './hubspot.ts'
import { type MadeRow, OWNER, type ProductFile } from './mess.ts'
import { pipedrive } from './pipedrive.ts'
import { salesforce } from './salesforce.ts'

// 200 messy rows of each product: every row is imported, or rejected with the reason.

const folder = temporaryFolder()
const opened: Store[] = []
after(() => {
  for (const store of opened) store.close()
})

type Target = { store: Store; org: number }

/** An organisation with the default settings and one more stage. */
function newStore(name: string): Target {
  const place = join(folder, name)
  mkdirSync(place)
  const store = openEmptyStore(place)
  opened.push(store)
  const settings = newOrgSettings({ name: 'Acme', currency: 'EUR', timezone: 'Europe/Berlin', owner: OWNER })
  settings.pipelines?.[0]?.stages.splice(3, 0, { key: 'contract', name: 'Contract Sent' })
  return { store, org: makeOrg(store, settings).org }
}

const products: [string, () => ProductFile[]][] = [
  ['HubSpot', hubspot],
  ['Pipedrive', pipedrive],
  ['Salesforce', salesforce],
  ['Google Contacts', google],
  ['Outlook', outlook],
  ['LinkedIn', linkedin],
  ['Airtable', airtable],
]

for (const [product, files] of products) {
  describe(product, () => {
    const strict = newStore(`${product} strict`)
    for (const made of files()) {
      const file = join(folder, made.name)
      writeFileSync(file, made.text)

      test(`${made.name}: without options, exactly the rows with a bad value are rejected, with its field`, async () => {
        const imported = await imports(strict, made, { file })
        const isGood = ({ bad, isUsable }: MadeRow) => isUsable && bad.length === 0
        assert.deepEqual(surprises(strict, imported, made.rows, isGood), [])
        assert.equal(imported.created, made.rows.filter(isGood).length)
      })
    }
  })
}

/** Months come first in the days of all these files. */
const imports = ({ store, org }: Target, { object }: ProductFile, options: Partial<ImportOptions> & { file: string }) =>
  importFile(store, { org, object, order: 'mdy', pace: stillPace, ...options })

/** The rows whose result is another than expected, and those that are rejected for another reason. */
function surprises(
  { store, org }: Target,
  { id }: Imported,
  rows: readonly MadeRow[],
  isGood: (row: MadeRow) => boolean,
) {
  const reasons = new Map([...journal(store).rejects(org, id)].map(({ row, error }) => [row, error]))
  return rows.flatMap((row, index): { index: number; reason: string | undefined; bad: string[] }[] => {
    const reason = reasons.get(index)
    if (isGood(row)) return reason === undefined ? [] : [{ index, reason, bad: row.bad }]
    const isSaid = row.isUsable ? row.bad.some((field) => reason?.includes(field)) : reason !== undefined
    return isSaid ? [] : [{ index, reason, bad: row.bad }]
  })
}
