import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { Role } from '../../../src/auth/roles.ts'
import { companyStore } from '../../../src/crm/companies.ts'
import { contactStore } from '../../../src/crm/contacts.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { startChromium } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { browserCookie, type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The tables of the browser app on a real server, in a real browser.

export type TablePage = Awaited<ReturnType<typeof tablePage>>
export type Opened = { page: Page; who: SignedIn; requests: string[]; close: () => Promise<void> }

export async function tablePage() {
  const server: TestServer = await startServer()
  const screens: Screens = await startScreens(server)
  // Changes of many records are jobs, which the clock of a test server would never start by itself.
  const scheduler = startScheduler({
    store: server.store,
    log: silentLog,
    kinds: bulkKinds(server.deps),
    recurring: [],
    afterJump: [],
  })
  const ticking = setInterval(() => void scheduler.tick(), 50)
  const browser: Browser = await startChromium()

  async function make(path: string, given: Record<string, unknown>): Promise<Row> {
    const { status, body, text } = await server.call('POST', path, given)
    assert.equal(status, 201, text)
    return body
  }

  /** Opens a page as a new member with the role, or as somebody who is signed in already. */
  async function open(
    path: string,
    { as = 'member', options = {} }: { as?: Role | SignedIn; options?: BrowserContextOptions } = {},
  ): Promise<Opened> {
    const who = typeof as === 'string' ? await screens.signedIn(as) : as
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', ...options })
    await context.addCookies([browserCookie(who.cookie, screens.url)])
    const page = await context.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${request.url().replace(screens.url, '')}`))
    await page.goto(screens.url + path)
    return { page, who, requests, close: () => context.close() }
  }

  /** Makes many contacts at once. */
  function seed(count: number, nameOf: (n: number) => Record<string, unknown>): void {
    const { create } = contactStore(server.deps)
    const who = { org: server.a.org, member: null }
    for (let from = 0; from < count; from += 5000) {
      server.store.transaction(() => {
        for (let n = from; n < Math.min(count, from + 5000); n++) create(who, nameOf(n))
      })
    }
  }

  const makeCompany = (name: string) =>
    server.store.transaction(() => companyStore(server.deps).create({ org: server.a.org, member: null }, { name }))

  return {
    server,
    screens,
    browser,
    make,
    makeCompany,
    open,
    seed,
    stop: async () => {
      await browser.close()
      clearInterval(ticking)
      await scheduler.stop()
      await screens.stop()
      await server.stop()
    },
  }
}
