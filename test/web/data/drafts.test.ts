import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { memoryTexts } from '../../../src/web/data/draft-store.ts'
import { mergeDrafts } from '../../../src/web/data/merge-drafts.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// A draft that is written in two places at once keeps both texts.

let server: TestServer
let screens: Screens
let ana: SignedIn
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

const stored = async (key: string) => (await ana.call('GET', `/app/drafts/${key}`)).body.body

async function two(key: string, given: Parameters<typeof clientOf>[2] = {}) {
  const clients = [await open(given), await open(given)] as const
  const drafts = clients.map((client) => client.drafts.draft(key))
  for (const draft of drafts) await until(() => draft.isLoaded.value)
  const [here, there] = drafts
  return { clients, here: here as NonNullable<typeof here>, there: there as NonNullable<typeof there> }
}

describe('two pages that write one draft', () => {
  test('see what the other one has written while they write nothing themselves', async () => {
    const { clients, here, there } = await two('note:seen')
    here.set({ text: 'Dear' })
    clients[0].advance(800)
    await until(() => there.body.value?.text === 'Dear', 'the text on the other page')
    there.set({ text: 'Dear Ben' })
    clients[1].advance(800)
    await until(() => here.body.value?.text === 'Dear Ben', 'the text on the first page')
    here.clear()
    await until(() => there.body.value === undefined, 'the end of the draft on the other page')
    assert.equal(await stored('note:seen'), null)
  })

  test('keep both texts that were begun at the same time', async () => {
    const { clients, here, there } = await two('note:both')
    here.set({ text: 'The price is fixed' })
    there.set({ text: 'Ring on Monday' })
    clients[0].advance(800)
    await until(() => here.isKept.value)
    clients[1].advance(800)
    await until(() => there.isKept.value && here.body.value?.text === there.body.value?.text, 'one text')
    assert.deepEqual(await stored('note:both'), { text: 'The price is fixed\n\nRing on Monday' })
  })

  test('keep what the other one goes on with when one is sent', async () => {
    const { clients, here, there } = await two('note:sent')
    here.set({ text: 'Sent' })
    clients[0].advance(800)
    await until(() => there.body.value?.text === 'Sent')
    there.set({ text: 'Sent, and more' })
    here.clear()
    clients[1].advance(800)
    await until(() => there.isKept.value)
    assert.deepEqual(await stored('note:sent'), { text: 'Sent, and more' })
  })

  test('keep both in one browser without a network, whichever is closed first', async () => {
    const localTexts = memoryTexts()
    const { clients, here, there } = await two('note:cut', { localTexts })
    for (const { network } of clients) network.isCut = true
    here.set({ text: 'From the first' })
    there.set({ text: 'From the second' })
    for (const { stop } of clients) stop()
    const next = (await open({ localTexts })).drafts.draft('note:cut')
    await until(() => next.isKept.value, 'the draft on the server')
    const { text } = await stored('note:cut')
    assert.match(text, /From the first/)
    assert.match(text, /From the second/)
  })

  test('keep in the browser what the other one cannot send, when an answer comes late', async () => {
    const localTexts = memoryTexts()
    const clients = [await open({ localTexts }), await open({ localTexts })] as const
    const [here, there] = clients
    let answer: () => void = () => undefined
    here.network.after = ({ path }) =>
      path.startsWith('/app/drafts') ? new Promise<void>((resolve) => (answer = resolve)) : undefined
    const first = here.drafts.draft('note:late')
    await until(() => here.answered.some(({ path }) => path.endsWith('note:late')))
    there.network.isCut = true
    first.set({ text: 'one' })
    there.drafts.draft('note:late').set({ text: 'one two' })
    answer()
    await until(() => first.isLoaded.value && first.body.value?.text !== 'one', 'the text of the other page')
    for (const { stop } of clients) stop()
    const next = (await open({ localTexts })).drafts.draft('note:late')
    await until(() => next.isKept.value)
    assert.match((await stored('note:late')).text, /one two/)
  })

  test('in one browser keep what a third one has sent meanwhile', async () => {
    const localTexts = memoryTexts()
    const [here, there] = [await open({ localTexts }), await open({ localTexts })]
    for (const { network } of [here, there]) network.isCut = true
    here.drafts.draft('note:third').set({ text: 'from here' })
    there.drafts.draft('note:third').set({ text: 'from there' })
    await ana.call('PUT', '/app/drafts/note:third', { body: { text: 'from elsewhere' } })
    there.stop()
    here.network.isCut = false
    await here.drafts.saveAll()
    await until(() => here.drafts.draft('note:third').isKept.value)
    const { text } = await stored('note:third')
    for (const part of ['from here', 'from there', 'from elsewhere']) assert.ok(text.includes(part), text)
  })

  test('have a version, with which a page says what its text follows', async () => {
    const put = (text: string, version?: number) =>
      ana.call(
        'PUT',
        '/app/drafts/note:version',
        { body: { text } },
        version === undefined ? {} : { 'If-Match': `"${version}"` },
      )
    const none = (await ana.call('GET', '/app/drafts/note:version')).body
    assert.deepEqual([none.body, none.version], [null, 1])
    const first = await put('one', none.version)
    assert.equal(first.status, 200)
    assert.equal((await put('two', none.version)).status, 412)
    const second = await put('two', first.body.version)
    assert.ok(second.body.version > first.body.version, 'the clock of the server stands still')
    const stale = await ana.call('DELETE', '/app/drafts/note:version', undefined, {
      'If-Match': `"${first.body.version}"`,
    })
    assert.equal(stale.status, 412)
    assert.deepEqual(await stored('note:version'), { text: 'two' })
  })
})

test('an answer that was asked for first and comes last does not count', async () => {
  const client = await open()
  const held: (() => void)[] = []
  client.network.after = ({ method, path }) =>
    method === 'GET' && path.endsWith('note:order') ? new Promise<void>((resolve) => held.push(resolve)) : undefined
  const draft = client.drafts.draft('note:order')
  await until(() => held.length === 1)
  draft.set({ text: 'typed' })
  client.advance(800)
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  client.network.after = undefined
  for (const answer of held.toReversed()) answer()
  await until(() => draft.isKept.value)
  assert.deepEqual([draft.body.value, await stored('note:order')], [{ text: 'typed' }, { text: 'typed' }])
})

test('a page that heard nothing for a while looks whether another one has written the draft that it shows', async () => {
  const client = await open()
  const [shown, hidden] = [client.drafts.draft('note:heard'), client.drafts.draft('note:hidden')]
  const stopShowing = shown.body.subscribe(() => undefined)
  for (const each of [shown, hidden]) await until(() => each.isLoaded.value)
  client.network.isCut = true
  for (const cut of client.network.streams) cut()
  const put = (key: string) => ana.call('PUT', `/app/drafts/${key}`, { body: { text: 'elsewhere' } })
  for (const key of ['note:heard', 'note:hidden']) await put(key)
  client.network.isCut = false
  const before = client.sent.length
  await until(() => {
    client.advance(1000)
    return shown.body.value?.text === 'elsewhere'
  }, 'the text of the other page')
  stopShowing()
  const asked = client.sent.slice(before).filter(({ path }) => path.includes('/app/drafts/'))
  assert.deepEqual([...new Set(asked.map(({ path }) => path))], ['/app/drafts/note:heard'])
  hidden.body.subscribe(() => undefined)
  await until(() => hidden.body.value?.text === 'elsewhere', 'the text, once it is shown')
})

test('a draft is read again that another page has written while it was read, unheard', async () => {
  const client = await open()
  const draft = client.drafts.draft('note:during')
  const stopShowing = draft.body.subscribe(() => undefined)
  await until(() => draft.isLoaded.value)
  const held: (() => void)[] = []
  client.network.after = ({ path }) =>
    path.endsWith('note:during') ? new Promise<void>((resolve) => held.push(resolve)) : undefined
  const look = () => {
    client.drafts.missed()
    void client.drafts.saveAll()
  }
  look()
  await until(() => held.length === 1, 'the answer from before')
  client.network.isCut = true
  for (const cut of client.network.streams) cut()
  await ana.call('PUT', '/app/drafts/note:during', { body: { text: 'elsewhere' } })
  look()
  client.network.isCut = false
  client.network.after = undefined
  for (const answer of held) answer()
  await until(() => draft.body.value?.text === 'elsewhere', 'the text of the other page')
  stopShowing()
})

test('a merge keeps what each side has written, and takes each member from the side that changed it', () => {
  assert.deepEqual(mergeDrafts({ a: '1', b: '1' }, { a: '2', b: '1' }, { a: '1', b: '3' }), { a: '2', b: '3' })
  assert.deepEqual(mergeDrafts({ a: 'x' }, { a: 'x' }, undefined), undefined)
  assert.deepEqual(mergeDrafts({ a: 'x' }, undefined, { a: 'xy' }), { a: 'xy' })
  assert.deepEqual(mergeDrafts({ a: 'Hello' }, { a: 'Hello you' }, { a: 'Hello all' }), { a: 'Hello all\n\nyou' })
  const text = fc
    .array(fc.constantFrom('ja', 'no', 'yes', 'call', 'Ana', '3 Dec', '', '日本', '$&'), { maxLength: 4 })
    .map((words) => words.join(' '))
  fc.assert(
    fc.property(text, text, text, (before, mine, theirs) => {
      fc.pre(theirs !== before && mine !== before)
      const merged = String(mergeDrafts({ text: before }, { text: mine }, { text: theirs })?.text)
      const tail = before !== '' && mine.startsWith(before) ? mine.slice(before.length).trim() : mine.trim()
      return merged.includes(tail) && merged.includes(theirs)
    }),
  )
})
