import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { type TablePage, tablePage } from './table-page.ts'

// Many rows, and people who use a screen reader or need contrast.

const COUNT = 20_000
let place: TablePage
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  place.seed(COUNT, (n) => ({ last_name: `Row ${String(n).padStart(5, '0')}`, emails: [] }))
  await place.make('/deals', { title: 'Rollout', amount: 5, currency: 'EUR' })
  await place.make('/lists', { name: 'By hand', object: 'contact', kind: 'static' })
})
after(() => place?.stop())

const mounted = (page: Page): Promise<number> => page.locator('.tbl .tbody > [role=row]').count()

test('of many rows only those in view are in the page, and the end is one request away', {
  skip: noBrowser,
}, async () => {
  const { page, requests, close } = await place.open('/contacts?sort=name')
  await page.getByText('Row 00000').waitFor()
  assert.ok((await mounted(page)) <= 80)
  const before = requests.filter((each) => each.includes('/app/rows/')).length
  await page.locator('[data-row="0"] [data-column="1"]').click()
  await page.keyboard.press('Control+End')
  await page.getByText(`Row ${COUNT - 1}`).waitFor()
  assert.ok((await mounted(page)) <= 80)
  await page.keyboard.press('Control+Home')
  await page.getByText('Row 00000').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.closest('[data-row]')?.getAttribute('data-row')), '0')
  // Scrolled through quickly, only some pages are asked for.
  await page.locator('.tbl').evaluate(async (box) => {
    for (let at = 0; at < 120; at++) {
      box.scrollTop = (box.scrollHeight * at) / 120
      await new Promise((resolve) => requestAnimationFrame(() => resolve(0)))
    }
  })
  const asked = requests.filter((each) => each.includes('/app/rows/')).length - before
  assert.ok(asked < 90, `${asked} requests`)
  assert.ok((await mounted(page)) <= 80)
  await close()
})

test('nothing is found by axe', { skip: noBrowser }, async () => {
  for (const [path, ready] of [
    ['/contacts?sort=name', 'Row 00000'],
    ['/contacts?q=nobody', 'No contact fits'],
    ['/companies', 'No companies yet'],
    ['/deals?shape=table', 'Rollout'],
    ['/lists', 'By hand'],
    ['/duplicates?object=company', 'No duplicates found'],
  ] as const) {
    const { page, close } = await place.open(path, { options: { reducedMotion: 'reduce' } })
    await page.getByText(ready).first().waitFor()
    if (path.startsWith('/contacts?sort')) await page.locator('[data-row="1"] .box').click()
    await assertAccessible(page)
    await close()
  }
})
