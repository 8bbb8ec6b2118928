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
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Link a deal' }).click()
    await page.getByRole('combobox', { name: 'Find a deal' }).fill('Roof')
    await page.getByRole('option', { name: 'Roof' }).click()
    await page.locator('.ih .labels a', { hasText: 'Roof' }).waitFor()
    await until(async () => (await read(id)).deal_id === deal.id)
  })
})
