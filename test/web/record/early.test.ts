import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { edit, type RecordPages, recordPages } from './record-page.ts'

// Whoever types and presses Enter faster than the search answers.

let place: RecordPages
before(async () => {
  if (!noBrowser) place = await recordPages()
})
afterEach(() => place?.closePages())
after(() => place?.stop())

/** Searches for this text are answered when it says so. */
async function held(page: Page, text: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(
    (url) => url.searchParams.get('q') === text,
    (route) => promise.then(() => route.continue()),
  )
  return resolve
}

describe('Enter before the search has answered', { skip: noBrowser }, () => {
  test('picks in a field what is found for what was typed, not what stood there', async () => {
    for (const name of ['Zulu Early', 'Alpha Early']) await place.app.newCompany({ name })
    const [deal, kept] = [await place.app.newDeal(), await place.app.newDeal()]
    const companyOf = async ({ id }: { id: string }) => {
      const { company_id } = await place.app.getRecord(`/deals/${id}`)
      return company_id && (await place.app.getRecord(`/companies/${company_id}`)).name
    }
    const page = await place.open(`/deals/${deal.id}`)
    await edit(page, 'company_id')
    await page.getByRole('option').first().waitFor()
    const answer = await held(page, 'Zulu')
    await page.keyboard.type('Zulu')
    await page.keyboard.press('Enter')
    answer()
    await becomes(() => companyOf(deal), 'Zulu Early')

    // Whoever goes on before it has come has not picked anything.
    await page.goto(`${place.screens.url}/deals/${kept.id}`)
    await edit(page, 'company_id')
    await page.getByRole('option').first().waitFor()
    const later = await held(page, 'Alph')
    await page.keyboard.type('Alph')
    await page.keyboard.press('Enter')
    await page.keyboard.type('a')
    await page.getByRole('option', { name: 'Zulu Early' }).waitFor({ state: 'detached' })
    await page.getByRole('option', { name: 'Alpha Early' }).waitFor()
    later()
    assert.equal(await companyOf(kept), null)
  })

  test('picks so in the list of a button', async () => {
    await place.app.newDeal({ title: 'Early deal' })
    await place.app.newDeal({ title: 'Another deal' }) // the newest stands first
    const company = await place.app.newCompany({ name: 'Early Works' })
    const page = await place.open(`/companies/${company.id}`)
    const titles = async () =>
      (await place.app.getRecord(`/deals?company_id=${company.id}`)).data.map(({ title }: { title: string }) => title)
    await page.getByRole('button', { name: 'Add a deal' }).click()
    await page.getByRole('option').first().getByText('Another deal').waitFor()
    const answer = await held(page, 'Early deal')
    await page.getByRole('combobox', { name: 'Add a deal' }).fill('Early deal')
    await page.keyboard.press('Enter')
    answer()
    await becomes(titles, ['Early deal'])
  })
})
