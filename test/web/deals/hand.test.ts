import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import type { SignedIn } from '../../support/screens.ts'
import { becomes } from '../../support/until.ts'
import { type Opened, openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// A card is in the hand while a colleague changes the same deal: whoever drops it has seen that, and is asked.

const TITLE = 'Spindle monitoring retrofit'

describe('a card in the hand', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let ana: SignedIn
  let opened: Opened

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
    ana = await server.screens.signedIn({ id: server.members.AK as string })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })
  afterEach(async () => {
    await opened.context.close()
  })

  const open = async (options: Parameters<typeof openBoard>[2] = {}): Promise<Page> => {
    opened = await openBoard(browser, server, options)
    await opened.page.waitForSelector('[data-card][draggable=true]')
    return opened.page
  }
  const idOf = (title: string): string => server.deals[title].id
  const card = (page: Page, title: string): Locator => page.locator('[data-card]', { hasText: title })
  const byAna = async (title: string, change: Record<string, unknown>) => {
    const { status } = await ana.call('PATCH', `/api/v1/deals/${idOf(title)}`, change)
    assert.equal(status, 200)
  }
  const dealOf = (title: string) => server.getRecord(`/deals/${idOf(title)}`)
  async function grab(page: Page, title: string, to: string): Promise<void> {
    await card(page, title).hover()
    await page.mouse.down()
    const box = await page.locator(to).boundingBox()
    assert.ok(box)
    await page.mouse.move(box.x + 20, box.y + 300, { steps: 12 })
    await page.locator('.in-hand').waitFor()
  }
  const stage = (name: string): string => `[data-stage="${server.stageIds[name]}"]`
  const dialog = (page: Page) => page.getByRole('alertdialog')
  const stageNow = async (title: string) => {
    const { stage, status } = await dealOf(title)
    return status === 'open' ? Object.entries(server.stageIds).find(([, id]) => id === stage)?.[0] : status
  }

  test('that a colleague moves says so before the drop, which asks and leaves hers where she put it', async () => {
    const page = await open()
    await grab(page, TITLE, stage('demo'))
    await byAna(TITLE, { stage: server.stageIds.negotiation })
    await page.locator('.in-hand', { hasText: 'Ana Kovačević moved it from Qualified to Negotiation' }).waitFor()
    await page.mouse.up()
    await dialog(page).getByText('You chose Demo held.').waitFor()
    assert.match(await dialog(page).innerText(), /Ana Kovačević moved it from Qualified to Negotiation/)
    await dialog(page).getByRole('button', { name: 'Leave as it is' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    assert.equal(await stageNow(TITLE), 'negotiation')
    assert.equal(await page.locator('.in-hand').count(), 0)

    await grab(page, TITLE, stage('demo'))
    await byAna(TITLE, { stage: server.stageIds.proposal })
    await page.locator('.in-hand', { hasText: 'to Proposal sent' }).waitFor()
    await page.mouse.up()
    await dialog(page).getByRole('button', { name: 'Move to Demo held' }).click()
    await becomes(() => stageNow(TITLE), 'demo')
    await byAna(TITLE, { stage: server.stageIds.qualified })
  })

  test('that a colleague edits shows both values, also where keys lift it', async () => {
    const page = await open()
    const { amount } = await dealOf(TITLE)
    await card(page, TITLE).getByRole('link').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    await byAna(TITLE, { amount: 90_000 })
    await card(page, TITLE).getByText('changed its amount').waitFor()
    await page.locator('[role=status]', { hasText: 'changed its amount' }).first().waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    const text = (await dialog(page).innerText()).replaceAll('\u00a0', ' ')
    assert.match(text, /amount: EUR 48,500 → EUR 90,000/)
    await page.keyboard.press('Escape')
    assert.equal(await stageNow(TITLE), 'qualified')
    await byAna(TITLE, { amount })
  })

  test('that a colleague closes is neither moved nor closed again, and that is said', async () => {
    const page = await open()
    const { data } = await server.getRecord('/close-reasons')
    const reason_id = data.find((each: { outcome: string }) => each.outcome === 'lost').id
    for (const [title, to] of [
      ['Wind tunnel probes', stage('demo')],
      ['Gas detection, tank farm', '[data-end=won]'],
    ] as const) {
      await grab(page, title, to)
      assert.equal((await ana.call('POST', `/api/v1/deals/${idOf(title)}/close`, { reason_id })).status, 200)
      await page.locator('.in-hand', { hasText: 'Ana Kovačević closed it as lost' }).waitFor()
      await page.mouse.up()
      await page.getByText(`${title} stays as it is. Ana Kovačević closed it as lost.`).first().waitFor()
      assert.equal(await page.getByRole('menu').count(), 0)
      assert.equal(await stageNow(title), 'lost')
    }
  })

  test('asks as well where a menu stood open meanwhile, and not where nothing has changed or both moved alike', async () => {
    const page = await open()
    await card(page, TITLE).getByRole('link').focus()
    await page.keyboard.press('s')
    await byAna(TITLE, { stage: server.stageIds.lead })
    const isThere = page.locator(`${stage('lead')} [data-card="${idOf(TITLE)}"]`)
    await isThere.or(page.getByText('Moved to Lead in')).first().waitFor()
    await page.getByRole('menu').getByText('Demo held').click()
    await dialog(page).getByRole('button', { name: 'Move to Demo held' }).click()
    await becomes(() => stageNow(TITLE), 'demo')

    await grab(page, TITLE, stage('negotiation'))
    await byAna(TITLE, { stage: server.stageIds.negotiation })
    await page.locator('.in-hand .clash').waitFor()
    await page.mouse.up()
    await page.locator('.in-hand').waitFor({ state: 'detached' })
    assert.equal(await dialog(page).count(), 0)
    assert.equal(await stageNow(TITLE), 'negotiation')

    await grab(page, TITLE, stage('demo'))
    await page.mouse.up()
    await becomes(() => stageNow(TITLE), 'demo')
    assert.equal(await dialog(page).count(), 0)
  })
})
