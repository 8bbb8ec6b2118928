import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { until } from '../../support/until.ts'
import { type TablePage, tablePage } from './table-page.ts'

// Names are links, rows have a menu, and "back" returns to the row: with the mouse and with keys, in a real browser.

let place: TablePage
const COUNT = 900
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  place.seed(COUNT, (n) => ({ first_name: 'Ana', last_name: `Ruiz ${String(n).padStart(3, '0')}` }))
})
after(() => place?.stop())

const LIST = '/contacts?sort=name&columns=name,job_title,owner_id'
const rowOf = (page: Page, name: string) => page.locator('.tbl [role=row][data-id]', { hasText: name })
const linkOf = (page: Page, name: string) => rowOf(page, name).getByRole('link', { name: `Ana ${name}` })
const idOf = (page: Page, name: string) => rowOf(page, name).getAttribute('data-id') as Promise<string>
const cellOf = (page: Page, name: string, column: number) => rowOf(page, name).locator(`[data-column="${column}"]`)
const menuOf = (page: Page) => page.getByRole('menu')
const itemsOf = async (page: Page): Promise<string[]> => {
  await menuOf(page).getByRole('menuitem').first().waitFor()
  return menuOf(page)
    .getByRole('menuitem')
    .evaluateAll((items) => items.map((item) => item.querySelector('.cut')?.textContent ?? ''))
}
const open = async (path = LIST) => {
  const opened = await place.open(path)
  await rowOf(opened.page, 'Ruiz 000').waitFor()
  return opened
}
/** Whether the page leaves the right click to the browser. */
const isBrowsers = (page: Page) =>
  page.evaluate(() => {
    const { seen } = globalThis as unknown as { seen: MouseEvent[] }
    return seen.at(-1)?.defaultPrevented === false
  })
const watchMenus = (page: Page) =>
  page.evaluate(() => {
    const seen: Event[] = []
    Object.assign(globalThis, { seen })
    addEventListener('contextmenu', (event) => seen.push(event))
  })

describe('the name of a row', { skip: noBrowser }, () => {
  test('is a link: a click opens the record, and the cell stays the tab stop', async () => {
    const { page, close } = await open()
    const id = await idOf(page, 'Ruiz 003')
    assert.equal(await linkOf(page, 'Ruiz 003').getAttribute('href'), `/contacts/${id}`)
    assert.equal(await page.locator('.tbl [tabindex="0"]').count(), 1)
    await linkOf(page, 'Ruiz 003').click()
    await page.waitForURL(`**/contacts/${id}`)
    await close()
  })

  test('opens in a new tab with Ctrl and with the middle button, and keys go on in the table', async () => {
    const { page, close } = await open()
    for (const press of [{ modifiers: ['ControlOrMeta' as const] }, { button: 'middle' as const }]) {
      const id = await idOf(page, 'Ruiz 004')
      const [tab] = await Promise.all([page.context().waitForEvent('page'), linkOf(page, 'Ruiz 004').click(press)])
      await tab.waitForURL(`**/contacts/${id}`)
      await tab.close()
      assert.match(page.url(), /\/contacts\?/)
      await page.keyboard.press('ArrowDown')
      assert.equal(
        await cellOf(page, 'Ruiz 005', 0).evaluate((cell) => cell === document.activeElement),
        true,
        JSON.stringify(press),
      )
    }
    await close()
  })

  test('is a link in every table, and in the search', async () => {
    const company = await place.make('/companies', { name: 'Northwind Ltd' })
    const { page, close } = await place.open('/companies')
    await page.locator(`.tbl a[href="/companies/${company.id}"]`).waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Northwind')
    const option = page.getByRole('option', { name: /Northwind/ }).first()
    await option.waitFor()
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      option.click({ modifiers: ['ControlOrMeta'] }),
    ])
    await tab.waitForURL(`**/companies/${company.id}`)
    await tab.close()
    await option.click()
    await page.waitForURL(`**/companies/${company.id}`)
    await close()
  })
})

describe('the menu of a row', { skip: noBrowser }, () => {
  test('has the commands of the row under the mouse, which becomes the focused one', async () => {
    const { page, close } = await open()
    for (const name of ['Ruiz 002', 'Ruiz 006']) {
      await cellOf(page, name, 1).click({ button: 'right' })
      assert.deepEqual(await itemsOf(page), [
        'Open',
        'Open in a new tab',
        'Show beside the list',
        'Select row',
        'Edit the cell',
        'Set owner',
        'Set tags',
        'Add to list',
        'Enroll in a sequence',
        'Write a note',
        'Copy link',
        'Delete',
      ])
      assert.equal(await menuOf(page).getAttribute('aria-label'), `More for Ana ${name}`)
      await page.keyboard.press('Escape')
      await menuOf(page).waitFor({ state: 'detached' })
      assert.equal(await cellOf(page, name, 1).evaluate((cell) => cell === document.activeElement), true)
    }
    await close()
  })

  test('opens by the menu key and by Shift F10, at the cell', async () => {
    const { page, close } = await open()
    await cellOf(page, 'Ruiz 002', 1).click()
    for (const key of ['ContextMenu', 'Shift+F10']) {
      await page.locator('.tbl [data-column="1"]:focus').waitFor() // also again, after the menu has gone
      await page.keyboard.press(key)
      assert.equal((await itemsOf(page))[0], 'Open', key)
      const [menu, cell] = await Promise.all([
        page.locator('.popover.menu').boundingBox(),
        cellOf(page, 'Ruiz 002', 1).boundingBox(),
      ])
      assert.ok(menu && cell && Math.abs(menu.y - cell.y - cell.height) < 8 && Math.abs(menu.x - cell.x) < 8, key)
      await page.keyboard.press('Escape')
      await menuOf(page).waitFor({ state: 'detached' })
    }
    await close()
  })

  test('opens again where the browser has closed it, and tells of that only afterwards', async () => {
    const { page, close } = await open()
    const cell = cellOf(page, 'Ruiz 002', 1)
    await cell.click({ button: 'right' })
    await itemsOf(page)
    await cell.evaluate((element) => {
      document.querySelector<HTMLElement>('.popover.menu')?.hidePopover()
      element.dispatchEvent(new PointerEvent('contextmenu', { bubbles: true, cancelable: true }))
    })
    assert.equal((await itemsOf(page))[0], 'Open')
    await page.keyboard.press('Escape')
    await page.locator('.popover.menu').waitFor({ state: 'detached' })
    await close()
  })

  test('acts on the selection if the row belongs to it, else on the row alone', async () => {
    const tag = await place.make('/tags', { name: 'Pilot' })
    const { page, close } = await open()
    const names = ['Ruiz 010', 'Ruiz 011', 'Ruiz 012']
    const ids = await Promise.all(names.map((name) => idOf(page, name)))
    const tagged = async () => {
      const found = await Promise.all(ids.map((id) => place.server.call('GET', `/contacts/${id}`)))
      return found.map(({ body }) => body.tag_ids.includes(tag.id))
    }
    const setTag = async (name: string, label: RegExp) => {
      await cellOf(page, name, 1).click({ button: 'right' })
      await itemsOf(page)
      assert.match((await menuOf(page).getAttribute('aria-label')) ?? '', label)
      await menuOf(page).getByRole('menuitem', { name: 'Set tags' }).click()
      await page.locator('.popover [role=option]', { hasText: 'Pilot' }).click()
      await page.locator('.popover:popover-open').waitFor({ state: 'detached' })
    }
    for (const name of ['Ruiz 010', 'Ruiz 011']) await rowOf(page, name).locator('.box').click()
    await setTag('Ruiz 012', /Ruiz 012/)
    await until(async () => `${await tagged()}` === 'false,false,true')
    assert.match(await page.locator('.bulk-place').innerText(), /2 selected/)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).focus()
    await page.keyboard.press('Escape')
    await page.locator('.popover:popover-open').waitFor({ state: 'detached' })
    assert.match(await page.locator('.bulk-place').innerText(), /2 selected/, 'Esc closes what is open, and no more')
    await setTag('Ruiz 011', /2 selected/)
    await until(async () => `${await tagged()}` === 'true,true,true')
    await close()
  })

  test('is the browser’s on a name, on chosen text, in a field and with Shift', async () => {
    const { page, close } = await open()
    await watchMenus(page)
    await cellOf(page, 'Ruiz 005', 1).click({ button: 'right' })
    await itemsOf(page)
    assert.equal(await isBrowsers(page), false)
    await page.keyboard.press('Escape')
    await linkOf(page, 'Ruiz 005').click({ button: 'right' })
    assert.equal(await isBrowsers(page), true, 'a link')
    await cellOf(page, 'Ruiz 005', 1).click({ button: 'right', modifiers: ['Shift'] })
    assert.equal(await isBrowsers(page), true, 'Shift')
    await page.evaluate(() => {
      const cell = document.querySelector('[data-row="7"] [data-column="1"]')
      if (cell) getSelection()?.selectAllChildren(cell)
    })
    await cellOf(page, 'Ruiz 007', 1).locator('*').first().click({ button: 'right' })
    assert.equal(await isBrowsers(page), true, 'chosen text')
    await cellOf(page, 'Ruiz 008', 1).dblclick()
    await page.locator('.tbl input:focus').click({ button: 'right' })
    assert.equal(await isBrowsers(page), true, 'a field')
    assert.equal(await menuOf(page).count(), 0)
    await close()
  })
})

describe('the end and the way back', { skip: noBrowser }, () => {
  test('the last row is one key and one request away', async () => {
    const { page, requests, close } = await open()
    const asked = () => requests.filter((each) => each.includes('/app/rows/')).length
    for (const prepare of [() => page.locator('h1').click(), () => cellOf(page, 'Ruiz 001', 1).click()]) {
      await page.keyboard.press('Control+Home')
      await rowOf(page, 'Ruiz 000').waitFor()
      await prepare()
      const before = asked()
      await page.keyboard.press(
        (await page.evaluate(() => document.activeElement?.closest('.tbl') !== null)) ? 'Control+End' : 'End',
      )
      await rowOf(page, 'Ruiz 899').waitFor()
      assert.ok(asked() - before <= 1)
      await until(() => rowOf(page, 'Ruiz 899').evaluate((row) => row.contains(document.activeElement)))
    }
    await close()
  })

  test('back returns to the row, its place on the screen and the focus', async () => {
    const { page, close } = await open()
    await cellOf(page, 'Ruiz 001', 1).click()
    await page.locator('.tbl').evaluate((box) => box.scrollTo(0, 36 * 600))
    for (const leave of [
      () => linkOf(page, 'Ruiz 605').click(),
      async () => {
        await cellOf(page, 'Ruiz 605', 0).press('Enter')
      },
    ]) {
      await linkOf(page, 'Ruiz 605').waitFor()
      const top = await page.locator('.tbl').evaluate((box) => box.scrollTop)
      const id = await idOf(page, 'Ruiz 605')
      for (const back of [() => page.goBack(), () => page.locator('.record-bar .crumb a').first().click()]) {
        await leave()
        await page.waitForURL(`**/contacts/${id}`)
        await page.locator('.record-bar .crumb').waitFor()
        await back()
        await page.waitForURL(`**${LIST}`)
        await rowOf(page, 'Ruiz 605').waitFor()
        await until(() => rowOf(page, 'Ruiz 605').evaluate((row) => row.contains(document.activeElement)))
        assert.equal(await page.locator('.tbl').evaluate((box) => box.scrollTop), top)
        await page.keyboard.press('ArrowDown')
        assert.equal(await rowOf(page, 'Ruiz 606').evaluate((row) => row.contains(document.activeElement)), true)
      }
    }
    await close()
  })
})
