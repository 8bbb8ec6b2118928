import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { mailboxStore } from '../../../src/inbox/mailboxes/mailboxes.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { setLevels } from '../../support/settings.ts'
import { until } from '../../support/until.ts'

const HOUR = 3_600_000
const spaced = (text: string): string => text.replace(/\s+/g, ' ')

describe('beside a conversation', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let page: Page
  const { newCompany, newContact } = recordsOf(() => server)

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    const targets = { normal: { first_response_s: 7200 } }
    setLevels(server.store, server.a.org, {
      sla: [{ key: 'key', name: 'Key accounts', hours: null, pause_on: ['pending'], targets }],
    })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(() => page?.context().close())

  const from = (email: string) => ({ from: { name: 'Dora Lind', email }, subject: 'The spindle' })
  const show = async (id: string, options = {}): Promise<void> => {
    page = await openPage(browser, screens, ana, `/inbox?c=${id}`, options)
    await page.locator('.msg').first().waitFor()
  }
  const contact = async (id: string) => (await server.call('GET', `/contacts/${id}`)).body
  const pane = () => page.getByRole('complementary', { name: 'Contact' })

  test('the head says which policy counts, and why the answer is due then: the parts, the pauses and the sum', async () => {
    const { id } = await inbox.opened(from('dora@spindle.example'))
    server.advance(HOUR / 2)
    await inbox.patch(id, { status: 'pending' })
    server.advance(3 * HOUR)
    await inbox.patch(id, { status: 'open' })
    await show(id)
    await page.getByText('Key accounts, 2 h').waitFor()
    assert.match(spaced(await page.locator('.clocks .sla').innerText()), /^1 h (29|30) left$/)
    // A quarter is used: pauses do not count.
    assert.match(String(await page.locator('.clocks .track i').getAttribute('style')), /inline-size: 25%/)
    await page.keyboard.press('Escape')
    const why = page.getByRole('button', { name: /^First response due/ })
    await why.focus()
    await page.keyboard.press('Enter')
    const said = page.getByRole('dialog', { name: 'Why then?' })
    await said.waitFor()
    const cells = await said.locator('td').allTextContents()
    assert.deepEqual(cells.slice(1, 5).map(spaced), ['30 min', '1 h 30', 'paused for 3 h', '2 h'])
    assert.match(await said.innerText(), /Key accounts, priority Normal\s+Counted around the clock/)
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await said.waitFor({ state: 'detached' })
    assert.equal(await why.evaluate((button) => button === document.activeElement), true)
  })

  test('while it is paused, it says so and since when', async () => {
    const { id } = await inbox.opened(from('dora@spindle.example'))
    await inbox.patch(id, { status: 'pending' })
    await show(id)
    await page.getByRole('button', { name: 'The SLA clock stands still in this state' }).click()
    const said = page.getByRole('dialog', { name: 'Why then?' })
    await said.getByText('Used of 2 h').waitFor()
    assert.match(await said.innerText(), /Waiting for them\s+paused since/)
  })

  test('what is known of who writes is changed there', async () => {
    const { id, contact_id } = await inbox.opened(from('dora2@spindle.example'))
    await show(id)
    await pane().getByText('dora2@spindle.example').waitFor()
    await pane().getByRole('button', { name: 'Edit Owner' }).click()
    await page.getByRole('option', { name: /^A member/ }).click()
    await until(async () => (await contact(contact_id)).owner_id === ana.id)
  })

  test('a firm is joined by the domain of the address, or made; not for an address that anybody can have', async () => {
    const { id, contact_id } = await inbox.opened(from('dora@nordwind.example'))
    await show(id)
    await pane().getByRole('button', { name: 'Make the company Nordwind (nordwind.example)' }).click()
    await until(async () => (await contact(contact_id)).company_id !== null)
    const made = (await contact(contact_id)).company_id
    const firm = (await server.call('GET', `/companies/${made}`)).body
    assert.deepEqual([firm.name, firm.domains], ['Nordwind', ['nordwind.example']])
    // One step takes both back.
    await page.keyboard.press('Control+z')
    await until(async () => (await server.call('GET', `/companies/${made}`)).status === 404)
    assert.equal((await contact(contact_id)).company_id, null)

    const known = await newCompany({ name: 'Südwind AG', domains: ['suedwind.example'] })
    const other = await inbox.opened(from('eva@suedwind.example'))
    await page.goto(new URL(`/inbox?c=${other.id}`, page.url()).href)
    await pane().getByRole('button', { name: 'Belongs to Südwind AG' }).click()
    await until(async () => (await contact(other.contact_id)).company_id === known.id)

    const anybody = await inbox.opened(from('eva@gmail.com'))
    await page.goto(new URL(`/inbox?c=${anybody.id}`, page.url()).href)
    await pane().getByText('eva@gmail.com').waitFor()
    assert.equal(
      await pane()
        .getByRole('button', { name: /company/ })
        .count(),
      0,
    )
  })

  test('a task and a deal come from the conversation, and lead back to it', async () => {
    const { id, contact_id } = await inbox.opened(from('finn@spindle.example'))
    await show(id)
    await pane().getByRole('button', { name: 'Add a task' }).click()
    await pane().getByRole('button', { name: 'Add task' }).click()
    await pane().getByText('The spindle').waitFor()
    const { data } = (await server.call('GET', `/tasks?contact_id=${contact_id}`)).body
    assert.deepEqual([data[0].title, new URL(data[0].body).search], ['The spindle', `?c=${id}`])

    await pane().getByRole('button', { name: 'Add a deal' }).click()
    await page.keyboard.type('Spindles for line 2')
    await page.getByRole('option', { name: /Spindles for line 2/ }).click()
    await page.getByRole('dialog').locator('button[type=submit]').click()
    await until(async () => (await inbox.conversation(id)).deal_id !== null)
    const deal = (await server.call('GET', `/deals/${(await inbox.conversation(id)).deal_id}`)).body
    assert.deepEqual([deal.title, deal.primary_contact_id], ['Spindles for line 2', contact_id])
  })

  test('where there is no room, the contact lies over the conversation while it is asked for', async () => {
    const { id } = await inbox.openedWith((await newContact({ first_name: 'Gil', emails: [] })).id)
    await show(id, { size: 'phone' })
    assert.equal(await pane().isVisible(), false)
    await page.getByRole('button', { name: 'Show the contact' }).click()
    await pane().getByRole('link', { name: 'Gil' }).waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Close the contact' }).click()
    await pane().waitFor({ state: 'hidden' })
    await page.keyboard.press('i')
    await pane().waitFor()
    await page.keyboard.press('i')
    await pane().waitFor({ state: 'hidden' })
  })

  test('a mailbox that does not work says so above the list, since when, and what the server said', async (t) => {
    const { support } = setMailboxes(server)
    t.after(() => setMailboxes(server, []))
    const now = server.now()
    mailboxStore(server.deps).saveState(server.a.org, support?.id as string, {
      ...{ checked_at: now, failing_since: now - HOUR, last_error: 'connection refused', last_error_at: now },
    })
    const { id } = await inbox.opened(from('hans@spindle.example'))
    await show(id)
    const banner = page.getByRole('status').filter({ hasText: 'No mail comes in at support@acme.example.' })
    await banner.waitFor()
    assert.match(await banner.innerText(), /Since today \d\d:\d\d\. connection refused/)
    await assertAccessible(page)
  })
})
