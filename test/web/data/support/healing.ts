import assert from 'node:assert/strict'
import type { Rec } from '../../../../src/web/data/types.ts'
import { recordsOf } from '../../../support/records.ts'
import { decide, draftOf, noteKey, type People } from './gestures.ts'
import { type Browser, type Page, settled } from './world.ts'

// The end of a schedule: the network is well again, everybody signs in again, everything comes to rest.

const ROUNDS = 400

/** Returns what each member has begun, as text. */
export async function heal(world: People): Promise<Map<string, string>> {
  const { browsers, people } = world
  for (const browser of browsers) {
    browser.fill(false)
    browser.network.offline(false)
    for (const tab of browser.tabs) tab.thaw()
    for (const tab of browser.tabs) tab.page()?.client.wake(true)
  }
  const drafts = new Map<string, string>()
  for (const member of people) {
    // A sign-out that was still on its way may end all pages: then they are opened once more.
    do {
      for (const browser of browsers) await comeBack(browser, member)
      await rest(world, member)
    } while (browsers.every((browser) => browser.openPages(member).length === 0))
    drafts.set(member, await check(world, member))
  }
  for (const { faults, tabs } of browsers) {
    for (const tab of tabs) tab.leave('reload')
    if (faults[0]) throw faults[0]
  }
  return drafts
}

async function comeBack(browser: Browser, member: string): Promise<void> {
  await browser.signIn(member)
  const pages = browser.tabs.filter((tab) => tab.page()?.member === member)
  // What a page that is gone has left is taken up by the next one.
  browser.spare.leave('reload')
  browser.spare.open()
  for (const tab of pages) if (tab.page()?.client.isSignedOut.peek()) void tab.signInAgain()
}

async function rest(world: People, member: string): Promise<void> {
  const { browsers, dice } = world
  const pages = () => browsers.flatMap((browser) => browser.openPages(member))
  const isResting = () => browsers.every(({ network }) => network.isQuiet()) && pages().every(isRested)
  const isRested = (page: Page) =>
    page.client.seq() === world.server.lastSeq() &&
    page.client.queue.writes.peek().length === 0 &&
    draftOf(world, page).isKept.peek()
  let quiet = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const browser of browsers) {
      for (let n = 0; n < 4; n++) await browser.network.fly(dice, 0)
      browser.network.stream(dice, 0)
      await settled()
      for (const tab of browser.tabs) {
        const page = tab.page()
        if (page?.member !== member) continue
        // The session of this one was ended by what was still on its way.
        if (page.client.isSignedOut.peek()) {
          await browser.signIn(member)
          void tab.signInAgain()
        }
        decide(world, page, true)
      }
      browser.advance(3000)
      await settled()
    }
    quiet = isResting() ? quiet + 1 : 0
    if (quiet > 2) return
  }
  const state = pages().map((page) => ({
    connection: page.client.connection.peek(),
    seq: [page.client.seq(), world.server.lastSeq()],
    writes: page.client.queue.writes.peek(),
    isKept: draftOf(world, page).isKept.peek(),
    isSignedOut: page.client.isSignedOut.peek(),
  }))
  assert.fail(`it does not come to rest: ${JSON.stringify([browsers.map(({ network }) => network.isQuiet()), state])}`)
}

async function check(world: People, member: string): Promise<string> {
  const { browsers, targets, server } = world
  const { getRecord } = recordsOf(() => server)
  const pages: Page[] = browsers.flatMap((browser) => browser.openPages(member))
  assert.ok(pages.length > 0)
  for (const { kind, id } of targets) {
    const stored: Rec = await getRecord(`/${kind}/${id}`)
    for (const { client } of pages) {
      const entry = client.store.find(kind, id)
      if (entry?.base === undefined) continue
      assert.deepEqual(entry.base, stored, 'what a page holds is what the database holds')
      assert.deepEqual(entry.view.peek(), stored, 'nothing is laid over it any more')
      assert.equal(client.connection.peek().state, 'live')
    }
  }
  const [browser] = browsers as [Browser]
  const { body } = await browser.ask(member, `/app/drafts/${noteKey(world)}`)
  for (const page of pages) {
    const draft = draftOf(world, page)
    if (draft.isLoaded.peek())
      assert.deepEqual(draft.body.peek() ?? null, body, `${page.client.tab} shows the draft as it is`)
  }
  return JSON.stringify(body)
}
