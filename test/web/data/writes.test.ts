import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiProblem } from '../../../src/web/data/api.ts'
import { ECHO } from '../../../src/web/data/headers.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// My changes on their way to the real server, one client at a time; others change records by the API.

let server: TestServer
let screens: Screens
let ana: SignedIn
const { newDeal, newContact, getRecord, patchRecord, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
})
after(async () => {
  await screens.stop()
  await server.stop()
})

type TestClient = ReturnType<typeof clientOf>
const open = (given: Parameters<typeof clientOf>[2] = {}) => clientOf(screens, ana, given)
const viewOf = (client: TestClient, id: string, kind: 'deals' | 'contacts' = 'deals') =>
  client.store.entry(kind, id).view.value
const sentBy = (client: TestClient, method: string) => client.sent.filter((each) => each.method === method)
const eventsOf = (id: string) => server.events().filter(({ object_id }) => object_id === id)

async function loaded(fields: Record<string, unknown> = {}, client = open()) {
  const { id } = await newDeal(fields)
  await client.load('deals', id)
  return { id, client }
}

test('a change is shown at once, and sent with the version that its author saw and a key', async () => {
  const { id, client } = await loaded({ title: 'Desks' })
  const saved = client.queue.patch('deals', id, { title: 'Chairs' })
  const state = client.queue.fieldState('deals', id, 'title')
  assert.deepEqual([viewOf(client, id)?.title, state.value], ['Chairs', { state: 'saving' }])
  await saved
  assert.deepEqual(state.value, { state: 'saved' })
  client.advance(2000)
  assert.equal(state.value, undefined)
  const [patch] = sentBy(client, 'PATCH')
  assert.equal(patch?.headers['If-Match'], '"1"')
  assert.match(patch?.headers['Idempotency-Key'] ?? '', /./)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Chairs')
  assert.equal(client.store.find('deals', id)?.base?.version, 2)
  assert.deepEqual(client.queue.writes.value, [])
})

test('changes of a record are sent one after the other, each with the version that the one before made', async () => {
  const { id, client } = await loaded({ title: 'a' })
  await Promise.all(['b', 'e\u0301', 'd'].map((title) => client.queue.patch('deals', id, { title })))
  assert.deepEqual(
    sentBy(client, 'PATCH').map(({ headers }) => headers['If-Match']),
    ['"1"', '"2"', '"3"'],
  )
  assert.equal((await getRecord(`/deals/${id}`)).title, 'd')
  assert.equal(eventsOf(id).length, 4)
})

test('a change goes over a newer version whose changes are in other fields', async () => {
  const { id, client } = await loaded({ title: 'Desks' })
  await patchRecord(`/deals/${id}`, { amount: 12_000 })
  await client.queue.patch('deals', id, { title: 'Chairs' })
  const stored = await getRecord(`/deals/${id}`)
  assert.deepEqual([stored.title, stored.amount, stored.version], ['Chairs', 12_000, 3])
})

test('after three rebases in a row it waits a moment before the next', async () => {
  const { id, client } = await loaded()
  let others = 0
  client.network.before = async ({ method }) => {
    if (method === 'PATCH') await patchRecord(`/deals/${id}`, { amount: ++others })
  }
  const saved = client.queue.patch('deals', id, { title: 'Chairs' })
  const state = client.queue.fieldState('deals', id, 'title')
  await until(() => state.value?.state === 'waiting')
  assert.equal(others, 4)
  client.network.before = undefined
  client.advance(1000)
  await saved
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Chairs')
})

test('a change of a field that somebody else has changed waits for a decision, the others are saved', async () => {
  const { id, client } = await loaded({ amount: 10_000 })
  const { updated_at } = await patchRecord(`/deals/${id}`, { amount: 12_000 })
  const state = client.queue.fieldState('deals', id, 'amount')
  await assert.rejects(client.queue.patch('deals', id, { amount: 15_000, title: 'Chairs' }), { code: 'conflict' })
  assert.deepEqual(state.value, { state: 'conflict', mine: 15_000, theirs: 12_000, by: null, at: updated_at })
  assert.equal(viewOf(client, id)?.amount, 12_000)
  await until(() => client.queue.writes.value.length === 1)
  const stored = await getRecord(`/deals/${id}`)
  assert.deepEqual([stored.amount, stored.title], [12_000, 'Chairs'])
  await client.queue.useMine('deals', id, 'amount')
  assert.equal((await getRecord(`/deals/${id}`)).amount, 15_000)
})

test('mine goes over no third value that came while I decided', async () => {
  const { id, client } = await loaded({ amount: 1 })
  await patchRecord(`/deals/${id}`, { amount: 2 })
  await assert.rejects(client.queue.patch('deals', id, { amount: 10 }))
  await patchRecord(`/deals/${id}`, { amount: 3 })
  await assert.rejects(client.queue.useMine('deals', id, 'amount'), { code: 'conflict' })
  assert.partialDeepStrictEqual(client.queue.fieldState('deals', id, 'amount').value, { mine: 10, theirs: 3 })
  assert.equal((await getRecord(`/deals/${id}`)).amount, 3)
})

test('theirs drops mine, and typing anew over a conflict is a decision too', async () => {
  const { id, client } = await loaded({ amount: 1 })
  await patchRecord(`/deals/${id}`, { amount: 2 })
  await assert.rejects(client.queue.patch('deals', id, { amount: 10 }))
  client.queue.useTheirs('deals', id, 'amount')
  assert.equal(client.queue.fieldState('deals', id, 'amount').value, undefined)
  assert.equal(viewOf(client, id)?.amount, 2)
  await patchRecord(`/deals/${id}`, { amount: 3 })
  await assert.rejects(client.queue.patch('deals', id, { amount: 10 }))
  await client.queue.patch('deals', id, { amount: 11 })
  assert.equal((await getRecord(`/deals/${id}`)).amount, 11)
  assert.deepEqual(client.queue.writes.value, [])
})

test('members of an address are fields of their own, and equal values are no conflict', async () => {
  const { id } = await newContact({ address: { city: 'Bonn', country: 'DE' } })
  const client = open()
  await client.load('contacts', id)
  await patchRecord(`/contacts/${id}`, { address: { city: 'Köln' }, source: 'fair' })
  await client.queue.patch('contacts', id, { address: { postal_code: '50667' }, source: 'fair' })
  const { address, source } = await getRecord(`/contacts/${id}`)
  assert.deepEqual([address.city, address.postal_code, source], ['Köln', '50667', 'fair'])
  await patchRecord(`/contacts/${id}`, { address: { city: 'Ulm' } })
  await assert.rejects(client.queue.patch('contacts', id, { address: { city: 'Mainz', line1: 'Markt 1' } }))
  const state = client.queue.fieldState('contacts', id, 'address.city')
  assert.partialDeepStrictEqual(state.value, { state: 'conflict', mine: 'Mainz', theirs: 'Ulm' })
  await until(() => client.queue.writes.value.length === 1)
  assert.equal((await getRecord(`/contacts/${id}`)).address.line1, 'Markt 1')
})

test('a refused text stays where it was typed, with the message; the other fields are saved', async () => {
  const { id, client } = await loaded({ title: 'Desks' })
  await assert.rejects(client.queue.patch('deals', id, { title: ' ', amount: 5 }), { status: 422 })
  const state = client.queue.fieldState('deals', id, 'title')
  assert.partialDeepStrictEqual(state.value, { state: 'refused', mine: ' ' })
  assert.match((state.value as { message: string }).message, /empty|least/)
  assert.equal(viewOf(client, id)?.title, ' ')
  await until(() => client.queue.writes.value.length === 1)
  const stored = await getRecord(`/deals/${id}`)
  assert.deepEqual([stored.title, stored.amount], ['Desks', 5])
  await client.queue.patch('deals', id, { title: 'Chairs' })
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Chairs')
  assert.deepEqual(client.queue.writes.value, [])
})

test('a text that was typed over a refused one before its answer came is saved', async () => {
  const { id, client } = await loaded({ title: 'Desks' })
  const refused = client.queue.patch('deals', id, { title: ' ' })
  const saved = client.queue.patch('deals', id, { title: 'Chairs' })
  await assert.rejects(refused, { status: 422 })
  await saved
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Chairs')
  assert.deepEqual(client.queue.writes.value, [])
})

test('a browser that cannot keep writes sends them all the same', async () => {
  const storage = { ...memoryStorage(), put: async () => false }
  const { id, client } = await loaded({}, open({ storage }))
  client.network.isCut = true
  const saved = client.queue.patch('deals', id, { title: 'Kept here' })
  await until(() => client.queue.writes.value.every(({ isWaiting }) => isWaiting))
  client.network.isCut = false
  client.queue.kick()
  await saved
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Kept here')
})

test('a move that is not possible goes back, and says why', async () => {
  const { id, client } = await loaded()
  const { stage } = await getRecord(`/deals/${id}`)
  const [, other] = await listIds('/stages?is_open=true')
  const [reason] = await listIds('/close-reasons')
  await server.call('POST', `/deals/${id}/close`, { reason_id: reason })
  const before = await getRecord(`/deals/${id}`)
  assert.notEqual(before.stage, stage)
  await client.queue.patch('deals', id, { title: 'Closed' }) // and now knows the new stage
  await assert.rejects(client.queue.patch('deals', id, { stage: other }), { code: 'deal_closed' })
  assert.equal(viewOf(client, id)?.stage, before.stage)
  assert.partialDeepStrictEqual(client.queue.fieldState('deals', id, 'stage').value, { state: 'refused', mine: other })
})

test('an answer that is lost does not lose the write, nor make it twice', async () => {
  const { id, client } = await loaded()
  client.network.after = ({ method }) => {
    if (method === 'PATCH') throw new Error('cut')
  }
  const saved = client.queue.patch('deals', id, { title: 'Once' })
  await until(() => client.queue.fieldState('deals', id, 'title').value?.state === 'waiting')
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Once')
  client.store.accept('deals', await patchRecord(`/deals/${id}`, { title: 'Twice' }))
  client.network.after = undefined
  client.advance(1000)
  await saved
  const [first, second] = sentBy(client, 'PATCH').map(({ headers: { [ECHO]: _own, ...headers }, ...rest }) => ({
    ...rest,
    headers,
  }))
  assert.deepEqual(second, first)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Twice')
  assert.equal(eventsOf(id).length, 3)
})

test('a request that is lost is sent when the network is back, and finds a conflict then', async () => {
  const { id, client } = await loaded({ title: 'Desks' })
  client.network.isCut = true
  const saved = client.queue.patch('deals', id, { title: 'Mine' })
  await until(() => client.queue.fieldState('deals', id, 'title').value?.state === 'waiting')
  await patchRecord(`/deals/${id}`, { title: 'Theirs' })
  client.network.isCut = false
  client.queue.kick()
  await assert.rejects(saved, { code: 'conflict' })
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Theirs')
})

test('writes that wait outlast the page, and one of the other tabs sends them', async () => {
  const storage = memoryStorage()
  const { id, client } = await loaded({}, open({ storage }))
  client.network.isCut = true
  void client.queue.patch('deals', id, { title: 'Later' })
  void client.create('notes', { body: 'Called', deal_ids: [id] })
  await until(() => client.queue.writes.value.every(({ isWaiting }) => isWaiting))
  const [one, other] = [open({ storage }), open({ storage })]
  await Promise.all([one.adoptWrites(), other.adoptWrites()])
  assert.equal(viewOf(one, id) ?? viewOf(other, id), undefined)
  const idle = () => [one, other].every(({ queue }) => queue.writes.value.length === 0)
  await until(idle)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Later')
  assert.equal((await listIds(`/notes?deal_id=${id}`)).length, 1)
  const sent = [one, other].flatMap((each) => each.sent.filter(({ method }) => method !== 'GET'))
  assert.equal(sent.length, 2)
  assert.deepEqual(await storage.all(), [])
  // The first tab wakes up, and sees that its writes are not its own any more.
  client.network.isCut = false
  client.sent.length = 0
  client.queue.kick()
  await until(() => client.queue.writes.value.length === 0)
  assert.deepEqual(sentBy(client, 'PATCH').concat(sentBy(client, 'POST')), [])
})

test('writes of another member, and of a tab that is alive, stay where they are', async () => {
  const storage = memoryStorage()
  const { id, client } = await loaded({}, open({ storage, tab: 'alive' }))
  client.network.isCut = true
  void client.queue.patch('deals', id, { title: 'Mine' })
  await until(() => client.queue.writes.value.every(({ isWaiting }) => isWaiting))
  const colleague = clientOf(screens, await screens.signedIn('member'), { storage })
  const neighbour = open({ storage, livingTabs: async () => new Set(['alive']) })
  await Promise.all([colleague.adoptWrites(), neighbour.adoptWrites()])
  assert.deepEqual([...colleague.sent, ...neighbour.sent], [])
  assert.equal((await storage.all()).length, 1)
})

test('a signed-out page keeps what was typed, and sends it after signing in again', async () => {
  const ben = await screens.signedIn('member')
  const client = clientOf(screens, ben)
  const { id } = await loaded({}, client)
  await ben.call('POST', '/app/logout')
  void client.queue.patch('deals', id, { title: 'Typed' })
  await until(() => client.isSignedOut.value)
  assert.equal(viewOf(client, id)?.title, 'Typed')
  assert.equal(client.queue.writes.value.length, 1)
  const again = await screens.signedIn({ id: ben.id })
  client.member.call = again.call
  client.queue.kick()
  await until(() => client.queue.writes.value.length === 0)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Typed')
})

test('a write that another tab has taken over stays stored until that one has sent it', async () => {
  const storage = memoryStorage()
  const { id, client } = await loaded({}, open({ storage }))
  client.network.isCut = true
  client.queue.patch('deals', id, { title: 'Taken over' }).catch(() => undefined)
  await until(() => client.queue.fieldState('deals', id, 'title').value?.state === 'waiting')
  const [write] = await storage.all()
  assert.ok(write)
  assert.ok(await storage.claim(write, client.tab, 'another'))
  client.network.isCut = false
  client.queue.kick()
  await until(() => client.queue.writes.value.length === 0)
  assert.equal((await getRecord(`/deals/${id}`)).version, 1)
  assert.deepEqual(await storage.all(), [{ ...write, tab: 'another' }])
})

test('a server that asks to wait is asked again when it said', async () => {
  const { id, client } = await loaded()
  let answers = 0
  client.network.instead = ({ method, headers }) =>
    method === 'PATCH' && answers++ === 0
      ? { status: 503, headers: new Headers({ 'retry-after': '5', [ECHO]: headers[ECHO] as string }), text: '{}' }
      : undefined
  const saved = client.queue.patch('deals', id, { title: 'Patient' })
  await until(() => client.queue.fieldState('deals', id, 'title').value?.state === 'waiting')
  client.advance(4999)
  assert.equal(answers, 1)
  client.advance(1)
  await saved
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Patient')
})

test('a record that is gone is said to be deleted, and my change waits in case it comes back', async () => {
  const { id } = await newContact()
  const client = open()
  await client.load('contacts', id)
  await server.call('DELETE', `/contacts/${id}`)
  await assert.rejects(client.queue.patch('contacts', id, { source: 'fair' }), { status: 404 })
  assert.equal(viewOf(client, id, 'contacts'), null)
  assert.ok(client.store.entry('contacts', id).deletion.value)
  assert.equal(client.queue.writes.value.length, 1)
})

test('a create answers with the record, once however often it is sent, or with what is wrong', async () => {
  const client = open()
  let isLost = true
  client.network.after = ({ method }) => {
    if (method === 'POST' && isLost) throw new Error('cut')
  }
  const made = client.create('companies', { name: 'Once Ltd' })
  await until(() => client.queue.writes.value.some(({ isWaiting }) => isWaiting))
  isLost = false
  client.advance(1000)
  const company = await made
  assert.equal(company.name, 'Once Ltd')
  assert.equal((await listIds('/companies?q=once')).length, 1)
  await assert.rejects(client.create('companies', { name: '' }), (error: ApiProblem) => {
    assert.equal(error.errors[0]?.pointer, '/name')
    return true
  })
  assert.deepEqual(client.queue.writes.value, [])
})

test('a create is not confirmed by the event of what else it made', async () => {
  const client = open()
  const from = { email: 'quite.new@firm.example' }
  const made = client.create('messages', { direction: 'inbound', channel: 'chat', from, body_text: 'Hello' })
  const [write] = client.queue.writes.value
  assert.ok(write)
  client.queue.echo(write.key, 'contacts', { id: 'the contact', version: 1 } as never)
  const { id, body_text } = (await made) as Row
  assert.equal(body_text, 'Hello')
  assert.notEqual(id, 'the contact')
})

test('an action shows what it will do, and is not done over a change that its author has not seen', async () => {
  const { id, client } = await loaded()
  const [reason] = await listIds('/close-reasons')
  const closing = client.act('deals', id, 'close', { reason_id: reason }, { status: 'won' })
  assert.equal(viewOf(client, id)?.status, 'won')
  await closing
  assert.equal((await getRecord(`/deals/${id}`)).close_reason_id, reason)

  const other = await loaded()
  const [, stage] = await listIds('/stages?is_open=true')
  await patchRecord(`/deals/${other.id}`, { stage })
  const shown = { status: 'won', stage: 'won' }
  const refused = other.client.act('deals', other.id, 'close', { reason_id: reason }, shown)
  await assert.rejects(refused, { code: 'conflict' })
  assert.deepEqual([viewOf(other.client, other.id)?.stage, viewOf(other.client, other.id)?.status], [stage, 'open'])
})
