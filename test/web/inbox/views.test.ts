import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { deskOf, person } from '../../support/desk.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes, until } from '../../support/until.ts'

describe('views of the inbox that are mailboxes, filters or saved', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let desk: ReturnType<typeof deskOf>
  let scheduler: Scheduler
  let ana: SignedIn
  let ben: SignedIn
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    desk = deskOf(server)
    scheduler = startScheduler({
      store: server.store,
      log: silentLog,
      kinds: bulkKinds(server.deps),
      recurring: [],
      afterJump: [],
    })
    ben = await screens.signedIn('member')
    for (const name of ['Sam', 'Sue', 'Sid'])
      await desk.arrive({ from: person(name), subject: `For sales ${name}` }, desk.boxes.sales)
    for (const name of ['Uwe', 'Ulla']) await desk.arrive({ from: person(name), subject: `For support ${name}` })
  })
  after(async () => {
    await browser?.close()
    await scheduler?.stop()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.advance(1000)
    ana = await screens.signedIn('member')
  })

  const show = async (path = '/inbox', who = ana, options = {}): Promise<Page> => {
    page = await openPage(browser, screens, who, path, options)
    await page.locator('.cv .name').first().waitFor()
    return page
  }
  const names = (): Promise<string[]> => page.locator('.cv .name').allInnerTexts()
  const showing = (...expected: string[]) => becomes(async () => (await names()).sort(), expected.sort())
  const place = (name: string) => page.locator('.iv a', { hasText: name })
  const countOf = async (name: string): Promise<number> =>
    Number((await place(name).locator('.n').allInnerTexts())[0] ?? 0)
  const heading = () => page.locator('.il h1').innerText()
  const linesOf = async (id: string): Promise<Row[]> =>
    (await ana.call('GET', `/app/inbox/${id}/history`)).body.data.filter(({ field }: Row) => field === 'mailbox')

  test('each mailbox has its own, with its count, and a conversation goes to another one by a key and back', async () => {
    await show()
    await showing('Sam', 'Sue', 'Sid', 'Uwe', 'Ulla')
    await becomes(() => countOf('Acme Sales'), 3)
    await place('Acme Sales').click()
    await showing('Sam', 'Sue', 'Sid')
    assert.equal(await heading(), 'Acme Sales')
    assert.equal(await place('Acme Sales').getAttribute('aria-current'), 'page')
    assert.equal(await page.locator('.iv [aria-current]').count(), 1)
    await assertAccessible(page)
    await page.getByRole('link', { name: /Sue/ }).click()
    await page.getByRole('heading', { name: 'For sales Sue' }).waitFor()
    await page.keyboard.press('b')
    await page.getByRole('option', { name: /Acme Support/ }).click()
    await showing('Sam', 'Sid')
    await page
      .getByText(/^Moved to Acme Support by /)
      .first()
      .waitFor()
    await becomes(() => countOf('Acme Sales'), 2)
    const id = new URL(page.url()).searchParams.get('c') as string
    assert.equal((await linesOf(id)).length, 1)
    await page.keyboard.press('Control+z')
    await showing('Sam', 'Sue', 'Sid')
    await becomes(async () => (await linesOf(id)).length, 0)
  })

  test('those that are chosen go to another mailbox as one', async () => {
    await show(`/inbox?mailbox=${desk.boxes.support.id}`)
    await showing('Uwe', 'Ulla')
    await page.locator('.cv').first().hover()
    await page.locator('.cv a', { hasText: 'Uwe' }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('Shift+J')
    await page.locator('.bulk b', { hasText: '2 selected' }).waitFor()
    await page.locator('.bulk').getByRole('button', { name: 'Move to' }).click()
    await page.getByRole('option', { name: /Acme Sales/ }).click()
    await until(async () => {
      await scheduler.tick()
      return (await page.getByText('2 conversations moved').count()) > 0
    })
    await becomes(names, [])
    await page.keyboard.press('Control+z')
    await until(async () => {
      await scheduler.tick()
      return (await names()).length === 2
    })
  })

  test('a filter narrows the list, is its address, and is saved, shared and changed', async () => {
    await show()
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Subject' }).click()
    await page.getByRole('dialog').getByRole('textbox').last().fill('sales')
    await page.keyboard.press('Enter')
    await showing('Sam', 'Sue', 'Sid')
    assert.match(page.url(), /subject\.contains=sales/)
    await assertAccessible(page)
    await page.reload()
    await showing('Sam', 'Sue', 'Sid')
    await page.getByRole('button', { name: 'Save as view' }).click()
    const form = page.getByRole('dialog')
    await form.getByRole('textbox').fill('Sales talk')
    await form.getByRole('checkbox').first().check()
    await form.getByRole('checkbox').last().check()
    await form.getByRole('button', { name: 'Save' }).click()
    await becomes(heading, 'Sales talk')
    await becomes(() => countOf('Sales talk'), 3)
    await showing('Sam', 'Sue', 'Sid')
    assert.match(page.url(), /\/inbox\?view=/)
    const address = page.url().replace(screens.url, '')
    await page.goto(`${screens.url}/deals`)
    await page.getByRole('link', { name: /^Sales talk/ }).click()
    await showing('Sam', 'Sue', 'Sid')

    // A colleague sees it, and a conversation in it has an address of its own.
    await page.context().close()
    await show(address, ben)
    await showing('Sam', 'Sue', 'Sid')
    assert.equal(await heading(), 'Sales talk')
    await page.getByRole('link', { name: /Sid/ }).click()
    await page.getByRole('heading', { name: 'For sales Sid' }).waitFor()
    await showing('Sam', 'Sue', 'Sid')
    await desk.arrive({ from: person('Sky'), subject: 'For sales, too' })
    await becomes(async () => (await page.locator('.il-news').count()) + (await names()).length > 3, true)
    await place('All open').click()
    await becomes(async () => (await names()).length, 6)
    assert.equal(
      await page
        .locator('.iv [aria-current]')
        .innerText()
        .then((text) => text.split('\n')[0]),
      'All open',
    )
    await page.context().close()

    await show(address)
    await showing('Sam', 'Sue', 'Sid', 'Sky')
    await page
      .locator('.il')
      .getByRole('button', { name: /Sales talk/ })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await becomes(() => page.locator('.iv a', { hasText: 'Sales talk' }).count(), 0)
    await becomes(heading, 'All open')
  })

  test('on a phone, in German, they are in the menu of the heading', async () => {
    await ana.call('PATCH', '/app/preferences', { language: 'de' })
    await show('/inbox', ana, { size: 'phone' })
    await page.locator('.il h1 button').click()
    await assertAccessible(page)
    await page.getByRole('menuitemradio', { name: /Acme Sales/ }).click()
    await showing('Sam', 'Sue', 'Sid')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('option', { name: 'Postfach' }).waitFor()
    await assertAccessible(page)
  })
})
