import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type LocalTexts, memoryTexts } from '../../../src/web/data/draft-store.ts'
import { leaving } from '../../../src/web/data/leaving.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'

// Signing out loses nothing unasked, also of what the browser could not keep, and of what other tabs have begun.

let server: TestServer
let screens: Screens
let ana: SignedIn
const stops: (() => void)[] = []
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  for (const stop of stops) stop()
  await screens.stop()
  await server.stop()
})

async function open(given: Parameters<typeof clientOf>[2] = {}) {
  const client = clientOf(screens, ana, given)
  stops.push(client.stop)
  client.start(server.lastSeq())
  await until(() => client.build.value !== undefined, 'the hello of the stream')
  return client
}

/** Signs out; time passes until it is over. Returns what was asked about, and whether the member has gone. */
async function leave(client: Awaited<ReturnType<typeof open>>, texts: LocalTexts, agrees: boolean) {
  const asked: string[] = []
  let hasLeft: boolean | undefined
  const gone = leaving({
    here: client.own,
    wordsOf: { write: ({ kind }) => kind, draft: ({ text }) => String(text) },
    confirmed: async (left) => asked.push(...left) > 0 && agrees,
    forget: (member) => {
      for (const name of texts.names(member)) texts.remove(name)
    },
    sayLeft: () => undefined,
  }).then((left) => {
    hasLeft = left
  })
  await until(() => {
    client.advance(1000)
    return hasLeft !== undefined
  })
  await gone
  return { asked, hasLeft }
}

/** Nothing of drafts gets through. */
const cut = ({ path }: { path: string }): void => {
  if (path.startsWith('/app/drafts/')) throw new Error('cut')
}

test('a text that the browser has no room for is asked about', async () => {
  ana = await screens.signedIn('member')
  const texts: LocalTexts = { ...memoryTexts(), set: () => false }
  const client = await open({ localTexts: texts, network: { before: cut } })
  client.drafts.draft('note:full').set({ text: 'kept nowhere else' })
  assert.deepEqual(await leave(client, texts, false), { asked: ['kept nowhere else'], hasLeft: false })
  assert.deepEqual(client.drafts.draft('note:full').body.value, { text: 'kept nowhere else' })
})

test('what another tab has begun where this one has nothing is sent, or asked about', async () => {
  ana = await screens.signedIn('member')
  const texts = memoryTexts()
  const [here, there] = [await open({ localTexts: texts }), await open({ localTexts: texts, network: { before: cut } })]
  const draft = here.drafts.draft('note:both')
  await until(() => draft.isLoaded.value)
  there.drafts.draft('note:both').set({ text: 'of the other tab' })
  here.network.before = cut
  assert.deepEqual(await leave(here, texts, false), { asked: ['of the other tab'], hasLeft: false })
  here.network.before = undefined
  assert.deepEqual(await leave(here, texts, false), { asked: [], hasLeft: true })
  const again = await screens.signedIn({ id: ana.id })
  assert.equal((await again.call('GET', '/app/drafts/note:both')).body.body.text, 'of the other tab')
  assert.deepEqual(texts.names(ana.id), [])
})

test('an answer that arrives while the page is being left puts nothing back into the browser', async () => {
  ana = await screens.signedIn('member')
  const [texts, storage] = [memoryTexts(), memoryStorage()]
  const client = await open({ localTexts: texts, storage })
  const held: (() => void)[] = []
  client.network.after = ({ path }) =>
    path === '/app/logout' ? undefined : new Promise<void>((resolve) => held.push(resolve))
  const draft = client.drafts.draft('note:after')
  draft.set({ text: 'given up' })
  void client.create('notes', { body: 'given up, too' })
  await until(() => held.length === 2)
  assert.deepEqual(await leave(client, texts, true), { asked: ['notes', 'given up'], hasLeft: true })
  draft.set({ text: 'given up, and more' })
  void client.create('notes', { body: 'one more' })
  for (const answer of held) answer()
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([texts.names(''), await storage.all()], [[], []])
})
