import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ApiProblem, InFront } from '../../../src/web/data/api.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { type Front, INSTEAD, type Rule, startFront } from '../../support/front.ts'
import { recordsOf } from '../../support/records.ts'
import { cookieAt, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// A proxy, a gate or a firewall between the page and the real server, which answers in the server's place.

let server: TestServer
let screens: Screens
let front: Front
let ana: SignedIn
const { newDeal, newContact, getRecord, listIds } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  front = await startFront(screens.url)
  ana = await screens.signedIn('member')
})
beforeEach(() => front.use(undefined))
after(async () => {
  front.stop()
  await screens.stop()
  await server.stop()
})

type TestClient = ReturnType<typeof clientOf>
const opened: TestClient[] = []

/** Ana's page, whose requests all go through what stands in front of the server. */
function open(given: Parameters<typeof clientOf>[2] = {}): TestClient {
  const call: SignedIn['call'] = async (method, path, body, headers) => {
    const sent = { cookie: cookieAt(ana.cookie, front.url), origin: front.url, ...headers } as Record<string, string>
    const init = { method, headers: sent, body: body as string, redirect: 'manual' as const }
    const answer = await fetch(front.url + path, init)
    return { status: answer.status, headers: answer.headers, text: await answer.text(), body: undefined }
  }
  const client = clientOf(front, { ...ana, call }, given)
  opened.push(client)
  return client
}
after(() => {
  for (const client of opened) client.stop()
})

async function loaded(client = open()) {
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  return { id, client }
}

/** A page that follows the events. */
async function live() {
  const { id, client } = await loaded()
  client.start(server.lastSeq())
  await until(() => client.build.value !== undefined)
  return { id, client }
}

/** Lets time pass until it holds. */
const passing = (client: TestClient, holds: () => boolean) =>
  until(() => {
    client.advance(500)
    return holds()
  })

/** Lets time pass until all changes are sent, or stand. */
const drained = (client: TestClient) =>
  passing(client, () => client.queue.writes.value.every(({ parked }) => parked !== undefined))

const isWaiting = ({ queue }: TestClient) => queue.writes.value.some((write) => write.isWaiting)
const stuck = ({ queue }: TestClient) => queue.writes.value.filter(({ parked }) => parked?.why === 'front')
const isNotFound = async (path: string) => (await server.call('GET', path)).status === 404

describe('an answer that is not the server’s own is none:', () => {
  for (const [name, instead] of Object.entries(INSTEAD)) {
    test(`${instead.status} (${name}) refuses nothing, deletes nothing, confirms nothing, and ends no session`, async () => {
      const { id, client } = await loaded()
      const contact = (await newContact()).id
      front.use(instead)
      const patched = client.queue.patch('deals', id, { title: 'Chairs' })
      const removed = client.remove('contacts', contact)
      const made = client.create('notes', { body: name, deal_ids: [id] })
      let settled = 0
      for (const each of [patched, removed, made]) each.finally(() => settled++).catch(() => undefined)
      await until(() => client.queue.writes.value.every((write) => write.isWaiting))
      await assert.rejects(client.load('contacts', contact), InFront)
      assert.deepEqual([settled, client.queue.writes.value.length, client.isSignedOut.value], [0, 3, false])
      assert.equal(client.store.entry('deals', id).view.value?.title, 'Chairs')
      assert.equal(client.store.entry('deals', id).deletion.value, undefined)
      front.use(undefined)
      await drained(client)
      await Promise.all([patched, removed, made])
      assert.equal((await getRecord(`/deals/${id}`)).title, 'Chairs')
      assert.ok(await isNotFound(`/contacts/${contact}`))
      assert.equal((await listIds(`/notes?deal_id=${id}`)).length, 1)
    })
  }

  test('one that was kept for another request', async () => {
    const { id, client } = await loaded()
    const { headers } = await ana.call('GET', `/api/v1/deals/${id}`, undefined, { 'dealbox-echo': 'another' })
    assert.equal(headers.get('dealbox-echo'), 'another')
    front.use({ status: 200, headers: { 'dealbox-echo': 'another', 'content-type': 'application/json' }, body: '{}' })
    await assert.rejects(client.api.get(`/api/v1/deals/${id}`), { name: 'InFront', status: 200 })
  })

  test('but one to a request from which a proxy took the header is the server’s', async () => {
    const { id, client } = await loaded()
    const { text } = await ana.call('GET', `/api/v1/deals/${id}`)
    front.use({ status: 200, headers: { 'dealbox-echo': 'none', 'content-type': 'application/json' }, body: text })
    assert.equal((await client.api.get<{ id: string }>(`/api/v1/deals/${id}`)).id, id)
  })

  test('what the server itself refuses is refused', async () => {
    const { id, client } = await loaded()
    await assert.rejects(client.queue.patch('deals', id, { title: ' ' }), ApiProblem)
    await server.call('DELETE', `/contacts/${(await newContact()).id}`)
    const gone = (await newContact()).id
    await client.load('contacts', gone)
    await server.call('DELETE', `/contacts/${gone}`)
    await client.remove('contacts', gone)
  })

  test('a write that was done before something else answered is done once', async () => {
    const { id, client } = await loaded()
    const contact = (await newContact()).id
    front.use((method) => (method === 'GET' ? undefined : { afterAll: INSTEAD.timeout }))
    const made = client.create('notes', { body: 'Once', deal_ids: [id] })
    const removed = client.remove('contacts', contact)
    await until(() => client.queue.writes.value.every((write) => write.isWaiting))
    assert.ok(await isNotFound(`/contacts/${contact}`))
    front.use(undefined)
    await drained(client)
    await Promise.all([made, removed])
    assert.equal((await listIds(`/notes?deal_id=${id}`)).length, 1)
  })
})

describe('what is refused for one change alone', () => {
  const firewall: Rule = (_method, _path, body) => (/<script/.test(body) ? INSTEAD.firewall : undefined)

  test('again and again stands at it; the others pass it by, also those of the same record', async () => {
    const { id, client } = await loaded()
    front.use(firewall)
    const saved = client.queue.patch('deals', id, { title: '<script>' })
    await until(() => isWaiting(client))
    assert.equal(stuck(client).length, 0, 'once is not again and again')
    const other = client.queue.patch('deals', id, { amount: 5 })
    const removed = client.remove('contacts', (await newContact()).id)
    await passing(client, () => stuck(client).length === 1)
    await Promise.all([other, removed])
    assert.partialDeepStrictEqual(stuck(client), [{ parked: { status: 403 }, body: { title: '<script>' } }])
    assert.equal(client.store.entry('deals', id).view.value?.title, '<script>', 'it is still shown')
    const { title, amount } = await getRecord(`/deals/${id}`)
    assert.deepEqual([title, amount], ['Desks', 5])
    assert.deepEqual(client.connection.value, { state: 'live' })
    const [{ key = '' } = {}] = stuck(client)
    front.use(undefined)
    client.queue.decideStuck(key, true)
    await drained(client)
    await saved
    assert.equal((await getRecord(`/deals/${id}`)).title, '<script>')
    assert.deepEqual(client.queue.writes.value, [])
  })

  test('can be dropped: the record is as it was, and its caller learns of it', async () => {
    const { id, client } = await loaded()
    front.use(firewall)
    const saved = client.queue.patch('deals', id, { title: '<script>' })
    const made = client.create('notes', { body: '<script>', deal_ids: [id] })
    for (const each of [saved, made]) each.catch(() => undefined)
    await passing(client, () => stuck(client).length === 2)
    for (const { key } of stuck(client)) client.queue.decideStuck(key, false)
    await assert.rejects(saved, { name: 'InFront', status: 403 })
    await assert.rejects(made, { name: 'InFront', status: 403 })
    assert.equal(client.store.entry('deals', id).view.value?.title, 'Desks')
    assert.deepEqual(client.queue.writes.value, [])
  })

  test('is replaced by a newer value of its field', async () => {
    const { id, client } = await loaded()
    front.use(firewall)
    const saved = client.queue.patch('deals', id, { title: '<script>' })
    await passing(client, () => stuck(client).length === 1)
    const newer = client.queue.patch('deals', id, { title: 'Tables' })
    await drained(client)
    await Promise.all([saved, newer])
    assert.deepEqual(client.queue.writes.value, [])
    assert.equal((await getRecord(`/deals/${id}`)).title, 'Tables')
  })

  test('although the server has done it is confirmed by its event', async () => {
    const { id, client } = await live()
    front.use((method) => (method === 'PATCH' ? INSTEAD.firewall : undefined), { leaves: true })
    const saved = client.queue.patch('deals', id, { title: 'Chairs' })
    await passing(client, () => stuck(client).length === 1)
    const [{ key = '', version = 0 } = {}] = stuck(client)
    const headers = { 'idempotency-key': key, 'if-match': `"${version}"` }
    await ana.call('PATCH', `/api/v1/deals/${id}`, { title: 'Chairs' }, headers)
    await saved
    assert.deepEqual(client.queue.writes.value, [])
  })

  test('waits again after the page is loaded anew', async () => {
    const storage = memoryStorage()
    const { id, client } = await loaded(open({ storage }))
    front.use(firewall)
    client.queue.patch('deals', id, { title: '<script>' }).catch(() => undefined)
    await passing(client, () => stuck(client).length === 1)
    client.stop()
    front.use(undefined)
    const next = open({ storage })
    await next.adoptWrites()
    await drained(next)
    assert.deepEqual(next.queue.writes.value, [])
    assert.equal((await getRecord(`/deals/${id}`)).title, '<script>')
  })

  test('is not what everything is refused with, however long that takes', async () => {
    const { id, client } = await loaded()
    front.use(INSTEAD.gate)
    const saved = client.queue.patch('deals', id, { title: 'Chairs' })
    const from = front.kept.length
    const tries = () => front.kept.slice(from).filter((each) => each.startsWith('PATCH')).length
    await passing(client, () => tries() > 12)
    assert.equal(stuck(client).length, 0)
    front.use(undefined)
    await drained(client)
    await saved
  })
})

describe('the connection line', () => {
  test('names what answers in front of the server, also while the stream goes on', async () => {
    const { id, client } = await live()
    const since = client.timers.now()
    front.use(INSTEAD.gate, { leaves: true })
    const saved = client.queue.patch('deals', id, { title: 'Chairs' })
    await until(() => isWaiting(client))
    client.advance(2999)
    assert.deepEqual(client.connection.value, { state: 'live' }, 'a moment is not worth a word')
    client.advance(1)
    const lost = { since, dataAt: undefined, waiting: 1, front: 401 }
    assert.deepEqual(client.connection.value, { state: 'reconnecting', ...lost })
    client.advance(12_000)
    assert.deepEqual(client.connection.value, { state: 'offline', ...lost })
    front.use(undefined, { leaves: true })
    await passing(client, () => client.connection.value.state === 'live') // it asks now and then by itself
    await drained(client)
    await saved
  })

  test('names what answers the stream, and it alone', async () => {
    const { id, client } = await live()
    for (const instead of [INSTEAD.noRoute, INSTEAD.gate, INSTEAD.page, INSTEAD.empty, INSTEAD.elsewhere]) {
      front.use((_method, path) => (path.startsWith('/app/stream') ? instead : undefined))
      await until(() => client.network.streams.size === 0)
      client.advance(16_000)
      await until(() => client.connection.value.state !== 'live' && client.connection.value.front === instead.status)
      await client.queue.patch('deals', id, { amount: instead.status }) // which passes
      assert.partialDeepStrictEqual(client.connection.value, { front: instead.status })
      assert.equal(client.isSignedOut.value, false)
      front.use(undefined)
      client.wake(true)
      await until(() => client.connection.value.state === 'live')
    }
  })

  test('forgets it where nobody answers any more', async () => {
    const { client } = await live()
    front.use(INSTEAD.gate)
    await until(() => client.network.streams.size === 0)
    client.advance(20_000)
    await until(() => client.connection.value.state !== 'live' && client.connection.value.front === 401)
    client.network.isCut = true
    client.wake(true)
    await until(() => client.connection.value.state !== 'live' && client.connection.value.front === undefined)
  })

  test('says nothing of a question that is refused alone', async () => {
    const { client } = await loaded()
    front.use((_method, path) => (path.startsWith('/app/names') ? INSTEAD.firewall : undefined))
    await assert.rejects(client.api.get('/app/names?q=a'), InFront)
    client.advance(1000)
    await until(() => front.passed.includes('GET /app/preferences'))
    for (let n = 0; n < 20; n++) {
      await new Promise((resolve) => setImmediate(resolve))
      client.advance(1000)
    }
    assert.deepEqual(client.connection.value, { state: 'live' })
  })

  test('a session that has ended is still that, behind whatever stands in front', async () => {
    const { id, client } = await loaded()
    client.member.call = (method, path, body, headers) =>
      screens.send(method, path, body, headers as Record<string, string>)
    client.queue.patch('deals', id, { title: 'Chairs' }).catch(() => undefined)
    await until(() => client.isSignedOut.value)
  })
})
