import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// What can be done with deals in tables: the same as on cards, by menu, key and bar.

describe('deals in tables', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  const ids: Record<string, string> = {}
  let scheduler: Scheduler
  let ticking: ReturnType<typeof setInterval>

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    // Changes of many records are jobs, which the clock of a test server would never start by itself.
    const { store, deps } = server
    scheduler = startScheduler({ store, log: silentLog, kinds: bulkKinds(deps), recurring: [], afterJump: [] })
    ticking = setInterval(() => void scheduler.tick(), 50)
    browser = await startChromium()
    for (const [title, currency] of [
      ['One', 'EUR'],
      ['Two', 'EUR'],
      ['Three', 'USD'],
      ['Four', 'EUR'],
    ] as const)
      ids[title] = await server.newId('/deals', { title, amount: 100, currency })
  })
  after(async () => {
    clearInterval(ticking)
    await scheduler?.stop()
    await browser?.close()
    await server?.stop()
  })

  async function on(options: Parameters<typeof openBoard>[2], run: (page: Page) => Promise<void>): Promise<void> {
    const { page, context } = await openBoard(browser, server, options)
    try {
      await run(page)
    } finally {
      await context.close()
    }
  }
  const row = (page: Page, title: string): Locator =>
    page.locator('.tbl [data-id]', { has: page.locator('.td.name').getByText(title, { exact: true }) })
  const menu = (page: Page): Locator => page.getByRole('menu')
  const deal = (title: string) => server.getRecord(`/deals/${ids[title]}`)
  const select = async (page: Page, ...titles: string[]) => {
    for (const title of titles) await row(page, title).locator('.td.box').click()
  }

  test('a row has the menu of a card, and edits its cells beside', async () => {
    const items = async (page: Page, place: Locator) => {
      await place.click({ button: 'right' })
      await menu(page).getByRole('menuitem').first().waitFor()
      return (await menu(page).getByRole('menuitem').allInnerTexts()).map((text) => text.split('\n')[0] as string)
    }
    let ofCard: string[] = []
    await on({}, async (page) => {
      await page.locator('[data-card][draggable=true]').first().waitFor()
      ofCard = await items(page, page.locator('[data-card] .figures').first())
    })
    await on({ path: '/deals?shape=table' }, async (page) => {
      await row(page, 'One').waitFor()
      const ofRow = await items(page, row(page, 'One').locator('.td').nth(4))
      const words = [
        'Move the deal to a stage',
        'Set the amount',
        'Set the expected close',
        'Close as won',
        'Close as lost',
      ]
      for (const word of words) assert.ok(ofCard.includes(word) && ofRow.includes(word), `${word}: ${ofRow.join()}`)
      await menu(page)
        .getByRole('menuitem', { name: /Move the deal/ })
        .click()
      await menu(page).getByRole('menuitemradio', { name: 'Qualified' }).click()
      await page.locator('.toast', { hasText: 'One moved to Qualified' }).waitFor()
      await becomes(async () => (await deal('One')).stage, server.stageIds.qualified)
      await page.keyboard.press('z')
      await becomes(async () => (await deal('One')).stage, server.stageIds.lead)
    })
  })

  test('a selection has the keys of the board, and its bar shows them', async () => {
    await on({ path: '/deals?shape=table' }, async (page) => {
      await row(page, 'One').waitFor()
      await select(page, 'One', 'Three')
      const bar = page.locator('.bulk')
      await bar.waitFor()
      const keys = await bar
        .locator('button:has(.k)')
        .evaluateAll((buttons) =>
          buttons.map((each) => [each.getAttribute('data-popup'), each.querySelector('.k')?.textContent]),
        )
      const shown = Object.fromEntries(keys)
      assert.deepEqual(
        [shown.owner, shown.stage, shown.date, shown.won, shown.tags],
        ['A', 'S', 'D', 'W', 'T'],
        JSON.stringify(keys),
      )
      assert.ok(shown.lost)

      await page.keyboard.press('$')
      await page.getByRole('dialog', { name: 'Amount' }).getByRole('textbox').fill('250')
      await page.getByText('Without a currency, each deal keeps its own: EUR, USD.').waitFor()
      await page.keyboard.press('Enter')
      const price = async (title: string) => {
        const { amount, currency } = await deal(title)
        return `${currency} ${amount}`
      }
      await becomes(() => price('One'), 'EUR 250')
      await becomes(() => price('Three'), 'USD 250')

      await page.keyboard.press('d')
      await page.getByLabel('Expected close', { exact: true }).last().fill('2026-12-24')
      await page.keyboard.press('Enter')
      await becomes(async () => (await deal('Three')).expected_close_date, '2026-12-24')

      await page.keyboard.press('s')
      await menu(page).getByRole('menuitemradio', { name: 'Demo held' }).click()
      await becomes(async () => (await deal('Three')).stage, server.stageIds.demo)

      await page.keyboard.press('Shift+L')
      await menu(page).getByRole('menuitem', { name: 'Too expensive' }).click()
      await becomes(async () => [(await deal('One')).status, (await deal('Three')).status], ['lost', 'lost'])
      assert.equal((await deal('Two')).status, 'open')
      await page.keyboard.press('z')
      await becomes(async () => [(await deal('One')).status, (await deal('Three')).status], ['open', 'open'])
    })
  })

  test('all that match are moved by the server, and a list of other deals has the same bar', async () => {
    const filter = { field: 'currency', op: 'eq', value: 'EUR' }
    const path = `/lists/${await server.newId('/lists', { name: 'In euro', object: 'deal', kind: 'smart', filter })}`
    await on({ path }, async (page) => {
      await row(page, 'One').waitFor()
      await select(page, 'One')
      await page.getByRole('button', { name: 'All 3 that match' }).click()
      await page.locator('[data-popup=stage]').click()
      await menu(page).getByRole('menuitemradio', { name: 'Negotiation' }).click()
      for (const title of ['One', 'Two', 'Four'])
        await becomes(async () => (await deal(title)).stage, server.stageIds.negotiation)
      assert.notEqual((await deal('Three')).stage, server.stageIds.negotiation)
      await page.locator('[data-popup=won]').click()
      await menu(page).getByRole('menuitem', { name: 'Best fit' }).click()
      await becomes(async () => (await deal('Four')).status, 'won')
    })
  })

  test('what the server refuses of many is said for each in the language of the member', async () => {
    const priya = await server.screens.signedIn({ id: server.members.PR as string })
    await priya.call('PATCH', '/app/preferences', { language: 'de' })
    const filter = { field: 'currency', op: 'eq', value: 'EUR' }
    const path = `/lists/${await server.newId('/lists', { name: 'Euro', object: 'deal', kind: 'smart', filter })}`
    await on({ path, as: 'PR' }, async (page) => {
      await row(page, 'One').waitFor()
      await select(page, 'One')
      await page.getByRole('button', { name: 'Alle 3' }).click()
      await page.locator('[data-popup=stage]').click()
      await menu(page).getByRole('menuitemradio', { name: 'Qualified' }).click()
      await page.locator('.toast').getByRole('button', { name: 'Zeigen' }).click() // while it goes on, there is another one
      const reasons = page.locator('.failures')
      await reasons.waitFor()
      const said = await reasons.locator('.dim').allInnerTexts()
      assert.deepEqual(said, Array(3).fill('Der Deal ist abgeschlossen: öffne ihn erst wieder.'))
    })
  })
})
