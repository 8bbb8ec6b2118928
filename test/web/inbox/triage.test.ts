import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

describe('triage in the inbox', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let ben: SignedIn
  let page: Page
  let scheduler: Scheduler

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    ben = await screens.signedIn('admin')
    scheduler = startScheduler({
      store: server.store,
      log: silentLog,
      kinds: bulkKinds(server.deps),
      recurring: [],
      afterJump: [],
    })
  })
  after(async () => {
    await browser?.close()
    await scheduler?.stop()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    const { body } = await ana.call('GET', '/app/rows/conversations?view=open&limit=100')
    for (const { id } of body.data) await inbox.patch(id, { status: 'closed' })
    server.advance(1000)
  })

  const opened = (name: string, given: Record<string, unknown> = {}): Promise<Row> =>
    inbox.opened({ from: { name, email: `${name.toLowerCase()}@firm.example` }, subject: `About ${name}`, ...given })
  const show = async (path = '/inbox', member = ana, options = {}): Promise<Page> => {
    page = await openPage(browser, screens, member, path, options)
    await page.locator('.cv .name').first().waitFor()
    return page
  }
  const row = (name: string) => page.locator('.cv', { hasText: name })
  const read = (id: string) => inbox.conversation(id)
  const statuses = (all: Row[]) => Promise.all(all.map(async ({ id }) => (await read(id)).status))
  const chosen = (text: string) => page.locator('.bulk b', { hasText: text }).waitFor()

  test('chooses by x and Shift+J, and closes all of them as one, with one way back', async () => {
    const all = [await opened('Ada'), await opened('Bea'), await opened('Cem'), await opened('Dov')]
    await show()
    await page.getByRole('heading', { name: 'About Ada' }).waitFor()
    await page.keyboard.press('x')
    await chosen('1 selected')
    await page.keyboard.press('Shift+J')
    await page.keyboard.press('Shift+J')
    await chosen('3 selected')
    await page.getByRole('heading', { name: 'About Cem' }).waitFor()
    await page.keyboard.press('Shift+K')
    await chosen('3 selected')
    await assertAccessible(page)
    await page.keyboard.press('e')
    await row('Ada').waitFor({ state: 'detached' })
    await page.locator('.toast', { hasText: '3 conversations closed' }).waitFor()
    assert.deepEqual(await statuses(all), ['closed', 'closed', 'closed', 'open'])
    assert.equal(await page.locator('.bulk').count(), 0)
    await page.keyboard.press('Control+z')
    await row('Ada').waitFor()
    await until(async () => (await statuses(all)).every((status) => status === 'open'))
    assert.ok((await read((all[0] as Row).id)).waiting_since)
  })

  test('chooses by mouse, and gives to a colleague, tags and raises what is chosen; Esc clears', async () => {
    const all = [await opened('Ada'), await opened('Bea')]
    await show()
    await row('Ada').hover()
    await row('Ada').getByRole('checkbox').check()
    await row('Bea').getByRole('checkbox').check()
    await chosen('2 selected')
    await page.getByRole('toolbar').getByRole('button', { name: 'Owner' }).click()
    await page.getByRole('option', { name: 'Whoever has the fewest' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Viewer' }).count(), 0)
    await page.getByRole('option', { name: 'A admin' }).click()
    await until(async () =>
      (await Promise.all(all.map(({ id }) => read(id)))).every((each) => each.owner_id === ben.id),
    )
    await page.keyboard.press('p')
    await page.getByRole('menuitem', { name: 'Urgent' }).click()
    await until(async () =>
      (await Promise.all(all.map(({ id }) => read(id)))).every((each) => each.priority === 'urgent'),
    )
    await page.keyboard.press('t')
    await page.getByRole('combobox', { name: 'Add tags' }).fill('Returns')
    await page.keyboard.press('Enter')
    await until(async () =>
      (await Promise.all(all.map(({ id }) => read(id)))).every((each) => each.tag_ids.length === 1),
    )
    await page.locator('.ih .tag', { hasText: 'Returns' }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.bulk').waitFor({ state: 'detached' })
    // Another view is another list.
    await row('Ada').hover()
    await row('Ada').getByRole('checkbox').check()
    await page.locator('.iv a', { hasText: 'No owner' }).click()
    await page.getByRole('heading', { name: 'No owner' }).waitFor()
    assert.equal(await page.locator('.bulk').count(), 0)
  })

  test('merges from the menu and the palette, leads the old address on, and takes it back', async () => {
    const [one, two] = [await opened('Pia'), await opened('Quo')]
    await show(`/inbox?c=${one.id}`)
    await page.getByRole('heading', { name: 'About Pia' }).waitFor()
    await page.locator('.ih').getByRole('button', { name: 'More', exact: true }).click()
    await assertAccessible(page)
    await page.getByRole('menuitem', { name: 'Merge into another conversation' }).click()
    await page.getByRole('combobox', { name: 'Find the conversation that stays' }).fill('Quo')
    await page.getByRole('option', { name: 'About Quo' }).click()
    await page.getByRole('heading', { name: 'About Quo' }).waitFor()
    await page.locator('.told', { hasText: `#${one.number} was merged into this one by A member` }).waitFor()
    await row('Pia').waitFor({ state: 'detached' })
    assert.equal(await page.locator('.msg').count(), 2)
    assert.equal((await read(one.id)).status, 'closed')
    await page.goto(page.url().replace(two.id, one.id))
    await page.getByRole('heading', { name: 'About Quo' }).waitFor()
    await page.locator('.cv .name').first().waitFor()
    await page.keyboard.press('Control+z')
    await row('Pia').waitFor()
    await until(async () => (await read(one.id)).status === 'open')
    assert.ok((await read(one.id)).waiting_since)
    // By keyboard alone.
    await row('Pia').locator('a').click()
    await page.getByRole('heading', { name: 'About Pia' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('merge into')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Find the conversation that stays' }).fill('Quo')
    await page.getByRole('option', { name: 'About Quo' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'About Quo' }).waitFor()
    await until(async () => (await read(one.id)).status === 'closed')
  })

  test('splits a message off, shows it, and each leads to the other; one undo', async () => {
    const { id, number } = await opened('Ada')
    await inbox.say('inbound', id, { body_text: 'Another matter' })
    await show(`/inbox?c=${id}`)
    await page
      .locator('.msg', { hasText: 'Another matter' })
      .getByRole('button', { name: 'Actions for this message' })
      .click()
    await page.getByRole('menuitem', { name: 'Split off as its own conversation' }).click()
    await page.locator('.told', { hasText: `Split off from #${number}` }).waitFor()
    await until(async () => (await page.locator('.msg').count()) === 1)
    await assertAccessible(page)
    await page.getByRole('link', { name: `Open #${number}` }).click()
    await page.locator('.told', { hasText: 'A message was split off as' }).waitFor()
    await until(async () => (await page.locator('.msg').count()) === 1)
    await page.keyboard.press('Control+z')
    await page.locator('.msg', { hasText: 'Another matter' }).waitFor()
    assert.equal((await inbox.get(`/conversations/${id}/messages`)).data.length, 2)
  })

  test('marks spam from the menu, asks where a deal is open, lists the sender, marks it in the search, and takes it back', async () => {
    const one = await opened('Mal')
    const deal = { title: 'Hall', primary_contact_id: one.contact_id }
    assert.equal((await server.call('POST', '/deals', deal)).status, 201)
    await show(`/inbox?c=${one.id}`)
    await page.locator('.ih').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Mark as spam' }).click()
    await page.getByText('There is an open deal with this contact.').waitFor()
    await assertAccessible(page)
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await read(one.id)).status, 'open')
    // By the palette, and this time for good.
    await page.keyboard.press('Control+k')
    await page.keyboard.type('mark as spam')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Mark as spam' }).click()
    await until(async () => (await read(one.id)).status === 'closed')
    const held = await opened('Mal')
    await page.locator('.iv a', { hasText: 'Spam' }).click()
    await page.locator('.spam li', { hasText: 'mal@firm.example' }).getByText('by A member').waitFor()
    await page.locator('.spam li', { hasText: '1 mail since' }).waitFor()
    await until(async () => (await page.locator('.cv').count()) === 2)
    await assertAccessible(page)
    await page.getByLabel('Search text, people and files').fill('mal')
    await page.locator('.cv .first', { hasText: 'Spam' }).first().waitFor()
    await page.getByLabel('Search text, people and files').fill('')
    await page.locator('.iv a', { hasText: 'Spam' }).click()
    await page.getByRole('button', { name: 'Not spam: mal@firm.example' }).click()
    await until(async () => (await read(held.id)).status === 'open' && (await read(one.id)).status === 'open')
    assert.equal((await read(held.id)).waiting_since, held.last_message_at)
    await page.locator('.spam').waitFor({ state: 'detached' })
    // One undo, after it was marked once more.
    await page.goto(`${page.url().split('/inbox')[0]}/inbox?c=${held.id}`)
    await page.getByRole('heading', { name: 'About Mal' }).waitFor()
    await page.locator('.ih').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Mark as spam' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Mark as spam' }).click()
    await until(async () => (await read(held.id)).status === 'closed')
    await page.locator('.toast', { hasText: 'Marked as spam' }).waitFor()
    await page.keyboard.press('Control+z')
    await until(async () => (await read(held.id)).status === 'open')
  })

  test('says all of it in German', async () => {
    const [one, two] = [await opened('Pia'), await opened('Quo')]
    const { status } = await ana.call('POST', `/app/conversations/${one.id}/merge`, { into_id: two.id })
    assert.equal(status, 200)
    await ben.call('PATCH', '/app/preferences', { language: 'de' })
    await show(`/inbox?c=${two.id}`, ben)
    await page.locator('.told', { hasText: `Nr. ${one.number} kam hinzu` }).waitFor()
    await page.keyboard.press('x')
    await chosen('1 ausgewählt')
    await page.keyboard.press('Escape')
    await page.locator('.ih').getByRole('button', { name: 'Mehr', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Mit einer anderen Unterhaltung zusammenführen' }).waitFor()
    await page.getByRole('menuitem', { name: 'Als Spam markieren' }).waitFor()
    await page.getByRole('menuitem', { name: 'Wer am wenigsten offene Unterhaltungen hat' }).waitFor()
  })

  test('gives one by load, tags it by t and links it to a deal, each from the keyboard', async () => {
    const { id } = await opened('Ada')
    const deal = (await server.call('POST', '/deals', { title: 'Roof' })).body
    await show()
    await page.getByRole('heading', { name: 'About Ada' }).waitFor()
    await page.keyboard.press('t')
    await page.getByRole('combobox', { name: 'Add tags' }).fill('Billing')
    await page.keyboard.press('Enter')
    await page.locator('.ih .tag', { hasText: 'Billing' }).waitFor()
    await until(async () => (await read(id)).tag_ids.length === 1)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('fewest')
    await page.keyboard.press('Enter')
    await until(async () => (await read(id)).owner_id !== null)
    await page.locator('.ih').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Link a deal' }).click()
    await page.getByRole('combobox', { name: 'Find a deal' }).fill('Roof')
    await page.getByRole('option', { name: 'Roof' }).click()
    await page.locator('.ih .labels a', { hasText: 'Roof' }).waitFor()
    await until(async () => (await read(id)).deal_id === deal.id)
  })
})
