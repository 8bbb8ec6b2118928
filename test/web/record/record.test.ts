import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type AppServer, type Person, startApp } from '../../support/app-data.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { startScreens } from '../../support/screens.ts'
import { until } from '../../support/until.ts'

// The pages of records, in a browser, against a real server.

describe('the page of a record', { skip: noBrowser }, () => {
  let app: AppServer
  let screens: Awaited<ReturnType<typeof startScreens>>
  let browser: Browser
  /** One for each member and size, which goes from record to record. */
  const pages = new Map<string, Page>()

  before(async () => {
    app = await startApp()
    screens = await startScreens(app)
    browser = await startChromium()
  })
  after(async () => {
    await browser.close()
    await screens.stop()
    await app.stop()
  })

  async function open(path: string, as: Person = 'member', size: 'desktop' | 'phone' = 'desktop'): Promise<Page> {
    const page = pages.get(`${as} ${size}`) ?? (await openPage(browser, screens, app.people[as], '/nowhere', { size }))
    pages.set(`${as} ${size}`, page)
    await page.goto(screens.url + path)
    await page.locator('.record .ev, .banner, .nothing').first().waitFor()
    return page
  }

  const property = (page: Page, key: string) => page.locator(`[data-property="${key}"]`)

  async function type(page: Page, key: string, text: string): Promise<void> {
    await property(page, key).locator('.opens').click()
    await property(page, key).locator('input').first().fill(text)
    await page.keyboard.press('Enter')
  }

  test('a field is edited where it is read, and what is refused stays with its reason', async () => {
    const contact = await app.newContact()
    const page = await open(`/contacts/${contact.id}`)
    await type(page, 'job_title', 'Head of purchasing')
    await until(async () => (await app.getRecord(`/contacts/${contact.id}`)).job_title === 'Head of purchasing')
    await property(page, 'website').locator('.opens').click()
    await property(page, 'website').locator('input').fill('no address')
    await page.keyboard.press('Enter')
    await property(page, 'website').getByRole('alert').waitFor()
    assert.equal(await property(page, 'website').locator('input').inputValue(), 'no address')
    await page.keyboard.press('Escape')
    await assertAccessible(page)
  })

  test('two members who set one field see both values, and one of them decides', async () => {
    const deal: Row = await app.newDeal({ amount: 100, currency: 'EUR' })
    const page = await open(`/deals/${deal.id}`)
    await property(page, 'amount').locator('.opens').click()
    await property(page, 'amount').getByRole('textbox', { name: 'Amount' }).fill('15000')
    await app.people.other.call('PATCH', `/api/v1/deals/${deal.id}`, { amount: 12000 })
    await page.locator('.head .amt').getByText('12,000').waitFor()
    await page.keyboard.press('Enter')
    await property(page, 'amount').locator('.clash').waitFor()
    assert.match(await property(page, 'amount').locator('.clash').innerText(), /12,000[\s\S]*15,000/)
    await property(page, 'amount').getByRole('button', { name: 'Use mine' }).click()
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).amount === 15000)
  })

  test('a deal is moved by its stepper, taken back, and closed for a reason', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`)
    const stages = page.locator('.steps .step')
    await stages.nth(1).click()
    const moved = await stages.nth(1).locator('.nm').innerText()
    await page.locator('.toast').getByText(`moved to ${moved}`).waitFor()
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).stage !== deal.stage)
    await page.keyboard.press('z')
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).stage === deal.stage)
    await page.locator('.steps li:first-child [aria-current=step]').waitFor()
    await page.keyboard.press('Shift+ArrowRight')
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).stage !== deal.stage)
    await page.getByRole('button', { name: 'Close as won' }).click()
    await page.getByRole('menuitem').first().click()
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).status === 'won')
    await page.locator('.steps .ended').getByText('Won').waitFor()
  })

  test('a note is kept as a draft, and added with Ctrl+Enter', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`)
    await page.getByRole('textbox', { name: 'Note' }).fill('The **board** wants both plants <b>')
    await page.getByText('Draft kept').waitFor()
    await page.reload()
    const area = page.getByRole('textbox', { name: 'Note' })
    await page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('The **board**'))
    await area.press('Control+Enter')
    await page.locator('.ev .note strong, .ev .note b').getByText('board').waitFor()
    assert.match(await page.locator('.ev .note').innerText(), /plants <b>/)
    assert.equal(await area.inputValue(), '')
    const { data } = await app.getRecord(`/notes?deal_id=${deal.id}`)
    assert.equal(data.length, 1)
    await assertAccessible(page)
  })

  test('what is typed while a note or a task is sent stays', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`)
    let letThrough: () => void = () => undefined
    for (const [kind, name] of [
      ['notes', 'Note'],
      ['tasks', 'What is to be done'],
    ] as const) {
      if (kind === 'tasks')
        await page.keyboard.press('Escape').then(() => page.getByRole('tab', { name: 'Task' }).click())
      await page.route(new RegExp(`/${kind}$`), async (route) => {
        await new Promise<void>((resolve) => {
          letThrough = resolve
        })
        await route.continue()
      })
      const area = page.getByRole('textbox', { name })
      await area.click()
      await page.keyboard.type('They want both')
      const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(`/${kind}`))
      await page.keyboard.press('Control+Enter')
      await asked
      await area.press('End')
      await page.keyboard.type(' and a third one')
      letThrough()
      await until(async () => (await app.getRecord(`/${kind}?deal_id=${deal.id}`)).data.length === 1)
      await until(async () => (await area.inputValue()) === 'and a third one')
      const [sent] = (await app.getRecord(`/${kind}?deal_id=${deal.id}`)).data
      assert.equal(sent.body ?? sent.title, 'They want both')
    }
    await page.unrouteAll()
  })

  test('a task is added, done by its check, and opened again', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`)
    await page.keyboard.press('t')
    await page.getByRole('textbox', { name: 'What is to be done' }).fill('Send the offer')
    await page.keyboard.press('Enter')
    const check = page.getByRole('checkbox', { name: 'Mark as done: Send the offer' })
    await check.click()
    const status = async () => (await app.getRecord(`/tasks?deal_id=${deal.id}`)).data[0]?.status
    await until(async () => (await status()) === 'done')
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await status()) === 'open')
  })

  test('what a colleague does appears by itself, and a change is undone from its entry', async () => {
    const deal = await app.newDeal({ title: 'Before' })
    const page = await open(`/deals/${deal.id}`)
    await app.people.other.call('POST', '/api/v1/notes', { body: 'From a colleague', deal_ids: [deal.id] })
    await page.locator('.ev').getByText('From a colleague').waitFor()
    await app.people.other.call('PATCH', `/api/v1/deals/${deal.id}`, { title: 'After' })
    const entry = page.locator('.ev').filter({ hasText: 'After' })
    await entry.getByRole('button').click()
    await page.getByRole('menuitem', { name: 'Undo: Title' }).click()
    await until(async () => (await app.getRecord(`/deals/${deal.id}`)).title === 'Before')
  })

  test('what belongs to a record follows what colleagues do elsewhere, and says who is the contact of a deal', async () => {
    const company_id = (await app.newCompany()).id
    const [main, other] = [
      await app.newContact({ last_name: 'Main', company_id }),
      await app.newContact({ last_name: 'Other', company_id }),
    ]
    const deals = [await app.newDeal({ company_id, primary_contact_id: main.id }), await app.newDeal({ company_id })]
    const page = await open(`/deals/${deals[0]?.id}`)
    const people = page.locator('.related .p')
    await people.filter({ hasText: 'Main' }).getByText('Contact of this deal').waitFor()
    assert.equal(await people.filter({ hasText: 'Other' }).getByText('Contact of this deal').count(), 0)
    await page.getByText('2 open deals').waitFor()
    await app.people.other.call('PATCH', `/api/v1/contacts/${other.id}`, { company_id: null })
    await people.filter({ hasText: 'Other' }).waitFor({ state: 'detached' })
    const reason_id = app.a.reasons.lost
    await app.people.other.call('POST', `/api/v1/deals/${deals[1]?.id}/close`, { reason_id })
    await page.getByText('1 open deal', { exact: true }).waitFor()
  })

  test('a deleted record is restored from its banner, also from a fresh page', async () => {
    const company = await app.newCompany()
    const page = await open(`/companies/${company.id}`)
    await page.keyboard.press('Backspace')
    await page.locator('.banner').getByRole('button', { name: 'Restore' }).waitFor()
    const fresh = await open(`/companies/${company.id}`, 'other')
    await fresh.getByRole('button', { name: 'Restore' }).click()
    await fresh.locator('.record .ev').first().waitFor()
    assert.equal((await app.getRecord(`/companies/${company.id}`)).name, company.name)
  })

  test('a phone has the parts as tabs and the composer below', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`, 'member', 'phone')
    await page.locator('.comp.is-docked').waitFor()
    await page.getByRole('tab', { name: 'Details' }).click()
    await property(page, 'amount').waitFor()
    await assertAccessible(page)
  })

  test('a viewer reads and changes nothing', async () => {
    const deal = await app.newDeal()
    const page = await open(`/deals/${deal.id}`, 'viewer')
    assert.equal(await page.locator('.comp, .inline .opens, .steps .fin .btn').count(), 0)
  })
})
