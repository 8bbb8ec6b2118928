import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noBrowser } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { browserCookie } from '../../support/screens.ts'
import { close, type Site, startSite } from './site.ts'

// Pages that stay open: over an update of the server, and over a network that comes and goes.

describe('a page that stays open', { skip: noBrowser }, () => {
  let site: Site
  const { newContact, newDeal } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  test('offers the new version once nothing of its member waits', async () => {
    const deal = await newDeal({ title: 'Harbour' })
    const { page } = await site.openAs('member', '/settings/me')
    // As if the server had been updated since.
    await page.route(`${site.url}/deals/*`, async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: (await answer.text()).replace(/"build":"\w+"/, '"build":"older"') })
    })
    await page.goto(`${site.url}/deals/${deal.id}`)
    const offer = page.getByText('New version')
    await offer.waitFor()
    await page.route('**/api/v1/deals/*', (route) => route.abort())
    await page.getByRole('button', { name: 'Edit Title' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Harbour of Ana')
    await page.keyboard.press('Enter')
    await offer.waitFor({ state: 'detached' })
    const onPhone = async () => {
      await page.setViewportSize({ width: 390, height: 844 })
      await page.locator('.tabbar').getByRole('button', { name: 'More' }).click()
      await page.getByRole('menuitem', { name: 'Settings' }).waitFor()
      const count = await page.getByRole('menuitem', { name: /^New version/ }).count()
      await page.keyboard.press('Escape')
      await page.setViewportSize({ width: 1440, height: 900 })
      return count
    }
    assert.equal(await onPhone(), 0)
    await page.unroute('**/api/v1/deals/*')
    await offer.waitFor()
    await page.getByText('Everything saved').waitFor()
    assert.equal(await onPhone(), 1)
    await close(page)
  })

  test('asks again for a file that did not come', async () => {
    await newContact({ last_name: 'Adler' })
    const { page } = await site.openAs('member', '/livez')
    // Before the page has time to fetch it by itself.
    await page.route('**/assets/peek-panel-*.js', (route) => route.abort())
    await page.goto(`${site.url}/contacts`)
    const cell = page.locator('[role=gridcell]').nth(1)
    await cell.click()
    const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('peek-panel-'))
    await page.keyboard.press('Space')
    await failed
    await page.unroute('**/assets/peek-panel-*.js')
    await page.getByRole('complementary', { name: 'Adler' }).waitFor()
    await close(page)
  })

  test('opens a screen whose files did not come as soon as they do', async () => {
    const { page } = await site.openAs('member', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.evaluate(() => Object.assign(window, { isSame: true }))
    await page.route('**/assets/tasks-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Tasks' }).click()
    await page.getByRole('heading', { name: 'This page could not be loaded' }).first().waitFor()
    await page.unroute('**/assets/tasks-*.js')
    // It asks by itself, too, and may be there before the button is pressed.
    const opened = page.getByRole('heading', { name: 'Tasks', level: 1 })
    await page.getByRole('button', { name: 'Try again' }).or(opened).first().click()
    await opened.waitFor()
    assert.equal(await page.evaluate(() => 'isSame' in window), true, 'the page itself was not loaded anew')
    await close(page)
  })

  test('goes by the time of the server, whatever the clock of the visitor shows, and by a day that has begun since', async () => {
    const { server, screens } = site
    const eve = await screens.signedIn('member')
    const dueIn = (minutes: number) => new Date(server.now() + minutes * 60_000).toISOString()
    for (const [title, minutes] of [
      ['Late by a minute', -1],
      ['In half an hour', 30],
      ['At this time tomorrow', 24 * 60],
    ] as const) {
      const made = { title, due_at: dueIn(minutes), owner_id: eve.id }
      assert.equal((await eve.call('POST', '/api/v1/tasks', made)).status, 201)
    }
    const page = await site.open('/livez')
    await page.context().addCookies([browserCookie(eve.cookie, screens.url)])
    await page.clock.install({ time: server.now() - 5 * 3_600_000 })
    await page.goto(`${screens.url}/tasks`)
    const row = (title: string) => page.locator('.tr', { hasText: title })
    await row('In half an hour').waitFor()
    const heads = async () => (await page.locator('.gh').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    assert.deepEqual(await heads(), ['Late 1', 'Today 20 Nov 2026, 1 left', 'Tomorrow 1'])
    assert.match(await page.locator('.bar').getByText(/late/).innerText(), /3 open, 1 late/)

    await page.clock.fastForward('26:00:00') // the page stays open over night
    await row('In half an hour').locator('.due.late').waitFor()
    assert.deepEqual(await heads(), ['Late 3'])
    await page.keyboard.press('n')
    await page.keyboard.type('Ring Ana tomorrow 9:00')
    await page.keyboard.press('Enter')
    await row('Ring Ana').waitFor()
    const [found] = (await eve.call('GET', '/api/v1/tasks?q=Ring')).body.data
    assert.match(found.due_at, /^2026-11-22T/)
    await close(page)
  })
})
