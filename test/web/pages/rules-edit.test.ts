import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import type { Mailbox } from '../../../src/inbox/mailboxes/mailbox.ts'
import { incomingStore } from '../../../src/mail/incoming.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'

describe('rules on the screen', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ada: SignedIn
  let support: Mailbox
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    ada = await screens.signedIn('admin')
    support = setMailboxes(server, [SUPPORT]).support as Mailbox
    await inboxOf(server).make('/tags', { name: 'Billing' })
    await arrive('Invoice 7', 'Guten Tag, ich habe Ihre Rechnung noch nicht bekommen. Wann kommt sie an?')
    await arrive('Invoice 8', 'Hello, I have not received your invoice yet. When will it arrive?')
    page = await openPage(browser, screens, ada, '/settings/rules')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const arrive = (subject: string, text: string) =>
    server.store.write(() => {
      const mail = mailIn({ subject, text, from: { email: `${subject.slice(-1)}@shop.example`, name: null } })
      return incomingStore(server.deps).take(server.a.org, support, mail, server.now()).outcome
    })
  const stored = () => showSettings(server.store, server.a.org).rules
  const names = () => page.locator('.rules h2 bdi').allTextContents()
  const given = (...all: string[]) =>
    void applySettings(server.store, server.a.org, {
      rules: all.map((name) => ({ key: name.toLowerCase(), name, do: { close: true } })),
    })

  test('are begun where there are none, tried as they stand in the form, and added', async () => {
    await page.getByText('A rule does what you would do with each mail of a kind').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'New rule' }).click()
    const form = page.getByRole('form', { name: 'New rule' })
    await form.getByRole('button', { name: 'Add rule' }).click()
    await form.getByText('Fill in Name').waitFor()
    await form.getByLabel('Name').fill('German invoices')
    await form.getByRole('button', { name: 'Add rule' }).click()
    await form.getByText('Choose at least one thing that is done with the mail.').waitFor()
    await form.getByLabel('It came to').selectOption({ label: `${SUPPORT.name} (${SUPPORT.address})` })
    await form.getByLabel('Subject contains').fill('invoice')
    await form.getByRole('combobox', { name: 'Written in' }).fill('Germ')
    await page.getByRole('option', { name: 'German', exact: true }).click()
    await form.getByLabel('Set the priority').selectOption('High')
    await form.getByLabel('Answer it by itself').fill('Danke, {{sender.name}}')
    await assertAccessible(page)
    await form.getByRole('button', { name: 'Try with the last mails' }).click()
    await form.getByText('Nobody writes the answer of a rule').waitFor()
    await form.getByLabel('Answer it by itself').fill('Danke.')
    await form.getByRole('button', { name: 'Try with the last mails' }).click()
    await form.getByText('Fits 1 of the last 2 mails').waitFor()
    assert.deepEqual(await form.locator('details a').allTextContents(), ['Invoice 7'])
    assert.deepEqual(stored(), [])
    // What was tried is not what stands there any more.
    await form.getByLabel('Subject contains').fill('delivery')
    await form.getByText('Fits 1 of the last 2 mails').waitFor({ state: 'hidden' })
    await form.getByLabel('Subject contains').fill('invoice')
    await page.keyboard.press('Enter')
    await page
      .getByText('A mail to support, with “invoice” in its subject, written in German gets the priority High')
      .waitFor()
    assert.deepEqual(stored(), [
      {
        ...{ key: 'german-invoices', name: 'German invoices', is_active: true },
        when: { mailbox: 'support', subject: 'invoice', language: 'de' },
        do: { priority: 'high', answer: 'Danke.' },
      },
    ])
    await page.getByText('Fits 1 of the last 2 mails').waitFor()
  })

  test('are switched off and on, deleted, and brought back where they were', async () => {
    given('One', 'Two', 'Three')
    await page.reload()
    await page.getByRole('switch', { name: '“Two” is on' }).click()
    await becomes(() => stored()[1]?.is_active, false)
    await page.getByRole('heading', { name: 'Two off' }).waitFor()
    await page.getByRole('button', { name: 'Delete “Two”' }).click()
    await becomes(names, ['One', 'Three'])
    await page.getByText('“Two” is deleted.').locator('..').getByRole('button', { name: 'Undo' }).click()
    await becomes(names, ['One', 'Two', 'Three'])
    assert.deepEqual(stored()[1], { key: 'two', name: 'Two', is_active: false, when: {}, do: { close: true } })
  })

  test('are put in order by keys, which keep the focus, and by the mouse', async () => {
    given('One', 'Two', 'Three')
    await page.reload()
    await page.getByRole('button', { name: 'Move “Three” up' }).focus()
    await page.keyboard.press('Enter')
    await becomes(names, ['One', 'Three', 'Two'])
    await page.getByText('“Three” is number 2 of 3 now').waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await becomes(names, ['Three', 'One', 'Two'])
    await becomes(() => stored().map(({ name }) => name), ['Three', 'One', 'Two'])
    await page.keyboard.press('Enter')
    await page
      .locator('[data-rule]', { hasText: 'Three' })
      .locator('.handle')
      .dragTo(page.locator('[data-rule]', { hasText: 'Two' }))
    await becomes(names, ['One', 'Two', 'Three'])
    await becomes(() => stored().map(({ name }) => name), ['One', 'Two', 'Three'])
  })

  test('that a colleague changes meanwhile are in conflict, and both can be had', async () => {
    given('One', 'Two')
    await page.reload()
    await page.getByRole('button', { name: 'Change “One”' }).click()
    const form = page.getByRole('form', { name: 'Change “One”' })
    await form.getByLabel('From').fill('mine.example')
    const other = await screens.signedIn('owner')
    const [one] = (await other.call('GET', '/app/rules')).body.data
    await other.call('PATCH', `/app/rules/${one.id}`, { when: { from: 'theirs.example' } })
    await form.getByRole('button', { name: 'Save rule' }).click()
    await form.getByText('Somebody has changed this rule in the meantime.').waitFor()
    await form.getByText('A mail from theirs.example is closed.').waitFor()
    await assertAccessible(page)
    assert.deepEqual(stored()[0]?.when, { from: 'theirs.example' })
    await form.getByRole('button', { name: 'Save mine in its place' }).click()
    await page.getByText('A mail from mine.example is closed.').waitFor()
    assert.deepEqual(stored()[0]?.when, { from: 'mine.example' })
    await page.getByRole('button', { name: 'Change “One”' }).click()
    await form.getByLabel('Subject contains').fill('hello')
    await other.call('DELETE', `/app/rules/${one.id}`)
    await form.getByRole('button', { name: 'Save rule' }).click()
    await form.getByText('Somebody has deleted this rule in the meantime.').waitFor()
    await form.getByRole('button', { name: 'Add it again' }).click()
    await becomes(names, ['Two', 'One'])
    assert.deepEqual(stored()[1]?.when, { from: 'mine.example', subject: 'hello' })
  })

  test('are only read by members, and follow what others do', async () => {
    given('One')
    const mo = await openPage(browser, screens, await screens.signedIn('member'), '/settings/rules')
    await mo.getByText('Administrators change them.').waitFor()
    await mo.getByText('Each mail is closed.').waitFor()
    assert.equal(await mo.locator('.rules').getByRole('button').count(), 0)
    assert.equal(await mo.locator('.rules').getByRole('switch').count(), 0)
    assert.equal(await mo.getByRole('button', { name: 'New rule' }).count(), 0)
    const [one] = (await ada.call('GET', '/app/rules')).body.data
    await ada.call('PATCH', `/app/rules/${one.id}`, { name: 'Renamed' })
    await mo.getByRole('heading', { name: 'Renamed' }).waitFor()
    await mo.context().close()
  })

  test('in German on a phone', async () => {
    given('Eins', 'Zwei')
    await ada.call('PATCH', '/app/preferences', { language: 'de' })
    page = await openPage(browser, screens, ada, '/settings/rules')
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: '„Eins“ ändern' }).click()
    await page.getByRole('form', { name: '„Eins“ ändern' }).getByLabel('Geschrieben auf').waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await assertAccessible(page)
    await page.getByRole('form').getByRole('button', { name: 'Mit den letzten Mails probieren' }).click()
    await page.getByText('Passt auf 2 der letzten 2 Mails').first().waitFor()
    await page.context().close()
  })
})
