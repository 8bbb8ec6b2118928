import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { openPage } from '../support/page.ts'
import type { SignedIn } from '../support/screens.ts'
import { becomes, until } from '../support/until.ts'
import { type KitBoard, startKitBoard } from './deals/kit-board.ts'

// Rules of the look that can be measured: what is shown can be read, and nothing stands over what is needed.

const LINKS = '.properties .inline .link'
const TAGS = ['decision maker', 'trade fair', 'newsletter', 'met in person']

describe('the look', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let member: SignedIn
  let kept: Page

  before(async () => {
    server = await startKitBoard()
    browser = await startChromium()
    member = await server.screens.signedIn({ id: server.members.AK as string })
    const tags: string[] = []
    for (const name of TAGS) tags.push(await server.newId('/tags', { name }))
    for (let n = 0; n <= TAGS.length; n++)
      await server.newId('/contacts', {
        last_name: `Person ${n}`,
        tag_ids: tags.slice(0, n),
        emails: [{ email: `a.name.of.usual.length.${n}@firm.example`, is_primary: true }],
      })
  })
  before(async () => {
    kept = await openPage(browser, server, member, '/nowhere')
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  async function open(path: string, ready: string, width = 1440, page = kept): Promise<Page> {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(server.url + path)
    await page.locator(ready).first().waitFor()
    return page
  }

  const cut = (page: Page, selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all) =>
        all
          .filter((element) => element.checkVisibility() && element.scrollWidth > element.clientWidth)
          .map((element) => element.textContent),
      )

  test('tags that have no room in a cell are counted, only a single one is cut, and they come back with room', async () => {
    const page = await open('/contacts?columns=name,tag_ids:120', '.tags.in-line .tag')
    const row = page.locator('[role=row]', { hasText: 'Person 4' })
    const more = row.locator('[data-more]:not([hidden])')
    await more.waitFor()
    const shown = () => row.locator('.tag:not([hidden])').count()
    assert.equal(await more.textContent(), `+${TAGS.length - (await shown())}`)
    assert.deepEqual(await cut(page, '.tbl .tag:not([hidden], :first-child) .cut'), [])
    const over = await page
      .locator('.tbl .tags')
      .evaluateAll((all) => all.filter((element) => element.scrollWidth > element.clientWidth).length)
    assert.equal(over, 0)
    await page.goto(`${server.url}/contacts?columns=name,tag_ids:560`)
    await row.locator('.tag').first().waitFor()
    assert.equal(await shown(), TAGS.length)
    assert.equal(await more.count(), 0)
  })

  for (const language of ['en', 'de'] as const) {
    test(`heads of columns, places and the search are whole in ${language}`, async () => {
      await member.call('PATCH', '/app/preferences', { language })
      for (const path of ['/contacts', '/companies', '/deals?shape=table']) {
        const page = await open(path, '[role=row][data-id]')
        assert.deepEqual(await cut(page, '.th > .cut, .side .find > .cut, .side .nav .cut'), [], path)
        assert.deepEqual(await cut(page, '[data-id] .td[data-column="2"] > .cut'), [], `${path}: emails and others`)
        const lines = await page.locator('.side .find > .cut').evaluate((element) => element.getClientRects().length)
        assert.equal(lines, 1)
      }
      await member.call('PATCH', '/app/preferences', { language: 'en' })
    })
  }

  test('a message covers neither the sidebar nor the foot of a table', async () => {
    for (const width of [1440, 1024]) {
      const page = await open('/contacts', '[role=row][data-id]', width)
      await page.locator('[role=row][data-id] .box').first().click()
      await page.keyboard.press('Backspace')
      await page.locator('.toast').waitFor()
      const [left, bottom, side, foot] = await page.evaluate(() => {
        const box = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
        return [box('.toast').left, box('.toast').bottom, box('.side').right, box('.tfoot').top] as const
      })
      assert.ok(side > 0 && left >= side, `${left} beside ${side} at ${width}`)
      assert.ok(bottom > 0 && bottom <= foot, `${bottom} over ${foot} at ${width}`)
      await page.keyboard.press('z')
    }
  })

  test('at 1024 pixels the sidebar is a rail, beside which four columns of cards have room', async () => {
    const page = await open('/deals', '[data-card]', 1024)
    assert.equal(await page.locator('.app.rail').count(), 1)
    const room = await page.locator('.board').evaluate((element) => element.clientWidth)
    assert.ok(room >= 4 * 196 + 40, `${room}`)
  })

  test('no number of a card is cut in the narrowest column, and large sums have no cents but where one points', async () => {
    await server.newId('/deals', { title: 'A large one', amount: 118_855_168.78, currency: 'EUR', owner_id: member.id })
    const page = await open('/deals', '[data-card]', 1024)
    const card = page.locator('[data-card]', { hasText: 'A large one' })
    await card.getByText('118,855,168.78').waitFor()
    assert.deepEqual(await cut(page, '.card .money'), [])
    const [money, side, all] = await card.evaluate((element) =>
      ['.money', '.figures > .row', '.figures'].map((name) => element.querySelector(name)?.getBoundingClientRect()),
    )
    assert.ok(money && side && all && side.top >= money.bottom, 'days and owner take the next line')
    assert.equal(Math.round(side.right), Math.round(all.right))
    const head = page.locator('.col header .money', { hasText: /118,/ }).first()
    assert.match((await head.textContent()) ?? '', /^EUR118,\d{3},\d{3}$/)
    assert.match((await head.getAttribute('title')) ?? '', /^118,\d{3},\d{3}\.78$/)
    const table = await open('/deals?shape=table&amount.gte=100000000', '[role=row][data-id]')
    const sum = table.locator('.tfoot .sum .money')
    await sum.waitFor()
    assert.deepEqual([await sum.textContent(), await sum.getAttribute('title')], ['EUR118,855,169', '118,855,168.78'])
  })

  test('saved views of deals are tabs with counts, in both shapes, and the pinned ones have theirs in the sidebar', async () => {
    const query = { filter: { field: 'amount', op: 'gte', value: 60_000 } }
    const given = {
      name: 'Big ones',
      object: 'deals',
      shape: 'board',
      query,
      is_shared: false,
      is_pinned: true,
      position: 0,
    }
    const { status, body } = await member.call('POST', '/app/views', given)
    assert.equal(status, 201)
    const own = await openPage(browser, server, member, '/deals') // with a clock of its own
    const page = await open('/deals', '[data-card]', 1440, own)
    const tab = page.locator('.views').getByRole('link', { name: /^Big ones/ })
    const pin = page.locator('.side').getByRole('link', { name: /^Big ones/ })
    await tab.locator('.n').waitFor()
    const count = Number(await tab.locator('.n').textContent())
    assert.equal(await pin.locator('.n').textContent(), `${count}`)
    await tab.click()
    await page.waitForURL(`**/deals?view=${body.id}`)
    await page.locator('.sumbar').getByText(`${count} open`, { exact: true }).waitFor()
    await page.locator('.views [aria-current=page]', { hasText: 'Big ones' }).waitFor()
    await page
      .getByRole('radio', { name: 'Table' })
      .or(page.getByText('Table', { exact: true }))
      .first()
      .click()
    await page
      .locator('.tfoot')
      .getByText(new RegExp(`^${count} `))
      .waitFor()
    await becomes(() => tab.count(), 1)
    // It follows what colleagues do.
    await page.clock.install()
    await page.goto(`${server.url}/contacts`)
    await pin.locator('.n', { hasText: `${count}` }).waitFor()
    await page.getByText('Everything saved').first().waitFor()
    let asked = 0
    page.on('request', (request) => (asked += Number(/rows\/deals.*count/.test(request.url()))))
    await server.newId('/deals', { title: 'One more', amount: 70_000 })
    await until(() => page.clock.runFor(1000).then(() => asked > 0))
    await pin.locator('.n', { hasText: `${count + 1}` }).waitFor()
    await page.context().close()
    // What happened while no view was shown counts as well.
    assert.equal((await member.call('PATCH', `/app/views/${body.id}`, { is_pinned: false })).status, 200)
    const later = await open('/deals', '[data-card]')
    const tabCount = later
      .locator('.views')
      .getByRole('link', { name: /^Big ones/ })
      .locator('.n')
    await becomes(() => tabCount.textContent(), `${count + 1}`)
    await later.locator('.side').getByRole('link', { name: 'Contacts' }).click()
    await later.locator('[role=row][data-id]').first().waitFor()
    await server.newId('/deals', { title: 'And one more', amount: 70_000 })
    await later.locator('.side').getByRole('link', { name: 'Deals' }).click()
    await becomes(() => tabCount.textContent(), `${count + 2}`)
    await member.call('DELETE', `/app/views/${body.id}`)
  })

  test('a lost deal is filled up to the stage in which it was lost, and one without an amount says so', async () => {
    const id = await server.newId('/deals', { title: 'Without an amount', amount: null })
    const { data } = await server.getRecord('/stages?limit=100')
    const { stage } = await server.getRecord(`/deals/${id}`)
    const { pipeline_id } = data.find((each: { id: string }) => each.id === stage)
    const steps = data
      .filter((each: { pipeline_id: string; is_open: boolean }) => each.pipeline_id === pipeline_id && each.is_open)
      .sort((one: { position: number }, other: { position: number }) => one.position - other.position)
    assert.ok(steps.length > 2)
    await server.patchRecord(`/deals/${id}`, { stage: steps[1].id })
    const { data: reasons } = await server.getRecord('/close-reasons')
    const reason_id = reasons.find((each: { outcome: string }) => each.outcome === 'lost').id
    const { status } = await member.call('POST', `/api/v1/deals/${id}/close`, { reason_id })
    assert.equal(status, 200)
    const page = await open(`/deals/${id}`, '.steps.is-lost')
    await page.locator('.record .ev').first().waitFor()
    assert.deepEqual(
      await page.locator('.steps > li:not(.fin)').evaluateAll((all) => all.map(({ className }) => className)),
      steps.map((_: unknown, at: number) => (at <= 1 ? 'done' : '')),
    )
    await page.locator('.amt').getByText('No amount').waitFor()
  })

  test('on a phone, what switches, closes and links can be hit by a thumb', async () => {
    const company_id = await server.newId('/companies', { name: 'Bo' })
    const contact = await server.newId('/contacts', { last_name: 'Li', company_id })
    const deal = await server.newId('/deals', { title: 'Thumbs', company_id, primary_contact_id: contact })
    for (const [path, selectors] of [
      ['/tasks', ['.bar .seg > *']],
      [`/deals/${deal}`, ['.head .meta a', '.steps > .fin .btn', LINKS]],
      ['/settings/me', ['.sn .nav a']],
    ] as const) {
      const page = await open(path, selectors[0], 390)
      for (const selector of selectors) {
        if (selector === LINKS) await page.getByRole('tab', { name: 'Details' }).click()
        const sizes = await page
          .locator(selector)
          .evaluateAll((all) =>
            all.map((each) => each.getBoundingClientRect()).map(({ width, height }) => [width, height]),
          )
        assert.ok(sizes.length > 0, selector)
        for (const size of sizes.flat()) assert.ok(size >= 43.9, `${path} ${selector}: ${sizes.join(' ')}`)
      }
    }
  })
})
