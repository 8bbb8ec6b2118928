import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { screens as list } from '../../src/web/screens.ts'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { assertAccessible, openPage } from '../support/page.ts'
import { browserCookie, startScreens } from '../support/screens.ts'
import { seedOf } from '../support/seed.ts'
import { type Stop, TOUR, WAITING } from '../support/tour.ts'
import { becomes, until } from '../support/until.ts'
import { cutOff } from './cut-off.ts'
import { openBoard } from './deals/board-page.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// Every screen in both themes, for people who use a screen reader or need contrast, and in longer texts on a phone.

/** States that the tests of their screens look at. */
const ELSEWHERE = ['board-filter', 'board-menu', 'board-selection', 'board-add', 'setup', 'sign-in']

/** Each takes seconds: all of them in CI, and outside one of four, by the seed. */
const SOME = TOUR.filter((_, at) => process.env.TEST_ALL === '1' || at % 4 === seedOf(0) % 4)

describe('all screens', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let cookie: string
  const links: Record<string, string> = {}

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
    const admin = await server.screens.signedIn({ id: server.members.AK as string })
    cookie = admin.cookie
    const { body } = await admin.call('POST', '/app/invites', { email: 'new@tarn.example', role: 'member' })
    links.join = new URL(body.url).pathname + new URL(body.url).hash
    const company = (await admin.call('GET', '/api/v1/companies?limit=1')).body.data[0].id
    const contact_id = await server.newId('/contacts', { first_name: 'Ilona', last_name: 'Ványa', company_id: company })
    await server.newId('/messages', { ...WAITING, contact_id })
    const gone = await server.newId('/contacts', { first_name: 'Gone', last_name: 'For now', company_id: company })
    await admin.call('DELETE', `/api/v1/contacts/${gone}`, undefined, { 'Idempotency-Key': 'step.tour-1.1' })
    const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString())
    await server.newId('/meetings', { title: 'First call', starts_at, ends_at })
    await server.newId('/tasks', { title: 'Order a loan unit', owner_id: server.members.AK, due_at: null })
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function come(stop: Stop, options: Parameters<typeof openPage>[4] = {}): Promise<Page> {
    const path = stop.path.replace(/^\{(\w+)\}$/, (_, name) => links[name] as string)
    const page = await openPage(browser, server, stop.isOutside ? null : { cookie }, path, options)
    await page.locator(stop.ready).first().waitFor({ state: 'attached' })
    await stop.prepare?.(page)
    return page
  }

  for (const [name, path, act] of [
    ['board', '/deals', undefined],
    ['contacts', '/contacts', undefined],
    ['palette', '/deals', 'Control+k'],
  ] as const) {
    test(`${name} is read to people as its snapshot says`, async () => {
      const { context, page } = await openBoard(browser, server, { as: 'AK', path })
      await page
        .locator(path === '/deals' ? '[data-card]' : '[role=row][aria-rowindex="2"]')
        .first()
        .waitFor()
      if (act) {
        await page.keyboard.press(act)
        await page.locator('dialog [role=option]').first().waitFor()
      }
      const file = join(import.meta.dirname, 'snapshots', `${name}.txt`)
      const place = page.locator(act ? 'dialog[open]' : 'main')
      const read = async () => `${(await place.ariaSnapshot()).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}\n`
      // UPDATE_SNAPSHOTS=1 writes what is read now: look at the difference before it is kept.
      if (process.env.UPDATE_SNAPSHOTS === '1' || !existsSync(file)) {
        await page.waitForLoadState('networkidle')
        writeFileSync(file, await read())
      }
      // Sums, the cards in view and what was closed come one after the other.
      await becomes(read, readFileSync(file, 'utf8'))
      await context.close()
    })
  }

  test('are on the tour, but those of one record, which it comes to by a click', () => {
    const paths = new Set(TOUR.map(({ path }) => path.replace(/\?.*/, '')))
    const missing = list.map(({ path }) => path).filter((path) => !path.includes(':') && !paths.has(path))
    assert.deepEqual(missing, [])
  })

  for (const stop of SOME.filter(({ name }) => !ELSEWHERE.includes(name))) {
    test(`${stop.name} is without findings of axe in both themes`, async () => {
      const page = await come(stop)
      await assertAccessible(page)
      await page.context().close()
    })
  }

  for (const stop of SOME.filter(({ only, name }) => only !== 'wide' && !ELSEWHERE.includes(name))) {
    test(`${stop.name} is without findings of axe on a phone`, async () => {
      const page = await come(stop, { size: 'phone' })
      await assertAccessible(page)
      await page.context().close()
    })
  }

  for (const stop of SOME.filter(({ only, name }) => only !== 'wide' && name !== 'setup')) {
    test(`${stop.name} cuts nothing off on a phone in a language with longer words and a wide font`, async () => {
      const context = await browser.newContext({
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        reducedMotion: 'reduce',
      })
      if (!stop.isOutside) await context.addCookies([browserCookie(cookie, server.url)])
      const page = await context.newPage()
      // Until ours is there, and where it is blocked, any other may take its place.
      await page.route(/\.woff2$/, (route) => route.abort())
      await page.route(/\/[^.]*$/, async (route) => {
        if (route.request().resourceType() !== 'document') return route.fallback()
        const answer = await route.fetch()
        const text = await answer.text()
        await route.fulfill({ response: answer, body: text.replace('"language":"en"', '"language":"pseudo"') })
      })
      const path = stop.path.replace(/^\{(\w+)\}$/, (_, name) => links[name] as string)
      await page.goto(server.url + path)
      await page.locator(stop.ready).first().waitFor({ state: 'attached' })
      await stop.prepare?.(page)
      await page.getByText('~]').first().waitFor()
      assert.deepEqual(await cutOff(page), [])
      await context.close()
    })
  }

  test('say so when there is no connection', async () => {
    const own = await startScreens(server)
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await context.addCookies([browserCookie(cookie, own.url)])
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(`${own.url}/deals`)
    await page.locator('[data-card]').first().waitFor()
    await page.getByText('Everything saved').first().waitFor()
    await own.stop()
    const banner = page.getByText(/No connection to/)
    await until(() => page.clock.runFor(4000).then(() => banner.isVisible()))
    await assertAccessible(page)
    await context.close()
  })

  test('show both values where two have changed one', async () => {
    const { context, page } = await openBoard(browser, server, { as: 'AK' })
    const title = 'Colour measurement, glaze line'
    await page.locator('[data-card]', { hasText: title }).getByRole('link').focus()
    await context.setOffline(true)
    for (const key of ['Space', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await server.patchRecord(`/deals/${server.deals[title].id}`, { stage: server.stageIds.lead })
    await context.setOffline(false)
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await page.getByText(/moved it to Lead in. You chose/).waitFor()
    await assertAccessible(page)
    await context.close()
  })

  test('are without findings in an organisation that has no records yet', async () => {
    const empty = await startKitBoard({ only: 'settings' })
    const member = await empty.screens.signedIn({ id: empty.members.AK as string })
    for (const path of ['/deals', '/contacts', '/tasks']) {
      const page = await openPage(browser, empty, member, path)
      await page.locator('main .empty, main .nothing').first().waitFor()
      await assertAccessible(page)
      await page.context().close()
    }
    await empty.stop()
  })

  test('show both values of a long text that two have changed, on the page of its record', async () => {
    const [mine, theirs] = ['Responsible for ', 'Answers for '].map(
      (text) => text + 'instruments and gauges, '.repeat(8),
    )
    const { id } = await server.newRecord('/contacts', { last_name: 'Ruiz', job_title: 'Buyer' })
    for (const size of ['desktop', 'phone'] as const) {
      const page = await openPage(browser, server, { cookie }, `/contacts/${id}`, { size })
      if (size === 'phone') await page.getByRole('tab', { name: 'Details' }).click()
      const property = page.locator('[data-property="job_title"]')
      await property.locator('.opens').click()
      await property.locator(':is(input, textarea):focus').fill(`${mine} (${size})`)
      await server.patchRecord(`/contacts/${id}`, { job_title: `${theirs} (${size})` })
      await page.keyboard.press('Enter')
      await property.locator('.clash').waitFor()
      await assertAccessible(page)
      assert.deepEqual(await cutOff(page), [])
      await page.context().close()
    }
  })
})
