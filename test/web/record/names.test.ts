import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from './record-page.ts'

// The name of a contact as people type it: in the heading of its page, and where one is added.

let place: RecordPages
before(async () => {
  if (noBrowser) return
  place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

type Names = [first: string | null, last: string | null]
const NAMES: [typed: string, ...Names][] = [
  ['Lund, Ida', 'Ida', 'Lund'],
  ['Pieter de Vries', 'Pieter', 'de Vries'],
  ['Owen Price Jr.', 'Owen', 'Price Jr.'],
]

describe('a name', { skip: noBrowser }, () => {
  test('in the heading that is changed at its end keeps what was the first name', async () => {
    const { id } = await place.app.newContact({ first_name: 'Ida', last_name: 'Lund Berg' })
    const page = await place.open(`/contacts/${id}`)
    await page.locator('.name .opens').first().click()
    await page.locator('.name :is(input, textarea):focus').press('End')
    await page.keyboard.type('s')
    await page.keyboard.press('Enter')
    const names = async () => (await place.app.call('GET', `/contacts/${id}`)).body
    await becomes(async () => [(await names()).first_name, (await names()).last_name], ['Ida', 'Lund Bergs'])
  })

  for (const [typed, ...names] of NAMES) {
    test(`"${typed}" in the heading is ${names.join(' and ')}`, async () => {
      const { id } = await place.app.newContact({ first_name: 'Some', last_name: 'Body' })
      const page = await place.open(`/contacts/${id}`)
      await page.locator('.name .opens').first().click()
      await page.locator('.name :is(input, textarea):focus').fill(typed)
      await page.keyboard.press('Enter')
      await becomes(async (): Promise<Names> => {
        const { first_name, last_name } = (await place.app.call('GET', `/contacts/${id}`)).body
        return [first_name, last_name]
      }, names)
    })

    test(`"${typed}" of a new contact is ${names.join(' and ')}`, async () => {
      const page = await place.open('/contacts', { ready: '.tbl' })
      await page.getByRole('button', { name: 'New contact' }).first().click()
      const dialog = page.getByRole('dialog', { name: 'New contact' })
      await dialog.getByLabel('Name').fill(typed)
      await dialog.getByRole('button', { name: 'Add contact' }).click()
      await dialog.waitFor({ state: 'detached' })
      const { data } = (await place.app.call('GET', '/contacts?sort=-created_at&limit=1')).body
      assert.deepEqual([data[0].first_name, data[0].last_name], names)
    })
  }
})
