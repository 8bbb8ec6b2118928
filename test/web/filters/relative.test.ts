import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { browserCookie } from '../../support/screens.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from '../deals/board-page.ts'
import { type KitBoard, startKitBoard } from '../deals/kit-board.ts'

// "Me" and "this quarter" in the filter bar, in views and in smart lists: on Tuesday, 24 November 2026, in Berlin.

describe('relative filters on the screens', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    const { JL, AK } = server.members
    for (const [title, owner_id, expected_close_date] of [
      ['Jonas in November', JL, '2026-11-30'],
      ['Jonas in December', JL, '2026-12-31'],
      ['Jonas next year', JL, '2027-01-01'],
      ['Ana in October', AK, '2026-10-01'],
      ['Ana last quarter', AK, '2026-09-30'],
      ['Ana without a day', AK, null],
      ['Nobody', null, '2026-11-24'],
    ])
      await server.newRecord('/deals', {
        ...{ title, owner_id, expected_close_date, amount: 1000, currency: 'EUR' },
      })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Opens a page for the time of a test, in which nothing may fail. */
  async function on(options: Parameters<typeof openBoard>[2], run: (page: Page) => Promise<void>): Promise<void> {
    const { page, context } = await openBoard(browser, server, options)
    try {
      await run(page)
    } finally {
      await context.close()
    }
  }
  const cards = (page: Page) => async () => (await page.locator('[data-card] h3').allTextContents()).toSorted()
  const count = (page: Page) => () => page.locator('.tbl [data-id]').count()
  const chips = (page: Page) => async () =>
    (await page.locator('.filters .chip').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  const JONAS = ['Jonas in December', 'Jonas in November', 'Jonas next year']
  const ANA = ['Ana in October', 'Ana last quarter', 'Ana without a day']

  test('a shared view of "my deals" shows everybody their own, and stays as it is for its maker', async () => {
    await on({}, async (page) => {
      await page.locator('[data-card]').first().waitFor()
      await page.keyboard.press('m')
      await page.waitForURL(/owner_id\.in=me(&|$)/)
      await becomes(cards(page), JONAS)
      await becomes(chips(page), ['Owner is JL Me'])
      await page.getByRole('button', { name: 'Save as view' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Mine')
      await page.getByRole('checkbox', { name: /Share|everyone/i }).check()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?view=[0-9a-f-]+$/)
      const path = page.url().slice(server.url.length)
      await on({ as: 'AK', path }, async (hers) => {
        await becomes(cards(hers), ANA)
        await becomes(chips(hers), ['Owner is AK Me'])
        assert.equal(await hers.getByText('View changed').count(), 0)
        await hers.keyboard.press('m')
        await becomes(async () => (await cards(hers)()).length, 7)
      })
      await becomes(cards(page), JONAS)
    })
  })

  test('by keys: "me" is found by the word and by the own name; the opposite has what nobody owns', async () => {
    await on({ as: 'AK' }, async (page) => {
      await page.locator('[data-card]').first().waitFor()
      await page.keyboard.press('f')
      await page.getByRole('combobox', { name: 'Find a field' }).fill('owner')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Owner' }).fill('kova')
      await page.getByRole('option', { name: /^Me/ }).waitFor()
      await page.keyboard.press('Enter')
      await becomes(cards(page), ANA)
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('not_in')
      await becomes(cards(page), [...JONAS, 'Nobody'])
      assert.match(page.url(), /owner_id\.not_in=me/)
    })
  })

  test('by mouse: a period from the usual ones, then another, in words, in the address, and on the server', async () => {
    await on({}, async (page) => {
      await page.locator('[data-card]').first().waitFor()
      await page.getByRole('button', { name: /^Filter/ }).click()
      await page.getByRole('option', { name: 'Expected close' }).click()
      await page.getByRole('button', { name: 'this quarter', exact: true }).click()
      const quarter = ['Ana in October', 'Jonas in December', 'Jonas in November', 'Nobody']
      await becomes(cards(page), quarter)
      await page.waitForURL(/expected_close_date\.eq=this_quarter/)
      await becomes(chips(page), ['Expected close is this quarter'])
      await page.getByRole('button', { name: 'this month', exact: true }).click()
      await becomes(cards(page), ['Jonas in November', 'Nobody'])
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('gt')
      await becomes(cards(page), ['Jonas in December', 'Jonas next year'])
      await becomes(chips(page), ['Expected close after this month'])
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('after_next_days')
      await page.getByRole('spinbutton', { name: 'Days' }).fill('37')
      await becomes(cards(page), ['Jonas next year'])
      await becomes(chips(page), ['Expected close more than 37 days from now'])
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('eq')
      await page.getByLabel('Expected close', { exact: true }).fill('2026-12-31')
      await becomes(cards(page), ['Jonas in December'])
      await page.keyboard.press('Escape')
      await page.goto(`${server.url}/deals?shape=table&expected_close_date.eq=this_quarter&owner_id.in=me`)
      await becomes(count(page), 2)
    })
  })

  test('a smart list keeps the words, and shows each member their own', async () => {
    const filter = {
      all: [
        { field: 'owner_id', op: 'in', value: ['me'] },
        { field: 'expected_close_date', op: 'gte', value: 'next_month' },
      ],
    }
    const given = { name: 'My later ones', object: 'deal', kind: 'smart', filter }
    const path = `/lists/${await server.newId('/lists', given)}`
    await on({ path }, async (page) => {
      await page.locator('.tbl [data-id]', { hasText: 'Jonas next year' }).waitFor()
      await becomes(count(page), 2)
    })
    await on({ path, as: 'AK' }, async (page) => {
      await page.getByText('My later ones').first().waitFor()
      await becomes(count(page), 0)
    })
  })

  test('contacts: "created is today" goes by the day of the one who looks, and is saved as a list in words', async () => {
    const late = Date.UTC(2026, 10, 24, 22, 30) // 23:30 in Berlin, and the next morning in Tokyo
    server.advance(late - server.now())
    await server.newRecord('/contacts', { last_name: 'Evening' })
    server.advance(3_600_000) // 00:30 in Berlin
    const ana = await server.screens.signedIn({ id: server.members.AK as string })
    await ana.call('PATCH', '/app/preferences', { timezone: 'Asia/Tokyo' })
    const path = '/contacts?created_at.eq=today'
    await on({ path, as: 'AK' }, async (page) => {
      await becomes(count(page), 1)
      await becomes(chips(page), ['Created is today'])
      await page.getByRole('button', { name: 'Save as list' }).click()
      await page.getByRole('textbox', { name: /Name/ }).fill('New today')
      await page.keyboard.press('Enter')
      await page.locator('.toast', { hasText: 'New today' }).waitFor()
    })
    await on({ path, as: 'PR' }, async (page) => {
      await page.getByRole('heading', { name: /No contact fits/ }).waitFor()
      await page.keyboard.press('m')
      await page.waitForURL(/owner_id\.in=me&created_at\.eq=today/)
    })
    const { data } = await server.getRecord('/lists?limit=100')
    const list = data.find(({ name }: Row) => name === 'New today')
    assert.deepEqual(list.filter, { field: 'created_at', op: 'eq', value: 'today' })
    await ana.call('PATCH', '/app/preferences', { timezone: 'Europe/Berlin' })
  })

  test('a page that stays open over midnight goes on to the next day by itself', async () => {
    const evening = Date.UTC(2026, 10, 25, 22, 50) // 23:50 in Berlin
    server.advance(evening - server.now())
    await server.newRecord('/contacts', { last_name: 'Before midnight' })
    const { cookie } = await server.screens.signedIn({ id: server.members.PR as string })
    const context = await browser.newContext({ timezoneId: 'Europe/Berlin' })
    await context.addCookies([browserCookie(cookie, server.url)])
    const [table, board] = [await context.newPage(), await context.newPage()]
    for (const [page, path] of [
      [table, '/contacts?created_at.eq=yesterday'],
      [board, '/deals?expected_close_date.eq=tomorrow'],
    ] as const) {
      await page.clock.install({ time: evening })
      await page.goto(server.url + path)
      await page
        .getByRole('heading', { name: /^No deal fits/ })
        .or(page.getByText('Evening'))
        .first()
        .waitFor()
    }
    await server.newRecord('/deals', { title: 'The day after', expected_close_date: '2026-11-27' })
    server.advance(11 * 60_000)
    for (const page of [table, board]) await page.clock.runFor('11:00')
    await table.locator('.tbl [data-id]', { hasText: 'Before midnight' }).waitFor()
    await becomes(count(table), 1)
    await becomes(cards(board), ['The day after'])
    await context.close()
  })
})
