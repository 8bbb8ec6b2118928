import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startServer, type TestServer } from '../../support/server.ts'

// Filters that would have to test more than a reading may: refused with a sentence, and never answered in part.

const CONTACTS = 21_000
const COMPANIES = 100
let server: TestServer

const leaf = (value: string) => ({ field: 'company.name', op: 'contains', value })
/** 50 conditions, which none of the companies meets: all of them are tested for each contact. */
const costly = { any: Array.from({ length: 50 }, (_, index) => leaf(`no such name ${index}`)) }

before(async () => {
  server = await startServer()
  const { call, store, a } = server
  const companies: string[] = []
  for (let n = 0; n < COMPANIES; n++)
    companies.push((await call('POST', '/companies', { name: `Company ${n}` })).body.id)
  const { body } = await call('POST', '/contacts', { last_name: 'Contact' })
  // Copies of one row: what matters is how many there are.
  const row = store.db.prepare('SELECT * FROM contacts WHERE org_id = ? AND id = ?').get(a.org, body.id) as object
  const names = Object.keys(row)
  const insert = store.db.prepare(
    `INSERT INTO contacts (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
  )
  store.transaction(() => {
    for (let n = 0; n < CONTACTS; n++) {
      const id = `0198b2f0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
      insert.run({ ...row, id, company_id: companies[n % COMPANIES] })
    }
  })
})
after(() => server.stop())

async function smartList(filter: object): Promise<string> {
  const { status, body } = await server.call('POST', '/lists', {
    name: `List ${Math.random()}`,
    object: 'contact',
    kind: 'smart',
    filter,
  })
  assert.equal(status, 201, JSON.stringify(body))
  return body.id
}

test('a filter that has to test too many records is 503 with what to do, wherever it is asked', async () => {
  const id = await smartList(costly)
  for (const path of [
    `/contacts?list_id=${id}`,
    `/lists/${id}/members`,
    `/contacts?list_id=${id}&sort=-updated_at&count=true`,
  ]) {
    const { status, body, headers } = await server.call('GET', path)
    assert.deepEqual([status, body.code], [503, 'filter_too_slow'], path)
    assert.match(body.detail, /Use fewer conditions, or add one that leaves fewer records/)
    assert.equal(headers.get('retry-after'), null, 'trying again does not help')
    assert.equal('data' in body, false)
  }
  // The list is there nevertheless, and other readings are as ever.
  assert.equal((await server.call('GET', `/lists/${id}`)).body.member_count, null)
  assert.equal((await server.call('GET', '/contacts?limit=1')).status, 200)
})

test('the same conditions are answered whole where fewer records have to be tested', async () => {
  const { body } = await server.call('POST', '/contacts', {
    last_name: 'Found',
    emails: [{ email: 'found@a.example' }],
  })
  const narrow = await smartList({
    all: [
      { field: 'created_at', op: 'in_last_days', value: 1 },
      { any: [...costly.any.slice(0, 40), { field: 'last_name', op: 'eq', value: 'Found' }] },
    ],
  })
  const { status, body: page } = await server.call('GET', `/contacts?list_id=${narrow}&email=found@a.example`)
  assert.equal(status, 200)
  assert.deepEqual(
    page.data.map((one: { id: string }) => one.id),
    [body.id],
  )
  // One condition is within bounds, also if it tests every record.
  const one = await smartList(leaf('no such name'))
  const all = await server.call('GET', `/contacts?list_id=${one}&count=true`)
  assert.deepEqual([all.status, all.body.data, all.body.total], [200, [], 0])
})

test('the lists of a page have one bound together, and say of the rest that it was not counted', async () => {
  for (let n = 0; n < 3; n++) await smartList({ any: costly.any.slice(0, 20 + n) })
  const { status, body } = await server.call('GET', '/lists?limit=100')
  assert.equal(status, 200)
  const counts = body.data.map(({ member_count }: { member_count: number | null }) => member_count)
  assert.ok(counts.includes(null) && counts.includes(0), JSON.stringify(counts))
})
