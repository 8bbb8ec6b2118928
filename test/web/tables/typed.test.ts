import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { until } from '../../support/until.ts'
import { type TablePage, tablePage } from './table-page.ts'

// Figures and days that are typed, pasted and asked for in a real browser.

let place: TablePage
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  for (const [key, type] of Object.entries({ ratio: 'number', ends: 'date', seen: 'datetime', paid: 'boolean' }))
    await place.make('/custom-fields', { object: 'contact', key, label: key, type })
})
after(() => place?.stop())

const LAYOUT = 'columns=name,custom_fields.ratio,custom_fields.ends,custom_fields.paid'
const get = async ({ id }: Row): Promise<Row> => (await place.server.call('GET', `/contacts/${id}`)).body
const cell = (page: Page, { id }: Row, column: number) =>
  page.locator(`.tbl [data-id="${id}"] [data-column="${column}"]`)

const paste = (page: Page, text: string) =>
  page.evaluate((given) => {
    const data = new DataTransfer()
    data.setData('text/plain', given)
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  }, text)

const people = async (count: number, of: string): Promise<Row[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => place.make('/contacts', { first_name: of, last_name: `${n}` })))

describe('what is typed and pasted', { skip: noBrowser }, () => {
  test('is shown as it is understood before it is saved, and asked for where it may be two things', async () => {
    const [ana] = (await people(1, 'Typed')) as [Row]
    const { page, close } = await place.open(`/contacts?q=Typed&${LAYOUT}`)
    await cell(page, ana, 1).click()
    await page.keyboard.press('Enter')
    const input = page.locator('.is-cell-edit input, .cell-edit input')
    await input.fill('1,234')
    await page.getByText('Read as 1,234').waitFor()
    await input.fill('-0,125')
    await page.getByText('Read as -0.125').waitFor()
    await input.fill('15 %')
    await page.keyboard.press('Enter')
    await page.getByText('This may be 15 or 0.15').waitFor()
    assert.equal((await get(ana)).custom_fields.ratio ?? null, null)
    await input.fill('12k')
    await page.keyboard.press('Enter')
    await until(async () => (await get(ana)).custom_fields.ratio === 12000)
    await close()
  })

  test('of a column is read as its other cells show, else as the browser writes days', async () => {
    const rows = await people(3, 'Pasted')
    const { page, close } = await place.open(`/contacts?q=Pasted&sort=name&${LAYOUT}`, { options: { locale: 'en-GB' } })
    await cell(page, rows[0] as Row, 1).click()
    await paste(page, '2.750,50\t03/04/2027\tja\n18.000\t03/15/2027\tNEIN\n3.000\t04/05/2027\tmaybe\n')
    await page.locator('.toast', { hasText: '8 cells changed, 1 refused' }).waitFor()
    const values = (await Promise.all(rows.map(get))).map(({ custom_fields: { ratio, ends, paid } }) => [
      ratio,
      ends,
      paid,
    ])
    assert.deepEqual(values, [
      [2750.5, '2027-03-04', true],
      [18000, '2027-03-15', false],
      [3000, '2027-04-05', undefined],
    ])
    await close()
    for (const [locale, day] of [
      ['en-GB', '2027-07-06'],
      ['en-US', '2027-06-07'],
    ] as const) {
      const opened = await place.open(`/contacts?q=Pasted&sort=name&${LAYOUT}`, { options: { locale } })
      await cell(opened.page, rows[0] as Row, 2).click()
      await paste(opened.page, '6/7/2027')
      await until(async () => (await get(rows[0] as Row)).custom_fields.ends === day)
      await opened.close()
    }
  })

  test('is left as it was where nothing is typed, also what an input shows less of', async () => {
    const seen = '2026-10-25T00:30:07.250Z'
    const ana = await place.make('/contacts', { first_name: 'Left', last_name: 'Alone', custom_fields: { seen } })
    const { page, close } = await place.open(`/contacts/${ana.id}`)
    await page.getByRole('button', { name: 'Edit seen' }).click()
    await page.locator('input[type="datetime-local"]').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit First name' }).click()
    // A colleague changes it meanwhile: nothing was typed that contradicts it.
    await place.server.call('PATCH', `/contacts/${ana.id}`, { first_name: 'Lefty' })
    await page.getByRole('heading', { name: 'Lefty Alone' }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit First name' }).waitFor()
    const now = await get(ana)
    assert.deepEqual([now.custom_fields.seen, now.first_name, now.version], [seen, 'Lefty', 2])
    await close()
  })
})

describe('a filter', { skip: noBrowser }, () => {
  test('on or before a day includes that day, and after it does not', async () => {
    await people(1, 'Today')
    const { page, close } = await place.open('/contacts?q=Today')
    await page.locator('.tbl [data-id]').first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('dialog', { name: 'Filter' }).waitFor()
    await page.keyboard.type('Created')
    await page.keyboard.press('Enter')
    const day = new Date(place.server.now()).toISOString().slice(0, 10)
    for (const [label, count] of [
      ['on or before', 1],
      ['after', 0],
      ['before', 0],
      ['on or after', 1],
    ] as const) {
      await page.getByRole('combobox', { name: 'Condition' }).selectOption({ label })
      // Another day first: what is typed is read after a pause, and the next operator has to come after that.
      for (const typed of ['2020-03-04', day]) {
        await page.locator('.value input[type="date"]').fill(typed)
        await until(async () => (await page.locator('.chip').innerText()).includes(typed.slice(0, 4)))
      }
      await until(async () => (await page.locator('.tbl [data-id]').count()) === count)
      // The chip says the day, without a time of day.
      await until(async () => new RegExp(`${label}\\s*\\d+ \\w+ \\d{4}$`).test(await page.locator('.chip').innerText()))
    }
    // Another operator keeps the day, and looks at its other end.
    await page.getByRole('combobox', { name: 'Condition' }).selectOption({ label: 'after' })
    await until(async () => (await page.locator('.tbl [data-id]').count()) === 0)
    await close()
  })

  test('keeps a day that is typed right before another operator is chosen', async () => {
    await people(1, 'Hurried')
    const { page, close } = await place.open('/contacts?q=Hurried')
    await page.locator('.tbl [data-id]').first().waitFor()
    await page.keyboard.press('f')
    await page.getByRole('dialog', { name: 'Filter' }).waitFor()
    await page.keyboard.type('Created')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Condition' }).selectOption({ label: 'before' })
    // In one turn, as on a page that is busy: nothing is drawn between the two.
    await page.locator('.value input[type="date"]').evaluate((input: HTMLInputElement) => {
      input.value = '2020-03-04'
      input.dispatchEvent(new Event('input', { bubbles: true }))
      const operator = document.querySelector<HTMLSelectElement>('.condition select') as HTMLSelectElement
      operator.value = [...operator.options].find(({ text }) => text === 'on or after')?.value ?? ''
      operator.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await until(async () => /on or after\s*4 Mar 2020$/.test(await page.locator('.chip').innerText()))
    await until(async () => (await page.locator('.tbl [data-id]').count()) === 1)
    await close()
  })

  test('reads a number as the field does, below zero too', async () => {
    const rows = await people(2, 'Ratio')
    await place.server.call('PATCH', `/contacts/${rows[0]?.id}`, { custom_fields: { ratio: -0.5 } })
    await place.server.call('PATCH', `/contacts/${rows[1]?.id}`, { custom_fields: { ratio: -2 } })
    const { page, close } = await place.open('/contacts?q=Ratio')
    await page.locator('.tbl [data-id]').nth(1).waitFor()
    await page.keyboard.press('f')
    await page.getByRole('dialog', { name: 'Filter' }).waitFor()
    await page.keyboard.type('ratio')
    await page.keyboard.press('Enter')
    const input = page.locator('.value input')
    await input.fill('−0,75')
    await page.getByText('Read as -0.75').waitFor()
    await until(async () => (await page.locator('.tbl [data-id]').count()) === 1)
    await input.fill('1,23,4')
    await page.getByText('Write a number').waitFor()
    await close()
  })
})
