import type { Browser, CDPSession, Page } from 'playwright-core'
import { caller, inBatches } from './client.ts'

// What is measured in the page of the browser app. Times in milliseconds, from the event of a key or a click until the frame
// after it has been painted.

/** How often each is done. */
export const KEYS = 40
export const FRAMES = 180
export const ROUNDS = 10
export const CHANGES = 30

type Api = { url: string; token: string }
type Cookies = Awaited<ReturnType<Awaited<ReturnType<Browser['newContext']>>['storageState']>>['cookies']

export async function load(browser: Browser, origin: string, cookies: Cookies) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.addInitScript(() => {
    // What comes once the page has time is not the first load.
    Object.assign(globalThis, { requestIdleCallback: () => 0 })
    new MutationObserver((_, observer) => {
      if (!document.querySelector('[data-card]')) return
      observer.disconnect()
      performance.mark('cards')
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${origin}/deals`)
  await page.waitForFunction(() => performance.getEntriesByName('cards').length > 0)
  const lcp = await lcpOf(page)
  const found = await page.evaluate(() => {
    const cards = performance.getEntriesByName('cards')[0]?.startTime ?? 0
    const before = (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter(
      ({ startTime }) => startTime < cards,
    )
    const kb = (ending: string) =>
      before.reduce((sum, each) => sum + (each.name.endsWith(ending) ? each.encodedBodySize : 0), 0) / 1000
    return { requests: 1 + before.length, scriptKb: kb('.js'), styleKb: kb('.css') }
  })
  await context.close()
  return { ...found, lcp }
}

/** The same on a page with nothing but a field: what the browser and the machine themselves take at this moment. */
export async function control(browser: Browser): Promise<{ frames: number; keys: number }> {
  const page = await browser.newPage()
  await page.setContent('<div class="cards" style="height:300px;overflow:auto"><p style="height:90000px">.</p></div>')
  const frames = await scrollFrames(page, '.cards')
  const keys = await keyTimes(page)
  await page.close()
  return { frames, keys }
}

/** A page with the board, with all that it fetches later. */
export async function open(browser: Browser, origin: string, cookies: Cookies): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.goto(`${origin}/deals`)
  await page.waitForSelector('[data-card]')
  await page.waitForLoadState('networkidle').catch(() => undefined)
  return page
}

const lcpOf = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        })
      }),
  )

export async function again(page: Page): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    await page.reload()
    await page.waitForSelector('[data-card]')
    times.push(await lcpOf(page))
  }
  return median(times)
}

/** From the end of the answer of the board until the frame with its cards. */
export async function boardPaint(page: Page): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.querySelector('[data-card]')) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => performance.mark('cards')))
      }).observe(document, { childList: true, subtree: true })
    })
    await page.reload()
    await page.waitForFunction(() => performance.getEntriesByName('cards').length > 0)
    times.push(
      await page.evaluate(() => {
        const answer = performance.getEntriesByType('resource').find(({ name }) => /\/app\/board\?/.test(name))
        const cards = performance.getEntriesByName('cards')[0]?.startTime ?? 0
        return cards - ((answer as PerformanceResourceTiming | undefined)?.responseEnd ?? 0)
      }),
    )
  }
  return median(times)
}

export const scrollFrames = (page: Page, selector: string): Promise<number> =>
  page.evaluate(
    ([found, count]) =>
      new Promise<number>((resolve) => {
        const element = [...document.querySelectorAll<HTMLElement>(found)].find(
          ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 500,
        )
        if (!element) return resolve(Number.NaN)
        const frames: number[] = []
        let last = performance.now()
        const step = (now: number) => {
          frames.push(now - last)
          last = now
          element.scrollTop += 120
          if (frames.length < count) requestAnimationFrame(step)
          else resolve(frames.slice(5).sort((one, other) => one - other)[Math.floor((frames.length - 5) * 0.95)] ?? 0)
        }
        requestAnimationFrame(step)
      }),
    [selector, FRAMES] as const,
  )

/** From the key until the last row stands there with its name. */
export async function jump(page: Page, contacts: number): Promise<number> {
  // The name is a link.
  await page.locator('.tbl [role=gridcell]').last().click()
  return until(page, `.tbl [aria-rowindex="${contacts + 1}"] [role=rowheader]`, () =>
    page.keyboard.press('Control+End'),
  )
}

/** Lifts the first card, moves it to the next column and drops it. */
export async function moveFrames(page: Page): Promise<number> {
  await page.locator('[data-card] a').first().focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  const id = await page.evaluate(() => document.activeElement?.closest('[data-card]')?.getAttribute('data-card'))
  await page.evaluate((card) => {
    const columnOf = () =>
      document.querySelector(`[data-card="${card}"]:not(.is-gone)`)?.closest('[data-stage]')?.getAttribute('data-stage')
    const from = columnOf()
    addEventListener(
      'keydown',
      () => {
        let frames = 0
        const look = () => {
          frames++
          if ((columnOf() ?? from) !== from || frames > 60) Object.assign(globalThis, { moveFrames: frames })
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      },
      { once: true, capture: true },
    )
  }, id)
  await page.keyboard.press('Space')
  await page.waitForFunction(() => 'moveFrames' in globalThis)
  return page.evaluate(() => (globalThis as unknown as { moveFrames: number }).moveFrames)
}

/** Moves of the focus over the board by keys: the time from the event until the frame after it. */
export async function keyToPaint(page: Page): Promise<number> {
  await page.locator('[data-card] a').first().focus()
  return keyTimes(page)
}

/** The time from each key until the frame after it, for so many keys: p95. */
export async function keyTimes(page: Page, keyOf = (n: number) => (n % 8 < 4 ? 'j' : 'l')): Promise<number> {
  await page.evaluate(() => {
    const times: number[] = []
    Object.assign(globalThis, { keyTimes: times })
    addEventListener(
      'keydown',
      ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp))),
      { capture: true },
    )
  })
  for (let n = 0; n < KEYS; n++) {
    await page.keyboard.press(keyOf(n))
    await page.waitForFunction((count) => (globalThis as never as { keyTimes: number[] }).keyTimes.length > count, n)
  }
  return p95(await page.evaluate(() => (globalThis as never as { keyTimes: number[] }).keyTimes))
}

/** From the key or click until the element is there and the frame is painted or, with `isWork`, until it is laid out. */
export async function until(
  page: Page,
  selector: string,
  act: () => Promise<unknown>,
  isWork = false,
): Promise<number> {
  await page.evaluate(
    ([found, ends]) => {
      Object.assign(globalThis, { shownAt: 0, startedAt: 0 })
      const start = (event: Event) => Object.assign(globalThis, { startedAt: event.timeStamp })
      addEventListener('keydown', start, { once: true, capture: true })
      addEventListener('click', start, { once: true, capture: true })
      const observer = new MutationObserver(() => {
        const element = document.querySelector(found)
        if (!element) return
        observer.disconnect()
        element.getBoundingClientRect()
        const end = () => Object.assign(globalThis, { shownAt: performance.now() })
        if (ends) end()
        else requestAnimationFrame(() => setTimeout(end))
      })
      observer.observe(document, { childList: true, subtree: true, attributes: true })
    },
    [selector, isWork] as const,
  )
  await act()
  await page.waitForFunction(() => (globalThis as never as { shownAt: number }).shownAt > 0)
  return page.evaluate(() => {
    const { shownAt, startedAt } = globalThis as never as { shownAt: number; startedAt: number }
    return shownAt - startedAt
  })
}

export async function palette(page: Page): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    times.push(await until(page, 'dialog.pal[open]', () => page.keyboard.press('Control+k'), true))
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog.pal', { state: 'detached' })
  }
  return median(times)
}

/** From the last letter until what only the server has is shown: contacts are not on the board. */
export async function paletteServer(page: Page, contacts: number): Promise<number> {
  await page.keyboard.press('Control+k')
  const last = String(contacts - 1)
  // A number that no record at hand has.
  await page.keyboard.type(last.slice(0, -1), { delay: 5 })
  const time = await until(page, 'dialog.pal [id*="hit-contacts-"]', () => page.keyboard.press(last.slice(-1))).catch(
    () => Number.NaN,
  )
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog.pal', { state: 'detached' })
  return time
}

/** From the write of the colleague until the frame that shows it. */
export async function colleague(page: Page, server: Api): Promise<number> {
  const call = caller(server)
  const id = (await page.locator('[data-card]').first().getAttribute('data-card')) as string
  const times: number[] = []
  for (let round = 0; round < CHANGES; round++) {
    const title = `Changed by a colleague ${round}`
    await page.evaluate(
      ([card, text]) => {
        Object.assign(globalThis, { shownAt: 0 })
        const observer = new MutationObserver(() => {
          if (document.querySelector(`[data-card="${card}"] h3`)?.textContent !== text) return
          observer.disconnect()
          requestAnimationFrame(() => setTimeout(() => Object.assign(globalThis, { shownAt: Date.now() })))
        })
        observer.observe(document, { childList: true, subtree: true, characterData: true })
      },
      [id, title] as const,
    )
    const started = Date.now()
    await call('PATCH', `/deals/${id}`, { title })
    await page.waitForFunction(() => (globalThis as never as { shownAt: number }).shownAt > 0)
    times.push((await page.evaluate(() => (globalThis as never as { shownAt: number }).shownAt)) - started)
  }
  return p95(times)
}

export const routeTo = (page: Page, href: string, selector: string): Promise<number> =>
  until(page, selector, () => page.locator(`nav a[href="${href}"]`).first().click())

export async function heapAfter(
  page: Page,
  cdp: CDPSession,
  server: Api,
  events: number,
): Promise<{ before: number; after: number }> {
  const call = caller(server)
  const heapMb = async () => {
    await cdp.send('HeapProfiler.collectGarbage')
    const { usedSize } = (await cdp.send('Runtime.getHeapUsage')) as { usedSize: number }
    return usedSize / 1e6
  }
  const before = await heapMb()
  const ids = await page.evaluate(() =>
    [...document.querySelectorAll('[data-card]')].map((card) => card.getAttribute('data-card') as string),
  )
  await inBatches(events, 16, (n) => call('PATCH', `/deals/${ids[n % ids.length]}`, { title: `Event ${n}` }))
  await page.waitForFunction(
    (last) => [...document.querySelectorAll('[data-card] h3')].some((title) => title.textContent === last),
    `Event ${events - 1}`,
    { timeout: 60_000 },
  )
  return { before, after: await heapMb() }
}

const sorted = (times: number[]): number[] => [...times].sort((one, other) => one - other)
const median = (times: number[]): number => sorted(times)[Math.floor(times.length / 2)] ?? Number.NaN
const p95 = (times: number[]): number => sorted(times)[Math.floor(times.length * 0.95)] ?? Number.NaN

/**
 * The processor time of the page's main thread during `act`, in milliseconds: unlike waits, other load on the machine hardly
 * changes it.
 */
export async function workOf<T>(page: Page, act: () => Promise<T>): Promise<{ ms: number; result: T }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async (): Promise<number> => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
  }
  const before = await read()
  const result = await act()
  const ms = (await read()) - before
  await cdp.detach()
  return { ms, result }
}
