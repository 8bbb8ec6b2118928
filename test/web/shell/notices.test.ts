import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { formatFor } from '../../../src/web/lib/format.ts'
import { daysOf, isIn } from '../../../src/web/screens/notices/days.ts'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from '../record/record-page.ts'

// What concerns a member: in short at the bell, and as a page with the record of each.

let place: RecordPages
let deal: Row
let task: Row
before(async () => {
  if (noBrowser) return
  place = await recordPages()
  const me = place.app.people.member.id
  deal = await place.app.newDeal({ title: 'Given deal', amount: 500 })
  task = await place.app.newRecord('/tasks', { title: 'Given task', deal_ids: [deal.id] })
  for (const path of [`/deals/${deal.id}`, `/tasks/${task.id}`])
    await place.app.people.admin.call('PATCH', `/api/v1${path}`, { owner_id: me })
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search
const unread = async () => (await place.app.people.member.call('GET', '/app/boot')).body.counts.notifications
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).boundingBox()
  assert.ok(box, selector)
  return box
}

describe('notices', { skip: noBrowser }, () => {
  test('at the bell stand beside the side bar, lead to tasks too, and to the page of all', async () => {
    const page = await place.open('/contacts', { ready: '.bell' })
    await page.locator('.bell').click()
    await page.locator('.popover.notices .one').first().waitFor()
    const [popover, side] = [await boxOf(page, '.popover.notices'), await boxOf(page, 'nav:has(.bell)')]
    assert.ok(popover.x >= side.x + side.width, `${popover.x} is right of ${side.x + side.width}`)
    assert.ok(popover.y >= 0 && popover.y + popover.height <= 900)
    const link = page.locator('.popover.notices .one', { hasText: 'Given task' })
    assert.equal(await link.getAttribute('href'), `/tasks?task=${task.id}`)
    await assertAccessible(page)
    await page.getByRole('link', { name: 'All notices' }).click()
    await page.waitForURL(/\/notices$/)
    assert.equal(await page.locator('.popover.notices').count(), 0)
  })

  test('on their page show the record of the chosen one, which is read then and stays where it is', async () => {
    const page = await place.open('/notices', { ready: '.notices-page .one' })
    const rows = page.locator('.notices-page .one')
    assert.equal(await page.getByRole('tab', { name: 'New 2' }).getAttribute('aria-selected'), 'true')
    await page.getByRole('heading', { name: 'today', exact: false, level: 2 }).waitFor()
    await rows.filter({ hasText: 'Given deal' }).click()
    const aside = page.locator('.notices-page > aside')
    await aside.getByRole('heading', { name: 'Given deal' }).waitFor()
    await aside.locator('.steps').waitFor()
    await becomes(unread, 1)
    await becomes(() => rows.count(), 2)
    assert.equal(await rows.filter({ hasText: 'Given deal' }).getAttribute('aria-current'), 'true')
    await assertAccessible(page)
    // By keys as by the mouse.
    const first = await rows.first().innerText()
    await rows.filter({ hasText: 'Given deal' }).focus()
    await page.keyboard.press(first.includes('Given deal') ? 'ArrowDown' : 'ArrowUp')
    await aside.getByRole('button', { name: /^Done/ }).waitFor()
    await becomes(unread, 0)
    await page.getByRole('tab', { name: 'All' }).click()
    await becomes(() => rows.count(), 2)
    await page.getByRole('tab', { name: 'Mentions' }).click()
    await page.getByRole('heading', { name: 'Nobody has mentioned you' }).waitFor()
    await page.reload()
    await page.locator('.notices-page .one').first().waitFor()
    assert.match(pathOf(page), /\/notices\?notice=/)
  })

  test('on a phone open the record itself', async () => {
    const page = await place.open('/notices', { viewport: { width: 390, height: 844 }, ready: '.notices-page .one' })
    await page.locator('.notices-page .one', { hasText: 'Given deal' }).click()
    await page.waitForURL(new RegExp(`/deals/${deal.id}$`))
  })
})

test('notices stand under the day on which they were told in the zone of the member, in their order', () => {
  const format = formatFor({ language: 'en', timezone: 'Europe/Berlin' })
  const now = Date.parse('2026-11-23T09:00:00Z')
  const at = (time: string) => {
    const ms = Date.parse(time).toString(16).padStart(12, '0')
    return { id: `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000` }
  }
  const found = daysOf(
    ['2026-11-23T08:00:00Z', '2026-11-22T23:30:00Z', '2026-11-22T22:30:00Z', '2025-12-31T12:00:00Z'].map(at),
    format,
    now,
  )
  assert.deepEqual(
    found.map(({ day, of }) => [day, of.length]),
    [
      ['today', 2],
      ['Sunday 22 November', 1],
      ['Wednesday, 31 December 2025', 1],
    ],
  )
})

test('a notice is among the new ones until it is read, and what was read there stays', () => {
  const read = { id: '1', kind: 'mentioned', read_at: '2026-11-23T09:00:00Z' }
  assert.equal(isIn({ ...read, read_at: null }, 'new', new Set()), true)
  assert.equal(isIn(read, 'new', new Set()), false)
  assert.equal(isIn(read, 'new', new Set(['1'])), true)
  assert.deepEqual(
    (['all', 'mentioned', 'due'] as const).map((tab) => isIn(read, tab, new Set())),
    [true, true, false],
  )
})
