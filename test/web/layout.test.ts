import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import type { Stop } from '../support/tour.ts'
import { TOUR, WAITING } from '../support/tour.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// What the system asks for: few colours, no motion, a phone's fields. Larger letters are in larger.test.ts.

const NAMES = ['board', 'deals-table', 'deal', 'tasks', 'contacts', 'settings-me', 'palette', 'keys']
const MAIN = TOUR.filter(({ name }) => NAMES.includes(name))

describe('for people who set up their system', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let cookie: string

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
    cookie = (await server.screens.signedIn({ id: server.members.AK as string })).cookie
    const contact_id = await server.newId('/contacts', { first_name: 'Ilona', last_name: 'Ványa' })
    await server.newId('/messages', { ...WAITING, contact_id })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  /** A browser, in whose one page its screens are opened one after the other. */
  function comesTo(options: BrowserContextOptions) {
    let page: Page | undefined
    after(() => page?.context().close())
    return async ({ path, ready, prepare }: Stop): Promise<Page> => {
      page ??= await openPage(browser, server, { cookie }, '/nowhere', options)
      await page.goto(server.url + path)
      await page.locator(ready).first().waitFor({ state: 'attached' })
      await prepare?.(page)
      return page
    }
  }

  const withoutMotion = comesTo({ reducedMotion: 'reduce' })
  for (const stop of MAIN)
    test(`${stop.name} moves nothing where motion is reduced`, async () => {
      const page = await withoutMotion(stop)
      // The spinner alone may turn, in steps.
      const moving = await page.evaluate(() => {
        const all = [...document.querySelectorAll('*')].filter((element) => !element.matches('.spin'))
        const most = (text: string) =>
          Math.max(...text.split(',').map((each) => Number.parseFloat(each) * (each.includes('ms') ? 1 : 1000)))
        return all.flatMap((element) =>
          ['', '::before', '::after'].flatMap((part) => {
            const { transitionDuration, animationDuration, animationName } = getComputedStyle(element, part)
            const isMoving = most(transitionDuration) > 1 || (animationName !== 'none' && most(animationDuration) > 1)
            return isMoving
              ? [
                  `${element.localName}.${element.className}${part} ${transitionDuration} ${animationName} ${animationDuration}`,
                ]
              : []
          }),
        )
      })
      assert.deepEqual(moving, [])
    })

  test('no field of a phone has letters that make it zoom, and no browser translates what changes', async () => {
    const page = await openPage(browser, server, { cookie }, '/nowhere', {
      ...{ viewport: { width: 390, height: 664 }, isMobile: true, hasTouch: true },
    })
    for (const { name, path } of MAIN) {
      await page.goto(server.url + path)
      await page.locator('h1, input, textarea').first().waitFor({ state: 'attached' })
      const small = await page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('input:not([type=checkbox]):not([type=radio]), textarea, select')]
          .filter((field) => Number.parseFloat(getComputedStyle(field).fontSize) < 16)
          .map((field) => field.outerHTML.slice(0, 80)),
      )
      assert.deepEqual(small, [], name)
      assert.equal(await page.evaluate(() => document.documentElement.translate), false)
    }
    await page.context().close()
  })

  describe('with the few colours of the system', () => {
    const withFewColours = comesTo({ forcedColors: 'active' })
    /** How an element is told from one beside it, besides by its colours. */
    const looks = (page: Page, selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const parts = ['', '::before', '::after'].map((part) => getComputedStyle(element, part))
          return parts.some(
            ({ outlineStyle, outlineWidth, borderTopWidth, borderTopStyle }) =>
              (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1) ||
              (borderTopStyle !== 'none' && Number.parseFloat(borderTopWidth) >= 2),
          )
        })

    test('the focus has an outline wherever it is', async () => {
      for (const name of ['board', 'deals-table', 'tasks', 'settings-me']) {
        const page = await withFewColours(TOUR.find((each) => each.name === name) as Stop)
        const without: string[] = []
        for (let step = 0; step < 24; step++) {
          await page.keyboard.press('Tab')
          const found = await page.evaluate(() => {
            const at = document.activeElement
            if (!at || at === document.body) return null
            const isOutlined = (element: Element | null): boolean => {
              if (!element) return false
              const { outlineStyle, outlineWidth } = getComputedStyle(element)
              return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1
            }
            // The line around may show it for what is inside.
            const around = [at, at.parentElement, at.parentElement?.parentElement ?? null, at.closest('[data-card]')]
            return around.some(isOutlined)
              ? null
              : `${at.localName}.${at.className} ${at.getAttribute('aria-label') ?? at.textContent?.slice(0, 30)}`
          })
          if (found) without.push(found)
        }
        assert.deepEqual([...new Set(without)], [], name)
      }
    })

    test('what is chosen is told by more than its colour', async () => {
      const page = await withFewColours(TOUR.find(({ name }) => name === 'board-selection') as Stop)
      const assertTold = async (chosen: string, other: string) =>
        assert.deepEqual([await looks(page, chosen), await looks(page, other)], [true, false], chosen)
      await assertTold('.card.is-selected', '.card:not(.is-selected)')
      await assertTold('.seg [aria-checked=true]', '.seg [aria-checked=false]')
      await assertTold('.side [aria-current]', '.side .nav a:not([aria-current])')
      await page.keyboard.press('Control+k')
      await page.locator('dialog [role=option]').first().waitFor()
      await assertTold('dialog [role=option][aria-selected=true]', 'dialog [role=option]:not([aria-selected=true])')
      await page.goto(`${server.url}/contacts`)
      await page.locator('[role=row][aria-rowindex="2"] .box').click()
      await assertTold('[role=row][aria-selected=true]', '[role=row][aria-rowindex="3"], [role=row][aria-rowindex="1"]')
    })
  })
})
