import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { property, type RecordPages, recordPages } from './record-page.ts'

// Phones on the page of a contact: what their links dial, and what their editor takes.

let place: RecordPages
before(async () => {
  if (noBrowser) return
  place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const phone = (number: string, is_primary = true) => ({ number, label: 'work', is_primary })
const numbersOf = async (id: string): Promise<string[]> =>
  (await place.app.call('GET', `/contacts/${id}`)).body.phones.map(({ number }: { number: string }) => number)

describe('a phone', { skip: noBrowser }, () => {
  for (const [country, written, ...links] of [
    [null, '+49 (0)711 4839210', 'tel:+497114839210'],
    [null, '0711 4839210 ext. 18', 'tel:07114839210;ext=18'],
    ['DE', '0711 4839210 ext. 18', 'tel:+497114839210;ext=18'],
    ['DE', '0711 4839210 or 0160 5550123', 'tel:+497114839210', 'tel:+491605550123'],
    ['DE', 'ask for Ida on 901'],
  ] as [string | null, string, ...string[]][])
    test(`that is written "${written}"${country ? ` in ${country}` : ''} stays so, and dials ${links.join(' and ') || 'nothing'}`, async () => {
      const db = place.app.store.db
      db.prepare('UPDATE orgs SET country = ? WHERE id = ?').run(country, place.app.a.org)
      const { id } = await place.app.newContact({ phones: [phone(written)] })
      const page = await place.open(`/contacts/${id}`)
      const hrefs = () =>
        property(page, 'phones')
          .locator('a')
          .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
      await becomes(hrefs, links)
      assert.match(await property(page, 'phones').innerText(), new RegExp(written.replace(/[+().]/g, '\\$&')))
    })

  test('that came in by another way is kept by the editor, which takes another one beside it', async () => {
    const odd = 'ask for Ida on 901'
    const { id } = await place.app.newContact({ phones: [phone(odd)] })
    const page = await place.open(`/contacts/${id}`)
    await property(page, 'phones').locator('.opens').click()
    const panel = page.locator('.editing-panel')
    await panel.getByRole('button', { name: 'Add another' }).click()
    await page.keyboard.type('0711 4839210 / 0160 5550123')
    await panel.getByRole('button', { name: 'Save' }).click()
    await becomes(() => numbersOf(id), [odd, '0711 4839210', '0160 5550123'])
    await property(page, 'phones').locator('.opens').click()
    await panel.locator('input').first().fill('7.11483921E+11')
    await panel.getByRole('button', { name: 'Save' }).click()
    await panel.getByRole('alert').getByText('A spreadsheet has dropped digits').waitFor()
    assert.equal((await numbersOf(id)).length, 3)
  })
})
