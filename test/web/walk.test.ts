import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { credentialStore } from '../../src/auth/credentials.ts'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { PASSWORD } from '../support/screens.ts'
import { type KitBoard, NOW, startKitBoard } from './deals/kit-board.ts'
import { handOf, type Way, type Who } from './walk/hand.ts'
import { STEPS } from './walk/steps.ts'

// A day's work by keyboard alone, then by mouse, in one browser from the sign-in page to signing out. Each test goes on where
// the one before ended.

const PEOPLE: Record<Way, Who> = {
  keyboard: { key: 'AK', contact: 'Ilona Ványa', industry: 'Fine optics', amount: 77_000 },
  mouse: { key: 'MI', contact: 'Imre Szabó', industry: 'Rough optics', amount: 78_500 },
}

describe('a day', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let page: Page

  before(async () => {
    server = await startKitBoard()
    const { store, a, members, screens } = server
    const hash = await screens.passwords.hash(PASSWORD)
    for (const { key } of Object.values(PEOPLE)) {
      store.transaction(() => credentialStore(store).setPassword(a.org, members[key] as string, hash))
      for (const [hours, title] of ['Ring the customs office', 'Order a loan unit'].entries())
        await server.newId('/tasks', {
          title,
          owner_id: members[key],
          due_at: new Date(NOW + (hours + 1) * 3_600_000).toISOString(),
        })
    }
    browser = await startChromium()
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
    })
    page = await context.newPage()
    await page.clock.setFixedTime(NOW)
    await page.goto(`${server.url}/`)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  for (const way of ['keyboard', 'mouse'] as const) {
    describe(`by ${way}`, () => {
      const day = { who: PEOPLE[way], id: '', before: '', shown: 0, own: 0 }
      for (const step of STEPS)
        test(`one ${step.does}`, async () => {
          const now = Object.assign(day, { page, server })
          const hand = handOf(now)
          await step.begins?.(now, hand)
          await step[way](now, hand)
          await step.ends(now, hand)
        })
    })
  }
})
