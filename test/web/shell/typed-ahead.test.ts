import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { pressTogether } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { close, type Site, startSite } from './site.ts'

// What is typed while its field is on its way: on a slow line, the code of what opens comes after the first words.

let site: Site
const pages: Page[] = []
const { newContact, newDeal, getRecord } = recordsOf(() => site.server)
before(async () => {
  if (noBrowser) return
  site = await startSite()
  await newDeal({ title: 'The deal in the way' })
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

/** Opens a page on which the file of this name comes only when it is let through. */
async function openSlow(path: string, file: string) {
  const { page } = await site.openAs('member', '/livez')
  pages.push(page)
  let letThrough = () => {}
  const gate = new Promise<void>((resolve) => {
    letThrough = resolve
  })
  await page.route(`**/assets/${file}-*.js`, async (route) => {
    await gate
    await route.continue()
  })
  await page.goto(site.url + path)
  return { page, letThrough }
}

/** A card has the focus: single letters and Backspace are its commands. */
async function openBoard(file: string) {
  const opened = await openSlow('/deals', file)
  await opened.page.locator('[data-card] h3 a').first().focus()
  return opened
}

/** No letter was a command: none chose the card, narrowed the board, deleted the deal or opened something. */
async function nothingRan(page: Page): Promise<void> {
  assert.equal(await page.locator('[data-card]').count(), 1)
  assert.equal(await page.locator('.card.is-selected').count(), 0)
  assert.equal(new URL(page.url()).search, '')
  assert.equal((await getRecord('/deals')).data.length, 1)
}

const selected = (page: Page) => page.locator('.card.is-selected').waitFor()
const focusedValue = (page: Page, where: string) => page.locator(`${where} :is(input, textarea):focus`).inputValue()

describe('words that are typed before their field is there', { skip: noBrowser }, () => {
  for (const [how, open] of [
    ['a key', (page: Page) => page.keyboard.press('ControlOrMeta+k')],
    ['the mouse', (page: Page) => page.getByRole('button', { name: /^Search or jump/ }).click()],
  ] as const)
    test(`are those of the palette, opened by ${how}`, async () => {
      const { page, letThrough } = await openBoard('palette')
      const takesBack = page.waitForRequest(/take-back|app\/steps/).then(
        () => true,
        () => false,
      )
      await open(page)
      await page.keyboard.type('xmfq')
      await page.keyboard.press('ControlOrMeta+z')
      await page.keyboard.press('Backspace')
      await page.keyboard.type(' Akos')
      await nothingRan(page)
      letThrough()
      await page.locator('dialog.pal input:focus').waitFor()
      await page.keyboard.type('!')
      assert.equal(await focusedValue(page, 'dialog.pal'), 'xmf Akos!')
      await page.keyboard.press('Escape')
      await nothingRan(page)
      pages.splice(pages.indexOf(page), 1)
      await close(page)
      assert.equal(await takesBack, false)
    })

  for (const [how, open] of [
    [
      'keys',
      async (page: Page) => {
        await pressTogether(page, 'c', 'd')
      },
    ],
    ['the mouse', (page: Page) => page.locator('.add-deal').click()],
  ] as const)
    test(`are those of a new deal on the board, opened by ${how}`, async () => {
      const { page, letThrough } = await openBoard('quick-add')
      await open(page)
      await page.keyboard.type('x')
      await page.keyboard.press('Enter')
      await page.keyboard.type('max')
      await nothingRan(page)
      letThrough()
      await page.locator('.quick textarea:focus').waitFor()
      await page.keyboard.type('!')
      // Behind Enter it goes on, where it can be seen: a deal is only made by who sees it.
      assert.equal(await focusedValue(page, '.quick'), 'x max!')
      await nothingRan(page)
    })

  for (const [how, open] of [
    ['a key', (page: Page) => page.keyboard.press('f')],
    ['the mouse', (page: Page) => page.getByRole('button', { name: /^Filter/ }).click()],
  ] as const)
    test(`are those of the filter, opened by ${how}`, async () => {
      const { page, letThrough } = await openBoard('filter-popover')
      await open(page)
      await page.keyboard.type('am')
      await nothingRan(page)
      letThrough()
      await page.locator('.filter-popover input:focus').waitFor()
      await page.keyboard.type('o')
      assert.equal(await focusedValue(page, '.filter-popover'), 'amo')
      await page.getByRole('option', { name: 'Amount' }).waitFor()
      await nothingRan(page)
    })

  for (const [how, open] of [
    [
      'keys',
      async (page: Page) => {
        await pressTogether(page, 'c', 'd')
      },
    ],
    [
      'the mouse',
      async (page: Page) => {
        await page.getByRole('button', { name: 'Add a deal' }).click()
        await page.getByRole('combobox', { name: 'Add a deal' }).fill('No')
        await page.getByRole('option', { name: /“No”/ }).click()
      },
    ],
  ] as const)
    test(`are those of a dialog, opened by ${how}`, async () => {
      const { id } = await newContact({ first_name: 'Ana', last_name: how })
      const { page, letThrough } = await openSlow(`/contacts/${id}`, 'new-deal')
      await page.getByRole('tab', { name: 'Call', exact: true }).waitFor()
      await open(page)
      await page.keyboard.type('n next')
      letThrough()
      const title = page.getByRole('dialog', { name: /^New deal with Ana/ }).getByRole('textbox', { name: 'Title' })
      await title.waitFor()
      await page.locator('dialog input:focus').waitFor()
      assert.match(await title.inputValue(), /n next/)
    })

  test('are those of a form on another screen, whose code is on its way', async () => {
    const { page, letThrough } = await openBoard('contacts')
    await pressTogether(page, 'c', 'p')
    await page.keyboard.type('Max Fox')
    await nothingRan(page)
    letThrough()
    await page.locator('dialog input:focus').waitFor()
    assert.equal(await focusedValue(page, 'dialog'), 'Max Fox')
  })

  test('choose a row, where a menu opens', async () => {
    const { page, letThrough } = await openBoard('popups')
    const stages = (await getRecord('/stages?is_open=true')).data as { name: string }[]
    const last = stages.at(-1)?.name as string
    await page.keyboard.press('s')
    await page.keyboard.type(last.slice(0, 3).toLowerCase())
    letThrough()
    await page.locator('[role^=menuitem]:focus', { hasText: last }).waitFor()
    assert.equal(await page.locator('.popover:popover-open').count(), 1)
  })
})

describe('nothing is held', { skip: noBrowser }, () => {
  test('after Esc: what was to open does not, and letters are commands again', async () => {
    const { page, letThrough } = await openBoard('palette')
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('max')
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await selected(page)
    const came = page.waitForResponse(/assets\/palette-/)
    letThrough()
    await (await came).finished()
    await page.keyboard.press('ControlOrMeta+k')
    await page.locator('dialog.pal input:focus').waitFor()
    assert.equal(await focusedValue(page, 'dialog.pal'), '')
  })

  test('once the person clicks elsewhere', async () => {
    const { page, letThrough } = await openBoard('filter-popover')
    await page.keyboard.press('f')
    await page.keyboard.type('max')
    await page.locator('main h1').click()
    await page.locator('[data-card] h3 a').first().focus()
    await page.keyboard.press('x')
    await selected(page)
    letThrough()
    await page.locator('.filter-popover input:focus').waitFor()
    assert.equal(await focusedValue(page, '.filter-popover'), '')
  })

  test('when the file does not come: letters are commands, and what opens in the end has none of them', async () => {
    const { page } = await site.openAs('member', '/livez')
    pages.push(page)
    let asked = 0
    const again = new Promise<void>((resolve) => {
      void page.route('**/assets/palette-*.js', async (route) => {
        if (++asked === 2) resolve()
        await route.abort()
      })
    })
    await page.addInitScript(() => {
      Object.assign(globalThis, { requestIdleCallback: () => 0 })
    })
    await page.goto(`${site.url}/deals`)
    await page.locator('[data-card] h3 a').first().focus()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('yy')
    await again
    await page.keyboard.press('x')
    await selected(page)
    await page.unroute('**/assets/palette-*.js')
    await page.locator('dialog.pal input:focus').waitFor()
    assert.equal(await focusedValue(page, 'dialog.pal'), '')
  })
})
