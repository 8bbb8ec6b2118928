import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// Board and table are two shapes of one view.

const CURRENCIES = ['USD', 'SEK', 'PLN', 'HUF']

describe('deals as a table', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let kept: Page
  before(async () => {
    server = await startKitBoard()
    for (const currency of CURRENCIES)
      await server.newId('/deals', { title: `Priced in ${currency}`, amount: 1_250_000, currency })
    browser = await startChromium()
    kept = (await openBoard(browser, server, { path: '/nowhere' })).page
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function goTo(path: string): Promise<Page> {
    await kept.goto(server.url + path)
    return kept
  }
  const table = (page: Page) => page.getByRole('grid')
  const shapeOf = (page: Page, name: 'Board' | 'Table') =>
    page
      .getByRole('radiogroup', { name: 'Show as' })
      .or(page.getByRole('group', { name: 'Show as' }))
      .getByText(name)
  /** What has no room in the bar, or is not counted among the sums that have none. */
  async function wrongIn(page: Page, width: number): Promise<string[]> {
    const { isCut, right, over, sums, more } = await page.evaluate(() => {
      const box = (name: string) => (document.querySelector(name) as Element).getBoundingClientRect()
      const title = document.querySelector('.bar h1') as HTMLElement
      const bar = document.querySelector('.sumbar') as HTMLElement
      const shown = [...bar.children].filter((child) => !(child as HTMLElement).hidden)
      return {
        isCut: title.scrollWidth > title.clientWidth,
        right: innerWidth - box('.bar .ends .btn.first').right,
        over: bar.scrollWidth - bar.clientWidth,
        sums: bar.querySelectorAll('[data-fit]:not([hidden]) .money').length,
        more: shown.at(-1)?.textContent,
      }
    })
    const wrong = {
      'the title is cut': isCut,
      'a button is outside': right < 0,
      'the sums reach over': over > 0,
      [`${more} stands for ${8 - sums} sums`]: sums < 8 && more !== `+${8 - sums}`,
      'a wide bar has one sum': width === 1440 && sums <= 1,
    }
    return Object.entries(wrong).flatMap(([what, is]) => (is ? [`${what} at ${width} of ${page.url()}`] : []))
  }
  const cards = (page: Page) => page.locator('[data-card]')

  test('switching keeps filter, search and pipeline, and a view remembers its shape', async () => {
    const page = await goTo(`/deals?owner_id.in=${server.members.JL}&days_in_stage.gte=3&q=sensors`)
    await cards(page).first().waitFor()
    const count = await cards(page).count()
    assert.ok(count > 1)
    await shapeOf(page, 'Table').click()
    await table(page).waitFor()
    assert.match(page.url(), /owner_id\.in=.*days_in_stage\.gte=3.*q=sensors/)
    await page.getByText(new RegExp(`^${count} of`)).waitFor()
    assert.equal(await page.locator('.filters .chip').count(), 2)
    await page.getByRole('button', { name: 'Save as view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine, long here')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\?view=[^&]+$/)
    await table(page).waitFor()
    await shapeOf(page, 'Board').click()
    await cards(page).first().waitFor()
    await page.getByText('View changed').waitFor()
    assert.equal(await cards(page).count(), count)
    await shapeOf(page, 'Table').click()
    await table(page).waitFor()
    await page.waitForURL(/\?view=[^&]+$/)
    assert.equal(await page.getByText('View changed').count(), 0)
    await shapeOf(page, 'Board').click()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.waitForURL(/\?view=[^&]+$/)
    await page.reload()
    await cards(page).first().waitFor()
  })

  test('a sort means the same in both shapes, and stays where the other has none', async () => {
    const page = await goTo('/deals')
    const amountHead = () => page.getByRole('columnheader', { name: 'Amount' })
    const titles = (stage: string) =>
      page.locator(`[data-stage="${server.stageIds[stage]}"] [data-card] a`).allTextContents()
    await cards(page).first().waitFor()
    const usual = await titles('lead')
    await page.getByRole('button', { name: 'Next task first' }).click()
    await page.getByRole('menuitemradio', { name: 'Highest amount first' }).click()
    await page.getByRole('button', { name: 'Highest amount first' }).waitFor()
    const highest = await titles('lead')
    assert.notDeepEqual(highest, usual)
    await shapeOf(page, 'Table').click()
    const { data } = await server.getRecord('/deals?sort=-amount&status=open&limit=1')
    await page.getByRole('rowheader').first().getByText(data[0].title).waitFor()
    assert.equal(await amountHead().getAttribute('aria-sort'), 'descending')
    await page.goto(`${server.url}/deals?shape=table&sort=amount&currency.eq=EUR`)
    await page.getByRole('rowheader').first().waitFor()
    assert.equal(await amountHead().getAttribute('aria-sort'), 'ascending')
    await shapeOf(page, 'Board').click()
    await page.getByRole('button', { name: 'Next task first' }).waitFor()
    await shapeOf(page, 'Table').click()
    await table(page).waitFor()
    assert.equal(await amountHead().getAttribute('aria-sort'), 'ascending')
    // Back and forth: the commands of both shapes are never there together.
    for (const shape of ['Board', 'Table', 'Board', 'Table'] as const) {
      await shapeOf(page, shape).click()
      await (shape === 'Board' ? cards(page).first() : page.getByRole('rowheader').first()).waitFor()
    }
  })

  test('the foot and "nothing fits" count the open deals of the pipeline, and the sum is exact', async () => {
    const { data: stages } = await server.getRecord('/stages?limit=100')
    const { pipeline_id } = stages.find((each: Row) => each.name === 'Due')
    await server.newId('/deals', { title: 'Of the other pipeline', pipeline_id, amount: 5, currency: 'EUR' })
    await server.patchRecord(`/deals/${server.deals['Wind tunnel probes'].id}`, { amount: 29_600.55 })
    const page = await goTo('/deals?days_in_stage.gte=2')
    await cards(page).first().waitFor()
    const here = await cards(page).count()
    const sum = (await page.locator('.sumbar .money').first().textContent())?.replace('EUR', '')
    assert.match(sum ?? '', /\.55$/)
    await shapeOf(page, 'Table').click()
    const foot = page.locator('.tfoot')
    await foot.getByText(`${here} of 30 deals`).waitFor()
    assert.equal((await foot.locator('.sum').first().textContent())?.replace(/EUR\s*/, ''), sum)
    await page.goto(`${server.url}/deals?shape=table&days_in_stage.gte=2&title.contains=zzz`)
    await page.getByText('No deal fits').waitFor()
    await page.getByText(`there would be ${here}.`).waitFor()
  })

  test('makes a deal in the form of the board, and says what only the board filters by', async () => {
    const page = await goTo('/deals?shape=table&next_step.in=late')
    await table(page).waitFor()
    await page.getByText('The next step is a filter of the board only').waitFor()
    await page.goto(`${server.url}/deals?shape=table&title.contains=turbine`)
    await page.getByRole('button', { name: 'Clear all' }).first().waitFor()
    await page
      .getByRole('banner')
      .or(page.locator('.bar'))
      .getByRole('button', { name: /New deal/ })
      .first()
      .click()
    const form = page.getByRole('dialog', { name: 'New deal' })
    await form.getByRole('textbox', { name: 'Title' }).fill('Turbine inspection')
    await page.keyboard.press('Enter')
    await form.getByRole('textbox', { name: 'Title' }).waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await table(page).getByText('Turbine inspection').waitFor()
  })

  test('has no finding of axe, and room for its title and buttons', async () => {
    const page = await goTo('/deals?shape=table')
    await table(page).getByText('Wind tunnel probes').first().waitFor()
    await assertAccessible(page)
    for (const path of ['/deals', '/deals?shape=table']) {
      await page.setViewportSize({ width: 1440, height: 900 })
      await page.goto(server.url + path)
      await page.locator('.sumbar').getByText('30 open').or(page.locator('.more-sums')).first().waitFor()
      for (const width of [1440, 1180, 1024, 768]) {
        await page.setViewportSize({ width, height: 900 })
        await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
        // What fits is measured once more.
        await becomes(() => wrongIn(page, width), [])
      }
    }
    await page.locator('.sumbar .more-sums').click()
    assert.equal(await page.getByRole('dialog', { name: 'Sums of the open deals' }).getByRole('listitem').count(), 8)
  })

  test('a phone has shape, order and views in a menu of large targets', async () => {
    const { page, context } = await openBoard(browser, server, { width: 390, height: 844, touch: true })
    await cards(page).first().waitFor()
    await page.getByRole('button', { name: 'Order and views' }).click()
    const item = page
      .getByRole('menuitemradio', { name: 'Highest amount first' })
      .or(page.getByRole('menuitemcheckbox', { name: 'Highest amount first' }))
    await item.waitFor()
    for (const one of await page.locator('[role^=menuitem]').all())
      assert.ok(((await one.boundingBox())?.height ?? 0) >= 44, String(await one.textContent()))
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone-menu.png` })
    await item.click()
    await page.waitForURL(/sort=-amount/)
    await page.getByRole('heading', { name: 'Deals', exact: true }).waitFor()
    const pick = async (name: string) => {
      await page.getByRole('button', { name: 'Order and views' }).click()
      await page.getByRole('menuitem', { name, exact: true }).click()
    }
    await pick('Save as view')
    const form = page.getByRole('dialog')
    await form.getByRole('textbox', { name: 'Name' }).fill('Large first')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\?view=[^&]+$/)
    const view = () =>
      server.store.db
        .prepare(
          `SELECT name, (SELECT count(*) FROM preferences WHERE instr(body, views.id)) AS is_pinned
           FROM views WHERE name LIKE 'Large%'`,
        )
        .get() as Row | undefined
    await form.waitFor({ state: 'detached' })
    await pick('Pin in the side bar')
    await pick('Rename or share')
    await form.getByRole('textbox', { name: 'Name' }).fill('Largest first')
    await page.keyboard.press('Enter')
    await page.getByText('View Largest first saved').first().waitFor()
    assert.deepEqual(view(), { name: 'Largest first', is_pinned: 1 })
    await form.waitFor({ state: 'detached' })
    await pick('Delete view')
    await page.getByText('View Largest first deleted').first().waitFor()
    assert.equal(view(), undefined)
    await context.close()
  })
})
