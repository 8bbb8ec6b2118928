import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { build } from 'esbuild'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { markOf } from '../../../src/site/sessions/cookie.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { browserCookie, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'
import type { BrowserData } from './support/browser-entry.ts'

// What only a browser has: IndexedDB, the SharedWorker, the channel between tabs, and fetch. Over plain HTTP, as on a LAN.

declare const window: { data: BrowserData }

const root = join(import.meta.dirname, '../../..')
const skip = noBrowser

let server: TestServer
let screens: Screens
let browser: Browser
let script: string
let ana: SignedIn
const { newDeal, getRecord, patchRecord, newRecord } = recordsOf(() => server)
before(async () => {
  if (skip) return
  server = await startServer()
  screens = await startScreens(server)
  browser = await startChromium()
  ana = await screens.signedIn('member')
  script = await bundled()
})
after(async () => {
  if (skip) return
  await browser.close()
  await screens.stop()
  await server.stop()
})

async function bundled(): Promise<string> {
  const { files } = JSON.parse(readFileSync(join(root, 'dist/web/manifest.json'), 'utf8'))
  const worker = Object.keys(files).find((name) => name.startsWith('stream-worker'))
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'support/browser-entry.ts')],
    bundle: true,
    write: false,
    format: 'iife',
    absWorkingDir: root,
    define: { STREAM_WORKER_URL: JSON.stringify(`/assets/${worker}`), ICONS_URL: '""' },
  })
  return outputFiles[0]?.text as string
}

/** A browser in which the member is signed in. */
async function context(member: SignedIn = ana): Promise<BrowserContext> {
  const made = await browser.newContext()
  await made.addCookies([browserCookie(member.cookie, screens.url)])
  await made.route('**/data-test*', (route) =>
    route.request().url().endsWith('.js')
      ? route.fulfill({ body: script, contentType: 'text/javascript' })
      : route.fulfill({ body: '<!doctype html><script src="/data-test.js"></script>', contentType: 'text/html' }),
  )
  return made
}

/** How what the browser keeps for this server begins. */
const place = (): string => `dealbox-${markOf(server.store.installation)}-${new URL(screens.url).port}/`

async function tab(of: BrowserContext): Promise<Page> {
  const page = await of.newPage()
  await page.goto(`${screens.url}/data-test`)
  await page.evaluate(() => window.data.start())
  await page.waitForFunction(() => window.data.state() === 'live')
  return page
}

const titleOn = (page: Page, id: string, title: string) =>
  page.waitForFunction(
    ([id = '', title]) => (window.data.record('deals', id) as { title?: string } | null | undefined)?.title === title,
    [id, title] as [string, string],
  )

async function stored(id: string, title: string): Promise<void> {
  await becomes(async () => (await getRecord(`/deals/${id}`)).title, title)
}

test('all tabs follow what others do, by one stream', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  const tabs = [await tab(browserOfAna), await tab(browserOfAna)]
  for (const page of tabs) await page.evaluate((id) => window.data.load('deals', id), id)
  await patchRecord(`/deals/${id}`, { title: 'new' })
  await newRecord('/tags', { name: 'Big' })
  for (const page of tabs) {
    await titleOn(page, id, 'new')
    await page.waitForFunction(() => window.data.tags().includes('Big'))
  }
  const [first] = tabs as [Page]
  assert.equal(
    await first.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /stream\?/.test(name))),
    false,
  )
  await browserOfAna.close()
})

test('a change that waits outlasts a reload', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  const page = await tab(browserOfAna)
  await page.evaluate((id) => window.data.load('deals', id), id)
  await page.route('**/api/v1/deals/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await page.evaluate((id) => window.data.patch('deals', id, { title: 'reloaded' }), id)
  await page.waitForFunction(() => window.data.waiting() === 1)
  assert.equal((await getRecord(`/deals/${id}`)).title, 'old')
  await page.unroute('**/api/v1/deals/*')
  await page.reload()
  await page.evaluate(() => window.data.start())
  await stored(id, 'reloaded')
  await page.waitForFunction(() => window.data.unsent() === 0)
  await browserOfAna.close()
})

/** A write of `member` that a tab has left in a database of this name, as an earlier version kept it. */
const leave = (page: Page, database: string, member: string, id: string, title: string) =>
  page.evaluate(
    async ([database = '', member, id, title]) => {
      const opened = indexedDB.open(database, 1)
      opened.onupgradeneeded = () => opened.result.createObjectStore('writes', { keyPath: 'key' })
      await new Promise((done) => Object.assign(opened, { onsuccess: done }))
      const fields = { body: { title }, shown: { title }, seen: { title: 'old' } }
      const write = {
        key: title?.replaceAll(' ', '-'),
        verb: 'patch',
        kind: 'deals',
        id,
        ...fields,
        version: 1,
        isUnsure: false,
      }
      const writes = opened.result.transaction('writes', 'readwrite').objectStore('writes')
      const put = writes.put({ ...write, at: Date.now(), member, tab: 'gone' })
      await new Promise((done) => Object.assign(put, { onsuccess: done }))
      opened.result.close()
    },
    [database, member, id, title],
  )

/** The titles of the writes that wait, by the name of the database. */
const left = (page: Page) =>
  page.evaluate(async () => {
    const found: Record<string, string[]> = {}
    for (const { name = '' } of await indexedDB.databases()) {
      const opened = indexedDB.open(name)
      await new Promise((done) => Object.assign(opened, { onsuccess: done }))
      const all = opened.result.transaction('writes').objectStore('writes').getAll()
      await new Promise((done) => Object.assign(all, { onsuccess: done }))
      found[name] = all.result.map(({ body }) => body.title)
      opened.result.close()
    }
    return found
  })

test('what waits under an older name is taken over: of an earlier version, and of the server before a move', {
  skip,
}, async () => {
  const [one, other] = [await newDeal({ title: 'old' }), await newDeal({ title: 'old' })]
  const browserOfAna = await context()
  const page = await browserOfAna.newPage()
  await page.goto(`${screens.url}/data-test`)
  const before = `dealbox-0123456789-${new URL(screens.url).port}/writes`
  await leave(page, 'dealbox', ana.id, one.id, 'of an earlier version')
  await leave(page, 'dealbox', server.a.owner, one.id, 'of somebody else')
  await leave(page, before, ana.id, other.id, 'of another installation')
  await page.evaluate(() => window.data.start())
  await stored(one.id, 'of an earlier version')
  await stored(other.id, 'of another installation')
  await page.waitForFunction(() => window.data.unsent() === 0)
  const own = `${place()}writes`
  assert.deepEqual(await left(page), { dealbox: ['of somebody else'], [before]: [], [own]: [] })
  await page.reload()
  await page.evaluate(() => window.data.start())
  await page.waitForFunction(() => window.data.state() === 'live')
  assert.deepEqual((await getRecord(`/deals/${one.id}`)).version, 2, 'it happened once')
  await browserOfAna.close()
})

test('a change goes out although the data of the site was deleted while it waited', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  const page = await tab(browserOfAna)
  await page.evaluate((id) => window.data.load('deals', id), id)
  await page.route('**/api/v1/deals/*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await page.evaluate((id) => window.data.patch('deals', id, { title: 'still there' }), id)
  await page.waitForFunction(() => window.data.waiting() === 1)
  const devtools = await browserOfAna.newCDPSession(page)
  await devtools.send('Storage.clearDataForOrigin', { origin: screens.url, storageTypes: 'indexeddb' })
  await page.unroute('**/api/v1/deals/*')
  await stored(id, 'still there')
  await page.waitForFunction(() => window.data.unsent() === 0)
  // And the next one is kept again.
  await page.route('**/api/v1/deals/*', (route) => route.abort())
  await page.evaluate((id) => window.data.patch('deals', id, { title: 'kept' }), id)
  await page.waitForFunction(() => window.data.waiting() === 1)
  await page.unroute('**/api/v1/deals/*')
  await page.reload()
  await page.evaluate(() => window.data.start())
  await stored(id, 'kept')
  await browserOfAna.close()
})

test('what the browser keeps is named after the installation, the port and the member', { skip }, async () => {
  const browserOfAna = await context()
  const page = await browserOfAna.newPage()
  await page.addInitScript(() => {
    const given: string[] = []
    const noting = <Made extends object>(from: new (...args: never[]) => Made, nameOf: (args: never[]) => string) =>
      new Proxy(from, {
        construct: (made, args) => given.push(nameOf(args as never[])) && Reflect.construct(made, args),
      })
    Object.assign(window, {
      given,
      SharedWorker: noting(SharedWorker, ([, options]: { name: string }[]) => options?.name ?? ''),
      BroadcastChannel: noting(BroadcastChannel, ([name]: string[]) => name ?? ''),
    })
  })
  await page.goto(`${screens.url}/data-test`)
  const other = 'dealbox-0123456789-80/'
  const texts = {
    'dealbox.recent': '[1]',
    'dealbox.card-fields': '{"tags":false}',
    [`dealbox.columns.${ana.id}.contacts`]: 'name',
    [`draft/${ana.id}/note`]: '"mine"',
    [`draft/${server.a.owner}/note`]: '"of somebody else"',
    [`${other}draft/${ana.id}/task`]: '"before the move"',
    [`${other}dealbox.card-fields`]: '{"of":"another installation"}',
    'another program': 'stays',
  }
  await page.evaluate((texts) => Object.assign(localStorage, texts), texts)
  await page.evaluate(() => window.data.start())
  assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), {
    [`${place()}dealbox.recent.${ana.id}`]: '[1]',
    [`${place()}dealbox.card-fields.${ana.id}`]: '{"tags":false}',
    [`${place()}dealbox.columns.${ana.id}.contacts`]: 'name',
    [`${place()}draft/${ana.id}/note`]: '"mine"',
    [`${place()}draft/${ana.id}/task`]: '"before the move"',
    [`draft/${server.a.owner}/note`]: '"of somebody else"',
    [`${other}dealbox.card-fields`]: '{"of":"another installation"}',
    'another program': 'stays',
  })
  const given = await page.evaluate(() => (window as unknown as { given: string[] }).given.toSorted())
  assert.deepEqual(given, [`${place()}stream/${ana.id}`, `${place()}tabs`])
  await browserOfAna.close()
})

test('another tab sends what a closed one has left', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  const [closing, staying] = [await tab(browserOfAna), await tab(browserOfAna)]
  await closing.evaluate((id) => window.data.load('deals', id), id)
  await closing.route('**/api/v1/deals/*', (route) => route.abort())
  await closing.evaluate((id) => window.data.patch('deals', id, { title: 'left behind' }), id)
  await closing.waitForFunction(() => window.data.waiting() === 1)
  assert.equal(await staying.evaluate(() => window.data.unsent()), 0)
  await closing.close({ runBeforeUnload: true })
  await stored(id, 'left behind')
  await browserOfAna.close()
})

test('when the network is back, the stream goes on and changes are sent', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  const page = await tab(browserOfAna)
  await page.evaluate((id) => window.data.load('deals', id), id)
  await browserOfAna.setOffline(true)
  await page.evaluate((id) => window.data.patch('deals', id, { amount: 7 }), id)
  await page.waitForFunction(() => window.data.waiting() === 1)
  await patchRecord(`/deals/${id}`, { title: 'meanwhile' })
  await browserOfAna.setOffline(false)
  await titleOn(page, id, 'meanwhile')
  await page.waitForFunction(() => window.data.unsent() === 0)
  assert.equal((await getRecord(`/deals/${id}`)).amount, 7)
  await browserOfAna.close()
})

test('a session that has ended is noticed with the next event', { skip }, async () => {
  const ben = await screens.signedIn('member')
  const made = await context(ben)
  const page = await tab(made)
  await ben.call('POST', '/app/logout')
  await newDeal()
  await page.waitForFunction(() => window.data.isSignedOut())
  await made.close()
})

const isStream = (request: { url(): string }): boolean => request.url().includes('/app/stream')

/** A page is shown or hidden, as when its member goes to another tab and comes back. */
const show = (page: Page, isShown: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, !isShown)

/** Lets time pass, after which something is heard: after 35 s of silence a stream counts as lost. */
async function hear(page: Page, id: string, ms: number): Promise<void> {
  await page.clock.runFor(ms)
  const title = `heard after ${ms}`
  await patchRecord(`/deals/${id}`, { title })
  await titleOn(page, id, title)
}

const streamEnds = (page: Page) => page.waitForEvent('requestfailed', isStream)

test('where there are no shared workers, each tab has its own stream; a hidden one gives it back', {
  skip,
}, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  await browserOfAna.addInitScript(() => Reflect.deleteProperty(window, 'SharedWorker'))
  await browserOfAna.clock.install()
  const streams = new Map<unknown, number>()
  browserOfAna.on('request', (request) => {
    const tab = request.frame().page()
    if (isStream(request)) streams.set(tab, (streams.get(tab) ?? 0) + 1)
  })
  const [page, other] = [await tab(browserOfAna), await tab(browserOfAna)]
  assert.deepEqual([...streams.values()], [1, 1])
  for (const each of [page, other]) await each.evaluate((id) => window.data.load('deals', id), id)
  await patchRecord(`/deals/${id}`, { title: 'by a colleague' })
  for (const each of [page, other]) await titleOn(each, id, 'by a colleague')

  let ended = 0
  page.on('requestfailed', (request) => isStream(request) && ended++)
  await show(page, false)
  await hear(page, id, 30_000)
  await hear(page, id, 29_000)
  assert.equal(ended, 0)
  const gone = streamEnds(page)
  await page.clock.runFor(1000)
  await gone
  await patchRecord(`/deals/${id}`, { title: 'while hidden' })
  await titleOn(other, id, 'while hidden')
  const known = () => page.evaluate((id) => JSON.stringify(window.data.record('deals', id)), id)
  assert.match(await known(), /heard after/)
  await page.clock.runFor(300_000)
  assert.equal(streams.get(page), 1, 'it does not come back by itself')
  await show(page, true)
  await titleOn(page, id, 'while hidden')
  assert.equal(streams.get(page), 2)
  assert.equal(await page.evaluate(() => window.data.state()), 'live')
  await show(page, false)
  await show(page, true)
  await hear(page, id, 30_000)
  await hear(page, id, 32_000)
  assert.deepEqual([ended, streams.get(page)], [1, 2], 'who only looks away for a moment keeps it')
  await browserOfAna.close()
})

test('a tab that was opened in the background gives its stream back as well', { skip }, async () => {
  const { id } = await newDeal({ title: 'old' })
  const browserOfAna = await context()
  await browserOfAna.addInitScript(() => {
    Reflect.deleteProperty(window, 'SharedWorker')
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
  })
  await browserOfAna.clock.install()
  const page = await tab(browserOfAna)
  await page.evaluate((id) => window.data.load('deals', id), id)
  await hear(page, id, 30_000)
  await hear(page, id, 20_000)
  const gone = streamEnds(page)
  await page.clock.runFor(10_000)
  await gone
  await browserOfAna.close()
})
