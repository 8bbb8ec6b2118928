import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { catalog } from '../../../src/app/api.ts'
import { resourceDeps } from '../../../src/app/deps.ts'
import { setupLink } from '../../../src/auth/links.ts'
import type { Role } from '../../../src/auth/roles.ts'
import { startChromium } from '../../support/chromium.ts'
import { openEmptyStore } from '../../support/empty-store.ts'
import { browserCookie, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The browser app in Chromium, against the real server.

export type Site = Awaited<ReturnType<typeof startSite>>
type Options = { theme?: 'light' | 'dark'; width?: number; height?: number; language?: string }

export async function startSite() {
  const server: TestServer = await startServer()
  const screens: Screens = await startScreens(server)
  const browser: Browser = await startChromium()

  /** A browser of its own: with the cookie of a member if one is given. */
  async function open(path: string, cookie?: string, options: Options & { url?: string } = {}): Promise<Page> {
    const { theme = 'light', width = 1440, height = 900, language = 'en-GB', url = screens.url } = options
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: theme,
      reducedMotion: 'reduce',
      locale: language,
      timezoneId: 'Europe/Berlin',
    })
    if (cookie) await context.addCookies([browserCookie(cookie, url)])
    const page = await context.newPage()
    await page.goto(url + path)
    return page
  }

  return {
    server,
    screens,
    url: screens.url,
    open,
    openAs: async (role: Role | { id: string }, path: string, options: Options = {}) => {
      const member = await screens.signedIn(role)
      return { member, page: await open(path, member.cookie, options) }
    },
    /** The screens of a data folder without an organisation, and the path of its setup link. */
    async empty() {
      const dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
      const store = openEmptyStore(dataDir, { wall: server.now })
      const deps = resourceDeps(store)
      const site = await startScreens({ ...server, store, deps, dataDir, routes: catalog(deps) })
      const token = store.transaction(() => setupLink(store).make())
      return {
        url: site.url,
        link: `/setup#${token}`,
        store,
        stop: async () => {
          await site.stop()
          store.close()
          rmSync(dataDir, { recursive: true, force: true })
        },
      }
    },
    stop: async () => {
      await browser.close()
      await screens.stop()
      await server.stop()
    },
  }
}

/** Closes the browser of a page. */
export async function close(page: Page): Promise<void> {
  await page.context().close()
}
