import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { importFile } from '../../../src/imports/csv/import.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { rowsOf } from './people.ts'

// What a file has, through an import and the API.

let server: TestServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())
const file = join(temporaryFolder(), 'people.csv')

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** The contact of a file with one row, and what was left out of it. */
async function imported(column: string, text: string, index: number, lenient = true) {
  const { call, store, a } = server
  writeFileSync(file, `emails,${column}\nrow${index}@text.example,${quoted(text)}\n`)
  const rules = { lenient }
  const done = await importFile(store, { object: 'contact', file, org: a.org, pace: stillPace, again: true, rules })
  const { body } = await call('GET', `/contacts?email=row${index}@text.example`)
  return { contact: body.data[0], omitted: done.omitted }
}

test('texts come in as they are meant, and what is none is listed', async () => {
  const rows = rowsOf('text', 'text.tsv')
  assert.ok(rows.length > 20)
  for (const [index, { context, written, meant, why }] of rows.entries()) {
    const field = context.field as string
    const { contact, omitted } = await imported(field, written, index)
    const value = field.startsWith('address.') ? (contact.address?.[field.slice(8)] ?? null) : contact[field]
    if (meant === 'REFUSE')
      assert.deepEqual([value, omitted.map(({ column }) => column)], [null, [field]], `${field} ${written}: ${why}`)
    else assert.deepEqual([value, omitted], [meant, []], `${field} ${written}: ${why}`)
  }
})

test('a word for nothing rejects no row, and is no new company', async () => {
  const { call } = server
  for (const [index, text] of ['None', 'n/a', '—'].entries()) {
    const { contact, omitted } = await imported('company_id', text, 1000 + index, false)
    assert.deepEqual([contact.company_id, omitted.length], [null, 1], text)
  }
  assert.deepEqual((await call('GET', '/companies')).body.data, [])
  const { body: company } = await call('POST', '/companies', { name: 'None' })
  assert.equal((await imported('company_id', 'None', 1100)).contact.company_id, company.id)
})

test('a word for nothing in a list leaves the others', async () => {
  const options = ['nuts', 'none'].map((value) => ({ value, label: value }))
  for (const [key, all] of [
    ['with_none', options],
    ['without', options.slice(0, 1)],
  ] as const)
    await server.call('POST', '/custom-fields', {
      object: 'contact',
      key,
      label: key,
      type: 'multi_select',
      options: all,
    })
  const one = await imported('custom_fields.with_none', 'nuts; none', 1200)
  assert.deepEqual([one.contact.custom_fields.with_none, one.omitted], [['nuts', 'none'], []])
  const other = await imported('custom_fields.without', 'nuts; none', 1201, false)
  assert.deepEqual(other.contact.custom_fields.without, ['nuts'])
  assert.deepEqual(
    other.omitted.map(({ reason }) => reason),
    ['"none" stands for no value'],
  )
  const phones = await imported('phones', '+49 711 4839210; n/a', 1202, false)
  assert.deepEqual([phones.contact.phones.length, phones.omitted.length], [1, 1])
})

test('tags are made once, by the names that exist, and named', async () => {
  const { call, store, a } = server
  await call('POST', '/tags', { name: 'Steel, glass' })
  const tags = ['Steel, glass, Wood', '"Rome, Milan"; wood'].map(
    (text, index) => `t${index}@text.example,${quoted(text)}\n`,
  )
  writeFileSync(file, `emails,tag_ids\n${tags.join('')}`)
  const { newTags } = await importFile(store, { object: 'contact', file, org: a.org, pace: stillPace })
  assert.deepEqual(newTags, ['Wood', 'Rome, Milan'])
  const { body: all } = await call('GET', '/tags')
  const tagsOf = async (email: string) => {
    const { body } = await call('GET', `/contacts?email=${email}`)
    return body.data[0].tag_ids.map((id: string) => all.data.find((tag: { id: string }) => tag.id === id)?.name)
  }
  assert.deepEqual(await tagsOf('t0@text.example'), ['Steel, glass', 'Wood'])
  assert.deepEqual(await tagsOf('t1@text.example'), ['Rome, Milan', 'Wood'])
  // One that has two readings is listed, and with it its cell.
  await call('POST', '/tags', { name: 'Steel' })
  await call('POST', '/tags', { name: 'Glass' })
  const { contact, omitted } = await imported('tag_ids', 'Steel, glass', 1300)
  assert.deepEqual(contact.tag_ids, [])
  assert.match(omitted[0]?.reason ?? '', /is ambiguous: it can be "Steel, glass", or "Steel" and "glass"; put a name/)
})

test('two tags that look the same are one', async () => {
  const { call } = server
  assert.equal((await call('POST', '/tags', { name: 'Roses' })).status, 201)
  for (const name of ['roses\u200b', 'Ro\u00adses', '\u200eROSES'])
    assert.equal((await call('POST', '/tags', { name })).status, 409, JSON.stringify(name))
})
