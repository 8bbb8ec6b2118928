import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dealStore } from '../../../src/crm/deals/deals.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// What others do, as it comes by the stream of the real server.

let server: TestServer
let screens: Screens
let ana: SignedIn
const { newDeal, newContact, patchRecord, getRecord } = recordsOf(() => server)
const stops: (() => void)[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
})
after(async () => {
  for (const stop of stops) stop()
  await screens.stop()
  await server.stop()
})

async function open(given: Parameters<typeof clientOf>[2] = {}) {
  const client = clientOf(screens, ana, given)
  stops.push(client.stop)
  client.start((await ana.call('GET', '/app/boot')).body.seq)
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  return client
}
type TestClient = Awaited<ReturnType<typeof open>>

/** Not by the number of events: a test deletes some. */
const newest = () => server.store.db.prepare('SELECT last_seq FROM orgs WHERE id = ?').pluck().get(server.a.org)
const caughtUp = (client: TestClient) =>
  until(
    () => client.seq() === newest(),
    () => `event ${newest()} after ${client.seq()}`,
  )
const baseOf = (client: TestClient, id: string, kind: 'deals' | 'contacts' = 'deals') =>
  client.store.find(kind, id)?.base

test('a change of somebody else comes by itself, with its author', async () => {
  const client = await open()
  const { id } = await newDeal({ title: 'Desks', amount: 5 })
  await client.load('deals', id)
  await patchRecord(`/deals/${id}`, { title: 'Chairs' })
  await caughtUp(client)
  assert.equal(client.store.entry('deals', id).view.value?.title, 'Chairs')
  const author = client.store.entry('deals', id).authors.get('title')
  assert.equal(author?.by, server.a.owner)
  const state = client.queue.fieldState('deals', id, 'title')
  client.network.isCut = true
  void client.queue.patch('deals', id, { title: 'Mine' }).catch(() => undefined)
  await patchRecord(`/deals/${id}`, { title: 'Tables' })
  await caughtUp(client)
  client.network.isCut = false
  client.queue.kick()
  await until(() => state.value?.state === 'conflict')
  const { at } = client.store.entry('deals', id).authors.get('title') as { at: string }
  assert.deepEqual(state.value, { state: 'conflict', mine: 'Mine', theirs: 'Tables', by: server.a.owner, at })
})

test('a deletion comes with who did it, and a late answer does not bring the record back', async () => {
  const client = await open()
  const { id } = await newContact()
  await client.load('contacts', id)
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  client.network.after = () => held
  const since = client.store.moment()
  const late = client.api.get<{ id: string; version: number }>(`/api/v1/contacts/${id}`)
  await until(() => client.sent.length > 1)
  await server.call('DELETE', `/contacts/${id}`)
  await caughtUp(client)
  release()
  assert.equal(client.store.accept('contacts', await late, { since }), false)
  assert.equal(baseOf(client, id, 'contacts'), null)
  assert.equal(client.store.entry('contacts', id).deletion.value?.by, server.a.owner)
  assert.equal(typeof client.store.entry('contacts', id).deletion.value?.eventId, 'string')
})

test('an event of before a deletion that this page knows already does not bring the record back', async () => {
  const client = await open()
  const { id } = await newContact()
  await client.load('contacts', id)
  await caughtUp(client)
  const states: unknown[] = []
  client.store.onChange((change) => change.id === id && states.push(change.after))
  // Its stream is behind: the change of a colleague comes after the answer to my deletion.
  for (const cut of client.network.streams) cut()
  await patchRecord(`/contacts/${id}`, { last_name: 'Soler' })
  await client.remove('contacts', id)
  client.advance(500)
  await until(() => client.seq() === server.lastSeq())
  assert.equal(client.store.find('contacts', id)?.view.peek(), null)
  assert.deepEqual(states.slice(states.indexOf(null)), [null], 'once gone, it is gone for good')
})

test('the event of my own write confirms it when its answer is lost', async () => {
  const client = await open()
  const { id } = await newDeal()
  await client.load('deals', id)
  client.network.after = ({ method }) => {
    if (method !== 'GET') throw new Error('cut')
  }
  await client.queue.patch('deals', id, { title: 'Mine' })
  const deal = await client.create('deals', { title: 'New' })
  assert.equal(deal.title, 'New')
  assert.deepEqual(client.queue.writes.value, [])
})

test('a record whose event comes before the answer to who made it is there when they go on with it', async () => {
  const client = await open()
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  client.network.after = ({ method }) => (method === 'POST' ? held : undefined)
  const deal = await client.create('deals', { title: 'Early' })
  assert.deepEqual(
    [baseOf(client, deal.id)?.title, client.store.entry('deals', deal.id).view.value?.title],
    ['Early', 'Early'],
  )
  // What they set is compared with what was made, and not with nothing.
  await client.queue.patch('deals', deal.id, { title: 'At once', amount: 7, currency: 'EUR' })
  release()
  const { title, amount } = await getRecord(`/deals/${deal.id}`)
  assert.deepEqual([title, amount, client.queue.writes.value], ['At once', 7, []])
})

test('an answer that is older than an event that came before it does not count', async () => {
  const client = await open()
  const { id } = await newDeal({ title: 'old' })
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  client.network.after = () => held
  const loading = client.load('deals', id)
  await until(() => client.answered.length > 0)
  await patchRecord(`/deals/${id}`, { title: 'new' })
  await caughtUp(client)
  release()
  assert.equal((await loading).title, 'new')
})

test('a cut of a minute with 5,000 events misses nothing', async () => {
  const client = await open()
  const deals = await Promise.all(Array.from({ length: 20 }, () => newDeal()))
  for (const { id } of deals) await client.load('deals', id)
  client.network.isCut = true
  for (const cut of [...client.network.streams]) cut()
  await until(() => client.network.streams.size === 0)
  client.advance(60_000)
  assert.partialDeepStrictEqual(client.connection.value, { state: 'offline', waiting: 0 })
  const { patch, find, columns } = dealStore(server.deps)
  server.store.transaction(() => {
    for (let n = 0; n < 5000; n++) {
      const who = { org: server.a.org, member: null }
      const { id } = deals[n % deals.length]
      patch(who, columns.present(find(who, id)), { title: `Title ${n}` })
    }
  })
  client.network.isCut = false
  client.wake(true)
  await caughtUp(client)
  assert.deepEqual(client.connection.value, { state: 'live' })
  for (const { id } of deals) assert.deepEqual(baseOf(client, id), await getRecord(`/deals/${id}`))
})

test('the connection is said to be lost after 3 s, and its data to be old after 15 s', async () => {
  const client = await open()
  const since = client.timers.now()
  client.network.isCut = true
  for (const cut of [...client.network.streams]) cut()
  client.advance(2999)
  assert.deepEqual(client.connection.value, { state: 'live' })
  client.advance(1)
  const lost = { since, dataAt: since, waiting: 0, front: undefined }
  assert.deepEqual(client.connection.value, { state: 'reconnecting', ...lost })
  client.advance(12_000)
  assert.deepEqual(client.connection.value, { state: 'offline', ...lost })
  client.network.isCut = false
  client.wake(true)
  await until(() => client.connection.value.state === 'live')
})

test('a stream in which nothing is heard for 35 s is opened anew', async () => {
  const client = await open()
  const opened = client.network.opened
  client.advance(34_000)
  assert.equal(client.network.opened, opened)
  client.advance(1600)
  await until(() => client.network.opened === opened + 1)
})

test('when the server no longer has the events, everything that is shown is read anew', async () => {
  const client = await open()
  const { id } = await newDeal({ title: 'old' })
  await client.load('deals', id)
  const stop = client.store.entry('deals', id).view.subscribe(() => undefined)
  const list = client.list('deals', { q: 'unmissed' })
  await list.more()
  client.network.isCut = true
  for (const cut of [...client.network.streams]) cut()
  await patchRecord(`/deals/${id}`, { title: 'new' })
  const made = await newDeal({ title: 'Unmissed' })
  server.store.db.prepare('DELETE FROM events WHERE seq < ?').run(newest())
  client.network.isCut = false
  client.wake(true)
  await until(() => baseOf(client, id)?.title === 'new')
  await until(() => client.seq() === newest())
  assert.deepEqual(list.ids.value, [made.id])
  assert.deepEqual(client.connection.value, { state: 'live' })
  list.dispose()
  stop()
})

test('a session that ends while everything is read anew leaves no hole: it is read once somebody is signed in again', async () => {
  const person = await screens.signedIn('member')
  const client = clientOf(screens, person)
  stops.push(client.stop)
  const { id } = await newDeal({ title: 'Desks' })
  client.start(server.lastSeq())
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  await client.load('deals', id)
  client.store.entry('deals', id).view.subscribe(() => undefined)
  for (const cut of client.network.streams) cut()
  await patchRecord(`/deals/${id}`, { title: 'Tables' })
  server.store.db.prepare('DELETE FROM events WHERE seq <= ?').run(newest())
  // The session ends between the word that events are missing and the answer to what that asks for.
  client.network.before = async ({ path }) => {
    if (path === '/app/boot') await person.call('POST', '/app/logout')
  }
  client.advance(500)
  await until(() => client.isSignedOut.value)
  client.network.before = undefined
  client.member.call = (await screens.signedIn({ id: person.id })).call
  client.member.cookie = (await screens.signedIn({ id: person.id })).cookie
  client.start(Number(newest())) // as a page that is opened then does it for the worker that all share
  await until(() => client.store.entry('deals', id).view.value?.title === 'Tables', 'what was missed')
})

test('a day of 10,000 events leaves no more records in memory than before', async () => {
  const client = await open({ maxIdle: 50 })
  const { create, patch } = dealStore(server.deps)
  const who = { org: server.a.org, member: null }
  for (let n = 0; n < 100; n++) {
    server.store.transaction(() => {
      const deal = create(who, { title: 'A day' })
      for (let at = 0, now = deal; at < 99; at++) now = patch(who, now, { title: `At ${at}` })
    })
    if (n % 10 === 0) await client.load('deals', (await newDeal()).id)
  }
  await newDeal()
  await caughtUp(client)
  assert.ok(client.store.size() <= 50, `${client.store.size()} records`)
})
