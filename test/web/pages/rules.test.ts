import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { applySettings } from '../../../src/app/settings/document.ts'
import type { Mailbox } from '../../../src/inbox/mailboxes/mailbox.ts'
import { incomingStore } from '../../../src/mail/incoming.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { mailIn, SUPPORT, setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

describe('the rules', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ana: SignedIn
  let support: Mailbox
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    ana = await screens.signedIn('member')
    support = setMailboxes(server, [SUPPORT]).support as Mailbox
    await inboxOf(server).make('/tags', { name: 'Billing' })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const rule = () => ({
    ...{ key: 'invoices', name: 'Invoices', when: { mailbox: 'support', subject: 'invoice', sender: 'new' } },
    do: {
      ...{ assign: server.store.db.prepare('SELECT email FROM members WHERE id = ?').pluck().get(ana.id) },
      ...{ tags: ['Billing'], priority: 'high', answer: 'Thank you, we look into it.' },
    },
  })
  const arrive = (subject: string) =>
    server.store.write(() => {
      const mail = mailIn({ subject, from: { email: 'eva@shop.example', name: 'Eva Ruiz' } })
      incomingStore(server.deps).take(server.a.org, support, mail, server.now())
      return server.store.db.prepare('SELECT max(id) FROM conversations').pluck().get() as string
    })

  test('are sentences, with the mails that they would have fitted', async () => {
    page = await openPage(browser, screens, ana, '/settings/rules')
    await page.getByText('No rules yet').waitFor()
    await assertAccessible(page)
    await arrive('Invoice 7')
    await arrive('Delivery')
    applySettings(server.store, server.a.org, {
      rules: [rule(), { key: 'off', name: 'Old', is_active: false, do: { close: true } }],
    })
    await page.reload()
    const name = server.store.db.prepare('SELECT name FROM members WHERE id = ?').pluck().get(ana.id)
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Invoices' }) })
    await card
      .getByText(
        `A mail to support, with “invoice” in its subject, by a new sender goes to ${name}, is tagged Billing, gets the priority High and is answered with the text below.`,
      )
      .waitFor()
    await card.getByText('Thank you, we look into it.').waitFor()
    await card.getByText('Fits 1 of the last 2 mails').click()
    await assertAccessible(page)
    await card.getByRole('link', { name: 'Invoice 7' }).click()
    await page.getByRole('heading', { name: 'Invoice 7' }).waitFor()
  })

  test('say in the thread what they did, in both languages', async () => {
    applySettings(server.store, server.a.org, { rules: [{ ...rule(), when: {} }] })
    const id = await arrive('Invoice 8')
    const name = server.store.db.prepare('SELECT name FROM members WHERE id = ?').pluck().get(ana.id)
    page = await openPage(browser, screens, ana, `/inbox?c=${id}`)
    const line = page.locator('.told')
    await line
      .filter({ hasText: `Rule “Invoices”: given to ${name}, tagged Billing, priority High, answered` })
      .waitFor()
    assert.equal(await line.count(), 1)
    await page.locator('.msg', { hasText: 'Thank you, we look into it.' }).getByText(SUPPORT.name).waitFor()
    await assertAccessible(page)
    await page.context().close()
    await ana.call('PATCH', '/app/preferences', { language: 'de' })
    page = await openPage(browser, screens, ana, `/inbox?c=${id}`)
    await page
      .locator('.told', {
        hasText: `Regel „Invoices“: an ${name} gegeben, mit Billing getaggt, Priorität Hoch, beantwortet`,
      })
      .waitFor()
    await page.goto(`${screens.url}/settings/rules`)
    await page.getByText(`Jede Mail geht an ${name}, bekommt die Tags Billing`).waitFor()
    await page.context().close()
  })
})
