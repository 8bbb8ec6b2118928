import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { memoryTexts } from '../../../src/web/data/draft-store.ts'
import { BACKGROUND, MEMBER } from '../../../src/web/data/headers.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// Whose page it is, whether somebody uses it, and what time it is: what a page and the server agree on.

let server: TestServer
let screens: Screens
let ana: SignedIn
let ben: SignedIn
const { newDeal, getRecord } = recordsOf(() => server)
const stops: (() => void)[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  ana = await screens.signedIn('member')
  ben = await screens.signedIn('member')
})
after(async () => {
  for (const stop of stops) stop()
  await screens.stop()
  await server.stop()
})

type TestClient = ReturnType<typeof clientOf>

async function open(person = ana, given: Parameters<typeof clientOf>[2] = {}): Promise<TestClient> {
  const client = clientOf(screens, person, given)
  stops.push(client.stop)
  client.start(server.lastSeq())
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  return client
}

/** Somebody else signs in in this browser: its requests have another cookie from now on. */
function giveTo(client: TestClient, other: SignedIn): void {
  client.member.call = other.call
  client.member.cookie = other.cookie
}

const eventsOf = (id: string) => server.events().filter(({ object_id }) => object_id === id)

test('each request names the member, and what another one is signed in for is not written as theirs', async () => {
  const client = await open()
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  giveTo(client, ben)
  void client.queue.patch('deals', id, { title: 'of Ana' })
  const draft = client.drafts.draft('note:deals:7')
  draft.set({ text: 'private' })
  await until(() => client.isSignedOut.value)
  client.advance(60_000)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Desks')
  assert.equal((await ben.call('GET', '/app/drafts/note:deals:7')).body.body, null)
  assert.deepEqual(client.queue.fieldState('deals', id, 'title').value, { state: 'waiting' })

  const again = await screens.signedIn({ id: ana.id })
  giveTo(client, again)
  client.signedIn()
  await until(() => {
    client.advance(100)
    return client.queue.writes.value.length === 0 && draft.isKept.value
  })
  assert.deepEqual(
    eventsOf(id).map(({ actor, object }) => [actor, object.title]),
    [
      [server.a.owner, 'Desks'],
      [ana.id, 'of Ana'],
    ],
  )
  for (const { headers, path } of client.sent) assert.equal(headers[MEMBER], ana.id, path)
})

test('a stream of a member ends where another one is signed in', async () => {
  const client = await open()
  giveTo(client, ben)
  for (const cut of client.network.streams) cut()
  client.advance(500)
  await until(() => client.isSignedOut.value)
  // Nor is it tried again, until somebody has signed in.
  const { opened } = client.network
  for (let n = 0; n < 20; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    client.advance(1000)
  }
  assert.equal(client.network.opened, opened)
})

test('after the session has ended nothing is tried, until the same member is signed in again', async () => {
  const person = await screens.signedIn('member')
  const client = clientOf(screens, person)
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  await person.call('POST', '/app/logout')
  void client.queue.patch('deals', id, { title: 'Typed' })
  await until(() => client.isSignedOut.value)
  const before = client.sent.length
  for (let n = 0; n < 20; n++) client.advance(30_000)
  void client.queue.patch('deals', id, { amount: 3 })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(client.sent.length, before)
})

test('signing in again on one page lets the others of the member go on', async () => {
  const person = await screens.signedIn('member')
  const client = await open(person)
  await person.call('POST', '/app/logout')
  await newDeal({}) // the stream ends before the next event
  await until(() => client.isSignedOut.value)
  giveTo(client, await screens.signedIn({ id: person.id }))
  client.start(client.seq()) // as the worker does that all pages share
  await until(() => !client.isSignedOut.value)
})

test('what was asked before a member signed in again on another page says nothing of who is signed in now', async () => {
  const person = await screens.signedIn('member')
  const client = await open(person)
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isHeld = false
  client.network.after = async ({ method }, { status }) => {
    if (status !== 409 || method !== 'PATCH') return
    isHeld = true
    await promise
  }
  giveTo(client, ben)
  void client.queue.patch('deals', id, { title: 'Typed' })
  await until(() => isHeld)
  for (const cut of client.network.streams) cut()
  client.advance(500)
  await until(() => client.isSignedOut.value)
  giveTo(client, await screens.signedIn({ id: person.id }))
  client.start(client.seq())
  await until(() => !client.isSignedOut.value)
  const told: boolean[] = []
  client.isSignedOut.subscribe((is) => told.push(is))
  resolve()
  await until(() => {
    client.advance(500)
    return client.queue.writes.value.length === 0
  })
  assert.deepEqual(told, [false])
})

test('what was asked before the member signed in again says nothing of who is signed in now', async () => {
  const person = await screens.signedIn('member')
  const client = await open(person)
  const { id } = await newDeal({ title: 'Desks' })
  await client.load('deals', id)
  const { promise, resolve } = Promise.withResolvers<void>()
  let isHeld = false
  client.network.after = async (_, { status }) => {
    isHeld ||= status === 409
    if (status === 409) await promise
  }
  giveTo(client, ben)
  void client.queue.patch('deals', id, { title: 'Typed' })
  await until(() => isHeld)
  giveTo(client, await screens.signedIn({ id: person.id }))
  let isReached = false
  client.onReached.add(() => {
    isReached = true
  })
  client.signedIn()
  await until(() => {
    client.advance(100)
    return isReached
  })
  const told: boolean[] = []
  client.isSignedOut.subscribe((is) => told.push(is))
  resolve()
  await until(() => {
    client.advance(500)
    return client.queue.writes.value.length === 0
  })
  assert.deepEqual(told, [false])
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Typed')
})

test('a stream that was refused before the member signed in again is opened again', async () => {
  const person = await screens.signedIn('member')
  const client = await open(person, { isShared: true })
  const { promise, resolve } = Promise.withResolvers<void>()
  await person.call('POST', '/app/logout')
  client.network.held = promise
  for (const cut of client.network.streams) cut()
  client.advance(500) // it asks with the session that has ended
  giveTo(client, await screens.signedIn({ id: person.id }))
  client.signedIn()
  const { opened } = client.network
  resolve()
  client.network.held = undefined
  await until(() => {
    client.advance(100)
    return client.network.opened > opened && client.connection.value.state === 'live'
  })
  assert.equal(client.isSignedOut.value, false)
})

test('drafts and waiting writes of one member are none of another in the same browser', async () => {
  const [storage, localTexts] = [memoryStorage(), memoryTexts()]
  const hers = await open(ana, { storage, localTexts })
  const { id } = await newDeal({ title: 'Desks' })
  await hers.load('deals', id)
  hers.network.isCut = true
  hers.drafts.draft('note:deals:9').set({ text: 'private' })
  void hers.queue.patch('deals', id, { title: 'of Ana' })
  await until(() => hers.queue.writes.value.every(({ isWaiting }) => isWaiting))
  hers.stop()
  const his = await open(ben, { storage, localTexts })
  const draft = his.drafts.draft('note:deals:9')
  await until(() => draft.isLoaded.value)
  his.advance(1000)
  await his.adoptWrites()
  assert.deepEqual([draft.body.value, his.queue.writes.value], [undefined, []])
  assert.equal((await getRecord(`/deals/${id}`)).title, 'Desks')
  const again = await open(ana, { storage, localTexts })
  assert.deepEqual(again.drafts.draft('note:deals:9').body.value, { text: 'private' })
  await until(() => again.queue.writes.value.length === 0)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'of Ana')
})

test('what a page asks for by itself says so, and so does a page that nobody has touched', async () => {
  let isIdle = false
  const client = await open(ana, { isIdle: () => isIdle })
  const { id } = await newDeal()
  const ofLast = () => client.sent.at(-1)?.headers[BACKGROUND]
  client.presence.look({ viewing: { kind: 'deals', id } })
  client.advance(400)
  await until(() => client.sent.at(-1)?.path === '/app/presence')
  assert.equal(ofLast(), '1')
  await client.load('deals', id)
  assert.equal(ofLast(), undefined)
  isIdle = true
  await client.queue.patch('deals', id, { title: 'by a program' })
  assert.equal(ofLast(), '1')
})

test('nobody looks at a page that is hidden', async () => {
  const [hers, his] = [await open(), await open(ben)]
  const { id } = await newDeal()
  const seen = his.presence.at('deals', id)
  hers.presence.look({ viewing: { kind: 'deals', id } })
  hers.advance(400)
  await until(() => seen.value.length === 1)
  hers.presence.hide(true)
  await until(() => seen.value.length === 0)
  const before = hers.sent.length
  hers.advance(60_000)
  assert.equal(hers.sent.length, before)
  hers.presence.hide(false)
  await until(() => seen.value.length === 1)
  hers.presence.look({ viewing: null })
})

test('the clock of a page is that of the server, whatever the visitor’s shows', async () => {
  const client = await open(ana, { clock: server.now() - 3 * HOUR_MS })
  assert.ok(Math.abs(client.timers.now() - server.now()) < 1000)
  client.network.isCut = true
  const made = client.create('notes', { body: 'late' })
  made.catch(() => undefined)
  await until(() => client.queue.writes.value[0]?.isWaiting === true)
  assert.ok(Math.abs((client.queue.writes.value[0]?.at ?? 0) - server.now()) < 1000)
})
