import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from './record-page.ts'

// Records and the lists they come from: beside them, and one after the other.

const TIGHT = { viewport: { width: 1100, height: 800 } }

let place: RecordPages
let company: Row
const contacts: Row[] = []

before(async () => {
  if (noBrowser) return
  place = await recordPages()
  const { newCompany, newContact } = place.app
  company = await newCompany({ name: 'Northwind' })
  for (const last_name of ['Adler', 'Brandt', 'Celik'])
    contacts.push(await newContact({ last_name, company_id: company.id }))
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const pathOf = (page: Page) => new URL(page.url()).pathname
const contactAt = (index: number): string => `/contacts/${contacts[index]?.id}`
const row = (page: Page, index: number) => page.locator(`.tbl [role=row][data-id="${contacts[index]?.id}"]`)
const openTable = (size = {}) =>
  place.open('/contacts?sort=name&columns=name,job_title', { ready: '.tbl [role=row][data-id]', ...size })
const hasFocus = (page: Page, selector: string) =>
  page.evaluate((within) => document.activeElement?.closest(within) !== null, selector)

describe('records of a list', { skip: noBrowser }, () => {
  test('are walked through with j and k, and the way back leads to the list', async () => {
    const page = await openTable()
    await row(page, 0).getByRole('rowheader').click()
    await page.keyboard.press('Enter')
    await page.locator('.record-bar').getByText('1 of 3').waitFor()
    await page.keyboard.press('j')
    await page.locator('.record-bar').getByText('2 of 3').waitFor()
    assert.equal(pathOf(page), contactAt(1))
    await page.locator('h1').getByText('Brandt').waitFor()
    await page.keyboard.press('j')
    await page.locator('.record-bar').getByText('3 of 3').waitFor()
    assert.equal(await page.getByRole('button', { name: /^Next/ }).getAttribute('aria-disabled'), 'true')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.locator('.record-bar').getByText('2 of 3').waitFor()
    await page.keyboard.press('u')
    await row(page, 0).waitFor()
    assert.equal(page.url(), `${place.screens.url}/contacts?sort=name&columns=name,job_title`)
  })

  test('stand beside it by Space, follow its rows, are reached by F6, and leave by Esc', async () => {
    const page = await openTable(TIGHT)
    const panel = (name: string) => page.getByRole('complementary', { name })
    await row(page, 0).locator('[role=gridcell]').nth(1).click()
    await page.keyboard.press('Space')
    await panel('Adler').waitFor()
    assert.equal(await hasFocus(page, '.tbl'), true, 'the focus stays in the table')
    await page.keyboard.press('j')
    await panel('Brandt').waitFor()
    assert.equal(await page.locator('.side-panel').count(), 1)
    await page.keyboard.press('F6')
    assert.equal(await hasFocus(page, '.side-panel'), true)
    await page.keyboard.press('F6')
    assert.equal(await hasFocus(page, '.tbl'), true)
    await page.keyboard.press('F6')
    await page.keyboard.press('Escape')
    await page.locator('.side-panel').waitFor({ state: 'detached' })
    assert.equal(await row(page, 1).evaluate((element) => element.contains(document.activeElement)), true)
    await page.keyboard.press('Space')
    await panel('Brandt').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.side-panel').waitFor({ state: 'detached' })
    assert.equal(pathOf(page), '/contacts')
  })

  test('are edited beside it, and the row shows it', async () => {
    const page = await openTable()
    await row(page, 2).locator('[role=gridcell]').nth(1).click()
    await page.keyboard.press('Space')
    const panel = page.getByRole('complementary', { name: 'Celik' })
    await panel.locator('[data-property="job_title"] .opens').click()
    await page.keyboard.type('Buyer')
    await page.keyboard.press('Enter')
    await becomes(async () => (await place.app.getRecord(contactAt(2))).job_title, 'Buyer')
    await row(page, 2).getByText('Buyer').waitFor()
    await assertAccessible(page)
  })
})

describe('axe finds nothing', { skip: noBrowser }, () => {
  test('on the page of a company', async () => {
    await place.app.newDeal({ title: 'Line 4', company_id: company.id, amount: 48500, currency: 'EUR' })
    const page = await place.open(`/companies/${company.id}`)
    await page.locator('.right').getByText('Line 4').waitFor()
    await assertAccessible(page)
  })

  test('on the page of a deal with the tab of what is related', async () => {
    const deal = await place.app.newDeal({
      title: 'Line 5',
      company_id: company.id,
      primary_contact_id: contacts[0]?.id,
    })
    await place.app.newRecord('/tasks', { title: 'Send the offer', deal_ids: [deal.id] })
    const page = await place.open(`/deals/${deal.id}`, TIGHT)
    await page.getByRole('tab', { name: 'Related' }).click()
    await page.getByRole('tabpanel', { name: 'Related' }).getByText('Send the offer').waitFor()
    await assertAccessible(page)
  })
})
