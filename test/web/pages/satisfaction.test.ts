import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { mailLinks } from '../../../src/auth/mail-links.ts'
import { ratingStore } from '../../../src/mail/satisfaction/ratings.ts'
import { sendingStore } from '../../../src/mail/sending.ts'
import { officeOf } from '../../mail/office.ts'
import { expectComplaint, noBrowser, startChromium } from '../../support/chromium.ts'
import { SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'

const WORDS = { language: 'en', question: 'How was our answer?', good: 'Good', not_good: 'Not good' } as const

describe('satisfaction', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let admin: SignedIn
  let member: SignedIn

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    admin = await screens.signedIn('admin')
    member = await screens.signedIn('member')
    const sales = { ...SUPPORT, key: 'sales', name: 'Acme Sales', address: 'sales@acme.example', is_default: false }
    setMailboxes(server, [SUPPORT, sales])
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const kept = () => showSettings(server.store, server.a.org).satisfaction
  const setUrl = (public_base_url?: string) => {
    const { public_base_url: _, ...org } = showSettings(server.store, server.a.org).org
    applySettings(server.store, server.a.org, { org: { ...org, ...(public_base_url && { public_base_url }) } })
  }

  /** A mail that asked, and was sent. */
  async function asked() {
    const { asked, answer } = officeOf(server)
    const question = await asked()
    const message = await answer(question, { closes_conversation: true })
    await server.store.write(() => {
      ratingStore(server.deps).ask(server.a.org, message.id, WORDS)
      sendingStore(server.deps).sent(server.a.org, message.id)
      return null
    })
    const url = mailLinks(server.deps).url(server.a.org, 'rating', message.id) as string
    return { conversation: question.conversation_id as string, url, question }
  }

  test('is switched on and worded on its screen, by administrators', async () => {
    const page = await openPage(browser, screens, admin, '/settings/satisfaction')
    const on = page.getByRole('switch', { name: 'On' })
    await on.click()
    await page.getByRole('region', { name: 'Messages' }).getByText('needs its address in the settings').waitFor()
    assert.equal(await on.isChecked(), false)
    setUrl(screens.url)
    await on.press('Space')
    await becomes(() => kept().is_active, true)
    await page.getByRole('checkbox', { name: 'All mailboxes' }).click()
    await page.getByRole('checkbox', { name: 'Acme Sales' }).click()
    await becomes(() => kept().mailboxes, ['support'])
    await page.getByRole('textbox', { name: 'Question' }).fill('Did that help?')
    await page.getByLabel('Days until').fill('366')
    await page.getByRole('button', { name: 'Save words' }).click()
    await page.locator('.help.late').first().waitFor()
    await page.getByLabel('Days until').fill('30')
    await page.getByLabel('Days until').press('Enter')
    await page.locator('.asks').getByText('Did that help?').waitFor()
    assert.deepEqual(kept(), {
      ...{ is_active: true, mailboxes: ['support'], language: 'en', question: 'Did that help?', pause_days: 30 },
    })
    await assertAccessible(page)
    await page.context().close()
  })

  test('is only read by others, in German and on a phone', async () => {
    const viewer = await screens.signedIn('viewer')
    await viewer.call('PATCH', '/app/preferences', { language: 'de' })
    setUrl(screens.url)
    applySettings(server.store, server.a.org, { satisfaction: { is_active: true, question: 'Did that help?' } })
    const page = await openPage(browser, screens, viewer, '/settings/satisfaction')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByText('Das ändern Administratoren.').waitFor()
    assert.equal(await page.getByRole('switch').count(), 0)
    await page.getByText('Did that help?').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await page.context().close()
  })

  test('is answered on a page without an account, by keyboard, and the thread tells it at once', async () => {
    setUrl(screens.url)
    const { conversation, url } = await asked()
    const thread = await openPage(browser, screens, member, `/inbox?c=${conversation}`)
    const line = thread.locator('.told')
    await line.filter({ hasText: 'Asked how the answer was' }).waitFor()
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (said) => complaints.push(said.text()))
    await page.goto(`${url}/good`)
    await assertAccessible(page)
    await assertFits(page)
    await page.getByRole('link', { name: 'Choose “Not good” instead' }).click()
    await page.getByText('Your answer: Not good').waitFor()
    await page.getByLabel('Do you want to add something?').fill('It came\ntoo <b>late</b>')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thank you' }).waitFor()
    await assertAccessible(page)
    await line.filter({ hasText: 'Eva Ruiz found the answer not good' }).waitFor()
    await line.getByText('too <b>late</b>').waitFor()
    assert.equal(await line.filter({ hasText: 'Asked' }).count(), 0)
    await assertAccessible(thread)
    await page.getByRole('link', { name: 'Choose “Good” instead' }).click()
    await page.getByRole('button', { name: 'Send answer' }).click()
    await line.filter({ hasText: 'Eva Ruiz found the answer good' }).waitFor()
    assert.equal((await thread.getByText('Closed', { exact: true }).count()) > 0, true)
    assert.deepEqual(complaints, [])
    expectComplaint(/404/)
    await page.goto(`${url.slice(0, -1)}/good`)
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await assertAccessible(page)
    await context.close()
    await thread.context().close()
  })

  test('is asked in German where the browser is, in the dark, too', async () => {
    const { url } = await asked()
    const context = await browser.newContext({ locale: 'de-CH', colorScheme: 'dark' })
    const page = await context.newPage()
    await page.goto(`${url}/not-good`)
    await page.getByRole('button', { name: 'Antwort senden' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button').click()
    await page.getByText('Ihre Antwort ist gespeichert: Not good.').waitFor()
    await context.close()
  })

  test('is folded where an answer quotes it, as all that was said before', async () => {
    setUrl(screens.url)
    const { conversation, url, question } = await asked()
    const quote = ['Here it is.', '', WORDS.question, `Good: ${url}/good`, `Not good: ${url}/not-good`]
    await officeOf(server).inbox.say('inbound', conversation, {
      from: { email: question.author.email },
      body_text: `It broke.\n\n${quote.map((line) => `> ${line}`).join('\n')}\n> I did not write this`,
    })
    const page = await openPage(browser, screens, member, `/inbox?c=${conversation}`)
    const thread = page.locator('.msgs')
    await thread.getByText('It broke.').waitFor()
    await thread.getByText('I did not write this').waitFor()
    await becomes(() => thread.getByText(`Good: ${url}/good`).filter({ visible: true }).count(), 0)
    await page.context().close()
  })

  test('is counted by member on its screen', async () => {
    const page = await openPage(browser, screens, admin, '/settings/satisfaction')
    const name = server.store.db.prepare('SELECT name FROM members WHERE id = ?').pluck().get(server.a.owner) as string
    await page.getByRole('row', { name: `${name} 3 1 1` }).waitFor()
    await page.context().close()
  })
})

async function assertFits(page: Page): Promise<void> {
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
}
