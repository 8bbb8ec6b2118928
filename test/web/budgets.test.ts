import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { browserCookie, type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Budgets of the browser app that can be counted. Times are measured by "npm run bench -- --only screens".

const MAX_SCRIPTS = 80_000
const MAX_STYLES = 25_000
const MAX_REQUESTS = 8

type File = { sizes: Record<string, number> }
type Manifest = {
  script: string
  style: string
  preload: string[]
  later: Record<string, string[]>
  files: Record<string, File>
}

const manifest: Manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../dist/web/manifest.json'), 'utf8'))
const gzipped = (names: Iterable<string>): number =>
  [...new Set(names)].reduce((sum, name) => sum + (manifest.files[name]?.sizes.gzip as number), 0)
const filesOf = (screen: string): string[] => manifest.later[`src/web/screens/${screen}.tsx`] as string[]

test('the way from signing in to the board stays within its budget of bytes', () => {
  const { script, preload, style } = manifest
  const scripts = gzipped([script, ...preload, ...filesOf('sign-in/sign-in'), ...filesOf('deals/deals')])
  assert.ok(scripts <= MAX_SCRIPTS, `${scripts} bytes of scripts`)
  assert.ok(gzipped([style]) <= MAX_STYLES, `${gzipped([style])} bytes of styles`)
})

describe('the first load in a browser', { skip: noBrowser }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser

  before(async () => {
    server = await startServer()
    screens = await startScreens(server)
    browser = await startChromium()
    await server.call('POST', '/deals', { title: 'The first deal' })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  /** What the page asks for until the element is there, without what comes once it has time. */
  async function load(path: string, until: string): Promise<string[]> {
    const { cookie } = await screens.signedIn('member')
    const context = await browser.newContext()
    await context.addCookies([browserCookie(cookie, screens.url)])
    const page = await context.newPage()
    await page.addInitScript(() => {
      Object.assign(globalThis, { requestIdleCallback: () => 0 })
    })
    const requests: string[] = []
    context.on('request', (request) => requests.push(request.url().replace(screens.url, '')))
    await page.goto(screens.url + path)
    await page.waitForSelector(until)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    await context.close()
    return requests
  }

  test('the board takes at most eight requests, and its scripts are within the budget', async () => {
    const requests = await load('/deals', '[data-card]')
    assert.ok(requests.length <= MAX_REQUESTS, requests.join('\n'))
    const scripts = requests.flatMap((path) => /^\/assets\/(.+\.js)$/.exec(path)?.[1] ?? [])
    assert.ok(scripts.length > 0 && gzipped(scripts) <= MAX_SCRIPTS, `${gzipped(scripts)} bytes of ${scripts.join()}`)
  })
})
