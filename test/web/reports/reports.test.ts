import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'

// The screens of reports: what is drawn, the table, and the list behind each figure.

describe('reports', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let viewer: SignedIn
  let german: SignedIn
  const { newDeal, patchRecord } = recordsOf(() => server)

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    viewer = await screens.signedIn('viewer')
    german = await screens.signedIn('viewer')
    await german.call('PATCH', '/app/preferences', { language: 'de' })
    const { a, call } = server
    const close = (id: string, reason_id: string) => call('POST', `/deals/${id}/close`, { reason_id })
    for (const [amount, currency] of [
      [92_000, 'EUR'],
      [0.1, 'EUR'],
      [0.2, 'EUR'],
      [700, 'USD'],
    ] as const)
      await close((await newDeal({ title: `Won ${amount}`, amount, currency, owner_id: a.owner })).id, a.reasons.won)
    await close((await newDeal({ title: 'Lost one' })).id, a.reasons.lost)
    await newDeal({ title: 'Overdue', amount: 5, currency: 'EUR', expected_close_date: '2020-02-03' })
    const moved = await newDeal({ title: '=Undated', amount: 7, currency: 'CHF' })
    await patchRecord(`/deals/${moved.id}`, { stage: a.stages.demo })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const open = (path: string, options = {}, who = viewer): Promise<Page> =>
    openPage(browser, screens, who, path, options)
  const table = (page: Page, part: string) => page.getByRole('region', { name: part }).locator('table').first()

  test('stand in the menu, with their first figures, and lead to each of them', async () => {
    const page = await open('/deals')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Reports' }).click()
    await page.getByText('4 won, 1 lost').waitFor()
    await page.getByText('2 open deals').waitFor()
    assert.equal(await page.locator('.tile').count(), 4)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Forecast', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Forecast' }).waitFor()
    await page.getByText('Days and months begin in Europe/Berlin').waitFor()
    assert.equal(new URL(page.url()).pathname, '/reports/forecast')
  })

  test('open the list behind a bar by keyboard, with its count and its exact sums', async () => {
    const page = await open('/reports/won-lost')
    const last = page.locator('.rc-bar').last()
    await last.waitFor()
    await last.focus()
    await page.keyboard.press('Enter')
    const list = page.locator('.rl-behind')
    await list.getByText('5 deals').waitFor()
    assert.deepEqual(await list.locator('tfoot .money').allInnerTexts(), ['EUR92,000.30', 'USD700'])
    assert.equal(await list.locator('tbody tr').count(), 5)
    await list.getByText('1 deal without an amount').waitFor()
    await assertAccessible(page)
    // The address is the list: in another browser, whatever its zone, it shows the same.
    const far = await open(new URL(page.url()).pathname + new URL(page.url()).search, {
      timezoneId: 'Pacific/Auckland',
    })
    await far.locator('.rl-behind').getByText('5 deals').waitFor()
    assert.deepEqual(await far.locator('.rc-name').allInnerTexts(), await page.locator('.rc-name').allInnerTexts())
    await list.getByTitle('Close the list').click()
    await list.waitFor({ state: 'detached' })
    await page.goBack()
    await list.getByText('5 deals').waitFor()
  })

  test('say how each figure is made, and count one series', async () => {
    const page = await open('/reports/won-lost')
    const reasons = page.getByRole('region', { name: 'Reasons' }).first()
    await reasons.getByText('How this is made').click()
    await reasons.getByText('by the reason that was given').waitFor()
    await table(page, 'Reasons').getByRole('link', { name: 'price, Lost: 1' }).click()
    await page.locator('.rl-behind').getByRole('link', { name: 'Lost one' }).click()
    await page.getByRole('heading', { level: 1, name: 'Lost one' }).waitFor()
  })

  test('put a date that has passed and none into bars of their own', async () => {
    const page = await open('/reports/forecast')
    const rows = table(page, 'By expected close')
    await rows.getByRole('link', { name: 'Date has passed, Deals: 1' }).waitFor()
    await rows.getByRole('link', { name: 'No date, Deals: 1' }).click()
    await page.locator('.rl-behind').getByRole('link', { name: '=Undated' }).waitFor()
    await page.getByRole('combobox', { name: 'Drawn as' }).selectOption('CHF')
    await becomes(() => new URL(page.url()).searchParams.get('drawn'), 'CHF')
    assert.equal(new URL(page.url()).searchParams.get('bar'), 'none')
  })

  test('are filtered by the address, and give what they show as a file', async () => {
    const page = await open('/reports/funnel')
    await page.getByText('7 deals created').waitFor()
    await page.getByRole('button', { name: 'Owner: All owners' }).click()
    await page.getByRole('checkbox', { name: 'Nobody' }).click()
    await page.getByText('3 deals created').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('owner_id'), 'none')
    await page.keyboard.press('Escape')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const lines = (await text(file)).split('\r\n')
    assert.equal(lines[0], '\ufeffStage,Deals,From before,Of all,Open,Lost')
    assert.equal(lines[1], 'qualified,3,100\u00a0%,100\u00a0%,2,1')
    await page.getByRole('link', { name: 'demo, Open: 1' }).click()
    const [behind] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export this list' }).click(),
    ])
    const rows = (await text(behind)).split('\r\n')
    assert.match(rows[1] as string, /^'=Undated,,\d{4}-\d\d-\d\dT[\d:.]+Z,CHF,7,20$/)
    assert.equal(behind.suggestedFilename(), 'demo, Open.csv')
  })

  test('say that nothing fits, that an address is wrong, and that it failed', async () => {
    const page = await open('/reports/won-lost?from=2020-01&to=2020-03')
    await page.getByRole('heading', { name: 'Nothing to count' }).waitFor()
    await page.getByRole('button', { name: 'Clear all filters' }).click()
    await page.getByText('4 won, 1 lost').waitFor()
    const unknown = await open('/reports/none')
    await unknown.getByRole('heading', { name: 'There is no such report' }).waitFor()
    const failing = await openPage(browser, screens, viewer, '/reports/won-lost?from=2020-13')
    await failing.getByRole('heading', { name: 'The report could not be made' }).waitFor()
    await assertAccessible(failing)
  })

  test('fit a phone, in German', async () => {
    const page = await open('/reports/won-lost', { size: 'phone' }, german)
    await page.getByText('4 gewonnen, 1 verloren').waitFor()
    await page.locator('.rc-bar').last().tap()
    await page.locator('.rl-behind').getByText('5 Deals').waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
    await assertAccessible(page)
  })

  test('are printed whole: figures, how they are made, and no controls', async () => {
    const page = await open('/reports/won-lost')
    await page.locator('.rc-bar').last().waitFor()
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.getByRole('button', { name: 'Export CSV' }).isVisible(), false)
    assert.equal(await page.locator('.rt').last().isVisible(), true)
    assert.equal(await page.locator('.how p').first().isVisible(), true)
  })
})

async function text(file: { createReadStream: () => Promise<AsyncIterable<Buffer>> }): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of await file.createReadStream()) parts.push(part)
  return Buffer.concat(parts).toString()
}
