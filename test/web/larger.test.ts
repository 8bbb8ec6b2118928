import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import { seedOf } from '../support/seed.ts'
import { type Stop, TOUR, WAITING } from '../support/tour.ts'
import { becomes } from '../support/until.ts'
import { cutOff } from './cut-off.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// People who need larger letters: by the size that their browser is set to, or by zoom, which is a smaller window. All of
// the screens are there, and nothing of them is cut.

/** A record beside its list, and a filter that hangs at its button, need room. */
const NEED_ROOM = ['peek', 'board-filter']
const STOPS = TOUR.filter(({ name, isOutside, only }) => !isOutside && only !== 'phone' && !NEED_ROOM.includes(name))
/** A fourth of the screens in a run; all of them where all is tested. */
const some = (at: number) => process.env.TEST_ALL === '1' || at % 4 === seedOf(0) % 4

let server: KitBoard
before(async () => {
  if (noBrowser) return
  server = await startKitBoard()
  const contact_id = await server.newId('/contacts', { first_name: 'Ilona', last_name: 'Ványa' })
  await server.newId('/messages', { ...WAITING, contact_id })
})
after(() => server?.stop())

/** Texts whose letters are higher than their lines, or of which a part is not shown above or below. */
const cutLetters = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isText = (element: Element) =>
      [...element.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim())
    const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter(
      (element) => element.checkVisibility() && !element.closest('.sr, svg, option') && isText(element),
    )
    const nameOf = (element: Element) =>
      `${element.localName}.${element.className} ${element.textContent?.slice(0, 40)}`
    const low = shown.filter((element) => {
      const { fontSize, lineHeight } = getComputedStyle(element)
      return Number.parseFloat(fontSize) > 0 && Number.parseFloat(lineHeight) < Number.parseFloat(fontSize) - 0.1
    })
    const hidden = shown.filter((element) => {
      const { overflowY } = getComputedStyle(element)
      return (
        /hidden|clip/.test(overflowY) && element.scrollHeight > element.clientHeight + 2 && element.clientHeight > 0
      )
    })
    // A box that does not grow with its text lets it stand over what is below.
    const over = shown.filter((element) => {
      const parent = element.parentElement?.closest<HTMLElement>('button, .tr, .card, .input, .bar, .chip, .btn, a')
      if (!parent) return false
      const [own, box] = [element.getBoundingClientRect(), parent.getBoundingClientRect()]
      return own.height > 2 && box.height > 2 && (own.bottom > box.bottom + 2 || own.top < box.top - 2)
    })
    return [...low, ...hidden, ...over].map(nameOf)
  })

for (const letters of [24, 32]) {
  describe(`with letters of ${letters} pixels`, { skip: noBrowser }, () => {
    const come = comesTo({ letters })
    for (const stop of STOPS.filter((_, at) => some(at))) {
      test(`${stop.name} is whole`, async () => {
        const page = await come(stop)
        assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize), `${letters}px`)
        assert.deepEqual([...(await cutOff(page)), ...(await cutLetters(page))], [])
      })
    }
  })
}

describe('at 200 % and at 400 %', { skip: noBrowser }, () => {
  const come = comesTo({}, { deviceScaleFactor: 2 })
  const wrong = async (page: Page) => [...(await cutOff(page)), ...(await cutLetters(page))]
  for (const stop of STOPS.filter((_, at) => some(at))) {
    test(`${stop.name} is whole`, async () => {
      const page = await come(stop, { width: 720, height: 450 })
      assert.deepEqual(await wrong(page), [])
      if (stop.only === 'wide') return
      await page.setViewportSize({ width: 360, height: 225 })
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await becomes(() => wrong(page), []) // once what is measured is laid out
    })
  }
})

/** Goes to the screens one after the other in one page, against the board of the design. */
function comesTo(given: Parameters<typeof startChromium>[0], options: BrowserContextOptions = {}) {
  let browser: Browser
  let page: Page
  before(async () => {
    const { cookie } = await server.screens.signedIn({ id: server.members.AK as string })
    browser = await startChromium(given)
    page = await openPage(browser, server, { cookie }, '/nowhere', options)
  })
  after(() => browser?.close())
  return async ({ path, ready, prepare }: Stop, size?: { width: number; height: number }): Promise<Page> => {
    if (size) await page.setViewportSize(size)
    await page.goto(server.url + path)
    await page.locator(ready).first().waitFor({ state: 'attached' })
    await prepare?.(page)
    return page
  }
}
