import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// Sums of many currencies, where there is room for few.

const CURRENCIES = ['EUR', 'CHF', 'GBP', 'HUF', 'INR', 'JPY', 'USD']

describe('sums of a column', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    for (const currency of CURRENCIES) await server.newRecord('/deals', { title: currency, amount: 123_456, currency })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  test('show as many as there is room for, and the number of the others, all of which can be read', async () => {
    const { page, context } = await openBoard(browser, server)
    const head = page.locator(`[data-stage="${server.stageIds.lead}"] header`)
    await head.locator('.more-sums:not([hidden])').waitFor()
    const line = head.locator('.oth')
    const shown = await line.locator('[data-fit]:not([hidden])').count()
    assert.ok(shown >= 1 && shown < CURRENCIES.length - 1, `${shown}`)
    assert.equal(await line.locator('.more-sums').innerText(), `+${CURRENCIES.length - 1 - shown}`)
    const { right } = await line.evaluate((element) => element.getBoundingClientRect())
    const ends = await line
      .locator(':scope > :not([hidden])')
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().right))
    assert.ok(
      ends.every((end) => end <= right + 1),
      `${ends} in ${right}`,
    )
    const words = [
      await line.getAttribute('title'),
      await head.getByRole('heading', { level: 2 }).getAttribute('aria-label'),
    ]
    for (const currency of CURRENCIES.slice(1)) for (const text of words) assert.ok(text?.includes(currency), currency)
    await context.close()
  })

  test('wrap on the phone', async () => {
    const { page, context } = await openBoard(browser, server, { width: 390, height: 800, touch: true })
    const line = page.locator('.phone-tot')
    await line.waitFor()
    const width = await page.evaluate(() => innerWidth)
    const ends = await line
      .locator('.money')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right))
    assert.equal(ends.length, CURRENCIES.length)
    assert.ok(
      ends.every((end) => end <= width),
      `${ends}`,
    )
    await context.close()
  })

  test('a number for several deals keeps the currency of each, and is shown before it is saved', async () => {
    const { page, context } = await openBoard(browser, server, { path: '/deals?currency.in=GBP,CHF,INR' })
    const prices = async () => {
      const { data } = await server.getRecord('/deals?limit=100&sort=title')
      return data.map(({ amount, currency }: Row) => `${currency} ${amount}`)
    }
    const before = await prices()
    await page.getByRole('link', { name: 'CHF' }).focus()
    await page.keyboard.press('x')
    await page.getByRole('link', { name: 'GBP' }).focus()
    await page.keyboard.press('x')
    await page.keyboard.press('$')
    const input = page.getByRole('textbox', { name: 'Amount' })
    assert.equal(await input.inputValue(), '', 'they have no amount in common')
    await page.getByText('Without a currency, each deal keeps its own: CHF, GBP.').waitFor()
    await input.fill('12k')
    await page.getByRole('status').filter({ hasText: '12,000' }).first().waitFor()
    await page.keyboard.press('Enter')
    const wanted = before.map((each: string) => each.replace(/^(CHF|GBP) .*/, '$1 12000'))
    await becomes(prices, wanted)
    await page.keyboard.press('$')
    await input.fill('')
    await page.keyboard.press('Enter')
    const cleared = wanted.map((each: string) => each.replace(/^(CHF|GBP) .*/, '$1 null'))
    await becomes(prices, cleared) // without an amount they keep it, too
    await context.close()
  })

  test('a filter by an amount says in which currency, and takes the one that is typed', async () => {
    const { page, context } = await openBoard(browser, server)
    const cards = async () => (await page.locator('[data-card] h3').allTextContents()).toSorted()
    const chips = async () =>
      (await page.locator('.filters .chip').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim())
    await page.locator('[data-card]').first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Find a field' }).fill('amount')
    await page.keyboard.press('Enter')
    const input = page.getByRole('textbox', { name: 'Amount' })
    await input.fill('100k')
    await page.getByRole('status').filter({ hasText: 'EUR' }).filter({ hasText: '100,000' }).first().waitFor()
    await becomes(cards, ['EUR'])
    await becomes(chips, ['Amount at least EUR 100,000', 'Currency is EUR'])
    assert.match(page.url(), /amount\.gte=100000&currency\.eq=EUR/)
    await page.getByRole('combobox', { name: 'Currency' }).selectOption('')
    await becomes(cards, ['EUR', 'HUF', 'INR', 'JPY', 'USD'])
    await becomes(chips, ['Amount at least 100,000 in any currency'])
    await input.fill('JPY 0.1 million')
    await becomes(cards, ['JPY'])
    await becomes(chips, ['Amount at least JPY 100,000', 'Currency is JPY'])
    assert.equal(await page.getByRole('combobox', { name: 'Currency' }).inputValue(), 'JPY')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove the filter Currency is JPY' }).click()
    await becomes(cards, ['EUR', 'HUF', 'INR', 'JPY', 'USD'])
    await context.close()
  })
})
