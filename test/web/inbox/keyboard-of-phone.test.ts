import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { deskOf, person } from '../../support/desk.ts'
import { openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

/** What a keyboard of 340 px leaves of a phone. */
const LEFT = 504

describe('beside the keyboard of a phone', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let desk: ReturnType<typeof deskOf>
  let ana: SignedIn
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    desk = deskOf(server)
    ana = await screens.signedIn('member')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.advance(1000)
  })

  const LINES = Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n')
  const field = () => page.getByLabel('Your reply')

  /** A long reply with Cc open and a file. */
  async function write(): Promise<void> {
    const { conversation_id } = await desk.arrive({ from: person('Sam'), cc: [{ ...person('Cy') }] })
    page = await openPage(browser, screens, ana, `/inbox?c=${conversation_id}`, { size: 'phone' })
    await page.getByRole('button', { name: 'Change' }).click()
    await page
      .locator('.writing input[type=file]')
      .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('10 EUR') })
    await page.locator('.writing .file a').waitFor()
    await field().focus()
    await page.keyboard.insertText(LINES)
  }

  /** Where the line with the cursor, which is the last, ends, and where Send is. */
  const placed = () =>
    page.evaluate(() => {
      const send = [...document.querySelectorAll('.ic .btn')].at(-1)?.getBoundingClientRect()
      const box = document.querySelector('.ic textarea') as HTMLTextAreaElement
      const { top, bottom } = box.getBoundingClientRect()
      const row = document.querySelector('.ic .end-row')?.getBoundingClientRect()
      return {
        isAtEnd: box.scrollHeight - box.scrollTop - box.clientHeight < 4,
        textBottom: bottom,
        textTop: top,
        rowTop: row?.top ?? 0,
        sendBottom: send?.bottom ?? 0,
      }
    })
  /** Also that it is not below what sends it. */
  const isInView = async (height: number): Promise<boolean> => {
    const { isAtEnd, textBottom, textTop, rowTop, sendBottom } = await placed()
    return isAtEnd && textTop < textBottom && textBottom <= rowTop + 1 && textBottom > 22 && sendBottom <= height
  }

  test('the line with the cursor and Send stay in view where the page gets smaller', async () => {
    await write()
    await page.setViewportSize({ width: 390, height: LEFT })
    await page.keyboard.type(' and more')
    await until(
      () => isInView(LEFT),
      () => 'the line and Send',
    )
    assert.equal(await page.locator('.tabbar').isVisible(), false)
    // Turned on its side and back, as by a call that is taken: not a letter is lost.
    await page.setViewportSize({ width: 844, height: 200 })
    await page.setViewportSize({ width: 390, height: 844 })
    await until(() => page.locator('.tabbar').isVisible())
    assert.equal(await field().inputValue(), `${LINES} and more`)
    await until(async () => {
      await page.keyboard.type('!')
      return isInView(844)
    })
  })

  test('and where the keyboard lies over the page', async () => {
    await write()
    await page.evaluate((height) => {
      Object.defineProperty(visualViewport, 'height', { configurable: true, get: () => height })
      visualViewport?.dispatchEvent(new Event('resize'))
    }, LEFT)
    await page.keyboard.type(' and more')
    await until(() => isInView(LEFT))
    await page
      .getByRole('button', { name: /^Send$|^Send / })
      .last()
      .click()
    await page.locator('.sent-letter').waitFor()
  })
})
