import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FIELDS as LIST_FIELDS } from '../../src/filters/catalog.ts'
import { ADDRESS_FIELDS } from '../../src/imports/csv/columns/address-headers.ts'
import { FIELDS as IMPORT_FIELDS } from '../../src/imports/csv/columns/fields.ts'
import { HEADERS } from '../../src/imports/csv/columns/headers.ts'
import { companyRecord } from '../../src/records/company.ts'
import { contactRecord } from '../../src/records/contact.ts'
import { dealRecord } from '../../src/records/deal.ts'
import { startServer, type TestServer } from '../support/server.ts'

const RECORDS = { contact: contactRecord, company: companyRecord, deal: dealRecord }
const PATHS = { contact: '/contacts', company: '/companies', deal: '/deals' }
const SMALLEST = { contact: { last_name: 'Okafor' }, company: { name: 'Northwind' }, deal: { title: 'Desks' } }

const wholeOf = (name: string): string => name.replace(/\..*/, '')
const sorted = (names: Iterable<string>): string[] => [...new Set(names)].sort()

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

for (const [object, declared] of Object.entries(RECORDS) as [keyof typeof RECORDS, typeof dealRecord][]) {
  describe(`the fields of a ${object}`, () => {
    const names = Object.keys(declared.entries)

    test('can all be filtered by in smart lists, other than its id and its version', () => {
      const fields = names.filter((name) => !['id', 'version', 'custom_fields'].includes(name))
      assert.deepEqual(sorted(Object.keys(LIST_FIELDS[object]).map(wholeOf)), sorted(fields))
    })

    test('can all be imported if a body can set them', () => {
      const imported = new Set(Object.keys(IMPORT_FIELDS[object]).map(wholeOf))
      assert.deepEqual(
        Object.keys(declared.given).filter((name) => !imported.has(name)),
        [],
      )
    })

    test('have names in other programs if they can be imported', () => {
      // Those of addresses are found together, since a file has several of a record.
      const fields = Object.keys(IMPORT_FIELDS[object]).filter((name) => !(name in ADDRESS_FIELDS))
      assert.deepEqual(sorted(Object.keys(HEADERS[object])), sorted(fields))
      assert.ok(
        object === 'deal' ||
          fields.length + Object.keys(ADDRESS_FIELDS).length === Object.keys(IMPORT_FIELDS[object]).length,
      )
    })

    test('have columns in the order of the wire form, and are answered in it', async () => {
      assert.deepEqual(Object.keys(declared.columns), names)
      assert.deepEqual(Object.keys(declared.blank), names)
      const { status, body } = await server.call('POST', PATHS[object], SMALLEST[object])
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body), names)
      const read = await server.call('GET', `${PATHS[object]}/${body.id}`)
      assert.deepEqual([Object.keys(read.body), read.body], [names, body])
    })

    test('that are not given are blank in a new record, and their blank values cannot be changed', async () => {
      const { body } = await server.call('POST', PATHS[object], SMALLEST[object])
      const blank = Object.entries(declared.blank).filter(
        ([name, value]) => value !== undefined && !(name in SMALLEST[object]),
      )
      for (const [name, value] of blank) {
        assert.deepEqual(body[name], value, name)
        assert.ok(Object.isFrozen(value), name)
      }
    })
  })
}
