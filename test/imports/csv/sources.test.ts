import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { mergeStore } from '../../../src/cleanup/merges/merges.ts'
import type { MergeObject } from '../../../src/cleanup/merges/undo-conflicts.ts'
import { productOf } from '../../../src/imports/csv/columns/products.ts'
import { type ImportOptions, importFile, type RowsImported } from '../../../src/imports/csv/import.ts'
import { undoImport } from '../../../src/imports/journal/undo.ts'
import { temporaryFolder } from '../../cli/command-line.ts'
import { stillPace } from '../../support/pace.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Records of several products, under the ids that they have there.

let server: TestServer
const { newRecord } = recordsOf(() => server)
const folder = temporaryFolder()
let count = 0
before(async () => {
  server = await startServer()
})
after(() => server.stop())

/** Imports a file with this content into organisation A, by external id unless said otherwise. */
async function imported(content: string, options: Partial<ImportOptions> = {}): Promise<RowsImported> {
  const file = join(folder, `file${count++}.csv`)
  writeFileSync(file, content)
  const given = { object: 'contact', file, pace: stillPace, match: 'external_id', again: true, ...options } as const
  return importFile(server.store, { ...given, org: server.a.org })
}
const countsOf = ({ created, updated, unchanged, rejected }: RowsImported) => [created, updated, unchanged, rejected]
const reasonsIn = ({ rejectedFile }: RowsImported): string[] =>
  rejectedFile
    ? parse(readFileSync(rejectedFile, 'utf8'), { bom: true, from: 2 }).map((cells) => cells.at(-1) as string)
    : []
const listed = async (path: string): Promise<Row[]> => (await server.call('GET', path)).body.data
const one = async (path: string): Promise<Row> => {
  const [first, second] = await listed(path)
  assert.ok(first && !second, path)
  return first
}
const merged = (object: MergeObject, kept: Row, other: Row) =>
  server.store.transaction(() =>
    mergeStore(server.deps).merge({ org: server.a.org, member: null }, object, kept.id, other.id),
  )
const undoMerge = (id: string) =>
  server.store.transaction(() => mergeStore(server.deps).undo({ org: server.a.org, member: null }, id))

/** Files of two products whose records are counted from 1. */
const hubspot = (...rows: string[]) =>
  `Record ID,First Name,Last Name,Email,Job Title,Lifecycle Stage\n${rows.join('\n')}\n`
const pipedrive = (...rows: string[]) =>
  `Person - ID,Person - First name,Person - Last name,Person - Email - Work,Person - Job title\n${rows.join('\n')}\n`

describe('the ids of two products', () => {
  test('are two records, however often the files come in', async () => {
    const files = [
      hubspot('51,Ana,Ruiz,ana@src.example,,lead', '52,Bo,Ott,bo@src.example,,'),
      pipedrive('51,Cy,Blom,cy@src.example,', '52,Di,Lund,di@src.example,'),
    ]
    for (const file of files) assert.deepEqual(countsOf(await imported(file)), [2, 0, 0, 0])
    const seq = server.lastSeq()
    for (const file of files) assert.deepEqual(countsOf(await imported(file)), [0, 0, 2, 0])
    assert.equal(server.lastSeq(), seq)
    const names = (await listed('/contacts?external_id=51')).map(({ name }) => name)
    assert.deepEqual(names.sort(), ['Ana Ruiz', 'Cy Blom'])
    const moved = await imported(pipedrive('51,Cy,Blom,cy@src.example,Buyer'))
    assert.deepEqual(
      [countsOf(moved), (await one('/contacts?email=cy%40src.example')).job_title],
      [[0, 1, 0, 0], 'Buyer'],
    )

    // The API knows of no product: an id is that of one record for it.
    const second = await server.call('POST', '/contacts', { first_name: 'Ed', external_id: '51' })
    assert.deepEqual([second.status, second.body.code], [409, 'duplicate'])
    const [ana] = (await listed('/contacts?email=ana%40src.example')) as [Row]
    assert.equal((await server.call('PATCH', `/contacts/${ana.id}`, { job_title: 'Boss' })).status, 200)
    // A file that names no product might mean either.
    const plain = await imported('ID,Name,Email\n51,Ana Ruiz,ana@src.example\n')
    assert.match(reasonsIn(plain)[0] ?? '', /Several records have the id "51".*--source NAME/)
    const named = await imported('ID,Name,Email\n51,Ana Ruiz,ana@src.example\n', { product: 'HubSpot' })
    assert.deepEqual(countsOf(named), [0, 0, 1, 0])
  })

  test('are found again by what refers to them', async () => {
    await imported('Organization - ID,Organization - Name,Organization - Owner\n61,Pipe Ltd,\n62,Dream Ltd,\n', {
      object: 'company',
    })
    await imported('Record ID,Company name,Company Domain Name\n61,Hub Ltd,hub61.example\n', { object: 'company' })
    await imported('Deal - ID,Deal - Title,Deal - Organization ID,Deal - Contact person ID\n1,Pipe deal,61,51\n', {
      object: 'deal',
    })
    await imported(
      'Record ID,Deal Name,Deal Stage,Associated Company IDs,Associated Contact IDs\n1,Hub deal,,61,51\n',
      {
        object: 'deal',
      },
    )
    const [hub, pipe] = (await listed('/deals?external_id=1&sort=title')) as [Row, Row]
    const nameOf = async (path: string) => (await server.call('GET', path)).body.name
    const of = async ({ company_id, primary_contact_id }: Row) =>
      Promise.all([nameOf(`/companies/${company_id}`), nameOf(`/contacts/${primary_contact_id}`)])
    assert.deepEqual(
      [await of(hub), await of(pipe)],
      [
        ['Hub Ltd', 'Ana Ruiz'],
        ['Pipe Ltd', 'Cy Blom'],
      ],
    )
  })

  test('count before the names beside them, and the names where a record did not come in', async () => {
    const rows = [
      '31,One,Renamed Ltd,61;64,"Ana Ruiz (ana@src.example)",52',
      '32,Two,Hub Ltd,999,Di Lund (di@src.example),999',
      '33,Three,,999,,',
    ]
    const file = `Record ID,Deal Name,Associated Company,Associated Company IDs,Associated Contact,Associated Contact IDs,Deal Stage\n${rows.map((row) => `${row},`).join('\n')}\n`
    const result = await imported(file, { object: 'deal' })
    assert.deepEqual(countsOf(result), [2, 0, 0, 1])
    assert.match(reasonsIn(result)[0] ?? '', /company_id does not match any company of this organisation: "999"/)
    assert.deepEqual(
      result.omitted.map(({ column, reason }) => [column, reason]),
      [['Associated Company', 'takes the first company only, and not "64"']],
    )
    const nameOf = async (path: string) => (await server.call('GET', path)).body.name
    for (const [id, firm, person] of [
      ['31', 'Hub Ltd', 'Bo Ott'],
      ['32', 'Hub Ltd', 'Di Lund'],
    ] as const) {
      const { company_id, primary_contact_id } = await one(`/deals?external_id=${id}`)
      assert.deepEqual(
        [await nameOf(`/companies/${company_id}`), await nameOf(`/contacts/${primary_contact_id}`)],
        [firm, person],
      )
    }
  })

  test('match an id that no import brought, if the record has something in common with the row', async () => {
    const known = await newRecord('/contacts', { first_name: 'Flo', last_name: 'Hart', external_id: '71' })
    assert.deepEqual(countsOf(await imported(hubspot('71,FLO,Hart,flo@src.example,,'))), [0, 1, 0, 0])
    assert.equal((await one('/contacts?external_id=71')).id, known.id)
    // From now on the id is that of HubSpot.
    assert.deepEqual(countsOf(await imported(pipedrive('71,Gus,Falk,gus@src.example,'))), [1, 0, 0, 0])

    const seq = server.lastSeq()
    const firm = await newRecord('/companies', { name: 'Old Firm', domains: ['old.example'], external_id: '72' })
    await newRecord('/contacts', { first_name: 'Hal', external_id: '72' })
    const people = await imported(pipedrive('72,Ida,Moe,ida@src.example,'))
    const firms = await imported('Organization - ID,Organization - Name\n72,Another\n', { object: 'company' })
    assert.deepEqual([countsOf(people), countsOf(firms), server.lastSeq()], [[0, 0, 0, 1], [0, 0, 0, 1], seq + 2])
    assert.equal(
      reasonsIn(firms)[0],
      `line 2: The id "72" is that of "Old Firm" (${firm.id}), which has neither the name nor an email, domain or phone of the row. If it is the same one, give it the name or the email there first.`,
    )
    assert.match(reasonsIn(people)[0] ?? '', /The id "72" is that of "Hal"/)
    const alone = await imported('ID,Job title\n72,Chef\n', { map: 'ID=external_id' })
    assert.deepEqual(countsOf(alone), [0, 1, 0, 0], 'a row with nothing to compare')
  })

  test('are gone with the import that brought them', async () => {
    const first = await imported(hubspot('81,Jo,Kern,jo@src.example,,'))
    const { kept } = await undoImport(server.store, { org: server.a.org, id: first.id })
    assert.deepEqual(kept, [])
    // By an email: another record's id is not replaced, and the new one leads to the same person.
    const known = await newRecord('/contacts', {
      first_name: 'Jo',
      emails: [{ email: 'jo@src.example' }],
      external_id: 'erp 1',
    })
    const second = await imported(hubspot('81,Jo,Kern,jo@src.example,Baker,'), { match: 'email' })
    assert.deepEqual(countsOf(second), [0, 1, 0, 0])
    const now = await one('/contacts?email=jo%40src.example')
    assert.deepEqual([now.external_id, now.last_name], ['erp 1', 'Kern'])
    const third = await imported(hubspot('81,Jo,Kern,,Cook,'))
    assert.deepEqual([countsOf(third), (await one('/contacts?external_id=erp%201')).job_title], [[0, 0, 1, 0], 'Baker'])
    await undoImport(server.store, { org: server.a.org, id: second.id })
    assert.equal((await server.call('GET', `/contacts/${known.id}`)).body.last_name, null)
    assert.deepEqual(countsOf(await imported(hubspot('81,Lo,Zorn,lo@src.example,,'))), [1, 0, 0, 0])
  })
})

describe('what was merged', () => {
  const people = (...titles: [string, string]) =>
    `ID,First name,Last name,Email,Job title,Phone\nm1,Mia,Holm,mia@mrg.example,${titles[0]},\nm2,Maja,Holm,maja@mrg.example,${titles[1]},030 77\n`
  const firms = 'ID,Name,Domain,Industry\nf1,Fjord,fjord.example,\nf2,Fjord Norge AS,fjord-no.example,Fish\n'

  test('stays merged when its file comes in again, which adds what the record lacks', async () => {
    await imported(people('', ''))
    await imported(firms, { object: 'company' })
    const [mia, maja] = [await one('/contacts?external_id=m1'), await one('/contacts?external_id=m2')]
    const [fjord, norge] = [await one('/companies?external_id=f1'), await one('/companies?external_id=f2')]
    const done = [merged('contact', mia, maja), merged('company', fjord, norge)]
    const seq = server.lastSeq()
    for (const file of [people('', ''), people('', '')]) assert.deepEqual(countsOf(await imported(file)), [0, 0, 2, 0])
    assert.deepEqual(countsOf(await imported(firms, { object: 'company' })), [0, 0, 2, 0])
    // A row names the firm by the name that it had, or by its id there.
    const more = 'ID,First name,Email,Company\nm3,Nils,nils@mrg.example,Fjord Norge AS\nm4,Olga,olga@mrg.example,f2\n'
    assert.deepEqual(countsOf(await imported(more)), [2, 0, 0, 0])
    assert.equal(server.lastSeq(), seq + 2)
    for (const id of ['m3', 'm4']) assert.equal((await one(`/contacts?external_id=${id}`)).company_id, fjord.id)

    const update = await imported(people('', 'Nurse'))
    assert.deepEqual([countsOf(update), (await one('/contacts?external_id=m1')).job_title], [[0, 1, 1, 0], 'Nurse'])
    assert.deepEqual(countsOf(await imported(people('', 'Doctor'))), [0, 0, 2, 0], 'nothing is overwritten')
    const { name, external_id, emails } = await one('/contacts?email=maja%40mrg.example')
    assert.deepEqual([name, external_id, emails.length], ['Mia Holm', 'm1', 2])
    assert.deepEqual((await undoImport(server.store, { org: server.a.org, id: update.id })).kept, [])

    // Into a third one, and back.
    const top = await newRecord('/contacts', { first_name: 'Mia', last_name: 'Top' })
    const further = merged('contact', top, mia)
    assert.deepEqual(countsOf(await imported(people('', ''))), [0, 0, 2, 0])
    undoMerge(further.id)
    for (const { id } of done) undoMerge(id)
    assert.deepEqual(countsOf(await imported(people('', 'Pilot'))), [0, 1, 1, 0])
    assert.equal((await one('/contacts?external_id=m2')).job_title, 'Pilot')
    assert.deepEqual(countsOf(await imported(firms, { object: 'company' })), [0, 0, 2, 0])
  })

  test('updates a record that had no id of its own, but for what was decided at the merge', async () => {
    const file = (title: string) => hubspot(`95,Ugo,Vane,ugo@mrg.example,${title},`)
    await imported(file('Clerk'))
    const ugo = await one('/contacts?external_id=95')
    const top = await newRecord('/contacts', { first_name: 'Hugo', last_name: 'Vane', job_title: 'Head' })
    const { id } = merged('contact', top, ugo)
    for (const _ of [1, 2]) assert.deepEqual(countsOf(await imported(file('Clerk'))), [0, 0, 1, 0])
    assert.deepEqual(countsOf(await imported(file('Chief'))), [0, 1, 0, 0])
    const now = await one('/contacts?external_id=95')
    assert.deepEqual([now.id, now.name, now.job_title], [top.id, 'Hugo Vane', 'Chief'])
    undoMerge(id)
    assert.deepEqual(countsOf(await imported(file('Chief'))), [0, 1, 0, 0])
    assert.equal((await one('/contacts?external_id=95')).id, ugo.id)
  })

  test('is new where the record that stayed was deleted', async () => {
    const file = 'ID,Name,Email\nd1,Pia Berg,pia@mrg.example\nd2,Piet Berg,piet@mrg.example\n'
    await imported(file)
    const kept = await one('/contacts?external_id=d1')
    merged('contact', kept, await one('/contacts?external_id=d2'))
    await server.call('DELETE', `/contacts/${kept.id}`)
    assert.deepEqual(countsOf(await imported(file)), [2, 0, 0, 0])
  })

  test('of two products with the same id gives each its own back', async () => {
    await imported(hubspot('91,Quin,Roe,quin@mrg.example,,'))
    await imported(pipedrive('91,Quinn,Roe,quinn@mrg.example,'))
    const [one, other] = (await listed('/contacts?external_id=91')) as [Row, Row]
    const { id } = merged('contact', one, other)
    for (const file of [hubspot('91,Quin,Roe,quin@mrg.example,,'), pipedrive('91,Quinn,Roe,quinn@mrg.example,')])
      assert.deepEqual(countsOf(await imported(file)), [0, 0, 1, 0])
    assert.deepEqual(undoMerge(id).left, [])
    assert.equal((await listed('/contacts?external_id=91')).length, 2)
    for (const file of [hubspot('91,Quin,Roe,quin@mrg.example,,'), pipedrive('91,Quinn,Roe,quinn@mrg.example,')])
      assert.deepEqual(countsOf(await imported(file)), [0, 0, 1, 0])
  })
})

describe('a row with a new id', () => {
  test('is about who has its email, unless that one has another id of the product', async () => {
    const known = await newRecord('/contacts', { first_name: 'Rut', emails: [{ email: 'rut@new.example' }] })
    assert.deepEqual(countsOf(await imported(hubspot('101,Ruth,Sand,rut@new.example,,'))), [0, 1, 0, 0])
    assert.equal((await one('/contacts?external_id=101')).id, known.id)
    // It keeps its id, and is found by that of the other product as well.
    assert.deepEqual(countsOf(await imported(pipedrive('7,Ruth,Sand,rut@new.example,'))), [0, 0, 1, 0])
    assert.deepEqual(countsOf(await imported(pipedrive('7,Ruth,Sand,,Judge'))), [0, 1, 0, 0])
    assert.deepEqual([(await one('/contacts?external_id=101')).job_title], ['Judge'])
    // Somebody else of the same product with the same email.
    const strict = await imported(hubspot('102,Tom,Ude,rut@new.example,,'))
    assert.match(reasonsIn(strict)[0] ?? '', /Another contact, .* has the email/)
    const lenient = await imported(hubspot('102,Tom,Ude,rut@new.example,,'), { rules: { lenient: true } })
    assert.deepEqual([countsOf(lenient), lenient.omitted[0]?.column], [[1, 0, 0, 0], 'Email'])
    assert.equal((await one('/contacts?external_id=102')).emails.length, 1)
    // The same person twice there.
    assert.deepEqual(
      countsOf(await imported(hubspot('103,Tom,Ude,tom@new.example;rut@new.example,,'))),
      [1, 0, 0, 0].with(0, 0).with(3, 1),
    )
  })

  test('is nobody who only shares an address with it: the names have to have a word in common', async () => {
    await newRecord('/contacts', { first_name: 'Ana', last_name: 'Ruiz', emails: [{ email: 'info@apart.example' }] })
    await newRecord('/companies', { name: 'Apart GmbH', domains: ['apart.example'] })
    const person = await imported(hubspot('771,Ben,Koch,info@apart.example,,'))
    assert.deepEqual([person.created, person.updated], [0, 0])
    assert.match(reasonsIn(person).join(), /info@apart\.example/)
    assert.equal((await one('/contacts?email=info@apart.example')).name, 'Ana Ruiz')
    const firm = await imported('Record ID,Company name,Company Domain Name\n79,Elsewhere GmbH,apart.example\n', {
      object: 'company',
    })
    assert.deepEqual([firm.created, firm.updated], [0, 0])
    assert.equal((await one('/companies?domain=apart.example')).name, 'Apart GmbH')
    assert.deepEqual(countsOf(await imported(hubspot('772,A.,Ruiz,info@apart.example,,'))), [0, 1, 0, 0])
  })

  test('is about the company that has its domain', async () => {
    const known = await newRecord('/companies', { name: 'Vela', domains: ['vela.example'] })
    const file = 'Record ID,Company name,Company Domain Name\n201,Vela Oy,vela.example\n'
    assert.deepEqual(countsOf(await imported(file, { object: 'company' })), [0, 1, 0, 0])
    assert.equal((await one('/companies?external_id=201')).id, known.id)
    const other = file.replace('201,Vela Oy', '202,Vela Sverige')
    const refused = await imported(other, { object: 'company', rules: { lenient: true } })
    assert.match(reasonsIn(refused)[0] ?? '', /Another company, .* has the domain "vela.example"/)
  })
})

test('the product of a file shows in its columns', () => {
  const files: [string, string][] = [
    ['Record ID,Deal Name,Deal Stage', 'hubspot'],
    ['Datensatz-ID,Vorname,Nachname,Lifecycle-Phase', 'hubspot'],
    ['Person - ID,Person - Name', 'pipedrive'],
    ['Organization - Name,Organization - ID', 'pipedrive'],
    ['Record ID,First Name,Last Name', ''],
    ['Record ID,Record,Company > Record', ''],
    ['Person ID,Organization ID,Organization Name', ''],
    ['Id,AccountId,FirstName', ''],
    ['external_id,name', ''],
  ]
  for (const [columns, product] of files)
    assert.equal(productOf({ format: 'csv', columns: columns.split(',') }), product, columns)
  assert.equal(productOf({ format: 'csv', columns: ['Person - ID', 'Person - Name'] }, ' My CRM '), 'my crm')
  assert.throws(() => productOf({ format: 'csv', columns: [] }, ' '), { code: 'usage' })
})
