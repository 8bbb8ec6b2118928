import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { initials } from '../../../src/web/lib/names.ts'
import { noBrowser } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// What people are called and what they write, as it is: from right to left, as a sign, or longer than its place.

let site: Site
const pages: Page[] = []
const { newDeal, newRecord } = recordsOf(() => site.server)
before(async () => {
  if (!noBrowser) site = await startSite()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

async function open(path: string, options: Parameters<Site['openAs']>[2] = {}): Promise<Page> {
  const { page } = await site.openAs('member', path, options)
  pages.push(page)
  return page
}

test('initials are letters as people see them', () => {
  assert.equal(initials('🦊'), '🦊')
  assert.equal(initials('👩‍👩‍👧 ❤️'), '👩‍👩‍👧')
  assert.equal(initials('🚀 Rocket Labs'), 'RL')
  assert.equal(initials('E\u0301lodie A\u030angstro\u0308m'), 'E\u0301A\u030a')
  assert.equal(initials('किरण'), 'किर')
  assert.equal(initials('???'), '?')
  assert.equal(initials(''), '')
})

const HEBREW = 'חברת הבנייה (2026) בע"מ'
const directionOf = (text: Locator) => text.evaluate((element) => getComputedStyle(element).direction)

describe('people’s text', { skip: noBrowser }, () => {
  test('has its own direction on cards, in tables, records, fields and notes', async () => {
    const deal = await newDeal({ title: HEBREW })
    await newRecord('/notes', { body: `${HEBREW}\n\nand Latin`, deal_ids: [deal.id] })
    const page = await open('/deals')
    assert.equal(await directionOf(page.locator(`[data-card="${deal.id}"] h3 a`)), 'rtl')
    await page.goto(`${site.url}/deals?shape=table`)
    assert.equal(await directionOf(page.locator('[role=rowheader] .cut').first()), 'rtl')
    await page.goto(`${site.url}/deals/${deal.id}`)
    assert.equal(await directionOf(page.locator('.head .name .cut')), 'rtl')
    const [first, second] = [page.locator('.markdown p').first(), page.locator('.markdown p').nth(1)]
    assert.deepEqual([await directionOf(first), await directionOf(second)], ['rtl', 'ltr'])
    await page.getByRole('button', { name: 'Edit Title' }).click()
    assert.equal(await directionOf(page.getByRole('textbox', { name: 'Title' })), 'rtl')
    await page.keyboard.press('Escape')
    await page.locator('#compose textarea').fill('مرحبا')
    assert.equal(await directionOf(page.locator('#compose textarea')), 'rtl')
    await page.locator('#compose textarea').fill('')
  })

  test('does not turn the sentence that names it', async () => {
    const deal = await newDeal({ title: HEBREW })
    const page = await open('/deals')
    await page.locator(`[data-card="${deal.id}"] h3 a`).focus()
    await page.keyboard.press('s')
    await page.getByRole('menu').getByRole('menuitem').or(page.getByRole('menuitemradio')).nth(1).click()
    const said = await page.locator('.toast .grow').innerText()
    assert.ok(said.startsWith(`\u2068${HEBREW}\u2069 moved to`), said)
  })

  test('of 200 letters can be read whole', async () => {
    const title = `${'Frame contract for the renewal of all gauges '.repeat(5).slice(0, 194)} THEND`
    assert.equal([...title].length, 200)
    const deal = await newDeal({ title })
    const isWhole = (text: Locator) =>
      text.evaluate(
        (element) => element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight + 2,
      )
    for (const width of [1440, 390]) {
      const page = await open(`/deals/${deal.id}`, { width, height: 800 })
      const head = page.locator('.head .name .cut')
      await head.waitFor()
      assert.equal(await head.innerText(), title)
      assert.ok(await isWhole(head), `${width}`)
    }
    const page = await open('/deals?shape=table')
    const cell = page.locator(`[data-id="${deal.id}"] [role=rowheader] .cut`).last()
    await cell.hover()
    await page.locator(`[title="${title}"]`).first().waitFor({ state: 'attached' })
    const board = await open('/deals')
    await board.locator(`[data-card="${deal.id}"] h3`).hover()
    await board.locator(`h3[title="${title}"]`).waitFor({ state: 'attached' })
  })

  test('may be an emoji: as a name it is whole on its mark, too', async () => {
    for (const name of ['🦊', '🐻']) await newRecord('/companies', { name })
    const page = await open('/companies')
    await page.getByText('🦊').first().waitFor()
    const marks = await page.locator('.av').allInnerTexts()
    assert.ok(marks.includes('🦊') && marks.includes('🐻'), marks.join())
  })
})
