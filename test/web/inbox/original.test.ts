import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { originalStore, packed } from '../../../src/inbox/messages/originals.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const HEADER = [
  'Received: from mx.firm.example by mail.acme.example; Mon, 4 May 2026 09:30:00 +0000',
  `Authentication-Results: mail.acme.example; dkim=pass header.d=firm.example; ${'spf=pass '.repeat(40)}`,
  'Subject: <b onclick="x()">Bold</b><script>document.title = "run"</script>',
  ...Array.from({ length: 60 }, (_, at) => `X-Hop-${at}: ${at}`),
].join('\r\n')
const MAIL = `${HEADER}\r\n\r\n<script>document.title = "run"</script>\r\n`

describe('Show original', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let member: SignedIn
  let viewer: SignedIn
  let page: Page
  let kept: string
  let none: string

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    member = await screens.signedIn('member')
    viewer = await screens.signedIn('viewer')
    const inbox = inboxOf(server)
    const mail = { channel: 'email', from: { name: 'Ada', email: 'ada@firm.example' }, subject: 'Parts' }
    const one = await inbox.opened(mail)
    const other = await inbox.opened({ ...mail, subject: 'Bolts' })
    kept = one.id
    none = other.id
    const message = server.store.db.prepare('SELECT id FROM messages WHERE conversation_id = ?').pluck().get(kept)
    const original = await packed(Buffer.from(MAIL))
    server.store.transaction(() => originalStore(server.deps).add(server.a.org, message as string, original))
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  async function show(id: string, who = member, options = {}): Promise<Page> {
    await page?.context().close()
    page = await openPage(browser, screens, who, `/inbox?c=${id}`, options)
    await page.locator('.msg header').first().waitFor()
    return page
  }

  test('shows the header as text, by keyboard, and saves the bytes', async () => {
    await show(kept)
    await page.getByRole('button', { name: 'Actions for this message' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Show original' }).waitFor()
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Original of the mail' })
    const header = dialog.getByRole('region', { name: 'Header of the mail' })
    await header.getByText('Authentication-Results: mail.acme.example; dkim=pass').waitFor()
    assert.equal(await header.locator('pre').textContent(), `${HEADER.replaceAll('\r\n', '\n')}\n`)
    assert.equal(await header.locator('b, script').count(), 0)
    await assertAccessible(page)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Save as .eml' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'Parts.eml')
    assert.equal(readFileSync(await download.path(), 'latin1'), MAIL)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await dialog.getByRole('button', { name: 'Copy header' }).click()
    await page.getByRole('status').filter({ hasText: 'Header copied' }).waitFor()
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^Received: from mx\.firm\.example/)
    assert.notEqual(await page.title(), 'run')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.match(page.url(), new RegExp(kept))
  })

  test('says why there is none', async () => {
    await show(none)
    await page.getByRole('button', { name: 'Actions for this message' }).click()
    await page.getByRole('menuitem', { name: 'Show original' }).click()
    await page.getByText('No original is kept').waitFor()
    await page.getByText('Originals are kept for 365 days, the newest 2 GB of them.').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Save as .eml' }).count(), 0)
    await assertAccessible(page)
  })

  test('is there for who may only read, in German and on a phone', async () => {
    await viewer.call('PATCH', '/app/preferences', { language: 'de' })
    await show(kept, viewer, { size: 'phone' })
    await page.locator('.msg header button').first().click()
    const items = page.getByRole('menuitem')
    assert.deepEqual(await items.allTextContents(), ['Original anzeigen'])
    await items.first().click()
    await page.getByRole('region', { name: 'Kopf der Mail' }).waitFor()
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    await assertAccessible(page)
  })
})
