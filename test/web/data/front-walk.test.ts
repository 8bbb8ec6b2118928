import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { eventReader } from '../../../src/events/reading.ts'
import { memoryStorage } from '../../../src/web/data/write-storage.ts'
import { type Front, INSTEAD, type Instead, startFront } from '../../support/front.ts'
import { recordsOf } from '../../support/records.ts'
import { cookieAt, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { examples, seedOf } from '../../support/seed.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { clientOf } from './support/clients.ts'
import { type Random, random } from './support/dice.ts'

// A page works through a proxy that answers for the server whenever it likes: instead of it, or after the server has done
// what was asked; reads, writes, deletions, creates, the stream and the boot. In the end nothing is lost, doubled, or said
// to be done that was not.

const WALKS = 15
const STEPS = 60
const SEED = seedOf(1)

let server: TestServer
let screens: Screens
let front: Front
let ana: SignedIn
const { newDeal, newContact, getRecord } = recordsOf(() => server)
before(async () => {
  server = await startServer()
  screens = await startScreens(server)
  front = await startFront(screens.url)
  ana = await screens.signedIn('member')
})
after(async () => {
  front.stop()
  await screens.stop()
  await server.stop()
})

const newest = (): number => eventReader(server.store.db).newest(server.a.org)

const call: SignedIn['call'] = async (method, path, body, headers) => {
  const sent = { cookie: cookieAt(ana.cookie, front.url), origin: front.url, ...headers } as Record<string, string>
  const init = { method, headers: sent, body: body as string, redirect: 'manual' as const }
  const answer = await fetch(front.url + path, init)
  return { status: answer.status, headers: answer.headers, text: await answer.text(), body: undefined }
}

test(`whoever answers for the server, nothing is lost, doubled or said to be done that was not (seed ${SEED})`, async () => {
  for (let n = 0; n < examples(WALKS); n++) {
    try {
      await walk(random(SEED * 100_003 + n))
    } catch (error) {
      throw new Error(`walk ${n} of seed ${SEED}`, { cause: error })
    }
  }
})

type Page = ReturnType<typeof clientOf>

async function walk(dice: Random): Promise<void> {
  front.use(undefined)
  const storage = memoryStorage()
  const deal = (await newDeal({ title: 'start', amount: 0 })).id as string
  const contacts: string[] = []
  for (let n = 0; n < 6; n++) contacts.push((await newContact()).id)
  const wanted: Record<string, unknown> = {}
  const notes: string[] = []
  const removed = new Set<string>()
  /** What the page has been told is done. */
  const told = { notes: new Set<string>(), removed: new Set<string>() }
  let values = 0
  let elapsed = 0
  let page = open()

  function open(): Page {
    const made = clientOf(front, { ...ana, call }, { storage })
    made.advance(elapsed) // clocks go on while a page is loaded anew
    made.start(newest())
    made.store.entry('deals', deal).view.subscribe(() => undefined) // it is on the screen
    return made
  }

  /** What is on its way may still reach the server; its answer finds nobody. */
  function leave(): void {
    page.stop()
    page.network.isCut = true
    page.network.after = () => {
      throw new Error('the page has gone')
    }
  }

  function pass(ms: number): void {
    elapsed += ms
    page.advance(ms)
  }

  function change(): void {
    if (page.store.entry('deals', deal).view.peek()) {
      const fields = dice.pick([
        { title: `t${++values}` },
        { amount: ++values },
        { title: `t${values}`, amount: values },
      ])
      Object.assign(wanted, fields)
      page.queue.patch('deals', deal, fields).catch(() => undefined)
    } else void page.load('deals', deal).catch(() => undefined)
  }

  function create(): void {
    const body = `n${++values}`
    notes.push(body)
    const made = page.create('notes', { body, deal_ids: [deal] })
    made.then(() => told.notes.add(body)).catch(() => undefined)
  }

  function remove(): void {
    const id = contacts.find((each) => !removed.has(each))
    if (!id || dice.chance(0.5)) return
    removed.add(id)
    const done = page.remove('contacts', id)
    done.then(() => told.removed.add(id)).catch(() => undefined)
  }

  /** The next requests are answered so; some change alone, or all of them. */
  function disturb(): void {
    const instead: Instead = dice.pick(Object.values(INSTEAD))
    const method = dice.pick(['GET', 'POST', 'PATCH', 'DELETE'])
    const rules = [
      undefined,
      () => instead,
      (asked: string) => (asked === method ? instead : undefined),
      (asked: string) => (asked === 'GET' ? undefined : { afterAll: instead }),
      (_asked: string, path: string) => (path.startsWith('/app/') ? instead : undefined),
      () => (dice.chance(0.5) ? instead : undefined),
    ]
    front.use(dice.pick(rules), { leaves: dice.chance(0.5) })
  }

  for (let step = 0; step < STEPS; step++) {
    const kind = dice.below(100)
    if (kind < 25) change()
    else if (kind < 33) create()
    else if (kind < 38) remove()
    else if (kind < 60) disturb()
    else if (kind < 64)
      void page
        .list('notes')
        .more()
        .catch(() => undefined)
    else if (kind < 66) server.store.db.prepare('DELETE FROM events WHERE seq < ?').run(newest() - dice.below(3))
    else if (kind < 70) page.wake(true)
    else if (kind < 73) {
      leave()
      page = open()
    } else pass(dice.below(6000))
    // A turn for what is on its way, not for all of it.
    await new Promise((resolve) => setTimeout(resolve, dice.below(4)))
    check()
  }
  front.use(undefined)
  await settle()
  await verify()
  page.stop()

  function check(): void {
    assert.equal(page.isSignedOut.value, false, 'the session goes on')
    assert.notEqual(page.store.entry('deals', deal).view.value, null, 'the deal is not said to be deleted')
  }

  /** Its author has what stands sent once more, and decides for the newest value. */
  async function settle(): Promise<void> {
    const rests = async () => {
      pass(1000)
      for (const { key, parked, seen } of page.queue.writes.value) {
        if (parked?.why === 'front') page.queue.decideStuck(key, true)
        if (parked?.why !== 'conflict') continue
        // Its answer was lost twice over: it was done, and the event by which the page would know it is stored no more.
        for (const path of Object.keys(seen)) page.queue.useMine('deals', deal, path).catch(() => undefined)
      }
      const isLive = page.connection.value.state === 'live' && page.seq() === newest()
      return isLive && page.queue.writes.value.length === 0 && (await storage.all()).length === 0
    }
    const now = () => JSON.stringify([page.connection.value, page.seq(), newest(), page.queue.writes.value])
    await until(rests, () => `it comes to rest: ${now()}`)
  }

  async function verify(): Promise<void> {
    check()
    const stored = await getRecord(`/deals/${deal}`)
    for (const [field, value] of Object.entries(wanted)) assert.equal(stored[field], value, `the newest ${field}`)
    const { base } = page.store.entry('deals', deal)
    if (base !== undefined) assert.deepEqual(base, stored, 'the page holds what the database holds')
    const { body } = await server.call('GET', `/notes?deal_id=${deal}&limit=100`)
    const bodies = body.data.map((note: { body: string }) => note.body).sort()
    assert.deepEqual(bodies, [...notes].sort(), 'every note once')
    for (const note of told.notes) assert.ok(bodies.includes(note))
    for (const id of contacts) {
      const { status } = await server.call('GET', `/contacts/${id}`)
      assert.equal(status, removed.has(id) ? 404 : 200, 'deleted is what was deleted')
      const isShownDeleted = page.store.find('contacts', id)?.view.peek() === null
      assert.ok(!isShownDeleted || removed.has(id))
    }
    for (const id of told.removed) assert.ok(removed.has(id))
  }
}
