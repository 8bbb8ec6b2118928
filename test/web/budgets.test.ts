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

const LANGUAGES = ['en', 'de'] as const

for (const language of LANGUAGES) {
  test(`the way from signing in to the board stays within its budget of bytes in ${language}`, () => {
    const { script, preload, style, later } = manifest
    const texts = later[`src/web/screens/texts/first-${language}.ts`] as string[]
    const scripts = gzipped([script, ...preload, ...texts, ...filesOf('sign-in/sign-in'), ...filesOf('deals/deals')])
    assert.ok(scripts <= MAX_SCRIPTS, `${scripts} bytes of scripts`)
    assert.ok(gzipped([style]) <= MAX_STYLES, `${gzipped([style])} bytes of styles`)
  })
}

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
  async function load(path: string, until: string, { language, as }: { language: string; as?: 'owner' }) {
    const context = await browser.newContext({ locale: language })
    if (as) {
      const { cookie, call } = await screens.signedIn(as)
      await call('PATCH', '/app/preferences', { language })
      await context.addCookies([browserCookie(cookie, screens.url)])
    }
    const page = await context.newPage()
    await page.addInitScript(() => {
      Object.assign(globalThis, { requestIdleCallback: () => 0 })
    })
    const requests: string[] = []
    context.on('request', (request) => requests.push(request.url().replace(screens.url, '')))
    await page.goto(screens.url + path)
    await page.waitForSelector(until)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    assert.equal(await page.evaluate(() => document.documentElement.lang), language)
    await context.close()
    return requests
  }

  for (const language of LANGUAGES) {
    for (const [what, path, until, as] of [
      ['the board of an owner, with the first steps', '/deals', '[data-card]', 'owner'],
      ['the page for signing in', '/', 'form button', undefined],
    ] as const) {
      test(`${what} takes at most eight requests in ${language}, and its scripts are within the budget`, async () => {
        const requests = await load(path, until, { language, ...(as ? { as } : {}) })
        assert.ok(requests.length <= MAX_REQUESTS, requests.join('\n'))
        const scripts = requests.flatMap((path) => /^\/assets\/(.+\.js)$/.exec(path)?.[1] ?? [])
        assert.ok(
          scripts.length > 0 && gzipped(scripts) <= MAX_SCRIPTS,
          `${gzipped(scripts)} bytes of ${scripts.join()}`,
        )
        assert.equal(scripts.filter((name) => /^(first|later)-/.test(name)).length, 1, 'one file of texts')
      })
    }
  }
})
