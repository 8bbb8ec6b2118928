import type { Browser, BrowserContext, Page } from 'playwright-core'
import { browserCookie } from '../../support/screens.ts'
import { type KitBoard, NOW } from './kit-board.ts'

type Options = {
  /** Key of a member of the design, such as JL. */
  as?: string
  theme?: 'light' | 'dark'
  width?: number
  height?: number
  path?: string
  touch?: boolean
  /** The motion of the page, as people have it. */
  moving?: boolean
}

export type Opened = { page: Page; context: BrowserContext }

/** Opens the board in a browser in which a member is signed in. The page has the time of the design. */
export async function openBoard(browser: Browser, server: KitBoard, options: Options = {}): Promise<Opened> {
  const {
    as = 'JL',
    theme = 'light',
    width = 1440,
    height = 900,
    path = '/deals',
    touch = false,
    moving = false,
  } = options
  const { cookie } = await server.screens.signedIn({ id: server.members[as] as string })
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: moving ? 'no-preference' : 'reduce',
    timezoneId: 'Europe/Berlin',
    hasTouch: touch,
    isMobile: touch,
  })
  await context.addCookies([browserCookie(cookie, server.url)])
  const page = await context.newPage()
  await page.clock.setFixedTime(NOW)
  await page.goto(server.url + path)
  return { page, context }
}
