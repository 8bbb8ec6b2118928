import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('the meetings', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ana: SignedIn
  let page: Page
  const { newCompany, newContact } = recordsOf(() => server)

  before(async () => {
    server = await startServer()
    // Noon, so that "in two hours" is today; pages go by the clock of the server.
    server.advance(
      Date.parse(new Date(Date.now() + DAY_MS).toISOString().slice(0, 11).concat('12:00:00Z')) - server.now(),
    )
    screens = await startScreens(server)
    browser = await startChromium()
    ana = await screens.signedIn('member')
    await ana.call('PATCH', '/app/preferences', { timezone: 'UTC' })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(() => page?.context().close())

  const at = (ms: number) => new Date(server.now() + ms).toISOString()
  const ok = async (method: string, path: string, body?: unknown) => {
    const answer = await ana.call(method, path, body)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const make = (title: string, ms: number, more: Record<string, unknown> = {}) =>
    ok('POST', '/api/v1/meetings', { title, starts_at: at(ms), ends_at: at(ms + HOUR_MS), ...more })
  const read = (id: string) => ok('GET', `/api/v1/meetings/${id}`)
  const show = async (path: string, options = {}, member = ana) => {
    page = await openPage(browser, screens, member, path, { timezoneId: 'UTC', ...options })
  }
  const titles = () => page.locator('.meeting-row .what > a').allTextContents()
  const row = (title: string) => page.locator('.meeting-row', { hasText: title })

  test('stand by day: today, tomorrow and later, those that are over backwards, cancelled ones struck through', async () => {
    const company = await newCompany({ name: 'Polaris Freight' })
    await make('Loggers: route plan', 2 * HOUR_MS, { company_id: company.id })
    await make('Second demo', DAY_MS)
    await make('Called off', DAY_MS + HOUR_MS, { status: 'canceled' })
    await make('Service terms', -2 * DAY_MS, { status: 'completed' })
    await make('Visit', -3 * DAY_MS, { status: 'no_show' })
    await show('/deals')
    await page.locator('main h1').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('m')
    await row('Second demo').waitFor()
    assert.deepEqual(await titles(), ['Loggers: route plan', 'Second demo', 'Called off'])
    assert.deepEqual(await page.locator('.day-head h2').allTextContents(), ['Today', 'Tomorrow'])
    await row('Loggers').getByText('Polaris Freight').waitFor()
    const struck = await row('Called off')
      .locator('.what > a')
      .evaluate((link) => getComputedStyle(link).textDecorationLine)
    assert.equal(struck, 'line-through')
    await assertAccessible(page)
    await page.keyboard.press('p')
    await row('Service terms').waitFor()
    assert.deepEqual(await titles(), ['Service terms', 'Visit'])
    await row('Visit').getByText('nobody came').waitFor()
    assert.match(page.url(), /\?view=past$/)
    await page.getByRole('combobox', { name: 'Status' }).selectOption('completed')
    await row('Visit').waitFor({ state: 'detached' })
    assert.match(page.url(), /status=completed/)
    await page.reload()
    await row('Service terms').waitFor()
    assert.deepEqual(await titles(), ['Service terms'])
  })

  test('of whole days stand on these days without a time, wherever one looks from', async () => {
    const day = new Date(server.now() + 3 * DAY_MS).toISOString().slice(0, 10)
    const last = new Date(server.now() + 5 * DAY_MS).toISOString().slice(0, 10)
    const { id } = await ok('POST', '/api/v1/meetings', {
      title: 'Trade fair',
      starts_at: `${day}T00:00:00Z`,
      ends_at: `${last}T00:00:00Z`,
      timezone: 'UTC',
    })
    for (const timezone of ['America/Los_Angeles', 'Asia/Bangkok', 'Pacific/Auckland']) {
      const member = await screens.signedIn('member')
      await server.store.db.prepare('UPDATE members SET timezone = ? WHERE id = ?').run(timezone, member.id)
      await show('/meetings', { timezoneId: timezone }, member)
      await row('Trade fair').first().waitFor()
      assert.equal(await row('Trade fair').count(), 2, timezone)
      assert.match(await row('Trade fair').first().innerText(), /all day/)
      assert.doesNotMatch(await row('Trade fair').first().innerText(), /\d\d:\d\d/)
      await page.goto(`${screens.url}/meetings?view=week&week=${day}`)
      await page.locator('.week .block', { hasText: 'Trade fair' }).first().waitFor()
      const days = await page
        .locator('.week-day', { has: page.locator('.whole-days .block') })
        .locator('h3')
        .allTextContents()
      assert.ok(days[0]?.includes(String(Number(day.slice(8)))), `${timezone}: ${days.join()}`)
      await page.context().close()
    }
    await ok('DELETE', `/api/v1/meetings/${id}`)
  })

  test('of a week stand at their hours, those at the same time beside each other', async () => {
    await make('Beside it', 2 * HOUR_MS + HOUR_MS / 2)
    await show('/meetings?view=week')
    const one = page.locator('.block', { hasText: 'Loggers' })
    const other = page.locator('.block', { hasText: 'Beside it' })
    await other.waitFor()
    const [first, second] = [await one.boundingBox(), await other.boundingBox()]
    assert.ok(first && second && first.x + first.width <= second.x + 1 && second.y > first.y)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'The week after' }).click()
    await one.waitFor({ state: 'detached' })
    assert.match(page.url(), /week=\d{4}-\d\d-\d\d/)
    await page.getByRole('button', { name: 'This week' }).click()
    await one.waitFor()
    await one.click()
    await page.getByRole('heading', { name: 'Loggers: route plan' }).waitFor()
  })

  test('that end at midnight stand on their own day, and one that is made shorter is not a day longer', async () => {
    const day = new Date(server.now() + 10 * DAY_MS).toISOString().slice(0, 10)
    const next = new Date(server.now() + 11 * DAY_MS).toISOString().slice(0, 10)
    const { id } = await ok('POST', '/api/v1/meetings', {
      title: 'Late call',
      starts_at: `${day}T22:30:00Z`,
      ends_at: `${next}T00:00:00Z`,
    })
    await show(`/meetings?view=week&week=${day}`)
    await page.locator('.block', { hasText: 'Late call' }).waitFor()
    assert.equal(await page.locator('.block', { hasText: 'Late call' }).count(), 1)
    await page.locator('.block', { hasText: 'Late call' }).click()
    await page.getByRole('heading', { name: 'Late call' }).waitFor()
    await page.keyboard.press('e')
    await page.getByText('It ends on the next day.').waitFor()
    await page.getByLabel('To', { exact: true }).fill('23:00')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await until(async () => (await read(id)).ends_at === `${day}T23:00:00.000Z`)
    await ok('DELETE', `/api/v1/meetings/${id}`)
  })

  test('are found by what was said, with the place, which the link opens', async () => {
    const { id } = await make('Demo of the board', -DAY_MS)
    await ok('PUT', `/api/v1/meetings/${id}/transcript`, {
      speakers: [{ key: 'a', name: 'Aïcha' }],
      segments: [
        { speaker: 'a', start_ms: 0, end_ms: 4000, text: 'Good morning.' },
        { speaker: 'a', start_ms: 754_000, end_ms: 760_000, text: 'Can one gateway serve both halls?' },
      ],
    })
    await show('/meetings?view=past')
    await row('Demo of the board').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('gateway')
    await row('Demo of the board').getByText('“Can one gateway serve both halls?”').waitFor()
    assert.match(await row('Demo of the board').locator('.said').innerText(), /12:34 Aïcha:/)
    assert.match(page.url(), /q=gateway/)
    await row('Demo of the board').locator('a').click()
    await page.locator('.segment.is-at', { hasText: 'gateway' }).waitFor()
    assert.match(page.url(), /#t=754$/)
  })

  test('are made, changed and deleted with undo, by keyboard', async () => {
    await newContact({
      first_name: 'Margit',
      last_name: 'Larsen',
      emails: [{ email: 'margit@oresund.example', label: 'work', is_primary: true }],
    })
    await show('/meetings')
    await row('Second demo').waitFor()
    await page.keyboard.press('n')
    const form = page.getByRole('dialog', { name: 'New meeting' })
    await form.getByRole('textbox', { name: 'Title' }).fill('Portable analysers')
    await form.getByRole('combobox', { name: 'Add a member' }).fill('Margit')
    await page.getByRole('option', { name: /Margit Larsen/ }).waitFor()
    await page.keyboard.press('Enter')
    await form.locator('.form-people', { hasText: 'Margit Larsen' }).waitFor()
    await form.getByText('Nobody gets a mail.').waitFor()
    await assertAccessible(page)
    await form.getByRole('button', { name: 'Make the meeting' }).click()
    await page.getByRole('heading', { name: 'Portable analysers' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) as string
    const made = await read(id)
    assert.equal(made.participants.length, 2)
    assert.equal(made.participants[1].email, 'margit@oresund.example')
    assert.equal(made.owner_id, ana.id)
    await page.keyboard.press('e')
    const edit = page.getByRole('dialog', { name: 'Edit meeting' })
    await edit.getByRole('textbox', { name: 'Place' }).fill('Room 4')
    await edit.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await read(id)).location === 'Room 4')
    assert.equal((await read(id)).starts_at, made.starts_at)
    await edit.waitFor({ state: 'detached' })
    await page.keyboard.press('Backspace')
    await page.getByText('“Portable analysers” is in the bin').first().waitFor()
    await until(async () => (await ana.call('GET', `/api/v1/meetings/${id}`)).status === 404)
    await page.keyboard.press('z')
    await until(async () => (await ana.call('GET', `/api/v1/meetings/${id}`)).status === 200)
  })

  test('in German and on a phone', async () => {
    const ben = await screens.signedIn('member')
    await ben.call('PATCH', '/app/preferences', { language: 'de' })
    await show('/meetings', { size: 'phone', locale: 'de' }, ben)
    await row('Second demo').waitFor()
    await page.getByRole('radio', { name: 'Künftige' }).waitFor()
    await assertAccessible(page)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= 390, `${wide} px`)
    await page.goto(`${screens.url}/meetings?view=week`)
    await page.locator('.block', { hasText: 'Beside it' }).waitFor()
    await assertAccessible(page)
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390)
  })

  test('are only read by a viewer', async () => {
    await show('/meetings', {}, await screens.signedIn('viewer'))
    await row('Second demo').waitFor()
    assert.equal(await page.getByRole('button', { name: 'New meeting' }).count(), 0)
    await row('Second demo').locator('a').click()
    await page.getByRole('heading', { name: 'Second demo' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'What can be done with the meeting' }).count(), 0)
  })
})
