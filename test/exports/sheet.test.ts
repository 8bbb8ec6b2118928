import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { writeExport } from '../../src/exports/write.ts'
import { importFile } from '../../src/imports/csv/import.ts'
import { guarded, unguarded } from '../../src/lib/formula.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { fill, scratch, TEXTS } from './export-fixture.ts'

// CSV for spreadsheets: what they show is what is there, they run none of it, and our own import takes it back.

const { folder, drop } = scratch()
const place = join(folder, 'sheets')
let server: TestServer
before(async () => {
  server = await startServer()
  await fill(server, server.a)
  const emails = [{ email: 'second@ways.example' }, { email: 'first@ways.example', is_primary: true }]
  await server.call('POST', '/contacts', { last_name: 'Ways', emails })
  writeExport(server.store, server.a.org, place)
})
after(async () => {
  await server.stop()
  drop()
})

type Cells = Record<string, string>

const sheet = (name: string): Cells[] => parse(readFileSync(join(place, `${name}.csv`)), { bom: true, columns: true })

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every shape
async function newest(path: string): Promise<any[]> {
  const { body } = await server.call('GET', `${path}?limit=100`)
  return body.data
}

describe('a text that a spreadsheet would run', () => {
  test('gets an apostrophe in front, also behind quotes, white space and in full width', () => {
    for (const text of [
      '=1',
      '+1',
      '-1',
      '@a',
      '\t',
      '\r',
      '\n=1',
      '"=1',
      "'=1",
      ' =1',
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '"\'＝1',
      '＂=1',
    ]) {
      assert.equal(guarded(text), `'${text}`)
    }
    for (const text of ['', 'a=1', '1-1', "O'Neill", "'tis", '"x"', 'a@b.example', '(1)', '1'])
      assert.equal(guarded(text), text)
  })

  test('is the same again without it, as is every other text', () => {
    const pieces = fc.constantFrom("'", '"', '=', '-', '＠', ' ', '\t', '\r', 'a', '1', '＂')
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: pieces, maxLength: 6 }), fc.string()), (text) => {
        assert.equal(unguarded(guarded(text)), text)
      }),
      { numRuns: 1000 },
    )
  })

  test('is nowhere in the files, while numbers stay numbers', () => {
    for (const name of [
      'contacts',
      'companies',
      'deals',
      'notes',
      'tasks',
      'tags',
      'lists',
      'members',
      'custom_fields',
    ]) {
      for (const row of sheet(name)) {
        for (const [column, cell] of Object.entries(row)) {
          const isNumber = /^-?\d+(\.\d+)?(e[+-]\d+)?$/.test(cell) && column === 'custom_fields.its_number'
          assert.ok(
            isNumber || !/^[\s"＂]*[=+\-@\t\r\n＝＋－＠]/.test(cell),
            `${name} ${column} ${JSON.stringify(cell)}`,
          )
        }
      }
    }
    const numbers = sheet('companies').map((row) => row['custom_fields.its_number'])
    for (const number of ['-1.5', '-0.000001', '0.1', '9007199254740991'])
      assert.ok(numbers.includes(number), `${number} of ${numbers}`)
    assert.ok(sheet('notes').some(({ body }) => body === `'${TEXTS[0]}`))
  })
})

test('a sheet is UTF-8 with a byte order mark, and every line ends as RFC 4180 says', () => {
  const bytes = readFileSync(join(place, 'notes.csv'))
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  const text = bytes.toString()
  const outside = text.replace(/"(?:[^"]|"")*"/g, '')
  assert.equal(outside.replaceAll('\r\n', '').match(/[\r\n]/), null)
  assert.ok(text.endsWith('\r\n'))
  assert.ok(text.includes('"two\nlines\r\nand three"'))
})

test('a sheet has the fields of the record, names beside ids, and each value in its own column', async () => {
  const [company, contact, deal] = [
    (await newest('/companies')).find(({ address }) => address),
    (await newest('/contacts')).find(({ address }) => address),
    (await newest('/deals')).find(({ custom_fields }) => custom_fields.its_text),
  ]
  const rowOf = (name: string, { id }: { id: string }) => sheet(name).find((row) => row.id === id) as Cells
  const row = rowOf('contacts', contact)
  const columns = Object.keys(row)
  assert.deepEqual(columns.slice(0, 14), [
    'id',
    'first_name',
    'last_name',
    'name',
    'emails',
    'phones',
    'job_title',
    'company_id',
    'company_name',
    'owner_id',
    'owner_name',
    'tag_ids',
    'tag_names',
    'linkedin_url',
  ])
  assert.deepEqual(columns.slice(-3), ['created_at', 'updated_at', 'version'])
  assert.ok(columns.includes('custom_fields.its_multi_select') && !columns.includes('custom_fields.old_text'))
  assert.deepEqual(
    [
      row['address.line1'],
      row['address.city'],
      row['address.line2'],
      row.owner_name,
      row.tag_names,
      row.do_not_contact,
    ],
    ["'=1", 'C', '', 'Ana', "'=Tag; one", String(contact.do_not_contact)],
  )
  assert.deepEqual(JSON.parse(row.emails as string), contact.emails) // whole, where a separator is in it
  assert.deepEqual([rowOf('deals', deal).stage_name, rowOf('deals', deal).company_id], ['qualified', deal.company_id])
  assert.equal(rowOf('companies', company).domains, company.domains.join('; '))
  const ways = sheet('contacts').find(({ name }) => name === 'Ways')
  assert.equal(ways?.emails, 'first@ways.example; second@ways.example') // an import takes the first for the primary one
  const amounts = sheet('deals').map(({ amount }) => amount)
  for (const amount of ['0.000001', '9000000000000', '25000', '1.2340']) assert.ok(amounts.includes(amount), amount)
  const note = sheet('notes').at(-1) as Cells
  assert.equal(note.deal_names, `x ${TEXTS[0]}`)
  assert.equal(note.contact_ids?.split('; ').length, 2)
})

describe('our own import', () => {
  const bring = (object: 'contact' | 'company', match: 'email' | 'domain') => {
    const file = join(place, object === 'company' ? 'companies.csv' : `${object}s.csv`)
    return importFile(server.store, { org: server.a.org, object, file, match, rejected: join(folder, 'rejected.csv') })
  }
  const rejects = () => readFileSync(join(folder, 'rejected.csv'), 'utf8').slice(0, 2000)

  // An import takes off the white space around a text, and writes every end of line in one way.
  const isSame = (one: unknown, other: unknown) => plain(one) === plain(other)
  const plain = (value: unknown) => JSON.stringify(value).replace(/\\[rnt]|\s/g, '')

  test('finds every record of a sheet as it is', async () => {
    for (const [object, match, column] of [
      ['contact', 'email', 'emails'],
      ['company', 'domain', 'domains'],
    ] as const) {
      const seq = server.lastSeq()
      const { created, updated, unchanged, rejected } = await bring(object, match)
      const all = sheet(object === 'company' ? 'companies' : 'contacts')
      const known = all.filter((row) => row[column] !== '').length
      assert.ok(known > 20)
      // A row without what it is matched by is a new record, or the duplicate of one.
      assert.equal(unchanged + updated + created + rejected, all.length)
      assert.ok(unchanged >= known - TEXTS.length, rejects())
      for (const { type, changed_fields, previous, object: after } of server.events(seq)) {
        if (!type.endsWith('.updated')) continue
        for (const name of changed_fields) assert.ok(isSame(previous[name], after[name]), name)
      }
    }
  })
})
