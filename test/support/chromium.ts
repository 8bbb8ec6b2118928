import { afterEach } from 'node:test'
import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { assertNoComplaints, complain } from './complaints.ts'
import { launchChromium } from './launched.ts'
import { WAIT_MS } from './until.ts'

export { expectComplaint } from './complaints.ts'
export { noBrowser } from './launched.ts'

/** TEST_SLOW makes each page that many times slower, for whoever looks for what depends on speed. */
const SLOWER = Number(process.env.TEST_SLOW ?? 1)

afterEach(assertNoComplaints) // of a file in a process of its own; scripts/test/files.ts does so for each of several

/** Files that share a process share a browser: to start one takes a second. */
let shared: { browser: Promise<Browser>; users: number } | undefined
const KEPT_MS = 1000

/** `letters` is the size that its user has set, in pixels; 16 is the usual one. */
export async function startChromium(options: { letters?: number } = {}): Promise<Browser> {
  const isUsual = options.letters === undefined
  const browser = isUsual ? await borrowed() : await launchChromium(options)
  const contexts = new Set<BrowserContext>()
  const own = Object.create(browser) as Browser
  own.newContext = async (given) => {
    const context = watched(await browser.newContext(given))
    contexts.add(context)
    context.on('close', () => contexts.delete(context))
    return context
  }
  own.newPage = async (given) => (await own.newContext(given)).newPage()
  own.close = async () => {
    for (const context of contexts) await context.close()
    if (isUsual) giveBack()
    else await browser.close()
  }
  return own
}

function borrowed(): Promise<Browser> {
  shared ??= { browser: launchChromium(), users: 0 }
  shared.users++
  return shared.browser
}

/** The next file of the process takes it over, or it ends. */
function giveBack(): void {
  const given = shared
  if (!given || --given.users > 0) return
  setTimeout(async () => {
    if (given.users > 0 || shared !== given) return
    shared = undefined
    await (await given.browser).close()
  }, KEPT_MS)
}

function watched(context: BrowserContext): BrowserContext {
  context.on('weberror', (error) => complain(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error' && !isAnswer(message)) complain(message.text())
  })
  context.setDefaultTimeout(WAIT_MS)
  context.setDefaultNavigationTimeout(WAIT_MS)
  keepTimeLimits(context)
  if (SLOWER > 1) slow(context)
  return context
}

/**
 * Where a test lets the time of a page pass, the time limits of its requests stay those of the real clock: else whoever lets more
 * pass than the limit ends each request whose answer is on its way.
 */
function keepTimeLimits(context: BrowserContext): void {
  const { clock } = context
  const install = clock.install.bind(clock)
  const inAll = async (script: () => void) => {
    await context.addInitScript(script)
    for (const page of context.pages()) await page.evaluate(script)
  }
  clock.install = async (options) => {
    await inAll(() => Object.assign(globalThis, { limit: AbortSignal.timeout }))
    await install(options)
    await inAll(() => Object.assign(AbortSignal, { timeout: (globalThis as unknown as { limit: () => void }).limit }))
  }
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
