import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { belongs } from '../../../support/inbox-views.ts'
import { makeOrg, type Org } from '../../../support/org.ts'
import type { Row } from '../../../support/records.ts'
import { idsOf } from '../../../support/records.ts'
import { type Answer as Got, type Screens, type SignedIn, startScreens } from '../../../support/screens.ts'
import { examples, seedOf } from '../../../support/seed.ts'
import { startServer, type TestServer } from '../../../support/server.ts'
import { setLevels } from '../../../support/settings.ts'
import { type Random, random } from './dice.ts'
import { decide } from './gestures.ts'
import { History } from './history.ts'
import { type Desk, gesture, type SharedInbox, screenOf, takeUp, write } from './shared-inbox.ts'
import { browserOf, settled } from './world.ts'

// Three members, one of them in two browsers, work on the same conversations over a network that loses, delays and repeats
// what they send: they assign, snooze, close, answer, note, begin drafts, merge and split, while customers write on and pages
// crash. TEST_SCHEDULE=N runs the group of that number, TEST_SCHEDULES=1000 so many of them: each takes a tenth of a second.

const { TEST_SCHEDULES } = process.env
const SCHEDULES = TEST_SCHEDULES === undefined ? examples(200) : Number(TEST_SCHEDULES)
const PARTS = 2
/** Of one organisation: its views are looked at when all of them are over. */
const GROUP = 20
const STEPS = 32
const SEED = seedOf(1)
const ROUNDS = 200
const MINUTE = 60_000

const policy = {
  key: 'usual',
  name: 'Usual',
  hours: null,
  match: { field: 'priority', op: 'ne', value: 'low' },
  pause_on: ['pending'],
  targets: { normal: { first_response_s: 90, next_response_s: 60 }, urgent: { resolution_s: 30 } },
}

let server: TestServer
let screens: Screens

/** The schedules of one test file: each of them runs its part of all, beside the others. */
export function threeMembers(part: number): void {
  before(async () => {
    server = await startServer()
    screens = await startScreens(server)
  })
  after(async () => {
    await screens.stop()
    await server.stop()
  })

  test(`nobody is answered twice, no draft is lost, and the screens are what is stored (seed ${SEED})`, async () => {
    const one = process.env.TEST_SCHEDULE
    if (one !== undefined) return runGroup(Number(one))
    for (let n = 0; n < SCHEDULES / GROUP / PARTS; n++) {
      const number = SEED * 100_003 + part * 10_000 + n
      try {
        await runGroup(number)
      } catch (error) {
        throw new Error(`TEST_SCHEDULE=${number}`, { cause: error })
      }
    }
  })
}

async function runGroup(number: number): Promise<void> {
  const dice = random(number)
  const org = await makeOrg(server.store, server.dataDir, `Org${number}`)
  setLevels(server.store, org.org, { sla: [policy] })
  const people = new Map<string, SignedIn>()
  for (const role of ['owner', 'admin', 'member'] as const) {
    const person = await screens.signedIn(role, org)
    people.set(person.id, person)
  }
  for (let n = 0; n < GROUP; n++) await run({ dice, org, people })
  await checkViews(org, people)
}

type People = Map<string, SignedIn>
type Given = { dice: Random; org: Org; people: People }

async function run({ dice, org, people }: Given): Promise<void> {
  const members = [...people.keys()]
  const inOrg = { server, org, dice, members }
  const inbox: SharedInbox = {
    ...{
      ...inOrg,
      conversations: [write(inOrg), write(inOrg)],
      answers: [],
      notes: [],
      words: [],
      reader: [...people.values()][0] as SignedIn,
    },
  }
  const copies: (() => Promise<void>)[] = []
  const shared = {
    server: { ...server, a: org },
    screens: { ...screens, signedIn: async ({ id }: { id: string }) => people.get(id), send: doubled(dice, copies) },
    ended: new Set<never>(),
    listeners: new Set<never>(),
  }
  const desks: Desk[] = []
  const listed = dice.below(3)
  for (const member of [...members, ...(dice.chance(0.5) ? [members[0] as string] : [])]) {
    const browser = browserOf(shared as never, dice, 1)
    await browser.signIn(member)
    desks.push({ browser, member, screen: undefined, hasList: desks.length === listed })
  }
  const shown = await storedOf(inbox)
  for (const desk of desks) openAt(desk, inbox, shown)
  for (let step = 0; step < STEPS; step++) {
    server.advance(dice.chance(0.03) ? MINUTE : 1)
    await act(inbox, desks, copies)
    await settled()
  }
  while (copies.length > 0) await copies.pop()?.()
  await heal(inbox, desks)
  await checkScreens(inbox, desks, people)
  for (const { screen, browser } of desks) {
    assert.deepEqual(await browser.disk.all(), [], 'nothing waits in a browser')
    screen?.dispose()
    browser.tabs[0]?.leave('reload')
    if (browser.faults[0]) throw browser.faults[0]
  }
  check(inbox)
}

type Shown = { record: Row; messages: Row[] }

/** What the server has of the conversations, as somebody who does nothing else sees it. */
const storedOf = ({ conversations, reader }: SharedInbox): Promise<Shown[]> =>
  Promise.all(
    conversations.map(async (id) => {
      const get = async (path: string) => (await reader.call('GET', `/api/v1/conversations/${id}${path}`)).body
      return { record: await get(''), messages: (await get('/messages?sort=created_at&limit=100')).data }
    }),
  )

function openAt(desk: Desk, { dice }: SharedInbox, shown: Shown[]): void {
  const [tab] = desk.browser.tabs
  desk.screen?.dispose()
  tab?.open()
  const page = tab?.page()
  desk.screen = page && screenOf(page, dice, desk.hasList)
  for (const { record, messages } of shown) desk.screen?.show(record, messages as never)
}

/** Some requests with a key come twice, at once or late: the second does nothing, and is answered as the first. */
function doubled(dice: Random, copies: (() => Promise<void>)[]): Screens['send'] {
  return async (method, path, body, headers) => {
    const got = await screens.send(method, path, body, headers)
    if (!headers?.['Idempotency-Key'] || got.status >= 300 || !dice.chance(0.2)) return got
    const again = async () => same(await screens.send(method, path, body, headers), got)
    if (dice.chance(0.5)) copies.push(again)
    else await again()
    return got
  }
}

const same = (again: Got, first: Got): void =>
  assert.deepEqual([again.status, again.body?.id], [first.status, first.body?.id], 'the answer to a doubled request')

async function act(inbox: SharedInbox, desks: Desk[], copies: (() => Promise<void>)[]): Promise<void> {
  const { dice, conversations } = inbox
  const desk = dice.pick(desks)
  const { browser } = desk
  const { network } = browser
  const kind = dice.below(100)
  if (kind < 50) {
    if (!browser.tabs[0]?.page()) openAt(desk, inbox, await storedOf(inbox))
    if (desk.screen) gesture(inbox, desk.screen)
  } else if (kind < 80) for (let n = 0; n < 4; n++) await network.fly(dice, 0.06)
  else if (kind < 86) network.stream(dice, 0.05)
  else if (kind < 89) browser.advance(dice.below(3000))
  else if (kind < 94) write(inbox, dice.pick(conversations))
  else if (kind < 96) network.cut()
  else if (kind < 98) {
    network.offline(!network.isOffline())
    if (!network.isOffline()) browser.tabs[0]?.page()?.client.wake(true)
  } else if (kind < 99) {
    desk.screen?.dispose()
    desk.screen = undefined
    desk.isAnew = true
    browser.tabs[0]?.leave(dice.chance(0.5) ? 'crash' : 'reload')
  } else await copies.shift()?.()
}

/** The network is well again, all pages are open, and everything comes to rest. */
async function heal(inbox: SharedInbox, desks: Desk[]): Promise<void> {
  const { dice, org } = inbox
  for (const desk of desks) {
    desk.browser.network.offline(false)
    if (!desk.browser.tabs[0]?.page()) openAt(desk, inbox, await storedOf(inbox))
    if (desk.screen && desk.isAnew) takeUp(inbox, desk.screen)
    desk.screen?.client.wake(true)
  }
  const isQuiet = ({ browser, screen }: Desk) =>
    screen !== undefined &&
    browser.network.isQuiet() &&
    !screen.isReading() &&
    screen.client.seq() === server.lastSeq(org) &&
    screen.client.queue.writes.peek().length === 0 &&
    screen.drafts().every(({ isKept }) => isKept.peek())
  let isOver = false
  for (let round = 0; round < ROUNDS && !isOver; round++) {
    for (const { browser, screen } of desks) {
      for (let n = 0; n < 20; n++) {
        await browser.network.fly(dice, 0)
        if (n % 4 === 3) await settled()
      }
      browser.network.stream(dice, 0)
      if (screen) decide({ dice, history: new History() }, screen.page, true)
      browser.advance(2000)
      await settled()
    }
    if (!desks.every(isQuiet)) continue
    // All is stored, and all have heard of it: now they look.
    isOver = desks.every(({ screen }) => screen?.isCurrent())
    for (const { screen } of desks) screen?.look()
  }
  const state = desks.map(({ browser, screen }) => [
    browser.network.isQuiet(),
    screen?.isReading(),
    screen?.isCurrent(),
    [screen?.client.seq(), server.lastSeq(org)],
    screen?.client.queue.writes.peek(),
    screen?.client.connection.peek().state,
  ])
  assert.ok(isOver, `it does not come to rest: ${JSON.stringify(state)}`)
}

const stored = (org: Org): Row[] =>
  server.store.db.prepare('SELECT * FROM messages WHERE org_id = ?').all(org.org) as Row[]

/** What the pages hold is what the database holds: records, threads, and the rows of the view. */
async function checkScreens(inbox: SharedInbox, desks: Desk[], people: People): Promise<void> {
  const messages = stored(inbox.org)
  const records = await Promise.all(
    inbox.conversations.map(async (id) => (await inbox.reader.call('GET', `/api/v1/conversations/${id}`)).body as Row),
  )
  for (const { screen, member } of desks) {
    assert.ok(screen)
    const { client, view, list, hasList, threads } = screen
    for (const record of records) {
      const { base, view: shown } = client.store.entry('conversations', record.id)
      assert.deepEqual([base, shown.peek()], [record, record], 'what a page holds is what the database holds')
    }
    for (const [id, thread] of threads)
      assert.deepEqual(
        idsOf(thread as never).sort(),
        idsOf(messages.filter(({ conversation_id }) => conversation_id === id)).sort(),
        'a thread is what is stored',
      )
    if (!hasList) continue
    const { call } = people.get(member) as SignedIn
    const { body } = await call('GET', `/app/rows/conversations?view=${view}&sort=due&limit=100`)
    assert.deepEqual(list.loadedIds(), idsOf(body.data), `the rows of ${view} are what the server has`)
  }
}

function check({ org, answers, notes, words }: SharedInbox): void {
  const all = stored(org)
  const countOf = (body: string) => all.filter(({ body_text }) => body_text === body).length
  for (const { body, isConfirmed } of [...answers, ...notes]) {
    assert.ok(countOf(body) <= 1, `"${body}" is stored once`)
    if (isConfirmed) assert.equal(countOf(body), 1, `"${body}" is stored`)
  }
  // Who splits off a message that was answered takes it away from its answer.
  const splits = server.store.db
    .prepare("SELECT undo FROM conversation_moves WHERE org_id = ? AND kind = 'split'")
    .pluck()
    .all(org.org) as string[]
  const answered = new Map<string, string>()
  for (const { seen, body, isInsisted } of answers) {
    if (isInsisted || countOf(body) === 0 || splits.some((undo) => undo.includes(seen))) continue
    assert.equal(answered.get(seen), undefined, `"${body}" is the second answer to the same message`)
    answered.set(seen, body)
  }
  const drafts = server.store.db.prepare('SELECT member_id, key, body FROM drafts WHERE org_id = ?').all(org.org) as {
    member_id: string
    key: string
    body: string
  }[]
  const merged = server.store.db
    .prepare('SELECT id FROM conversations WHERE org_id = ? AND is_merged = 1')
    .pluck()
    .all(org.org) as string[]
  for (const { word, member, isGivenUp } of words) {
    if (isGivenUp) continue
    const isSent = all.some(({ body_text }) => body_text.includes(word))
    const isBegun = drafts.some(
      ({ member_id, key, body }) =>
        member_id === member && body.includes(word) && !merged.some((id) => key.endsWith(id)),
    )
    assert.ok(isSent || isBegun, `${word} was begun`)
  }
}

/** For each member and view: the rows, the counts and the stored conversations by the same filter. */
async function checkViews(org: Org, people: People): Promise<void> {
  const { db } = server.store
  const records = (await server.call('GET', '/conversations?limit=100', undefined, { token: org.token })).body.data
  const merged = db.prepare('SELECT id FROM conversations WHERE org_id = ? AND is_merged = 1').pluck().all(org.org)
  for (const [member, { call }] of people) {
    const { mailboxes: _, ...counts } = (await call('GET', '/app/inbox/counts')).body
    const begun = db.prepare('SELECT key FROM drafts WHERE org_id = ? AND member_id = ?').pluck().all(org.org, member)
    for (const view of [...Object.keys(counts), 'closed']) {
      const { body } = await call('GET', `/app/rows/conversations?view=${view}&sort=due&limit=100&count=true`)
      const expected = records.filter((record: Row) => {
        if (view === 'spam') return false
        if (view === 'closed') return record.status === 'closed' && !merged.includes(record.id)
        if (view === 'drafts')
          return !merged.includes(record.id) && begun.some((key) => String(key).endsWith(record.id))
        return belongs(view, record, member, server.now())
      })
      assert.deepEqual(idsOf(body.data).sort(), idsOf(expected).sort(), `the rows of ${view}`)
      assert.equal(body.total, expected.length, view)
      if (view !== 'closed') assert.equal(counts[view], expected.length, `the count of ${view}`)
    }
  }
}
