import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { violations } from '../../support/axe.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from '../deals/board-page.ts'
import { type KitBoard, startKitBoard } from '../deals/kit-board.ts'

// "Any of" in the filter bar of the board, of tables, of views and of smart lists.

describe('groups of alternatives on the screens', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  const ids: Record<string, string> = {}

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    for (const [title, stage, amount, currency] of [
      ['Small demo', 'demo', 100, 'EUR'],
      ['Large lead', 'lead', 20_000, 'EUR'],
      ['Large in dollars', 'lead', 30_000, 'USD'],
      ['Small lead', 'lead', 200, 'EUR'],
    ] as const) {
      ids[title] = await server.newId('/deals', { title, amount, currency })
      if (stage !== 'lead') await server.patchRecord(`/deals/${ids[title]}`, { stage: server.stageIds[stage] })
    }
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** Opens a page for the time of a test. */
  async function on(options: Parameters<typeof openBoard>[2], run: (page: Page) => Promise<void>): Promise<void> {
    const { page, context } = await openBoard(browser, server, options)
    try {
      await run(page)
    } finally {
      await context.close()
    }
  }
  const cards = (page: Page) => async () => (await page.locator('[data-card] h3').allTextContents()).toSorted()
  const names = (page: Page) => async () => (await page.locator('.tbl [data-id] .td.name').allInnerTexts()).toSorted()
  const chips = (page: Page) => async () =>
    (await page.locator('.filters .chip').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
  const open = (page: Page) => page.locator('[data-card]').first().waitFor()
  /** What the first column says of itself: how many deals, and their sum. */
  /** What the first column says of itself: how many deals, and their sum. */
  const head = (page: Page) => async () =>
    (await page.locator('[data-stage] h2').first().getAttribute('aria-label'))?.replaceAll('\u00a0', ' ')

  const dialog = (page: Page) => page.getByRole('dialog', { name: 'Filter' })

  test('by keys, on the board: made, followed live with its counts, changed, kept as a view, the same as a table', async () => {
    await on({}, async (page) => {
      await open(page)
      await page.keyboard.press('f')
      await page.getByRole('combobox', { name: 'Find a field' }).waitFor()
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Find a field' }).fill('stage')
      await page.keyboard.press('Enter')
      await page.getByRole('combobox', { name: 'Stage' }).fill('demo')
      await page.keyboard.press('Enter')
      await becomes(cards(page), ['Small demo'])
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Enter') // "Add a condition" has the focus
      await page.getByRole('combobox', { name: 'Find a field' }).fill('amount')
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Amount' }).fill('10k')
      await page.keyboard.press('Enter')
      await becomes(cards(page), ['Large lead', 'Small demo'])
      await becomes(chips(page), ['Any of Stage is Demo held or Amount at least EUR 10,000'])
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')

      await server.patchRecord(`/deals/${ids['Small lead']}`, { amount: 10_000 })
      await becomes(cards(page), ['Large lead', 'Small demo', 'Small lead'])
      await server.patchRecord(`/deals/${ids['Small demo']}`, { stage: server.stageIds.qualified })
      await becomes(cards(page), ['Large lead', 'Small lead'])
      await becomes(head(page), 'Lead in, 2 deals, EUR 30,000')
      await server.patchRecord(`/deals/${ids['Small lead']}`, { amount: 200 })
      await server.patchRecord(`/deals/${ids['Small demo']}`, { stage: server.stageIds.demo })
      await becomes(cards(page), ['Large lead', 'Small demo'])

      await page.getByRole('button', { name: 'Save as view' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Near')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?view=[0-9a-f-]+$/)
      await page.reload()
      await becomes(cards(page), ['Large lead', 'Small demo'])
      await page.getByRole('radio', { name: 'Table' }).click()
      await becomes(async () => (await names(page)()).map((text) => text.split('\n')[0]), ['Large lead', 'Small demo'])
      await page.locator('.tfoot', { hasText: /2 of 4/ }).waitFor()
    })
  })

  test('by mouse: a condition gets an alternative, each is changed and taken away, and the address has all of it', async () => {
    await on({ path: '/deals?amount.gte=10000&currency.eq=EUR' }, async (page) => {
      await becomes(cards(page), ['Large lead'])
      await page.locator('.chip', { hasText: 'Amount' }).getByRole('button').first().click()
      await page.getByRole('button', { name: 'Or another condition' }).click()
      await page.getByRole('option', { name: 'Currency' }).click()
      await page.getByRole('combobox', { name: 'Condition' }).selectOption('eq')
      await page.getByRole('textbox', { name: 'Currency' }).fill('USD')
      await becomes(cards(page), ['Large in dollars', 'Large lead'])
      await becomes(chips(page), ['Any of Amount at least EUR 10,000 or Currency is USD'])
      await page.getByRole('button', { name: 'All conditions of the group' }).click()
      await dialog(page).getByRole('button', { name: 'Amount at least EUR 10,000', exact: true }).click()
      await page.getByRole('textbox', { name: 'Amount' }).fill('25000')
      await becomes(cards(page), ['Large in dollars'])
      await page.keyboard.press('Enter')
      await dialog(page).getByRole('button', { name: 'Remove the filter Currency is USD' }).click()
      await becomes(cards(page), [])
      await page.getByText('No deal fits this filter').waitFor()
      await dialog(page)
        .getByRole('button', { name: /^Remove the filter Amount/ })
        .click()
      await becomes(async () => (await cards(page)()).length, 4)
      await page.keyboard.press('Escape')
      assert.equal(new URL(page.url()).search, '')
    })
  })

  test('what only the board knows can be an alternative there, and the table says that it cannot', async () => {
    const late = { field: 'next_step', op: 'in', value: ['none'] }
    const group = {
      any: [{ all: [late, { field: 'amount', op: 'lt', value: 150 }] }, { field: 'updated_at', op: 'is_null' }],
    }
    await on({ path: `/deals?filter=${encodeURIComponent(JSON.stringify(group))}` }, async (page) => {
      await becomes(cards(page), ['Small demo'])
      await page.getByRole('radio', { name: 'Table' }).click()
      await page.getByText('The next step is a filter of the board only').waitFor()
      await becomes(async () => (await names(page)()).length, 4)
    })
  })

  test('a list of a program: shown whole, kept where it is not changed, changed and saved where it can be', async () => {
    const nested = {
      not: {
        any: [
          { field: 'company.industry', op: 'eq', value: 'Foam' },
          { field: 'amount', op: 'lt', value: 150 },
        ],
      },
    }
    const stage = { field: 'stage', op: 'eq', value: server.stageIds.lead }
    const given = { name: 'Of a program', object: 'deal', kind: 'smart', filter: { all: [stage, nested] } }
    const id = await server.newId('/lists', given)
    await on({ path: `/lists/${id}` }, async (page) => {
      const rows = async () => (await names(page)()).map((text) => text.split('\n')[0])
      await becomes(rows, ['Large in dollars', 'Large lead', 'Small lead'])
      const words = 'not (company.industry is Foam or Amount less than 150 in any currency)'
      await becomes(chips(page), ['Stage is Lead in', words])
      assert.equal(new URL(page.url()).search, '')
      await page.locator('.tfoot', { hasText: /^3 deals/ }).waitFor()
      await page.locator('.chip', { hasText: 'not (' }).getByRole('button').first().click()
      await page.getByText('A program made this part').waitFor()
      assert.deepEqual(await violations(page), [])
      await page.keyboard.press('Escape')
      await page.locator('.chip', { hasText: 'Stage' }).getByRole('button').first().click()
      await page.getByRole('option', { name: 'Demo held' }).click()
      await page.getByText('Filter changed').waitFor()
      await page.keyboard.press('Escape')
      assert.deepEqual((await server.getRecord(`/lists/${id}`)).filter, given.filter, 'nothing is saved unasked')
      await page.getByRole('button', { name: 'Save filter' }).click()
      await page.locator('.toast', { hasText: 'Filter of Of a program saved' }).waitFor()
      assert.equal(new URL(page.url()).search, '')
      const several = { field: 'stage', op: 'in', value: [server.stageIds.lead, server.stageIds.demo] }
      assert.deepEqual((await server.getRecord(`/lists/${id}`)).filter, { all: [several, nested] })

      // A colleague changes it: the page follows.
      await server.patchRecord(`/lists/${id}`, {
        filter: { any: [{ field: 'amount', op: 'gt', value: 25_000 }, stage] },
      })
      await becomes(chips(page), ['Any of Amount more than 25,000 in any currency or Stage is Lead in'])
      await server.patchRecord(`/lists/${id}`, { filter: { any: [{ field: 'amount', op: 'gt', value: 25_000 }] } })
      await becomes(rows, ['Large in dollars'])

      // What both change is a conflict that says so.
      await page
        .locator('.chip')
        .getByRole('button', { name: /Remove/ })
        .click()
      assert.equal(await page.getByRole('button', { name: 'Save filter' }).getAttribute('aria-disabled'), 'true')
      await page.getByRole('button', { name: 'Reset' }).click()
      await becomes(rows, ['Large in dollars'])
      await page.getByRole('button', { name: 'More' }).first().click()
      await page.getByRole('menuitem', { name: 'Open its filter' }).click()
      await page.waitForURL(/\/deals\?/)
      await becomes(cards(page), ['Large in dollars'])
    })
  })

  test('a view of a program keeps what the bar cannot change, also when it is saved again', async () => {
    const ana = await server.screens.signedIn({ id: server.members.AK as string })
    const deep = {
      any: [
        { field: 'company.name', op: 'is_null' },
        {
          not: {
            all: [
              { field: 'title', op: 'in', value: ['a', 'b'] },
              { field: 'amount', op: 'is_null' },
            ],
          },
        },
      ],
    }
    const view = { object: 'deals', shape: 'board', name: 'Deep', query: { filter: deep, q: '', sort: null } }
    const { body } = await ana.call('POST', '/app/views', view)
    await on({ as: 'AK', path: `/deals?view=${body.id}` }, async (page) => {
      await becomes(async () => (await cards(page)()).length, 4)
      await becomes(chips(page), ['Any of company.name is empty or not (Title is any of a, b and Amount is empty)'])
      await page.keyboard.press('m')
      await page.getByText('View changed').waitFor()
      await page.getByRole('button', { name: 'Save view' }).click()
      await page.locator('.toast', { hasText: 'Deep' }).waitFor()
    })
    const { body: saved } = await ana.call('GET', `/app/views/${body.id}`)
    assert.deepEqual(saved.query.filter, { all: [{ field: 'owner_id', op: 'in', value: ['me'] }, deep] })
  })

  test('on a phone, in German: made by touch, as one chip', async () => {
    const priya = await server.screens.signedIn({ id: server.members.PR as string })
    await priya.call('PATCH', '/app/preferences', { language: 'de' })
    await on({ as: 'PR', width: 390, height: 844, touch: true, path: '/contacts' }, async (page) => {
      await page.getByRole('button', { name: 'Diese Liste filtern' }).tap()
      await page.getByRole('combobox', { name: 'Feld suchen' }).waitFor()
      await page.goto(`${server.url}/deals`)
      await page.getByRole('button', { name: 'Deals filtern' }).tap()
      await page.getByRole('button', { name: 'Eine von mehreren Bedingungen' }).tap()
      await page.getByRole('option', { name: 'Phase', exact: true }).tap()
      await page.getByRole('option', { name: 'Demo held' }).tap()
      await page.getByRole('button', { name: 'Alle Bedingungen der Gruppe' }).tap()
      await page.getByRole('button', { name: 'Bedingung hinzufügen' }).tap()
      await page.getByRole('option', { name: 'Betrag', exact: true }).tap()
      await page.getByRole('textbox', { name: 'Betrag', exact: true }).fill('1000')
      await becomes(chips(page), ['Eins von Phase ist Demo held oder Betrag mindestens EUR 1.000'])
      assert.deepEqual(await violations(page), [])
    })
  })
})
