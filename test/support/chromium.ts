import assert from 'node:assert/strict'
import { afterEach } from 'node:test'
import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { launchChromium } from './launched.ts'
import { WAIT_MS } from './until.ts'

export { noBrowser } from './launched.ts'

// Chromium for tests. No page may complain, of whatever browser or tab: an error of a script or of the console, which reports
// of the content security policy are, too, fails the test in which it came.

/** TEST_SLOW makes each page that many times slower, for whoever looks for what depends on speed. */
const SLOWER = Number(process.env.TEST_SLOW ?? 1)

let complaints: string[] = []
let named: RegExp[] = []

/** For the rest of this test, complaints that match are what it is about. */
export const expectComplaint = (pattern: RegExp): void => void named.push(pattern)

afterEach(() => {
  const said = complaints.filter((each) => !named.some((pattern) => pattern.test(each)))
  complaints = []
  named = []
  assert.deepEqual(said, [], 'no page complains')
})

/** `letters` is the size that its user has set, in pixels; 16 is the usual one. */
export async function startChromium(options: { letters?: number } = {}) {
  const browser = await launchChromium(options)
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (given) => watched(await newContext(given))
  browser.newPage = async (given) => (await browser.newContext(given)).newPage()
  return browser
}

function watched(context: BrowserContext): BrowserContext {
  context.on('weberror', (error) => complaints.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isAnswer(message)) complaints.push(message.text())
  })
  context.setDefaultTimeout(WAIT_MS)
  context.setDefaultNavigationTimeout(WAIT_MS)
  if (SLOWER > 1) slow(context)
  return context
}

function slow(context: BrowserContext): void {
  const newPage = context.newPage.bind(context)
  const slowed = async (page: Page) => {
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
  }
  context.newPage = async () => {
    const page = await newPage()
    await slowed(page)
    return page
  }
  context.on('page', (page) => void slowed(page).catch(() => undefined)) // a window that a page opens, and may have closed
}

/** What the API refuses, and a network that a test has cut: the browser writes it down as an error all the same. */
function isAnswer(message: ConsoleMessage): boolean {
  const text = message.text()
  if (!text.startsWith('Failed to load resource')) return false
  return /net::ERR_/.test(text) || (/status of 4/.test(text) && /\/(api|app)\//.test(message.location().url))
}
