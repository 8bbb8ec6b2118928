import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { browserCookie } from '../../support/screens.ts'
import { type KitBoard, NOW, startKitBoard } from '../deals/kit-board.ts'

// Taking back by Ctrl Z what no message offers to take back any more: the newest change of one's own on this page.

describe('Ctrl Z', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let page: Page
  const TITLE = 'Pressure test stand'
  let place: string
  const deal = () => server.getRecord(place)

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
    place = `/deals/${server.deals[TITLE].id}`
    const { cookie } = await server.screens.signedIn({ id: server.members.AK as string })
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await context.addCookies([browserCookie(cookie, server.url)])
    page = await context.newPage()
    page.setDefaultTimeout(240_000)
    await page.clock.install({ time: NOW })
    await page.goto(`${server.url}/deals`)
    await card().waitFor()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const card = () => page.locator('[data-card]', { hasText: TITLE })
  const toast = (text: string) => page.locator('.toast', { hasText: text })

  async function setAmount(amount: string, shown: string): Promise<void> {
    await card().getByRole('link').first().focus()
    await page.keyboard.press('$')
    await page.locator('input:focus').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(amount)
    await page.keyboard.press('Enter')
    await card().getByText(shown).waitFor()
    await page.getByText('Everything saved').first().waitFor()
    await page.clock.runFor(10_000)
    await page.locator('.toast').waitFor({ state: 'detached' })
  }

  /** Returns what the server answered. */
  async function takeBack(): Promise<{ status: number }> {
    const answer = page.waitForResponse((response) => response.url().endsWith('/app/undo'))
    await page.keyboard.press('Control+z')
    return { status: (await answer).status() }
  }

  test('takes back the newest change when its message is gone, and leaves what a colleague has done', async () => {
    const before = await deal()
    await setAmount('77000', '77,000')
    await server.patchRecord(place, { expected_close_date: '2027-03-01' })
    assert.equal((await takeBack()).status, 200)
    await toast('Taken back').waitFor()
    const { amount, expected_close_date } = await deal()
    assert.deepEqual([amount, expected_close_date], [before.amount, '2027-03-01'])
    await card().getByText('77,000').waitFor({ state: 'detached' })
  })

  test('opens a deal that was closed, when its message is gone', async () => {
    const { stage } = await deal()
    await card().getByRole('link').first().focus()
    await page.keyboard.press('Shift+L')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).waitFor()
    await page.getByText('Everything saved').first().waitFor()
    await page.clock.runFor(10_000)
    await page.locator('.toast').waitFor({ state: 'detached' })
    assert.equal((await deal()).status, 'lost')
    assert.equal((await takeBack()).status, 200)
    const { status, stage: now } = await deal()
    assert.deepEqual([status, now], ['open', stage])
    await card().waitFor()
  })

  test('refuses what a colleague has changed since, says so, and leaves it', async () => {
    await setAmount('81000', '81,000')
    await server.patchRecord(place, { amount: 92_000 })
    await card().getByText('92,000').waitFor()
    assert.equal((await takeBack()).status, 409)
    await toast('Not taken back: somebody has changed the same again since.').waitFor()
    await page.clock.runFor(60_000)
    assert.equal(await toast('Not taken back').count(), 1, 'it stays until it is closed')
    assert.equal((await deal()).amount, 92_000)
    await toast('Not taken back').getByRole('button', { name: 'Close' }).click()
  })

  test('says that there is nothing left', async () => {
    await page.keyboard.press('Control+z')
    await toast('Nothing of yours to take back on this page').waitFor()
  })
})
