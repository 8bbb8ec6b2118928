import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventReader } from '../../../src/events/reading.ts'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { memoryTexts } from '../../../src/web/data/draft-store.ts'
import { recordStore } from '../../../src/web/data/record-store.ts'
import { memoryStorage, type WriteStorage } from '../../../src/web/data/write-storage.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// What could be lost or done twice: by a full storage, a cut network, a refused list, a day without an answer.

let server: TestServer
let screens: Screens
let ana: SignedIn
const { newDeal, newRecord, getRecord } = recordsOf(() => server)
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

type Given = Parameters<typeof clientOf>[2]
type TestClient = ReturnType<typeof clientOf>

async function open(given: Given = {}): Promise<TestClient> {
  const client = clientOf(screens, ana, { clock: server.now(), ...given })
  stops.push(client.stop)
  client.start(newest())
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  return client
}

function cutOff({ network }: TestClient): void {
  network.isCut = true
  for (const cut of network.streams) cut()
}

/** The server no longer has what the page has missed. */
const forgetEvents = () => server.store.db.prepare('DELETE FROM events WHERE seq < ?').run(newest())

const newest = (): number => eventReader(server.store.db).newest(server.a.org)

const bodyOf = async (key: string) => (await ana.call('GET', `/app/drafts/${key}`)).body.body
const turn = () => new Promise((resolve) => setImmediate(resolve))
const notesOf = async (deal: string): Promise<number> => (await getRecord(`/notes?deal_id=${deal}`)).data.length

test('what is typed while a draft is being saved is saved after that, and in this order', async () => {
  const client = await open()
  const draft = client.drafts.draft('note:typing')
  await until(() => draft.isLoaded.value)
  let release: (() => void) | undefined
  client.network.before = ({ method }) =>
    method === 'PUT' ? new Promise<void>((resolve) => (release = resolve)) : undefined
  draft.set({ text: 'one' })
  client.advance(800)
  await until(() => client.sent.at(-1)?.method === 'PUT')
  draft.set({ text: 'one two' })
  client.advance(800)
  await turn()
  assert.equal(client.sent.filter(({ method }) => method === 'PUT').length, 1, 'one at a time')
  client.network.before = undefined
  release?.()
  await until(() => draft.isKept.value)
  assert.deepEqual(await bodyOf('note:typing'), { text: 'one two' })
})

test('a draft of which only a part was saved is not said to be kept', async () => {
  const client = await open()
  const draft = client.drafts.draft('note:part')
  await until(() => draft.isLoaded.value)
  client.network.after = ({ method }) => {
    if (method === 'PUT') draft.set({ text: 'one two' })
    client.network.after = undefined
  }
  draft.set({ text: 'one' })
  client.advance(800)
  await until(() => client.answered.some(({ method }) => method === 'PUT'))
  await turn()
  assert.equal(draft.isKept.value, false)
  client.advance(800)
  await until(() => draft.isKept.value)
  assert.deepEqual(await bodyOf('note:part'), { text: 'one two' })
})

test('a browser that keeps no texts loses no draft, and says so while it is only on the page', async () => {
  const full = { get: () => 'not { JSON', set: () => false, remove: () => undefined, names: () => [] }
  const client = await open({ localTexts: full })
  const draft = client.drafts.draft('note:full')
  await until(() => draft.isLoaded.value)
  draft.set({ text: 'kept nowhere else' })
  assert.equal(client.isLoose(), true)
  client.advance(800)
  await until(() => draft.isKept.value)
  assert.equal(client.isLoose(), false)
  assert.deepEqual(await bodyOf('note:full'), { text: 'kept nowhere else' })
})

test('a draft that was taken away without a network does not come back with the next page', async () => {
  const localTexts = memoryTexts()
  await ana.call('PUT', '/app/drafts/note:gone', { body: { text: 'old' } })
  const client = await open({ localTexts })
  const draft = client.drafts.draft('note:gone')
  await until(() => draft.body.value !== undefined)
  client.network.isCut = true
  draft.clear()
  client.stop()
  const next = await open({ localTexts })
  const same = next.drafts.draft('note:gone')
  assert.equal(same.body.value, undefined)
  await until(() => same.isKept.value)
  assert.equal(await bodyOf('note:gone'), null)
})

test('a draft that could not be read is read once the server is reached', async () => {
  await ana.call('PUT', '/app/drafts/note:later', { body: { text: 'there' } })
  const client = await open()
  client.network.isCut = true
  const draft = client.drafts.draft('note:later')
  await turn()
  for (const cut of client.network.streams) cut()
  client.network.isCut = false
  client.advance(500)
  await until(() => client.network.opened === 2 && client.connection.value.state === 'live')
  client.advance(1000)
  await until(() => draft.isLoaded.value)
  assert.deepEqual(draft.body.value, { text: 'there' })
})

test('a change that the browser cannot keep is loose until it is saved', async () => {
  const full: WriteStorage = { ...memoryStorage(), put: async () => false }
  const client = await open({ storage: full })
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  client.network.isCut = true
  const saved = client.queue.patch('deals', id, { title: 'Chairs' })
  await until(() => client.queue.writes.value[0]?.isWaiting === true)
  assert.equal(client.isLoose(), true)
  client.network.isCut = false
  client.advance(1000)
  await saved
  assert.equal(client.isLoose(), false)
})

test('a list that the server refuses says so itself, and keeps nothing else from being live', async () => {
  const { id } = await newRecord('/custom-fields', { object: 'contact', key: 'doomed', label: 'Doomed', type: 'text' })
  const client = await open()
  const refused = client.list('contacts', { filter: { field: 'custom_fields.doomed', op: 'eq', value: 'x' } })
  const other = client.list('tasks', { status: 'open' })
  await Promise.all([refused.more(), other.more()])
  assert.equal(refused.error.value, undefined)
  cutOff(client)
  await server.call('DELETE', `/custom-fields/${id}`)
  await newRecord('/tasks', { title: 'while away' })
  forgetEvents()
  client.network.isCut = false
  client.advance(500)
  await until(() => client.sent.some(({ path }) => path === '/app/boot'))
  await until(() => client.connection.value.state === 'live' && client.network.streams.size === 1)
  await until(() => other.ids.value.length === 1)
  assert.equal((refused.error.value as unknown as { status?: number }).status, 422)
  for (let n = 0; n < 5; n++) {
    client.advance(10_000)
    await turn()
  }
  assert.equal(client.sent.filter(({ path }) => path === '/app/boot').length, 1)
  refused.dispose()
  other.dispose()
})

test('what could not be read anew for a moment is asked for again, while the rest is live', async () => {
  const client = await open()
  const list = client.list('tasks', { status: 'open' })
  await list.more()
  cutOff(client)
  for (const title of ['one', 'two']) await newRecord('/tasks', { title })
  client.network.isCut = false
  let failures = 2
  client.network.before = ({ path }) => {
    if (path.startsWith('/api/v1/tasks') && failures-- > 0) throw new Error('no network')
  }
  forgetEvents()
  client.advance(500)
  await until(() => failures === 0)
  await until(() => client.network.streams.size === 1)
  assert.equal((list.error.value as Error).name, 'NoAnswer')
  client.advance(3000)
  await until(() => list.error.value === undefined)
  const titles = list.ids.value.map((id) => client.store.find('tasks', id)?.view.peek()?.title)
  assert.deepEqual(titles.slice(0, 2), ['two', 'one'])
  list.dispose()
})

for (const [age, asks] of [
  [19 * HOUR_MS, false],
  [21 * HOUR_MS, true],
] as const)
  test(`what was to be made ${age / HOUR_MS} hours ago and has no answer is ${asks ? 'asked about' : 'sent'}`, async () => {
    const storage = memoryStorage()
    const first = await open({ storage })
    first.network.after = ({ method }) => {
      if (method !== 'POST') return
      cutOff(first)
      throw new Error('no network')
    }
    const { id: deal } = await newDeal()
    first.create('notes', { body: 'made', deal_ids: [deal] }).catch(() => undefined)
    await until(() => first.queue.writes.value[0]?.isWaiting === true)
    assert.equal(await notesOf(deal), 1)
    first.stop()
    server.advance(25 * HOUR_MS) // the key is forgotten, whatever this browser believes
    ana = await screens.signedIn({ id: ana.id })
    const [write] = await storage.all()
    await storage.put({ ...(write as NonNullable<typeof write>), at: server.now() - age })
    const next = await open({ storage })
    await until(() => next.queue.writes.value.length === 1 || !asks)
    if (!asks) {
      await until(() => next.queue.writes.value.length === 0)
      return
    }
    await until(() => next.queue.writes.value[0]?.parked !== undefined)
    assert.deepEqual(next.queue.writes.value[0]?.parked, { why: 'old' })
    for (let n = 0; n < 5; n++) next.advance(30_000)
    next.queue.kick()
    await turn()
    assert.equal(await notesOf(deal), 1, 'it is not made a second time')
    const { key } = next.queue.writes.value[0] as { key: string }
    next.queue.decideStuck(key, false)
    assert.deepEqual([next.queue.writes.value, await storage.all()], [[], []])
  })

test('an old one that its author wants all the same is sent once', async () => {
  const { id: deal } = await newDeal()
  const storage = memoryStorage()
  await storage.put({
    ...{
      key: 'k1',
      verb: 'create',
      kind: 'notes',
      id: '',
      body: { body: 'wanted', deal_ids: [deal] },
      shown: {},
      seen: {},
    },
    ...{ version: undefined, isUnsure: false, at: server.now() - 30 * HOUR_MS, member: ana.id, tab: 'gone' },
  })
  const client = await open({ storage })
  await until(() => client.queue.writes.value[0]?.parked !== undefined)
  client.queue.decideStuck('k1', true)
  await until(() => client.queue.writes.value.length === 0)
  client.queue.kick()
  await turn()
  assert.equal(await notesOf(deal), 1)
})

test('an event of before a deletion does not bring the record back, and its restoration does', () => {
  const store = recordStore()
  const deal = { id: 'd', version: 3, title: 'Desks' }
  store.accept('deals', deal)
  store.remove('deals', 'd', { by: null, at: '2026-11-20T08:36:00.000Z', eventId: 'e' })
  assert.equal(store.accept('deals', { ...deal, version: 4 }, { author: { by: 'x', at: '' } }), false)
  assert.equal(store.find('deals', 'd')?.view.peek(), null)
  assert.equal(store.accept('deals', { ...deal, version: 5 }, { isCreation: true }), true)
  assert.equal(store.find('deals', 'd')?.view.peek()?.version, 5)
})
