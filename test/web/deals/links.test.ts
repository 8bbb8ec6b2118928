import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Browser, Locator, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { type Opened, openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// Cards as links, their menu, and the way back to them.

describe('the cards of the board', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  const opened: Opened[] = []
  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })
  afterEach(async () => {
    for (const { context } of opened.splice(0)) {
      await context.close()
    }
  })

  const TITLE = 'Torque sensors for assembly line 7'
  const open = async (options: Parameters<typeof openBoard>[2] = {}): Promise<Page> => {
    const made = await openBoard(browser, server, options)
    opened.push(made)
    await made.page.waitForSelector('[data-card][draggable=true]')
    return made.page
  }
  const card = (page: Page, title = TITLE): Locator => page.locator('[data-card]', { hasText: title })
  const link = (page: Page, title = TITLE): Locator => card(page, title).getByRole('link')
  const menu = (page: Page): Locator => page.getByRole('menu')
  const hasFocus = (place: Locator) => place.evaluate((element) => element === document.activeElement)

  test('have a menu for the mouse, for keys and on the button: the same', async () => {
    const page = await open()
    const items = async () => {
      await menu(page).getByRole('menuitem').first().waitFor()
      const found = await menu(page).getByRole('menuitem').allInnerTexts()
      assert.equal(await menu(page).getAttribute('aria-label'), `More for ${TITLE}`)
      await page.keyboard.press('Escape')
      await menu(page).waitFor({ state: 'detached' })
      return found.map((text) => text.split('\n')[0])
    }
    await card(page).locator('.figures').click({ button: 'right' })
    const byMouse = await items()
    assert.ok(byMouse.includes('Open in a new tab') && byMouse.includes('Copy link'))
    for (const key of ['ContextMenu', 'Shift+F10']) {
      await link(page).focus()
      await page.keyboard.press(key)
      assert.deepEqual(await items(), byMouse, key)
      assert.equal(await hasFocus(link(page)), true)
    }
    await card(page).hover()
    await card(page)
      .getByRole('button', { name: `More for ${TITLE}` })
      .click()
    assert.deepEqual(await items(), byMouse)
  })

  test('have their menu also where it is not loaded yet: it comes then, and the browser shows none', async () => {
    const made = await openBoard(browser, server, { path: '/tasks' })
    opened.push(made)
    const { page } = made
    let release = () => undefined as unknown
    const released = new Promise((resolve) => (release = () => resolve(undefined)))
    await page.route(/\/assets\/card-menus-/, async (route) => {
      await released
      await route.continue()
    })
    const asked = page.waitForRequest(/\/assets\/card-menus-/)
    await page.goto(`${server.url}/deals`)
    await card(page).waitFor()
    await page.evaluate(() => {
      const seen: boolean[] = []
      Object.assign(globalThis, { seen })
      addEventListener('contextmenu', (event) => seen.push(event.defaultPrevented))
    })
    await card(page).locator('.figures').click({ button: 'right' })
    await link(page).click({ button: 'right', position: { x: 4, y: 4 } })
    await card(page, 'Wind tunnel probes').locator('.figures').click({ button: 'right' })
    assert.deepEqual(await page.evaluate('seen'), [true, false, true], 'a link keeps the menu of the browser')
    await asked
    assert.equal(await menu(page).count(), 0)
    release()
    await menu(page).getByRole('menuitem').first().waitFor()
    assert.equal(await menu(page).getAttribute('aria-label'), 'More for Wind tunnel probes')
  })

  test('have it under a finger that rests, on the title too; a tap opens, a swipe scrolls', async () => {
    const made = await openBoard(browser, server, { width: 390, height: 844, touch: true })
    opened.push(made)
    const { page, context } = made
    await card(page).waitFor()
    const finger = await context.newCDPSession(page)
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', point?: { x: number; y: number }) =>
      finger.send('Input.dispatchTouchEvent', { type, touchPoints: point ? [point] : [] })
    /** Until the page's own clock says that the finger has rested. */
    const rest = () =>
      page.evaluate(
        (ms) =>
          new Promise<void>((resolve) => {
            const start = performance.now()
            const look = () => (performance.now() - start > ms ? resolve() : requestAnimationFrame(look))
            look()
          }),
        600,
      )
    const at = async (place: Locator) => {
      const box = await place.boundingBox()
      assert.ok(box)
      return { x: box.x + 12, y: box.y + 8 }
    }
    for (const place of [card(page).locator('.figures'), link(page)]) {
      await place.scrollIntoViewIfNeeded()
      await touch('touchStart', await at(place))
      await rest()
      await touch('touchEnd')
      await menu(page)
        .getByRole('menuitem', { name: /Move the deal to a stage/ })
        .waitFor()
      assert.match(page.url(), /\/deals$/, 'and goes nowhere')
      await page.keyboard.press('Escape')
      await menu(page).waitFor({ state: 'detached' })
    }
    const start = await at(card(page).locator('.figures'))
    await touch('touchStart', start)
    await touch('touchMove', { x: start.x, y: start.y - 60 })
    await rest()
    await touch('touchEnd')
    await link(page).tap()
    await page.waitForURL(/\/deals\/[0-9a-f-]+$/)
    assert.equal(await menu(page).count(), 0)
  })

  test('leave the browser its own menu on the title and with Shift', async () => {
    const page = await open()
    await page.evaluate(() => {
      const seen: boolean[] = []
      Object.assign(globalThis, { seen })
      addEventListener('contextmenu', (event) => seen.push(event.defaultPrevented))
    })
    await link(page).click({ button: 'right' })
    await card(page)
      .locator('.figures')
      .click({ button: 'right', modifiers: ['Shift'] })
    await card(page).locator('.figures').click({ button: 'right' })
    await menu(page).waitFor()
    assert.deepEqual(await page.evaluate(() => (globalThis as unknown as { seen: boolean[] }).seen), [
      false,
      false,
      true,
    ])
  })

  test('get the focus back, at their place', async () => {
    const page = await open({ height: 460 })
    const stack = page.locator('.cards', { has: link(page) })
    await link(page).scrollIntoViewIfNeeded()
    await stack.evaluate((box) => box.scrollTo(0, 60))
    const top = await stack.evaluate((box) => box.scrollTop)
    assert.ok(top > 0)
    for (const back of [() => page.goBack(), () => page.locator('.record-bar .crumb a').first().click()]) {
      await link(page).click()
      await page.waitForURL(/\/deals\/.+/)
      await page.locator('.record-bar .crumb').waitFor()
      await back()
      await page.waitForURL(/\/deals$/)
      await page.waitForFunction((title) => document.activeElement?.textContent === title, TITLE)
      assert.equal(await hasFocus(link(page)), true)
      assert.equal(await stack.evaluate((box) => box.scrollTop), top)
    }
  })
})
