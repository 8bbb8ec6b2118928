import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { contactStore } from '../../../src/crm/contacts.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// Lists, drafts and presence over the real server.

let server: TestServer
let screens: Screens
let ana: SignedIn
const { newContact, newRecord, patchRecord } = recordsOf(() => server)
const stops: (() => void)[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
  const { create } = contactStore(server.deps)
  server.store.transaction(() => {
    for (let n = 0; n < 2000; n++)
      create({ org: server.a.org, member: null }, { last_name: `Name ${String(n).padStart(4, '0')}` })
  })
})
after(async () => {
  for (const stop of stops) stop()
  await screens.stop()
  await server.stop()
})

async function open(person = ana) {
  const client = clientOf(screens, person)
  stops.push(client.stop)
  client.start((await person.call('GET', '/app/boot')).body.seq)
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  return client
}
type TestClient = Awaited<ReturnType<typeof open>>

const names = (client: TestClient, ids: readonly string[]) =>
  ids.map((id) => client.store.find('contacts', id)?.view.peek()?.last_name)
const named = (n: number): string => `Name ${String(n).padStart(4, '0')}`
const byName = { sort: 'name', q: 'name' }

test('a list goes page by page, or anywhere by one request, and keeps a part of what it has shown', async () => {
  const client = await open()
  const list = client.list('contacts', byName)
  await list.more()
  assert.deepEqual([list.total.value, list.ids.value.length, list.done.value], [2000, 50, false])
  await list.more()
  assert.deepEqual(names(client, [list.ids.value[50] as string]), [named(50)])
  client.sent.length = 0
  await list.show(1950, 2000)
  await list.show(1950, 2000)
  assert.deepEqual(names(client, [list.ids.value.at(-1) as string]), [named(1999)])
  assert.equal(list.before.value + list.ids.value.length, 2000)
  assert.deepEqual([list.done.value, client.sent.length <= 2], [true, true])
  const first = list.before.value
  await list.show(first - 20, first)
  assert.deepEqual(names(client, [list.ids.value[0] as string]), [named(list.before.value)])
  await list.reload()
  for (let n = 0; n < 30; n++) await list.more()
  assert.deepEqual([list.ids.value.length, list.before.value], [1000, 550])
  assert.deepEqual(names(client, [list.ids.value[0] as string]), [named(550)])
  list.dispose()
  assert.equal(client.store.needed().length, 0)
})

test('new records of others are counted and come when asked for, mine come at once', async () => {
  const client = await open()
  const list = client.list('contacts', { filter: { field: 'source', op: 'eq', value: 'fair' } })
  await list.more()
  assert.deepEqual(list.ids.value, [])
  const theirs = await newContact({ source: 'fair' })
  await newContact({ source: 'web' })
  await until(() => client.seq() === server.lastSeq())
  client.advance(1000)
  await until(() => list.fresh.value === 1)
  assert.deepEqual([list.ids.value, list.total.value], [[], 1])
  list.showFresh()
  assert.deepEqual([list.ids.value, list.fresh.value], [[theirs.id], 0])
  const mine = await client.create('contacts', { last_name: 'Mine', source: 'fair' })
  await until(() => client.seq() === server.lastSeq())
  client.advance(1000)
  await until(() => list.ids.value.length === 2)
  assert.deepEqual([list.ids.value, list.fresh.value], [[mine.id, theirs.id], 0])
  await patchRecord(`/contacts/${theirs.id}`, { last_name: 'Renamed' })
  await until(() => names(client, [theirs.id])[0] === 'Renamed')
  list.dispose()
})

test('the total follows what is changed so that the list no longer asks for it', async () => {
  const client = await open()
  const { id: company_id } = await newRecord('/companies', { name: 'Northwind' })
  const [one] = [await newContact({ company_id }), await newContact({ company_id })]
  await until(() => client.seq() === server.lastSeq())
  const list = client.list('contacts', { company_id })
  await list.more()
  assert.equal(list.total.value, 2)
  client.sent.length = 0
  await patchRecord(`/contacts/${one.id}`, { job_title: 'Buyer' })
  await until(() => client.seq() === server.lastSeq())
  client.advance(1000)
  assert.equal(client.sent.length, 0)
  await patchRecord(`/contacts/${one.id}`, { company_id: null })
  await until(() => client.seq() === server.lastSeq())
  client.advance(1000)
  await until(() => list.total.value === 1)
  list.dispose()
})

test('a deleted row leaves, but stays while the list is held', async () => {
  const client = await open()
  const [one, two] = [await newContact({ source: 'held' }), await newContact({ source: 'held' })]
  const list = client.list('contacts', { filter: { field: 'source', op: 'eq', value: 'held' }, sort: 'created_at' })
  await list.more()
  list.hold(true)
  await server.call('DELETE', `/contacts/${one.id}`)
  await until(() => client.store.find('contacts', one.id)?.base === null)
  assert.deepEqual(list.ids.value, [one.id, two.id])
  list.hold(false)
  assert.deepEqual([list.ids.value, list.total.value], [[two.id], 1])
  list.dispose()
})

test('a list whose page does not come says so, and tries again', async () => {
  const client = await open()
  const list = client.list('tasks', { status: 'open' })
  client.network.isCut = true
  await list.more()
  assert.equal((list.error.value as Error).name, 'NoAnswer')
  client.network.isCut = false
  await newRecord('/tasks', { title: 'Call' })
  await list.more()
  assert.deepEqual([list.error.value, list.ids.value.length, list.done.value], [undefined, 1, true])
  list.dispose()
})

test('a draft waits on every screen of its author, and in the browser while the server does not answer', async () => {
  const [here, there] = [await open(), await open()]
  const draft = here.drafts.draft('note:deals:1')
  await until(() => draft.isLoaded.value)
  draft.set({ text: 'Dear' })
  draft.set({ text: 'Dear Ben' })
  assert.equal(here.sent.filter(({ method }) => method === 'PUT').length, 0)
  here.advance(800)
  await until(() => draft.isKept.value)
  const same = there.drafts.draft('note:deals:1')
  await until(() => same.isLoaded.value)
  assert.deepEqual(same.body.value, { text: 'Dear Ben' })
  here.network.isCut = true
  draft.clear()
  await until(() => here.sent.at(-1)?.method === 'DELETE')
  assert.deepEqual([draft.isKept.value, draft.body.value], [false, undefined])
  here.network.isCut = false
  await here.drafts.saveAll()
  assert.equal((await ana.call('GET', '/app/drafts/note:deals:1')).body.body, null)
})

test('colleagues who look at a record or edit a field are known at once', async () => {
  const ben = await screens.signedIn('member')
  const [mine, his] = [await open(), await open(ben)]
  const { id } = await newContact()
  const here = mine.presence.at('contacts', id)
  his.presence.look({ viewing: { kind: 'contacts', id }, editing: { kind: 'contacts', id, field: 'source' } })
  his.advance(400)
  await until(() => here.value.length === 1)
  assert.equal(here.value[0]?.member_id, ben.id)
  assert.equal(mine.presence.editorOf('contacts', id, 'source').value?.member_id, ben.id)
  his.presence.look({ viewing: null })
  his.advance(400)
  await until(() => here.value.length === 0)
})
