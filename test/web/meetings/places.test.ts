import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { openPage } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

describe('what leads to a meeting', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ana: SignedIn
  let page: Page
  let contact: string
  const { newContact } = recordsOf(() => server)

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    ana = await screens.signedIn('member')
    contact = (await newContact({ first_name: 'Margit', last_name: 'Larsen' })).id
    const at = (ms: number) => new Date(server.now() + ms).toISOString()
    await ana.call('POST', '/api/v1/meetings', {
      title: 'Portable analysers',
      starts_at: at(-3_600_000),
      ends_at: at(-1_800_000),
      participants: [{ contact_id: contact }],
    })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(() => page?.context().close())

  const arrives = async () => {
    await page.getByRole('heading', { name: 'Portable analysers' }).waitFor()
    assert.match(page.url(), /\/meetings\/[0-9a-f-]+$/)
  }

  test('a line of the timeline of a contact', async () => {
    page = await openPage(browser, screens, ana, `/contacts/${contact}`)
    await page.getByRole('link', { name: 'Portable analysers' }).click()
    await arrives()
    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: /Margit Larsen/ }).waitFor()
  })

  test('a line beside a conversation', async () => {
    const { id } = await inboxOf(server).openedWith(contact)
    page = await openPage(browser, screens, ana, `/inbox?c=${id}`)
    await page
      .getByRole('complementary', { name: 'Contact' })
      .getByRole('link', { name: /Portable analysers/ })
      .click()
    await arrives()
  })

  test('the palette, by its title', async () => {
    page = await openPage(browser, screens, ana, '/tasks')
    await page.locator('main h1').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).fill('analysers')
    await page.getByRole('option', { name: /Portable analysers/ }).waitFor()
    await page.keyboard.press('Enter')
    await arrives()
  })
})
