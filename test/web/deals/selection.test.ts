import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// What is done with several cards of the board at once.

const MANY = 36

describe('selected deals on the board', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let scheduler: Scheduler
  let ticking: ReturnType<typeof setInterval>
  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    for (let index = 0; index < MANY; index++) await server.newId('/deals', { title: `Rollout ${index}`, amount: 100 })
    // Changes of many records are jobs, which the clock of a test server would never start by itself.
    const { store, deps } = server
    scheduler = startScheduler({ store, log: silentLog, kinds: bulkKinds(deps), recurring: [], afterJump: [] })
    ticking = setInterval(() => void scheduler.tick(), 50)
    browser = await startChromium()
  })
  after(async () => {
    clearInterval(ticking)
    await scheduler?.stop()
    await browser?.close()
    await server?.stop()
  })

  const countIn = async (stage: string): Promise<number> =>
    (await server.getRecord(`/deals?limit=100&stage=${server.stageIds[stage]}`)).data.length
  const column = (page: Page, stage: string) => page.locator(`[data-stage="${server.stageIds[stage]}"]`)
  const bar = (page: Page) => page.getByRole('toolbar', { name: 'Change the selected deals' })

  async function selectFirst(page: Page, stage: string, count: number): Promise<void> {
    await column(page, stage).locator('[data-card] a').first().focus()
    await page.keyboard.press('x')
    for (let step = 1; step < count; step++) {
      await page.keyboard.press('Shift+J')
      await bar(page)
        .getByText(`${step + 1} selected`)
        .waitFor()
    }
  }

  test('a dragged card takes the selection along', async () => {
    const { page, context } = await openBoard(browser, server)
    await page.waitForSelector('[data-card][draggable=true]')
    await selectFirst(page, 'lead', 3)
    await column(page, 'lead').locator('[data-card]').nth(1).hover()
    await page.mouse.down()
    const to = await column(page, 'demo').boundingBox()
    assert.ok(to)
    await page.mouse.move(to.x + 60, to.y + 300, { steps: 12 })
    await page.locator('.in-hand .taken').getByText('3').waitFor()
    assert.equal(await column(page, 'lead').locator('.card.is-gone').count(), 3)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/drag.png` })
    await page.mouse.up()
    await becomes(() => countIn('demo'), 3)
    await page.getByRole('button', { name: /Undo/ }).click()
    await becomes(() => countIn('demo'), 0)
    await context.close()
  })

  for (const [shape, path] of [
    ['board', '/deals'],
    ['table', '/deals?shape=table'],
  ] as const) {
    test(`Shift J and K select on beyond what is in view, ${shape}`, async () => {
      const { page, context } = await openBoard(browser, server, { path })
      const rows = shape === 'board' ? column(page, 'lead').locator('[data-card] a') : page.getByRole('rowheader')
      const selected = (count: number) => page.getByText(`${count} selected`, { exact: true }).first()
      const isFocused = (row: number) =>
        page.waitForFunction(
          (wanted) => document.activeElement?.closest('[data-row]')?.getAttribute('data-row') === wanted,
          String(row),
        )
      await rows.first().waitFor()
      await rows.first().focus()
      for (let count = 2; count <= MANY; count++) {
        await page.keyboard.press('Shift+J')
        await selected(count).waitFor()
      }
      await isFocused(MANY - 1)
      await page.keyboard.press('Escape')
      await selected(MANY).waitFor({ state: 'detached' })
      for (let count = 1; count < MANY; count++) await page.keyboard.press('Shift+K')
      await selected(MANY).waitFor()
      await isFocused(0)
      await context.close()
    })
  }

  test('more than twenty are changed in one step, which one undo takes back', async () => {
    const { page, context } = await openBoard(browser, server)
    const writes: string[] = []
    page.on('request', (request) => {
      if (['PATCH', 'POST'].includes(request.method()))
        writes.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    await page.locator('[data-card]').first().waitFor()
    await page.locator('[data-card]').first().waitFor()
    await column(page, 'lead').getByRole('button', { name: 'Lead in', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Select all' }).click()
    await bar(page).getByRole('button', { name: 'Stage' }).click()
    await page.getByRole('menuitemradio', { name: 'Qualified' }).click()
    await page.getByText(`${MANY} deals moved to Qualified`).first().waitFor()
    assert.equal(await countIn('qualified'), MANY)
    await page.getByRole('button', { name: /Undo/ }).click()
    await becomes(() => countIn('qualified'), 0)
    await page.getByText('Taken back').first().waitFor()
    await bar(page).getByRole('button', { name: 'Stage' }).click()
    await page.getByRole('menuitem', { name: /lost/i }).click()
    await page.getByRole('menuitem', { name: 'No answer' }).click()
    await page.getByText(`${MANY} deals closed as lost`).first().waitFor()
    assert.equal(await countIn('lead'), 0)
    await column(page, 'lead').locator('[data-card]').first().waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /Undo/ }).last().click()
    await becomes(() => countIn('lead'), MANY)
    await column(page, 'lead').locator('[data-card]').first().waitFor()
    assert.equal(writes.filter((write) => write.endsWith('/app/bulk')).length, 2)
    assert.deepEqual(
      writes.filter((write) => /\/deals\//.test(write)),
      [],
    )
    await context.close()
  })
})
