import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contactStore } from '../../../src/crm/contacts.ts'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { contactRecord } from '../../../src/records/contact.ts'
import { dealRecord } from '../../../src/records/deal.ts'
import type { ListQuery, Sort } from '../../../src/store/list/query.ts'
import { recordsOf } from '../../support/records.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Lists of the screens can begin in the middle.

let server: TestServer
const { newContact, newDeal } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  for (const [last_name, do_not_contact] of [
    ['Delta', true],
    ['Alfa', false],
    ['Echo', true],
    ['Bravo', true],
    ['Charlie', false],
    ['Alfa', true],
  ] as const)
    await newContact({ last_name, do_not_contact, emails: [] })
  for (const amount of [5, null, 3, 3, null, 8]) await newDeal({ amount, currency: amount === null ? null : 'EUR' })
})
after(() => server.stop())

type Store = Pick<ReturnType<typeof contactStore>, 'list'>
const QUESTION = { conditions: [], count: true, limit: 100, descending: false }

function skippedEqual(store: Store, ask: ListQuery): void {
  const all = store.list(server.a.org, ask).rows
  for (let skip = 0; skip <= all.length + 2; skip++) {
    const { rows, next, total } = store.list(server.a.org, { ...ask, skip, limit: 2 })
    assert.deepEqual(rows.map(idOf), all.slice(skip, skip + 2).map(idOf), `after ${skip}`)
    assert.deepEqual([next !== null, total], [skip + 2 < all.length, all.length])
  }
}
const idOf = (row: unknown): unknown => (row as unknown[])[0]

test('a list that begins after so many records goes on as if they had been read', () => {
  const store = contactStore(server.deps)
  for (const sort of Object.values(contactRecord.sorts)) {
    for (const descending of [false, true]) skippedEqual(store, { ...QUESTION, sort, descending })
  }
  const condition = { column: 'do_not_contact', operator: 'eq' as const, values: [1], indexed: true }
  skippedEqual(store, { ...QUESTION, sort: contactRecord.sorts.name as Sort, conditions: [condition] })
})

test('records without the key of the sort are counted at the end', () => {
  const store = dealStore(server.deps)
  for (const descending of [false, true]) {
    skippedEqual(store, { ...QUESTION, sort: dealRecord.sorts.amount as Sort, descending })
  }
})

test('the public lists do not skip', async () => {
  const { status, body } = await server.call('GET', '/contacts?skip=1')
  assert.deepEqual([status, body.code], [400, 'invalid_query'])
  assert.doesNotMatch(body.detail, /allowed.*skip/)
})
