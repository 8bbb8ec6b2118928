import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { openBoard } from './board-page.ts'
import { type KitBoard, startKitBoard } from './kit-board.ts'

// The board in all its states, for people who use a screen reader or need contrast: no finding of axe.

describe('access to the board', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const STATES: Record<
    string,
    { width?: number; height?: number; touch?: boolean; path?: string; do?: (page: Page) => Promise<unknown> }
  > = {
    board: {},
    'quick add': {
      do: async (page) => {
        await page.getByRole('button', { name: 'Add a deal to Demo held' }).focus()
        await page.keyboard.press('Enter')
        await page.getByRole('textbox', { name: 'Title' }).waitFor()
      },
    },
    'lifted card': {
      do: async (page) => {
        await page.locator('[data-card] a').first().focus()
        await page.keyboard.press('Space')
        await page.keyboard.press('ArrowRight')
      },
    },
    'menu of a card': {
      do: async (page) => {
        await page.locator('[data-card]').first().hover()
        await page.locator('[data-card] .more').first().click()
        await page.getByRole('menu').waitFor()
      },
    },
    selection: {
      do: async (page) => {
        await page.locator('[data-card] a').first().focus()
        await page.keyboard.press('x')
        await page.getByRole('toolbar', { name: 'Change the selected deals' }).waitFor()
      },
    },
    'filter being made': {
      do: async (page) => {
        await page.keyboard.press('f')
        await page.getByRole('combobox', { name: 'Find a field' }).fill('expected')
        await page.keyboard.press('Enter')
        await page.getByRole('spinbutton').waitFor()
      },
    },
    'no match': { path: '/deals?amount.gte=90000000' },
    phone: { width: 390, height: 844, touch: true },
  }

  for (const [name, { do: act, ...options }] of Object.entries(STATES)) {
    test(name, async () => {
      const { page, context } = await openBoard(browser, server, options)
      await page.waitForSelector('[data-card], .empty')
      await act?.(page)
      await assertAccessible(page)
      await context.close()
    })
  }
})
