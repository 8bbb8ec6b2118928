import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { startChromium } from '../../support/chromium.ts'
import { openPage } from '../../support/page.ts'
import { type Screens, startScreens } from '../../support/screens.ts'

// Pages of records in a real browser, on a real server.

export type RecordPages = Awaited<ReturnType<typeof recordPages>>

export async function recordPages() {
  const app: AppServer = await startApp()
  const screens: Screens = await startScreens(app)
  const browser: Browser = await startChromium()
  const pages: Page[] = []

  /** Opens an address as a member, once an element of `ready` is there. */
  async function open(
    path: string,
    { as = 'member', ready = '.record .ev', ...options }: BrowserContextOptions & { as?: Person; ready?: string } = {},
  ): Promise<Page> {
    const page = await openPage(browser, screens, app.people[as], path, options)
    pages.push(page)
    await page.locator(ready).first().waitFor()
    return page
  }

  /** Closes the pages of a test. */
  async function closePages(): Promise<void> {
    for (const page of pages.splice(0)) await page.context().close()
  }

  const eventsOf = (id: string, type: string) =>
    app.events().filter((event) => event.object.id === id && event.type === type)

  return {
    app,
    screens,
    browser,
    open,
    closePages,
    eventsOf,
    stop: async () => {
      await browser.close()
      await screens.stop()
      await app.stop()
    },
  }
}

export const property = (page: Page, key: string): Locator => page.locator(`[data-property="${key}"]`)

/** Begins to edit a property; its input has the focus. */
export async function edit(page: Page, key: string): Promise<Locator> {
  await property(page, key).locator('.opens').click()
  const input = property(page, key).locator(':is(input, textarea):focus')
  await input.waitFor()
  return input
}
