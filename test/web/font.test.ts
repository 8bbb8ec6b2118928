import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import { type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

describe('the font', { skip: noBrowser }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser

  before(async () => {
    server = await startServer()
    screens = await startScreens(server)
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  async function open(): Promise<{ page: Page; fonts: string[] }> {
    const page = await openPage(browser, screens, null, '/no-such-place')
    await page.locator('h1').waitFor()
    const fonts: string[] = []
    page.on('request', (request) => /woff2$/.test(request.url()) && fonts.push(request.url()))
    await page.reload()
    await page.locator('h1').waitFor()
    return { page, fonts }
  }

  /** The widths of texts in the font of the page, after all that they need is there. */
  const widths = (page: Page, texts: string[], weight = 400) =>
    page.evaluate(
      async ([texts, weight]) => {
        const widths: number[] = []
        for (const text of texts) {
          const span = document.createElement('span')
          span.textContent = text
          span.className = 'money'
          Object.assign(span.style, { position: 'absolute', fontWeight: `${weight}` })
          document.body.append(span)
          span.getBoundingClientRect()
          await document.fonts.ready
          widths.push(span.getBoundingClientRect().width)
          span.remove()
        }
        return widths
      },
      [texts, weight] as const,
    )

  test('is ours, Latin letters first and others once a text has them', async () => {
    const { page, fonts } = await open()
    await widths(page, ['Kiln sensors'])
    const names = () => fonts.map((url) => /inter-(.*)-wght/.exec(url)?.[1])
    assert.deepEqual(names(), ['latin'])
    assert.equal(await page.evaluate(() => document.fonts.check('13px Inter', 'Kiln')), true)
    await widths(page, ['Łódź', 'Київ', 'Αθήνα', 'Hạ Long'])
    assert.deepEqual(names().sort(), ['cyrillic', 'greek', 'latin', 'latin-ext', 'vietnamese'])
    await page.context().close()
  })

  test('has figures of one width in every weight, where they are figures', async () => {
    const { page } = await open()
    for (const weight of [400, 500, 600]) {
      const [narrow, ...others] = await widths(page, ['1111', '0000', '4711', '8888'], weight)
      assert.ok((narrow as number) > 20)
      for (const other of others) assert.equal(other, narrow, `${weight}`)
    }
    await page.context().close()
  })
})
