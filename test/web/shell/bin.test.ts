import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../../src/lib/time.ts'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from '../record/record-page.ts'

// What was deleted comes back: by mouse and by keys, for two members at once, for 30 days.

let place: RecordPages
before(async () => {
  if (!noBrowser) place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const ROW = '.bin .br'
const rowOf = (page: Page, title: string) => page.locator(ROW, { hasText: title })
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })
const remove = async (path: string, who: 'member' | 'other' = 'other'): Promise<void> => {
  const { status } = await place.app.people[who].call('DELETE', path)
  assert.equal(status, 204)
}
const isThere = async (path: string) => (await place.app.call('GET', path)).status === 200

/** Deleted by a colleague, with what referred to it. */
async function deleted(last_name: string): Promise<Row> {
  const contact = await place.app.newContact({ last_name, emails: [{ email: `${last_name}@bin.example` }] })
  const deal = await place.app.newDeal({ title: `Deal of ${last_name}`, primary_contact_id: contact.id })
  for (const body of ['a', 'b']) await place.app.newRecord('/notes', { body, contact_ids: [contact.id] })
  await place.app.newRecord('/tasks', { title: 'T', contact_ids: [contact.id] })
  await remove(`/api/v1/contacts/${contact.id}`)
  return { ...contact, deal: deal.id }
}

const openBin = (query = '') => place.open(`/settings/bin${query}`, { ready: `${ROW}, .empty` })

describe('the bin', { skip: noBrowser }, () => {
  test('says who deleted what, what comes back, and brings it back by its button', async () => {
    const contact = await deleted('Abel')
    const page = await openBin()
    const row = rowOf(page, 'Abel')
    await row.getByText('Deleted by A member', { exact: false }).waitFor()
    await row.getByText('With its links to 1 deal, 2 notes and 1 task').waitFor()
    await row.getByText(/gone for good on \d+ \w+ \d{4}/).waitFor()
    await row.getByRole('button', { name: 'Restore' }).click()
    await toast(page, '“Abel” is back, with the links to 1 deal, 2 notes and 1 task').waitFor()
    assert.equal((await place.app.getRecord(`/deals/${contact.deal}`)).primary_contact_id, contact.id)
    await row.getByText('Restored', { exact: true }).waitFor()
    await row.getByRole('link', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'Abel' }).waitFor()
  })

  test('by keys: several at once, and all of them are gone again by one Z long after', async () => {
    const [one, two] = [await deleted('Baker'), await deleted('Cooper')]
    const kept = await deleted('Draper')
    const page = await openBin('?kind=contacts')
    await rowOf(page, 'Baker').waitFor()
    await page.locator(ROW).first().focus()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('toolbar').getByText('2 selected').waitFor()
    await page.keyboard.press('r')
    await toast(page, '2 records are back, with the links to 2 deals, 4 notes and 2 tasks').waitFor()
    assert.deepEqual(await Promise.all([one, two, kept].map(({ id }) => isThere(`/contacts/${id}`))), [
      true,
      true,
      false,
    ])
    // The message is gone with the page, and so is everything that this page knew.
    await page.goto(`${place.screens.url}/tasks`)
    await page.locator('main h1').waitFor()
    await page.keyboard.press('z')
    await toast(page, 'Taken back: Restore of 2 contacts').waitFor()
    assert.deepEqual(await Promise.all([one, two].map(({ id }) => isThere(`/contacts/${id}`))), [false, false])
  })

  test('finds by words and kind, which the address keeps', async () => {
    const contact = await deleted('Éclair')
    const note = await place.app.newRecord('/notes', { body: 'About eclairs', deal_ids: [contact.deal] })
    await remove(`/api/v1/notes/${note.id}`)
    const page = await openBin()
    await page.keyboard.press('/')
    await page.keyboard.type('eclair')
    await page.waitForURL(/q=eclair$/)
    await becomes(() => page.locator(ROW).count(), 2)
    await page.getByRole('link', { name: 'Contacts', exact: true }).first().waitFor()
    await page.locator('.bin-filters').getByRole('link', { name: 'Contacts' }).click()
    await becomes(() => page.locator(ROW).count(), 1)
    assert.equal(await page.getByRole('searchbox', { name: 'Search the bin' }).inputValue(), 'eclair')
    await page.reload()
    await rowOf(page, 'Éclair').waitFor()
    await page.getByRole('searchbox', { name: 'Search the bin' }).fill('nobody of that name')
    await page.getByText('Nothing in the bin fits').waitFor()
    assert.equal(await isThere(`/contacts/${contact.id}`), false)
  })

  test('is live for two: a colleague’s deletion is counted, their restore stays in its place, and is refused to me', async () => {
    const first = await deleted('Fischer')
    const mine = await openBin('?kind=contacts')
    await rowOf(mine, 'Fischer').waitFor()
    await deleted('Gerber')
    await mine.getByRole('button', { name: '1 more was deleted. Show' }).click()
    await rowOf(mine, 'Gerber').waitFor()
    // They are first, and this page hears of it after it has asked.
    const [{ event_id }] = (await place.app.ok('other', 'GET', '/bin?q=fischer')).data
    const held: (() => void)[] = []
    await mine.route('**/restore', async (route) => {
      await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await rowOf(mine, 'Fischer').getByRole('button', { name: 'Restore' }).click()
    await becomes(async () => held.length, 1)
    await place.app.ok('other', 'POST', `/bin/${event_id}/restore`)
    await rowOf(mine, 'Fischer').getByText('Restored by A member').waitFor()
    held[0]?.()
    await toast(mine, '“Fischer” is not back. A member had restored it already.').waitFor()
    assert.equal(await isThere(`/contacts/${first.id}`), true)
  })

  test('says what cannot come back, and why, before and after', async () => {
    const field = { object: 'contact', key: 'badge', label: 'Badge', type: 'text', is_unique: true }
    await place.app.newRecord('/custom-fields', field)
    const contact = await place.app.newContact({
      last_name: 'Hafner',
      emails: [{ email: 'hafner@bin.example' }],
      custom_fields: { badge: '7' },
    })
    await remove(`/api/v1/contacts/${contact.id}`)
    await place.app.newContact({
      last_name: 'Imhof',
      emails: [{ email: 'hafner@bin.example' }],
      custom_fields: { badge: '7' },
    })
    const page = await openBin('?q=hafner')
    await rowOf(page, 'Hafner').getByText('Without Badge (Imhof has it now)').waitFor()
    await rowOf(page, 'Hafner').getByText('An email also belongs to Imhof now').waitFor()
    await rowOf(page, 'Hafner').getByRole('button', { name: 'Restore' }).click()
    await toast(page, '“Hafner” is back. Left out: Badge (Imhof has it now)').waitFor()
    assert.deepEqual((await place.app.getRecord(`/contacts/${contact.id}`)).custom_fields, {})
  })

  test('is not needed on the page of a record that was deleted, and that restore is a step, too', async () => {
    const contact = await deleted('Lang')
    const page = await place.open(`/contacts/${contact.id}`, { ready: '.banner' })
    await page.locator('.banner').getByRole('button', { name: 'Restore' }).click()
    await toast(page, 'Restored: Lang').getByRole('button', { name: 'Undo' }).click()
    await toast(page, 'Taken back: Restore of “Lang”').waitFor()
    assert.equal(await isThere(`/contacts/${contact.id}`), false)
  })

  test('is reached from the message of a deletion, and not offered to viewers', async () => {
    const contact = await place.app.newContact({ last_name: 'Jost' })
    const page = await place.open(`/contacts/${contact.id}`)
    await page.keyboard.press('Backspace')
    await toast(page, 'Jost').getByRole('link', { name: 'Bin' }).click()
    await rowOf(page, 'Jost').waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).fill('trash')
    await page.getByRole('option', { name: 'Go to Bin' }).waitFor()
    const viewers = await place.open('/settings/bin', { as: 'viewer', ready: '.empty' })
    await viewers.getByText('Members restore deleted records').waitFor()
    assert.equal(await viewers.locator('.sn').getByRole('link', { name: 'Bin' }).count(), 0)
  })

  test('is empty on the 31st day', async () => {
    const contact = await deleted('Keller')
    await place.app.pass(29 * DAY_MS)
    const page = await openBin('?q=keller')
    await rowOf(page, 'Keller').getByRole('button', { name: 'Restore' }).waitFor()
    await place.app.pass(2 * DAY_MS)
    const later = await openBin('?q=keller')
    await later.getByText('Nothing in the bin fits').waitFor()
    assert.equal(await isThere(`/contacts/${contact.id}`), false)
  })
})
