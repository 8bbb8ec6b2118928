import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import type { SignedIn } from '../support/screens.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// What stands where: nothing pushes another thing out of sight, and what belongs together has one edge.

type Box = { left: number; right: number; top: number; bottom: number }

describe('the places of things', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let member: SignedIn

  before(async () => {
    server = await startKitBoard({ only: 'settings' })
    browser = await startChromium()
    member = await server.screens.signedIn({ id: server.members.AK as string })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(path: string, ready: string, width = 1440, as = member): Promise<Page> {
    const page = await openPage(browser, server, as, path, { viewport: { width, height: 900 } })
    await page.locator(ready).first().waitFor()
    return page
  }

  const boxes = (page: Page, selector: string): Promise<Box[]> =>
    page.locator(selector).evaluateAll((all) =>
      all.map((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect()
        return { left, right, top, bottom }
      }),
    )
  const box = async (page: Page, selector: string): Promise<Box> => {
    const [found] = await boxes(page, selector)
    assert.ok(found, selector)
    return found
  }

  // First, as long as there are no deals.
  test('what an empty board says stands below its example, in the first column, and heads and ends are as with deals', async () => {
    const page = await open('/deals', '.empty-board .empty')
    const [example, words, column] = [
      await box(page, '.card.is-example'),
      await box(page, '.empty-board .empty'),
      await box(page, '.empty-board .col'),
    ]
    assert.ok(words.top >= example.bottom, `${words.top} below ${example.bottom}`)
    assert.ok(words.left >= column.left && words.right <= column.right, JSON.stringify([words, column]))
    assert.match((await page.locator('.card.is-example').textContent()) ?? '', /EUR\s12,000/)
    const heads = await page.locator('.empty-board .col header .n').allTextContents()
    assert.ok(heads.length > 2 && heads.every((text) => text === '0'), heads.join())
    await page.locator('[data-end=lost]').getByText('Lost').waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    const phone = await box(page, '.empty-board .empty')
    assert.ok(phone.left >= 0 && phone.right <= 390, JSON.stringify(phone))
    await page.context().close()
  })

  test('chips of many filters take further lines, and the button for the next one stays whole', async () => {
    const text = 'a-rather-long-text-to-look-for'
    const query = ['title', 'amount', 'owner_id', 'company_id', 'expected_close_date', 'tag_ids']
      .map((field) => (field === 'title' ? `${field}.contains=${text}` : `${field}.is_null=`))
      .join('&')
    for (const [width, shape] of [
      [1440, 'board'],
      [1024, 'board'],
      [1024, 'table'],
    ] as const) {
      const page = await open(`/deals?shape=${shape}&${query}`, '.filters .chip', width)
      const chips = await boxes(page, '.filters .chip')
      const where = `${shape} at ${width}`
      assert.ok(chips.length > 3, where)
      const [bar, right] = [await box(page, '.filters'), await box(page, '.filters > .right')]
      const add = page.locator('.filters .add-filter')
      const all = [...chips, await box(page, '.filters .add-filter')]
      for (const each of all) {
        assert.ok(each.right <= bar.right && each.bottom <= bar.bottom, `${where}: ${JSON.stringify(each)}`)
        assert.ok(each.right <= right.left || each.top >= right.bottom || each.bottom <= right.top, where)
      }
      assert.equal(await add.evaluate((element) => element.scrollWidth <= element.clientWidth), true, where)
      await add.click()
      await page.locator('.filter-popover').waitFor()
      await page.context().close()
    }
  })

  test('members have one edge at the left and one at the right, and what roles may is folded', async () => {
    const page = await open('/settings/members', '.rows tbody tr')
    const lefts = await page.evaluate(() => {
      const start = (selector: string) => {
        const element = document.querySelector(selector)
        const range = document.createRange()
        if (element) range.selectNodeContents(element)
        return Math.round(range.getBoundingClientRect().left)
      }
      return [start('.lp .tabs a'), start('.rows thead th'), start('.rows tbody .who .av')]
    })
    const [tab, head] = lefts
    assert.equal(tab, head, lefts.join())
    const [table, seen, note] = [
      await box(page, '.rows'),
      await box(page, '.rows thead th:last-child'),
      await box(page, '.lp .filters > .cut'),
    ]
    assert.equal(seen.right, table.right)
    assert.equal(Math.round(seen.right - 8), Math.round(note.right))
    assert.equal(await page.locator('.rg').isVisible(), false)
    await page.getByText('What a role may do').click()
    await page.locator('.rg').getByText('Viewer').waitFor()
    await page.context().close()
  })

  test('who edits a field stands in its row, and the rows below stay where they are', async () => {
    const id = await server.newId('/deals', { title: 'Edited by two', amount: 1000, currency: 'EUR' })
    const colleague = await server.screens.signedIn({ id: server.members.JL as string })
    const ready = '.record [data-property=amount] .opens'
    const page = await open(`/deals/${id}`, ready)
    const other = await open(`/deals/${id}`, ready, 1440, colleague)
    await page.locator('.record .ev').first().waitFor()
    const before = await boxes(page, '.properties .props > div')
    await other.locator(ready).click()
    await page.locator('.properties .edits').waitFor()
    assert.deepEqual(await boxes(page, '.properties .props > div'), before)
    const [row, edits] = [await box(page, '[data-property=amount]'), await box(page, '.properties .edits')]
    assert.ok(edits.top >= row.top && edits.bottom <= row.bottom && edits.right <= row.right, JSON.stringify(edits))
    await page.context().close()
    await other.context().close()
  })

  test('two that may be the same are compared by their names first, and by when they were made last', async () => {
    const name = { first_name: 'Jörg-Maximilian', last_name: 'von der Leyen-Hohenlohe' }
    const email = (at: number) => [{ email: `a.very.long.address.of.somebody.${at}@a-long-name-of-a-firm.example` }]
    const one = await server.newId('/contacts', { ...name, job_title: 'Clerk', phones: PHONE, emails: email(1) })
    const two = await server.newId('/contacts', { ...name, job_title: 'Chief', phones: PHONE, emails: email(2) })
    const page = await open(`/duplicates?pair=${one},${two}`, '.merge-table .merge-since')
    await page.locator('.dup-one .mid', { hasText: 'Hohenlohe' }).first().waitFor()
    for (const selector of ['.dup-one > .mid', '.merge-table thead a'])
      assert.deepEqual(
        await page
          .locator(selector)
          .evaluateAll((all) => all.filter((element) => element.scrollWidth > element.clientWidth + 1).length),
        0,
        selector,
      )
    const heads = await page.locator('.merge-table tbody th').allTextContents()
    assert.deepEqual(heads.slice(0, 2), ['First name', 'Last name'])
    assert.deepEqual(await page.locator('.merge-table .merge-since th').allTextContents(), heads.slice(-2))
    assert.equal(await page.locator('.merge-since input').count(), 0)
    await page.context().close()
  })

  test('controls of the browser have our look: choices, selects and days that are not given yet', async () => {
    const id = await server.newId('/contacts', { last_name: 'Osei' })
    const page = await open(`/contacts/${id}?compose=task`, '.task-form .when-in')
    const looks = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((element) => getComputedStyle(element).appearance))
    assert.deepEqual([...new Set(await looks('.task-form select'))], ['none'])
    const day = page.locator('.task-form .when-in').first()
    const isEmpty = () =>
      day.evaluate((element) => ({
        hint: getComputedStyle(element, '::before').content,
        isClear: getComputedStyle(element.querySelector('input') as Element).color === 'rgba(0, 0, 0, 0)',
      }))
    assert.deepEqual(await isEmpty(), { hint: '"Due" / ""', isClear: true })
    await page.getByLabel('Due').fill('2026-12-01')
    await page.getByRole('textbox', { name: 'What is to be done' }).or(page.locator('.task-form .what')).first().focus()
    assert.deepEqual(await isEmpty(), { hint: 'none', isClear: false })
    await page.context().close()
  })
})

const PHONE = [{ number: '+49 30 1234567' }]
