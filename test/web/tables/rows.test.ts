import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contactStore } from '../../../src/crm/contacts.ts'
import { api } from '../../../src/web/data/api.ts'
import { recordStore } from '../../../src/web/data/record-store.ts'
import { type RowQuery, type Rows, rows } from '../../../src/web/tables/table/rows.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The rows of a table over the pages of a real server.

const COUNT = 1050
let server: TestServer
let screens: Screens
let member: SignedIn
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  member = await screens.signedIn('member')
  const { create } = contactStore(server.deps)
  server.store.transaction(() => {
    for (let n = 0; n < COUNT; n++)
      create({ org: server.a.org, member: null }, { last_name: `Name ${String((n * 11) % COUNT).padStart(4, '0')}` })
  })
})
after(async () => {
  await screens.stop()
  await server.stop()
})

function open(query: RowQuery = { sort: 'name' }) {
  const asked: string[] = []
  let fail = false
  const store = recordStore()
  const caller = api(async ({ method, path }) => {
    asked.push(path.replace('/app/rows/contacts?', ''))
    if (fail) throw new Error('cut')
    return member.call(method, path)
  })
  const table = rows({ api: caller, store }, 'contacts', query)
  return { table, asked, store, cut: (is: boolean) => (fail = is), name: nameIn(table, store) }
}

const nameIn = (table: Rows, store: ReturnType<typeof recordStore>) => (row: number) => {
  const id = table.idAt(row)
  return id && store.entry('contacts', id).view.peek()?.name
}
const named = (n: number): string => `Name ${String(n).padStart(4, '0')}`

test('the first page comes with the total, and the next by its cursor', async () => {
  const { table, asked, name } = open()
  assert.equal(table.total.value, undefined)
  await table.reach(0)
  assert.deepEqual(
    [table.total.value, table.loaded(), name(0), name(99), name(100)],
    [COUNT, 100, named(0), named(99), undefined],
  )
  await table.reach(100)
  assert.equal(name(199), named(199))
  assert.deepEqual(asked[0], 'sort=name&limit=100&count=true')
  assert.match(asked[1] as string, /^sort=name&limit=100&cursor=/)
  assert.deepEqual([table.rowOf(table.idAt(150) as string), table.rowOf('gone')], [150, -1])
  table.dispose()
})

test('the end and the middle take one request each', async () => {
  const { table, asked, name } = open()
  await table.reach(0)
  await table.reach(COUNT - 1)
  assert.deepEqual([name(COUNT - 1), name(1000), asked.length], [named(COUNT - 1), named(1000), 2])
  table.ensure(520, 560)
  await table.reach(555)
  assert.deepEqual([name(555), asked.length, asked[2]], [named(555), 3, 'sort=name&limit=100&skip=500'])
  assert.deepEqual([table.loadedIds().length, table.loaded()], [250, 250])
  table.dispose()
})

test('pages that are scrolled past are not asked for', async () => {
  const { table, asked } = open()
  await table.reach(0)
  for (const row of [100, 200, 300, 400, 500, 600, 700]) table.ensure(row, row + 30)
  await table.reach(705)
  assert.equal(asked.length, 4) // two at once, and then the last
  assert.match(asked.at(-1) as string, /skip=700$/)
  table.dispose()
})

test('pages far from the view are let go', async () => {
  const { table, store } = open({ sort: 'name' })
  for (let row = 0; row < COUNT; row += 100) await table.reach(row)
  assert.equal(table.loaded(), COUNT)
  table.dispose()
  assert.equal(store.needed().length, 0)
})

test('a deleted record leaves, and those below move up', async () => {
  const { table, store, name } = open()
  await table.reach(0)
  await table.reach(100)
  const id = table.idAt(5) as string
  const seen = table.revision.value
  store.remove('contacts', id, { by: null, at: '2026-11-20T08:36:00Z', eventId: null })
  assert.deepEqual(
    [table.total.value, table.loaded(), name(5), name(99), table.rowOf(id)],
    [COUNT - 1, 199, named(6), named(100), -1],
  )
  assert.notEqual(table.revision.value, seen)
  table.dispose()
})

test('an error is shown, and the same rows are asked for again', async () => {
  const { table, cut, name } = open()
  cut(true)
  await table.reach(0)
  assert.equal((table.error.value as Error).name, 'NoAnswer')
  assert.equal(table.isLoading.value, false)
  cut(false)
  await table.reload()
  assert.deepEqual([table.error.value, name(0)], [undefined, named(0)])
  table.dispose()
})

test('a filter and a search go with each page', async () => {
  const filter = JSON.stringify({ field: 'name', op: 'contains', value: '99' })
  const { table, asked } = open({ sort: '-name', filter })
  await table.reach(0)
  assert.match(asked[0] as string, /^sort=-name&filter=%7B/)
  assert.equal(table.total.value, [...Array(COUNT).keys()].filter((n) => named(n).includes('99')).length)
  table.dispose()
})
