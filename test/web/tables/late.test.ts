import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { until } from '../../support/until.ts'
import { type TablePage, tablePage } from './table-page.ts'

// What is typed before the readers of figures have come.

let place: TablePage
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  for (const key of ['seats', 'rooms'])
    await place.make('/custom-fields', { object: 'contact', key, label: key, type: 'number' })
})
after(() => place?.stop())

const LAYOUT = 'columns=name,custom_fields.seats,custom_fields.rooms'
const fieldsOf = async ({ id }: Row): Promise<Row> =>
  (await place.server.call('GET', `/contacts/${id}`)).body.custom_fields
const contact = (last_name: string) => place.make('/contacts', { first_name: 'Late', last_name })

/** Opens a page whose readers come when they are let through. */
async function opened(path: string): Promise<{ page: Page; letThrough: () => void; close: () => Promise<void> }> {
  const { page, close } = await place.open('/tasks')
  await page.locator('.side').first().waitFor()
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.context().route(/parse-figures/, async (route) => {
    await promise
    await route.continue()
  })
  await page.goto(place.screens.url + path)
  return { page, letThrough: resolve, close }
}

describe('before the readers of figures are there', { skip: noBrowser }, () => {
  test('figures that are typed from cell to cell are kept, and saved when they come', async () => {
    const one = await contact('cells')
    const { page, letThrough, close } = await opened(`/contacts?q=cells&${LAYOUT}`)
    await page.locator(`[data-id="${one.id}"] [data-column="1"]`).click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('1,240')
    await page.keyboard.press('Tab')
    await page.keyboard.type('about 7')
    await page.keyboard.press('Enter')
    assert.deepEqual(await fieldsOf(one), {})
    letThrough()
    await until(async () => (await fieldsOf(one)).seats === 1240)
    const mark = page.locator(`[data-id="${one.id}"] [data-column="2"] .cell-mark.late`)
    await mark.waitFor()
    assert.match(await mark.innerText(), /about 7/)
    assert.equal((await fieldsOf(one)).rooms, undefined)
    await close()
  })

  test('a figure that is typed in a record is, and what is none opens again', async () => {
    const one = await contact('record')
    const { page, letThrough, close } = await opened(`/contacts/${one.id}`)
    const type = async (key: string, text: string) => {
      await page.locator(`[data-property="${key}"] .opens`).click()
      await page.keyboard.type(text)
      await page.keyboard.press('Enter')
      await page.locator(`[data-property="${key}"] .opens`).waitFor()
    }
    await type('seats', '1,240')
    await type('rooms', '12x')
    letThrough()
    await until(async () => (await fieldsOf(one)).seats === 1240)
    await page.locator('[data-property="rooms"]').getByRole('alert').waitFor()
    assert.equal(await page.locator('[data-property="rooms"] input').inputValue(), '12x')
    await close()
  })
})
