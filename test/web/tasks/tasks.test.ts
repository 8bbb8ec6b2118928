import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const DAY_MS = 86_400_000

describe('the tasks of a member', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ana: SignedIn
  let ben: SignedIn
  let deal: string

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    ana = await screens.signedIn('member')
    ben = await screens.signedIn('admin')
    deal = (await ana.call('POST', '/api/v1/deals', { title: 'Line sensors, two sites' })).body.id
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const dueIn = (days: number) => new Date(server.now() + days * DAY_MS).toISOString()

  async function makeTask(title: string, days: number | null, more: Record<string, unknown> = {}): Promise<string> {
    const due_at = days === null ? null : dueIn(days)
    const made = await ana.call('POST', '/api/v1/tasks', { title, due_at, owner_id: ana.id, ...more })
    assert.equal(made.status, 201, made.text)
    return made.body.id
  }

  const read = async (id: string) => (await ana.call('GET', `/api/v1/tasks/${id}`)).body
  const titles = (page: Page) => page.locator('.tr .ti').allTextContents()
  const rowOf = (page: Page, title: string) => page.locator('.tr', { hasText: title })
  const settled = (page: Page) => page.getByText('Everything saved').waitFor()

  test('stand under late, tomorrow, this week and any time, and say what they are about', async () => {
    await makeTask('Read the tender', null)
    await makeTask('Send the data sheet', 3)
    await makeTask('Follow up on the board date', -5.1, { priority: 'high', deal_ids: [deal] })
    await makeTask('Demo of the analysers', 1)
    await makeTask('Not mine', -1, { owner_id: ben.id })
    const page = await openPage(browser, screens, ana, '/tasks')
    await rowOf(page, 'Read the tender').waitFor()
    assert.deepEqual(await titles(page), [
      'Follow up on the board date',
      'Demo of the analysers',
      'Send the data sheet',
      'Read the tender',
    ])
    assert.deepEqual(await page.locator('.gh h2').allTextContents(), ['Late', 'Tomorrow', 'Within a week', 'Any time'])
    const late = rowOf(page, 'Follow up')
    await late.getByText('Line sensors, two sites').waitFor()
    assert.match(await late.locator('.due').innerText(), /^\d+ \w+, 5\sd late$/)
    assert.equal(await late.getByLabel('High priority').count(), 1)
    await assertAccessible(page)
    await page.context().close()
  })

  test('are gone through by keyboard: j, e, and undo by z', async () => {
    const page = await openPage(browser, screens, ana, '/tasks')
    await rowOf(page, 'Read the tender').waitFor()
    await page.keyboard.press('j')
    assert.equal(await page.locator('[aria-current=true]').innerText(), 'Demo of the analysers')
    const [found] = (await ana.call('GET', '/api/v1/tasks?q=analysers')).body.data
    await page.keyboard.press('e')
    await page.getByText('“Demo of the analysers” is done').first().waitFor()
    await page.locator('.tr.is-done', { hasText: 'Demo of the analysers' }).waitFor()
    assert.equal(await page.locator('[aria-current=true]').innerText(), 'Send the data sheet')
    await settled(page)
    assert.equal((await read(found.id)).status, 'done')
    await page.getByText('3 open, 1 late, 1 done today').waitFor()
    await page.keyboard.press('z')
    await page.getByText('4 open, 1 late, 0 done today').waitFor()
    await page.locator('.tr:not(.is-done)', { hasText: 'Demo of the analysers' }).waitFor()
    await settled(page)
    const { status, completed_at } = await read(found.id)
    assert.deepEqual([status, completed_at], ['open', null])
    await page.context().close()
  })

  test('are done one at a time, however long the key is held', async () => {
    const page = await openPage(browser, screens, ana, '/tasks')
    await rowOf(page, 'Read the tender').waitFor()
    await page.keyboard.press('j')
    const [found] = (await ana.call('GET', '/api/v1/tasks?q=analysers')).body.data
    for (let repeats = 0; repeats < 4; repeats++) await page.keyboard.down('e')
    await page.keyboard.up('e')
    await page.locator('.tr.is-done', { hasText: 'Demo of the analysers' }).waitFor()
    await settled(page)
    assert.equal((await read(found.id)).status, 'done')
    assert.equal((await ana.call('GET', '/api/v1/tasks?status=open&owner_id='.concat(ana.id))).body.data.length, 3)
    await page.keyboard.press('z')
    await page.getByText('4 open, 1 late, 0 done today').waitFor()
    await settled(page)
    await page.context().close()
  })

  test('are made in one line, whose last words name the day', async () => {
    const page = await openPage(browser, screens, ana, '/tasks')
    await rowOf(page, 'Read the tender').waitFor()
    await page.keyboard.press('n')
    await page.keyboard.type('Call Margit about the demo tomorrow 9:00 or 10:00')
    assert.match(await page.locator('.new .hint').innerText(), /Call.*No due date/s)
    for (let letters = ' or 10:00'.length; letters > 0; letters--) await page.keyboard.press('Backspace')
    assert.match(await page.locator('.new .hint').innerText(), /Call.*09:00/s)
    await page.keyboard.press('Enter')
    const made = rowOf(page, 'Call Margit about the demo')
    await made.waitFor()
    await settled(page)
    const [found] = (await ana.call('GET', '/api/v1/tasks?q=Margit')).body.data
    assert.deepEqual([found.title, found.type, found.owner_id], ['Call Margit about the demo', 'call', ana.id])
    assert.ok(Date.parse(found.due_at) > server.now())
    assert.equal(await page.locator('.new input').inputValue(), '')
    await page.context().close()
  })

  test('are changed where they are read; what a colleague changed meanwhile is not overwritten', async () => {
    const id = await makeTask('Check the stock', 2, { type: 'call' })
    const page = await openPage(browser, screens, ana, `/tasks?task=${id}`)
    await page.locator('.task').getByText('Check the stock').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.type('A adm')
    await page.keyboard.press('Enter')
    await rowOf(page, 'Check the stock').waitFor({ state: 'detached' })
    await settled(page)
    assert.equal((await read(id)).owner_id, ben.id)
    await page.context().close()
  })

  test('that wait for the network are seen until they are sent', async () => {
    const page = await openPage(browser, screens, ana, '/tasks')
    await page.locator('.new input').waitFor()
    await page.route('**/api/v1/tasks', (route) => route.abort())
    await page.locator('.new input').fill('Post the samples')
    await page.keyboard.press('Enter')
    const waiting = page.locator('.waiting-creates').getByText('Post the samples')
    await waiting.waitFor()
    assert.equal(await page.locator('.new input').inputValue(), '')
    await page.unroute('**/api/v1/tasks')
    await waiting.waitFor({ state: 'detached' })
    const { data } = (await ana.call('GET', '/api/v1/tasks?q=samples')).body
    assert.equal(data.length, 1)
    await page.context().close()
  })

  test('appear when a colleague gives one, and leave when it is taken away', async () => {
    const page = await openPage(browser, screens, ana, '/tasks')
    await rowOf(page, 'Read the tender').waitFor()
    const given = await ben.call('POST', '/api/v1/tasks', { title: 'From Ben', owner_id: ana.id })
    assert.equal(given.status, 201)
    await page.getByRole('button', { name: '1 new task' }).click()
    await rowOf(page, 'From Ben').waitFor()
    await ben.call('PATCH', `/api/v1/tasks/${given.body.id}`, { title: 'From Ben, again' })
    await rowOf(page, 'From Ben, again').waitFor()
    await ben.call('PATCH', `/api/v1/tasks/${given.body.id}`, { owner_id: ben.id })
    await rowOf(page, 'From Ben, again').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('of others are those of the team, of one person, and of nobody', async () => {
    await makeTask('Whose is this', null, { owner_id: null })
    const page = await openPage(browser, screens, ana, '/tasks')
    await page.getByRole('radio', { name: 'No owner' }).click()
    await rowOf(page, 'Whose is this').waitFor()
    assert.deepEqual(await titles(page), ['Whose is this'])
    await page.getByRole('radio', { name: 'Team' }).click()
    await rowOf(page, 'Not mine').waitFor()
    await page.getByRole('button', { name: 'Everyone' }).click()
    await page.getByRole('menuitemradio', { name: 'A admin' }).click()
    await rowOf(page, 'Whose is this').waitFor({ state: 'detached' })
    await rowOf(page, 'Not mine').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('who'), ben.id)
    await page.context().close()
  })

  test('that are deleted can be brought back', async () => {
    const id = await makeTask('Order two loan units', 1)
    const page = await openPage(browser, screens, ana, `/tasks?task=${id}`)
    await page.locator('.task').getByText('Order two loan units').waitFor()
    await page.keyboard.press('Backspace')
    await rowOf(page, 'Order two loan units').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await rowOf(page, 'Order two loan units').waitFor()
    assert.equal((await read(id)).title, 'Order two loan units')
    await page.context().close()
  })

  test('of a viewer offer nothing to change', async () => {
    const viewer = await screens.signedIn('viewer')
    const page = await openPage(browser, screens, viewer, '/tasks?who=team')
    await rowOf(page, 'Read the tender').waitFor()
    assert.equal(await page.locator('.new').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'New task' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Done' }).count(), 0)
    await assertAccessible(page)
    await page.context().close()
  })

  test('on a phone are a list, and one on a page of its own', async () => {
    const page = await openPage(browser, screens, ana, '/tasks', { size: 'phone' })
    await rowOf(page, 'Read the tender').tap()
    await page.locator('.side-panel').getByText('Read the tender').waitFor()
    const sizes = await page.locator('.tr').evaluateAll((rows) => rows.map((row) => row.clientHeight))
    assert.ok(sizes.every((height) => height === 0 || height >= 44))
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Close' }).tap()
    await rowOf(page, 'Read the tender').waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    await assertAccessible(page)
    await page.context().close()
  })

  test('that nobody has are an empty page that says where they come from', async () => {
    const newcomer = await screens.signedIn('member')
    const page = await openPage(browser, screens, newcomer, '/tasks')
    await page.getByText('Nothing to do').waitFor()
    await assertAccessible(page)
    await page.context().close()
  })

  test('have a menu at the mouse and by the menu key; the link keeps that of the browser', async () => {
    const id = await makeTask('Call the notary', 40)
    const page = await openPage(browser, screens, ana, '/tasks')
    const row = rowOf(page, 'Call the notary')
    const due = await row.locator('.due').boundingBox()
    assert.ok(due)
    await page.mouse.click(due.x + 4, due.y + 4, { button: 'right' })
    await page.getByRole('menu', { name: 'More for Call the notary' }).waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('link').click({ button: 'right' })
    await row.getByRole('link').focus()
    assert.equal(await page.getByRole('menu').count(), 0)
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    await settled(page)
    assert.equal((await ana.call('GET', `/api/v1/tasks/${id}`)).status, 404)
    await page.context().close()
  })
})
