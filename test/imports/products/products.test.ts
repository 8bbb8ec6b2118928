import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { makeOrg, newOrgSettings } from '../../../src/app/settings/new-org.ts'
import { type Imported, type ImportOptions, importFile } from '../../../src/imports/csv/import.ts'
import { journal } from '../../../src/imports/journal/journal.ts'
import type { CommandStore } from '../../../src/store/open.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { stillPace } from '../../support/pace.ts'
import { airtable, google, linkedin, outlook } from './address-books.ts'
import { attio } from './attio.ts'
import { close } from './close.ts'
import { folk } from './folk.ts'
import { hubspot } from './hubspot.ts'
import { isCalled, isNamed, type MadeRow, OWNER, type ProductFile, ROWS } from './mess.ts'
import { monday } from './monday.ts'
import { pipedrive } from './pipedrive.ts'
import { salesforce } from './salesforce.ts'

// 200 messy rows of each product: every row is imported, or rejected with the reason.

const folder = temporaryFolder()
const opened: CommandStore[] = []
after(() => {
  for (const store of opened) store.close()
})

type Target = { store: CommandStore; org: number }

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
  ['Close', close],
  ['Attio', attio],
  ['Folk', folk],
  ['monday', monday],
]

/** What brings in the deals of a product, too. */
const LENIENT = { lenient: true, makeStages: true }

for (const [product, files] of products) {
  describe(product, () => {
    const strict = newStore(`${product} strict`)
    const lenient = newStore(`${product} lenient`)
    for (const made of files()) {
      const file = join(folder, made.name)
      writeFileSync(file, made.text)
      const isGood = ({ bad, isUsable }: MadeRow) => isUsable && bad.length === 0

      test(`${made.name}: without options, exactly the rows with a bad value are rejected, with its field`, async () => {
        const imported = await imports(strict, made, { file })
        assert.deepEqual(surprises(strict, imported, made.rows, isGood), [])
        assert.equal(imported.created, made.rows.filter(isGood).length)
      })

      test(`${made.name}: with --lenient --make-stages, every row of which a record can be made is imported`, async () => {
        const imported = await imports(lenient, made, { file, rules: LENIENT })
        const usable = made.rows.filter(({ isUsable }) => isUsable)
        assert.deepEqual(
          surprises(lenient, imported, made.rows, ({ isUsable }) => isUsable),
          [],
        )
        assert.deepEqual([imported.created, imported.rejected], [usable.length, ROWS - usable.length])
        assert.ok(usable.length >= LEAST, `${usable.length} rows`)
        const listed = new Set([...journal(lenient.store).omissions(lenient.org, imported.id)].map(({ row }) => row))
        const unlisted = made.rows.flatMap(({ bad, isUsable }, index) =>
          isUsable && bad.some((field) => !MADE.has(field)) && !listed.has(index) ? [{ index, bad }] : [],
        )
        assert.deepEqual(unlisted, [], 'every value that is left out is listed')
        for (const [column, fact] of Object.entries(FACTS[made.name] ?? {})) {
          const having = usable.filter(({ cells }) => fact.isIn(cells[column] ?? '')).length
          const found = lenient.store.db.prepare(fact.count).pluck().get()
          assert.ok(having > 0, column)
          assert.equal(found, having, `${column} in ${having} rows, and in ${found} records`)
        }
      })
    }
  })
}

type Fact = { isIn: (cell: string) => boolean; count: string }

const counted = (table: string, condition: string, isIn: Fact['isIn'] = isNamed): Fact => ({
  isIn,
  count: `SELECT count(*) FROM ${table} WHERE ${condition}`,
})
const dated = (table: string): Fact => counted(table, 'originally_created_at IS NOT NULL')
const numbered = (table: string): Fact => counted(table, 'external_id IS NOT NULL')
const noted = (object: string): Fact => counted('notes', `${object}_ids <> '[]'`)
const refused = (word: RegExp): Fact => counted('contacts', 'do_not_contact = 1', (cell) => word.test(cell))
const titled = (...titles: string[]): Fact =>
  counted('contacts', `job_title IN (${titles.map((title) => `'${title}'`)})`)

/** What the records have of a column, besides the fields of the rules above. */
const FACTS: Record<string, Record<string, Fact>> = {
  'hubspot-companies.csv': {
    'Record ID': numbered('companies'),
    'Create Date': dated('companies'),
    Description: counted('companies', 'description IS NOT NULL'),
  },
  'hubspot-contacts.csv': {
    'Record ID': numbered('contacts'),
    'Create Date': dated('contacts'),
    'Associated Note': noted('contact'),
    'Associated Company': counted('contacts', "company_id IN (SELECT id FROM companies WHERE name NOT LIKE '%;%')"),
    'Unsubscribed from all email': refused(/^(?:true|Yes)$/),
    'Time Zone': counted(
      'contacts',
      "timezone IN ('Europe/Berlin', 'America/New_York')",
      (cell) => isNamed(cell) && cell !== 'Central time',
    ),
    'State/Region': counted('contacts', "address ->> 'region' = 'Bavaria'"),
  },
  'hubspot-deals.csv': {
    'Record ID': numbered('deals'),
    'Create Date': dated('deals'),
    'Deal Description': noted('deal'),
    'Deal Stage': counted('deals', "status = 'won'", (cell) => /won/i.test(cell)),
    'Associated Company (Primary)': counted('deals', 'company_id IS NOT NULL'),
    'Associated Contact': counted(
      'deals',
      'primary_contact_id IS NOT NULL',
      (cell) => isNamed(cell) && !/gone/.test(cell),
    ),
  },
  'pipedrive-organizations.csv': {
    'Organization - ID': numbered('companies'),
    'Organization - Organization created': dated('companies'),
    'Organization - Number of employees': counted('companies', 'employee_count = 1200'),
  },
  'pipedrive-people.csv': {
    'Person - ID': numbered('contacts'),
    'Person - Person created': dated('contacts'),
    'Person - Notes': noted('contact'),
    'Person - Marketing status': refused(/^Unsubscribed$/),
    'Person - Job title': titled('CEO'),
  },
  'pipedrive-deals.csv': {
    'Deal - ID': numbered('deals'),
    'Deal - Deal created': dated('deals'),
    'Deal - Status': counted('deals', "status = 'lost'", (cell) => cell === 'Lost'),
    'Deal - Currency of Value': counted('deals', "currency = 'SEK'", (cell) => cell === 'SEK'),
  },
  'salesforce-accounts.csv': {
    'Account ID': numbered('companies'),
    'Created Date': dated('companies'),
    'Billing State/Province': counted('companies', "address ->> 'region' = 'CA'"),
    'Annual Revenue': counted('companies', 'annual_revenue_micros IS NOT NULL'),
  },
  'salesforce-contacts.csv': {
    'Contact ID': numbered('contacts'),
    'Created Date': dated('contacts'),
    Description: noted('contact'),
    Title: titled('VP, Sales'),
    'Middle Name': counted('contacts', "first_name LIKE '%Q.'"),
    'Mailing Zip/Postal Code': counted('contacts', "address ->> 'postal_code' = '69002'"),
  },
  'salesforce-opportunities.csv': {
    'Opportunity ID': numbered('deals'),
    'Created Date': dated('deals'),
    Description: noted('deal'),
    Stage: counted('deals', "status = 'lost'", (cell) => cell === 'Closed Lost'),
    'Close Date': counted('deals', 'expected_close_date IS NOT NULL'),
  },
  'close-contacts.csv': {
    lead_name: counted('contacts', 'company_id IS NOT NULL'),
    contact_id: counted('contacts', "external_id LIKE 'cont_%'"),
    contact_name: counted('contacts', 'last_name IS NOT NULL'),
    title: titled('Head of Data'),
  },
  'close-opportunities.csv': {
    lead_name: counted('deals', 'title = (SELECT name FROM companies WHERE id = company_id)'),
    contact_name: counted('deals', 'primary_contact_id IS NOT NULL'),
    value_formatted: counted('deals', 'amount_micros = 1250500000', (cell) => cell === '$1,250.50'),
    status_type: counted('deals', "status = 'lost'", (cell) => cell === 'lost'),
  },
  'attio-people.csv': {
    'Company > Record': counted('contacts', 'company_id IS NOT NULL'),
    'Name > Last name': counted('contacts', 'last_name IS NOT NULL'),
    'Record ID': numbered('contacts'),
  },
  'attio-deals.csv': {
    'Associated company > Record': counted('deals', 'company_id IS NOT NULL'),
    'Associated people > Record': counted('deals', 'primary_contact_id IS NOT NULL'),
    'Deal stage': counted('deals', "status = 'won'", (cell) => cell === 'Won 🎉'),
  },
  'folk-people.csv': {
    Companies: counted('contacts', 'company_id IS NOT NULL'),
    'Last name': counted('contacts', 'last_name IS NOT NULL'),
    Groups: counted('contacts', "tag_ids <> '[]'", isCalled),
  },
  'monday-contacts.xlsx': {
    Accounts: counted('contacts', 'company_id IS NOT NULL'),
    Name: counted('contacts', 'last_name IS NOT NULL'),
    'Item ID (auto generated)': numbered('contacts'),
  },
  'monday-deals.xlsx': {
    Accounts: counted('deals', 'company_id IS NOT NULL'),
    'Expected Close Date': counted('deals', 'expected_close_date IS NOT NULL'),
    'Deal Value': counted('deals', 'amount_micros IS NOT NULL'),
  },
  'google-contacts.csv': {
    'Organization Title': titled('Chief, Founder'),
    Labels: counted('contacts', "tag_ids <> '[]'", (cell) => /VIP|coworkers/.test(cell)),
    'E-mail 2 - Value': counted('contacts', "emails LIKE '%second%' AND emails LIKE '%third%'"),
  },
  'outlook.csv': {
    'Job Title': titled('Geschäftsführer'),
    Notes: noted('contact'),
    Categories: counted('contacts', 'json_array_length(tag_ids) = 2'),
  },
  'Connections.csv': {
    URL: counted('contacts', "linkedin_url LIKE 'https://www.linkedin.com/in/person-%'"),
    'Connected On': dated('contacts'),
    Position: titled('Founder, "CEO"'),
  },
  'Grid view.csv': {
    Created: dated('contacts'),
    Notes: noted('contact'),
    'Do not call': refused(/^checked$/),
  },
}

test('records refer to each other by the ids of the other product, where the file has no names', async () => {
  const target = newStore('ids')
  const [parent, child, person] = ['0015g00000aAaAaAAA', '0015g00000bBbBbAAA', '0035g00000cCcCcAAA']
  const made: [ProductFile['object'], string, number, number][] = [
    ['company', `Id,Name,ParentId\n${parent},Umbrella,000000000000000AAA\n${child},Leaf,${parent}\n`, 2, 0],
    ['contact', `Id,AccountId,FirstName,LastName\n${person},${child},Ana,Ruiz\n,0015g00000zZzZzAAA,Bo,Ott\n`, 1, 1],
    ['deal', `Id,AccountId,ContactId,Name,StageName\n1,${child},${person},Deal,Demo\n`, 1, 0],
    ['company', 'Record ID,Company name\n9123456789,Hub\n', 1, 0],
    ['deal', 'Deal Name,Associated Company IDs (Primary)\nOne,9123456789;9999999999\nTwo,9999999999\n', 1, 1],
  ]
  for (const [index, [object, text, created, rejected]] of made.entries()) {
    const file = join(folder, `ids${index}.csv`)
    writeFileSync(file, text)
    const imported = await imports(target, { object }, { file })
    assert.deepEqual([imported.created, imported.rejected], [created, rejected], text)
  }
  const deals = target.store.db
    .prepare(
      `SELECT title, companies.name AS company, parents.name AS parent, contacts.name AS contact FROM deals
       JOIN companies ON companies.id = deals.company_id
       LEFT JOIN companies AS parents ON parents.id = companies.parent_company_id
       LEFT JOIN contacts ON contacts.id = primary_contact_id ORDER BY title`,
    )
    .all()
  assert.deepEqual(deals, [
    { title: 'Deal', company: 'Leaf', parent: 'Umbrella', contact: 'Ana Ruiz' },
    { title: 'One', company: 'Hub', parent: null, contact: null },
  ])
})

test('people who are in an address book twice are one contact with --match email', async () => {
  const target = newStore('duplicates')
  const [made] = outlook() as [ProductFile]
  const imported = await imports(target, made, { file: join(folder, made.name), rules: LENIENT, match: 'email' })
  const duplicates = made.rows.filter(({ isDuplicate }) => isDuplicate).length
  assert.ok(duplicates > 5)
  const usable = made.rows.filter(({ isUsable }) => isUsable).length
  // A row without an email that can be read may be that of a namesake who has everything it has.
  const names = made.rows.map(({ cells }) => `${cells['First Name']} ${cells['Last Name']}`.toLowerCase())
  const twins = made.rows.filter(
    ({ cells, bad }, at) =>
      (bad.includes('emails') || !(cells['E-mail Address'] || cells['E-mail 2 Address'])) &&
      names.indexOf(names[at] as string) < at,
  )
  const { created, updated, unchanged } = imported
  assert.ok(created <= usable && created >= usable - twins.length, `${created} of ${usable}, ${twins.length} twins`)
  assert.equal(created + updated + unchanged, usable + duplicates)
})

/** Of the 200 rows of each file; the others have neither a name nor an address, or are duplicates. */
const LEAST = 175
/** Fields whose values --make-stages makes. */
const MADE = new Set(['stage', 'pipeline_id'])

/** Months come first in the days of all these files. */
const imports = (
  { store, org }: Target,
  { object }: Pick<ProductFile, 'object'>,
  options: Partial<ImportOptions> & { file: string },
) => importFile(store, { org, object, order: 'mdy', pace: stillPace, ...options })

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
