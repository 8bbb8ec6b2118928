import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { browserCookie } from '../../support/screens.ts'
import { type KitBoard, NOW, startKitBoard } from '../deals/kit-board.ts'

const HOURS_MS = 5 * 60 * 60 * 1000

// One stack of what a member did: taken back by the button of its message, and by Z or Ctrl Z long after that.

describe('taking back', { skip: noBrowser }, () => {
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
  const saved = () => page.getByText('Everything saved').first().waitFor()

  /** The message of a change is gone, as after some seconds. */
  async function messageGone(): Promise<void> {
    await saved()
    await page.clock.runFor(10_000)
    await page.locator('.toast').waitFor({ state: 'detached' })
  }

  async function setAmount(amount: string, shown: string): Promise<void> {
    await card().getByRole('link').first().focus()
    await page.keyboard.press('$')
    await page.locator('input:focus').waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(amount)
    await page.keyboard.press('Enter')
    await card().getByText(shown).waitFor()
  }

  /** Returns what the server answered. */
  async function takenBack(press: () => Promise<unknown>): Promise<number> {
    const answer = page.waitForResponse((response) => response.url().endsWith('/undo'))
    await press()
    return (await answer).status()
  }
  const ctrlZ = () => takenBack(() => page.keyboard.press('Control+z'))
  const button = () => takenBack(() => page.locator('.toast').getByRole('button', { name: 'Undo' }).click())

  test('by Ctrl Z when its message is gone, with its name, and leaves what a colleague has done', async () => {
    const before = await deal()
    await setAmount('77000', '77,000')
    await messageGone()
    await server.patchRecord(place, { expected_close_date: '2027-03-01' })
    assert.equal(await ctrlZ(), 200)
    await toast(`Taken back: Amount of “${TITLE}”`).waitFor()
    const { amount, expected_close_date } = await deal()
    assert.deepEqual([amount, expected_close_date], [before.amount, '2027-03-01'])
    await card().getByText('77,000').waitFor({ state: 'detached' })
  })

  test('and is done again by the button of that message', async () => {
    assert.equal(await takenBack(() => page.getByRole('button', { name: 'Redo' }).click()), 200)
    await toast(`Done again: Amount of “${TITLE}”`).waitFor()
    assert.equal((await deal()).amount, 77_000)
    await page.clock.runFor(10_000)
    assert.equal(await ctrlZ(), 200)
    await toast('Taken back: Amount').waitFor()
  })

  test('opens a deal that was closed, by the button of the message, with the clock of its stage', async () => {
    const before = await deal()
    await card().getByRole('link').first().focus()
    await page.keyboard.press('Shift+L')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('Enter')
    await saved()
    assert.equal((await deal()).status, 'lost')
    server.advance(5000)
    assert.equal(await button(), 200)
    await toast(`Taken back: Closing of “${TITLE}”`).waitFor()
    const { status, stage, stage_changed_at } = await deal()
    assert.deepEqual([status, stage, stage_changed_at], ['open', before.stage, before.stage_changed_at])
    await card().waitFor()
  })

  test('a move by the button of its message does not overwrite a colleague, who is named', async () => {
    await card().getByRole('link').first().focus()
    await page.keyboard.press('s')
    await page.getByRole('menuitemradio', { name: 'Lead in' }).click()
    await saved()
    const moved = (await deal()).stage
    const theirs = Object.values(server.stageIds).findLast((id) => id !== moved) as string
    await server.patchRecord(place, { stage: theirs })
    assert.equal(await button(), 409)
    await toast(`has changed Stage of “${TITLE}” since`).waitFor()
    assert.equal((await deal()).stage, theirs)
    await toast('Not taken back').getByRole('button', { name: 'Close' }).click()
  })

  test('refuses what a colleague has changed since, says so, and the next Z goes on with what was before', async () => {
    await setAmount('81000', '81,000')
    await messageGone()
    await server.patchRecord(place, { amount: 92_000 })
    await card().getByText('92,000').waitFor()
    assert.equal(await ctrlZ(), 409)
    await toast(`has changed Amount of “${TITLE}” since`).waitFor()
    await page.clock.runFor(60_000)
    assert.equal(await toast('Not taken back').count(), 1, 'it stays until it is closed')
    assert.equal((await deal()).amount, 92_000)
    await toast('Not taken back').getByRole('button', { name: 'Close' }).click()
  })

  test('of many deals at once by Z, long after, and not the change before them', async () => {
    await setAmount('93000', '93,000')
    await messageGone()
    const ids = Object.values<{ id: string; owner_id?: string }>(server.deals).flatMap(({ id, owner_id }) =>
      owner_id === server.members.PR ? [id] : [],
    )
    const owners = () =>
      Promise.all(ids.slice(0, 3).map(async (id) => (await server.getRecord(`/deals/${id}`)).owner_id))
    const before = await owners()
    for (const id of ids.slice(0, 3)) {
      await page.locator(`[data-card="${id}"]`).getByRole('link').first().focus()
      await page.keyboard.press('x')
    }
    await page.keyboard.press('a')
    await page.getByRole('option', { name: 'Mateo' }).click()
    await messageGone()
    await page.keyboard.press('Escape') // the selection
    assert.notDeepEqual(await owners(), before)
    assert.equal(await ctrlZ(), 200)
    await toast('Taken back: Owner of 3 deals').waitFor()
    assert.deepEqual(await owners(), before)
    assert.equal((await deal()).amount, 93_000)
    await page.clock.runFor(10_000)
    await page.locator('.toast').waitFor({ state: 'detached' })
    assert.equal(await ctrlZ(), 200)
    await toast(`Taken back: Amount of “${TITLE}”`).waitFor()
  })

  test('asks before it takes back what is hours old', async () => {
    await setAmount('94000', '94,000')
    await messageGone()
    server.advance(HOURS_MS)
    await page.clock.fastForward(HOURS_MS)
    await page.keyboard.press('Control+z')
    await toast('Your last change was').waitFor()
    assert.equal((await deal()).amount, 94_000)
    assert.equal(await ctrlZ(), 200)
    assert.notEqual((await deal()).amount, 94_000)
  })

  test('goes on after a reload, until nothing is left', async () => {
    await setAmount('95000', '95,000')
    await messageGone()
    await page.reload()
    await card().waitFor()
    assert.equal(await ctrlZ(), 200)
    await toast(`Taken back: Amount of “${TITLE}”`).waitFor()
  })
})
