import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { pressTogether } from '../../support/page.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// Deals that are made where their people are, and in a line on the board.

let site: Site
const pages: Page[] = []
const { newContact, newCompany, getRecord } = recordsOf(() => site.server)
before(async () => {
  if (!noBrowser) site = await startSite()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

async function open(path: string, options: Parameters<Site['openAs']>[2] = {}) {
  const opened = await site.openAs('member', path, options)
  pages.push(opened.page)
  return opened
}
const titled = async (title: string): Promise<Row[]> =>
  (await getRecord(`/deals?q=${encodeURIComponent(title)}`)).data.filter((each: Row) => each.title === title)
const count = (title: string) => async () => (await titled(title)).length

describe('a deal with somebody', { skip: noBrowser }, () => {
  test('by C D on their page is theirs and mine, with its amount and stage, and one Z takes it back', async () => {
    const firm = await newCompany({ name: 'Deal Firm' })
    const ana = await newContact({ first_name: 'Ana', last_name: 'Deals', company_id: firm.id })
    const { page, member } = await open(`/contacts/${ana.id}`)
    await page.getByRole('tab', { name: 'Call', exact: true }).waitFor()
    await pressTogether(page, 'c', 'd')
    const dialog = page.getByRole('dialog', { name: 'New deal with Ana Deals' })
    await dialog.locator('input:focus').waitFor()
    assert.ok(page.url().endsWith(`/contacts/${ana.id}`))
    await page.keyboard.type('Key deal')
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('12k')
    await dialog.getByText('12,000').first().waitFor()
    const stages = (await getRecord('/stages?is_open=true')).data
    await dialog.getByRole('combobox', { name: 'Stage' }).selectOption(stages[1].id)
    await dialog.getByRole('button', { name: 'Add deal' }).click()
    await page.getByText('Key deal added').first().waitFor()
    await becomes(async () => (await titled('Key deal'))[0]?.stage, stages[1].id)
    const [deal] = await titled('Key deal')
    assert.deepEqual(
      [deal.owner_id, deal.primary_contact_id, deal.company_id, deal.amount],
      [member.id, ana.id, firm.id, 12_000],
    )
    await page.keyboard.press('z')
    await becomes(count('Key deal'), 0)
  })

  test('by the plus beside their deals, also of a company and where it is narrow', async () => {
    const firm = await newCompany({ name: 'Plus Firm' })
    const { page, member } = await open(`/companies/${firm.id}`, { width: 1000, height: 800 })
    await page.getByRole('tab', { name: /Related/ }).click()
    await page.getByRole('button', { name: 'Add a deal' }).click()
    await page.getByRole('combobox', { name: 'Add a deal' }).fill('Plus deal')
    await page.getByRole('option', { name: /Plus deal/ }).click()
    const dialog = page.getByRole('dialog', { name: 'New deal with Plus Firm' })
    assert.equal(await dialog.getByRole('textbox', { name: 'Title' }).inputValue(), 'Plus deal')
    await dialog.getByRole('button', { name: 'Add deal' }).click()
    await page.getByText('Plus deal added').first().waitFor()
    const [deal] = await titled('Plus deal')
    assert.deepEqual([deal.owner_id, deal.company_id, deal.amount], [member.id, firm.id, null])
  })
})

describe('a deal in a line on the board', { skip: noBrowser }, () => {
  test('is seen in the first column until the server has it', async () => {
    const { page } = await open('/deals')
    await page.locator('h1').first().waitFor()
    await page.route('**/api/v1/deals', (route) => route.abort())
    await pressTogether(page, 'c', 'd')
    await page.locator('.quick').getByRole('textbox', { name: 'Title' }).fill('Deal on its way')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.locator('.quick').waitFor({ state: 'detached' })
    const waiting = page.locator('.col').first().locator('.waiting-creates').getByText('Deal on its way')
    await waiting.waitFor()
    await page.unroute('**/api/v1/deals')
    await waiting.waitFor({ state: 'detached' })
    await page.locator('[data-card]', { hasText: 'Deal on its way' }).waitFor()
    await becomes(count('Deal on its way'), 1)
  })

  test('says how its amount is read and whose it is, takes a currency, an owner and a date, and Z takes it back', async () => {
    const { page, member } = await open('/deals')
    await page.locator('h1').first().waitFor()
    await pressTogether(page, 'c', 'd')
    const quick = page.locator('.quick')
    await quick.getByRole('textbox', { name: 'Title' }).fill('Quick deal')
    const amount = quick.getByRole('textbox', { name: 'Amount' })
    assert.match(String(await amount.getAttribute('placeholder')), /^Amount, 12k or [A-Z]{3} 12,000$/)
    await amount.fill('CHF 12k')
    await quick.getByText('CHF 12,000').waitFor()
    await quick.getByRole('button', { name: 'Owner and expected close' }).click()
    await quick.getByRole('textbox', { name: 'Expected close' }).fill('31 Dec 2031')
    await quick.getByText('31 Dec 2031').waitFor()
    await quick.getByRole('textbox', { name: 'Title' }).press('Enter')
    await page.getByText('Quick deal added').first().waitFor()
    const [deal] = await titled('Quick deal')
    assert.deepEqual(
      [deal.amount, deal.currency, deal.owner_id, deal.expected_close_date],
      [12_000, 'CHF', member.id, '2031-12-31'],
    )
    await page.locator('.toast').getByRole('button', { name: /Undo/ }).click()
    await becomes(count('Quick deal'), 0)
  })

  test('is refused with a date that is none, and nothing is lost', async () => {
    const { page } = await open('/deals')
    await page.locator('h1').first().waitFor()
    await pressTogether(page, 'c', 'd')
    const quick = page.locator('.quick')
    await quick.getByRole('textbox', { name: 'Title' }).fill('No day')
    await quick.getByRole('button', { name: 'Owner and expected close' }).click()
    await quick.getByRole('textbox', { name: 'Expected close' }).fill('someday')
    await quick.getByRole('textbox', { name: 'Title' }).press('Enter')
    await quick.locator('.help.late').waitFor()
    assert.equal(await quick.getByRole('textbox', { name: 'Title' }).inputValue(), 'No day')
    assert.equal(await count('No day')(), 0)
  })
})
