import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { writeExport } from '../../src/exports/write.ts'
import { importFile } from '../../src/imports/csv/import.ts'
import { stillPace } from '../support/pace.ts'
import { examples, seedOf } from '../support/seed.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { scratch } from './export-fixture.ts'

// Our own export, imported again, changes nothing: whatever the values are, and whatever the customs of the organisation's
// country.

const { folder, drop } = scratch()
let server: TestServer
before(async () => {
  server = await startServer()
})
after(async () => {
  await server.stop()
  drop()
})

const OPTIONS = ['nuts', 'none', 'S, slim', 'R;D', 'N/A', '"quoted"', '#1', '3.10', '[x]', 'a::: b']

const letters = fc.constantFrom(...'aÄéß漢字ثn \'O’-–.,;|:/"=+@#01…👩‍🚒\u200c\n'.match(/./gsu)!)
const texts = fc.oneof(
  fc.constantFrom(
    'None',
    'n/a',
    '-',
    '0',
    '00123',
    '1.234',
    '1,5',
    '3/4/2027',
    'true',
    '=1+1',
    "'tis",
    '[draft',
    '{}',
    'NA',
  ),
  fc.string({ unit: letters, minLength: 1, maxLength: 24 }),
)
const line = texts.map((text) => text.replaceAll('\n', ' ')).filter((text) => text.trim() !== '')
const numbers = fc
  .tuple(fc.integer({ min: -999_999_999, max: 999_999_999 }), fc.nat(999_999), fc.nat(6))
  .map(([whole, fraction, places]) => Number(`${whole}.${String(fraction).padStart(6, '0').slice(0, places)}`) || 0)
const moments = fc
  .date({ min: new Date('1900-01-02'), max: new Date('2199-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString().replace(/\.\d+Z$/, '.000Z'))
const word = fc.stringMatching(/^[a-z][a-z0-9]{2,9}$/)
const email = fc.tuple(word, word).map(([one, other]) => `${one}@${other}.example`)
const phone = fc
  .tuple(
    fc.constantFrom('+49 30 ', '030/', '(415) 555-', '+1 415-555-', '0171 '),
    fc.integer({ min: 1000, max: 9_999_999 }),
  )
  .map(([front, rest]) => `${front}${rest}`)

/** What a custom field of each type may have. */
const VALUES = {
  text: texts.filter((text) => text.trim() !== ''),
  number: numbers,
  boolean: fc.boolean(),
  date: moments.map((moment) => moment.slice(0, 10)),
  datetime: moments,
  select: fc.constantFrom(...OPTIONS),
  multi_select: fc.uniqueArray(fc.constantFrom(...OPTIONS), { minLength: 1, maxLength: 4 }),
  url: fc.tuple(word, line).map(([host, path]) => `https://${host}.example/${encodeURIComponent(path)}?a=1;b,c`),
  email,
  phone,
}
const place = fc.record({
  line1: fc.option(line),
  line2: fc.option(line),
  city: fc.option(line),
  region: fc.option(line),
  postal_code: fc.option(fc.constantFrom('1067', '02139', 'SW1A 1AA', '00-123', '501')),
  country: fc.option(fc.constantFrom('DE', 'US', 'NA', 'GB', 'JP')),
})

const OBJECTS = {
  contact: fc.record({
    first_name: fc.option(line),
    last_name: line,
    job_title: fc.option(line),
    source: fc.option(line),
    address: place,
    do_not_contact: fc.boolean(),
  }),
  company: fc.record({
    name: line,
    industry: fc.option(line),
    description: fc.option(texts),
    annual_revenue: fc.option(numbers.map(Math.abs)),
    currency: fc.constantFrom('USD', 'CHF'),
    address: place,
  }),
  deal: fc.record({
    title: line,
    amount: fc.option(numbers.map(Math.abs)),
    currency: fc.constantFrom('EUR', 'JPY'),
    expected_close_date: fc.option(moments.map((moment) => moment.slice(0, 10))),
  }),
}
const PATHS = { contact: 'contacts', company: 'companies', deal: 'deals' }
type Name = keyof typeof OBJECTS

const COUNT = examples(500)

for (const object of Object.keys(OBJECTS) as Name[]) {
  test(`${PATHS[object]} with values of each type, in CSV and NDJSON`, async () => {
    const { call, store, a } = server
    for (const type of Object.keys(VALUES)) {
      const options = /select/.test(type) ? { options: OPTIONS.map((value) => ({ value, label: value })) } : {}
      const { status } = await call('POST', '/custom-fields', { object, key: type, label: type, type, ...options })
      assert.equal(status, 201)
    }
    const tags: string[] = []
    for (const name of ['Steel, glass', 'None', 'R;D', '"Rome"', '#1', '1.234'])
      tags.push((await call('POST', '/tags', { name: `${name} ${object}` })).body.id)
    const records = fc.sample(
      fc.record({
        own: OBJECTS[object] as fc.Arbitrary<object>,
        custom_fields: fc.record(VALUES),
        tag_ids: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
      }),
      { numRuns: COUNT, seed: seedOf(36) },
    )
    for (const [index, { own, custom_fields, tag_ids }] of records.entries()) {
      const given = { ...own, custom_fields, tag_ids, external_id: `id ${index}` }
      const { status, body } = await call('POST', `/${PATHS[object]}`, given)
      assert.equal(status, 201, JSON.stringify([given, body]))
    }
    const folderOf = join(folder, object)
    writeExport(store, a.org, folderOf)
    const lastSeq = () => store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(a.org)
    const before = lastSeq()
    for (const country of ['DE', 'US']) {
      store.db.prepare('UPDATE orgs SET country = ? WHERE id = ?').run(country, a.org)
      for (const extension of ['csv', 'ndjson']) {
        const file = join(folderOf, `${PATHS[object]}.${extension}`)
        const options = { org: a.org, object, file, pace: stillPace, again: true, match: 'external_id' } as const
        const done = await importFile(store, options)
        const where = `${extension} ${country}`
        assert.deepEqual([done.unchanged, done.updated, done.created, done.rejected], [COUNT, 0, 0, 0], where)
        assert.equal(lastSeq(), before, where)
      }
    }
  })
}
