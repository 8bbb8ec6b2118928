import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { deskOf, person } from '../../support/desk.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes, until } from '../../support/until.ts'

/** One red pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

describe('what is marked in a text of the inbox', { skip: noBrowser, concurrency: false }, () => {
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

  async function show(): Promise<Row> {
    const first = await desk.arrive({ from: person('Sam') })
    page = await openPage(browser, screens, ana, `/inbox?c=${first.conversation_id}`)
    await field().waitFor()
    return first
  }
  const field = () => page.getByLabel('Your reply')
  /** As a browser hands a picture over that was copied. */
  const paste = (label: string) =>
    page.getByLabel(label).evaluate((element, data) => {
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0))
      const items = new DataTransfer()
      items.items.add(new File([bytes], 'image.png', { type: 'image/png' }))
      ;(element as HTMLElement).focus()
      element.dispatchEvent(new ClipboardEvent('paste', { clipboardData: items, bubbles: true, cancelable: true }))
    }, PNG)
  const sentIn = async ({ conversation_id }: Row): Promise<Row> =>
    (await desk.messagesOf(conversation_id)).at(-1) as Row

  test('is shown before it leaves, and leaves as HTML beside the text', async () => {
    const first = await show()
    await field().fill('**Two** reasons:\n\n- price\n- time')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.locator('.preview b', { hasText: 'Two' }).waitFor()
    assert.equal(await page.locator('.preview li').count(), 2)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Write on' }).click()
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Your reply'))
    await page.keyboard.press('Control+Enter')
    await page.locator('.sent-letter').waitFor()
    const sent = await sentIn(first)
    assert.equal(sent.body_text, '**Two** reasons:\n\n- price\n- time')
    assert.match(sent.body_html, /<strong>Two<\/strong> reasons:[\s\S]*<li>price<\/li>/)
    // Taken back, it is what was typed.
    await page.locator('.sent-letter').getByRole('button', { name: 'Undo' }).click()
    await becomes(() => field().inputValue(), '**Two** reasons:\n\n- price\n- time')
    await field().fill('Nothing marked.')
    await field().press('Control+Enter')
    await page.locator('.sent-letter').waitFor()
    await becomes(async () => (await sentIn(first)).body_html, null)
  })

  test('a picture that is pasted stands in the text, as in the mail, and is a file that can be taken out', async () => {
    const first = await show()
    await field().fill('See: ')
    await field().press('End')
    await paste('Your reply')
    await becomes(() => field().inputValue(), 'See: ![image.png](cid:image.png)')
    await page.keyboard.press('Control+z')
    await becomes(() => field().inputValue(), 'See: ')
    await page.keyboard.press('Control+y')
    await page.locator('.writing .file a', { hasText: 'image.png' }).waitFor()
    await page.getByRole('button', { name: 'Preview' }).click()
    await until(() =>
      page.locator('.preview img').evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 1),
    )
    await page.getByRole('button', { name: 'Write on' }).click()
    await page.getByRole('button', { name: /^Send Ctrl/ }).click()
    await page.locator('.sent-letter').waitFor()
    const sent = await sentIn(first)
    const [file] = sent.attachments
    assert.equal(file.name, 'image.png')
    assert.ok(file.cid)
    assert.ok(sent.body_html.includes(`<img src="cid:${file.cid}"`), sent.body_html)
    const mail = desk.out(sent)
    assert.equal(mail.text, 'See: [image.png]')
    assert.deepEqual(
      mail.files.map(({ name, cid }) => [name, cid]),
      [['image.png', file.cid]],
    )
    // Without its file, its name stands for it.
    await page.locator('.sent-letter').getByRole('button', { name: 'Undo' }).click()
    await page
      .getByRole('button', { name: /^Remove image.png|image.png.*(remove|out)/i })
      .first()
      .click()
    await page.locator('.writing .file').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Send Ctrl/ }).click()
    await page.locator('.sent-letter').waitFor()
    await until(async () => {
      const { attachments, body_html } = await sentIn(first)
      return attachments.length === 0 && body_html?.includes('[image.png]')
    })
  })

  test('a note shows its picture in place', async () => {
    await show()
    await page.getByRole('tab', { name: 'Note' }).click()
    await paste('Your note')
    await page.locator('.writing .file a', { hasText: 'image.png' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await until(() =>
      page
        .locator('.msg .markdown img')
        .evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 1),
    )
  })
})
