import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from './record-page.ts'

// What happened around a record, as its page tells it, and notes that mention members.

let place: RecordPages
before(async () => {
  if (!noBrowser) place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const notesOf = (page: Page) =>
  page
    .locator('.ev .note')
    .allInnerTexts()
    .then((all) => all.map((text) => text.trim()))

describe('the timeline of a record', { skip: noBrowser }, () => {
  test('loads older entries as its end comes into view, each once and in order', async () => {
    const deal = await place.app.newDeal()
    for (let n = 1; n <= 60; n++) await place.app.newRecord('/notes', { body: `Note ${n}`, deal_ids: [deal.id] })
    const page = await place.open(`/deals/${deal.id}`)
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/app/timeline') && asked.push(request.url()))
    await page.locator('.ev .note').getByText('Note 60', { exact: true }).waitFor()
    assert.equal(await page.getByText('Note 1', { exact: true }).count(), 0, 'the oldest one is not loaded at once')
    // One that comes meanwhile belongs to the top, and moves no page.
    await place.app.newRecord('/notes', { body: 'Note 61', deal_ids: [deal.id] })
    await page.locator('.ev .note').getByText('Note 61', { exact: true }).waitFor()
    await page.locator('.timeline .loads').scrollIntoViewIfNeeded()
    await page.locator('.ev').getByText('Deal created').waitFor()
    assert.deepEqual(
      await notesOf(page),
      Array.from({ length: 61 }, (_, index) => `Note ${61 - index}`),
    )
    assert.equal(await page.locator('.timeline .loads').count(), 0)
    assert.equal(asked.filter((url) => url.includes('cursor=')).length, 1)
  })

  test('keeps the pages that are loaded when a colleague adds an entry', async () => {
    const deal = await place.app.newDeal()
    for (let n = 1; n <= 60; n++) await place.app.newRecord('/notes', { body: `Note ${n}`, deal_ids: [deal.id] })
    const page = await place.open(`/deals/${deal.id}`)
    await page.locator('.timeline .loads').scrollIntoViewIfNeeded()
    await page.locator('.ev').getByText('Deal created').waitFor()
    const { body } = await place.app.people.other.call('POST', '/api/v1/notes', { body: 'New', deal_ids: [deal.id] })
    await page.locator('.ev .note').getByText('New', { exact: true }).waitFor()
    assert.equal((await notesOf(page)).length, 61)
    await place.app.people.other.call('DELETE', `/api/v1/notes/${body.id}`)
    await page.locator('.ev .note').getByText('New', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await notesOf(page)).length, 60)
  })

  test('has no hole where more happened at once than one page of it holds', async () => {
    const deal = await place.app.newDeal()
    const write = (n: number) => place.app.newRecord('/notes', { body: `Note ${n}`, deal_ids: [deal.id] })
    for (let n = 1; n <= 5; n++) await write(n)
    const page = await place.open(`/deals/${deal.id}`)
    await page.locator('.ev .note').getByText('Note 5', { exact: true }).waitFor()
    let letGo: (() => void) | undefined
    const all = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await page.route('**/app/timeline*', async (route) => {
      await all
      await route.continue()
    })
    for (let n = 6; n <= 50; n++) await write(n)
    letGo?.()
    await page.locator('.ev .note').getByText('Note 50', { exact: true }).waitFor()
    await page.waitForFunction(() => {
      document.querySelector('.timeline .loads')?.scrollIntoView()
      return [...document.querySelectorAll('.ev')].some(({ textContent }) => textContent?.includes('Deal created'))
    })
    await page.waitForFunction(() => document.querySelectorAll('.ev .note').length === 50)
    assert.deepEqual(
      await notesOf(page),
      Array.from({ length: 50 }, (_, index) => `Note ${50 - index}`),
    )
  })

  test('says which fields were changed since, and takes nothing back', async () => {
    const deal = await place.app.newDeal({ title: 'First' })
    const { other } = place.app.people
    const page = await place.open(`/deals/${deal.id}`)
    await other.call('PATCH', `/api/v1/deals/${deal.id}`, { title: 'Second' })
    await page.locator('.ev').filter({ hasText: 'First' }).waitFor()
    await place.app.people.owner.call('PATCH', `/api/v1/deals/${deal.id}`, { title: 'Third' })
    const entry = page.locator('.ev').filter({ hasText: 'First' }).last()
    await page.locator('.ev').filter({ hasText: 'Third' }).waitFor()
    await entry.getByRole('button', { name: 'More for this entry' }).click()
    await page.getByRole('menuitem', { name: 'Undo: Title' }).click()
    await page
      .locator('.toast')
      .getByText(/^Not taken back: .+ has changed Title of “Third” since\.$/)
      .waitFor()
    assert.equal((await place.app.getRecord(`/deals/${deal.id}`)).title, 'Third')
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 2)
  })
})

describe('the history of a record', { skip: noBrowser }, () => {
  test('takes back what anybody did, names it, and does it again', async () => {
    const deal = await place.app.newDeal({ title: 'First' })
    const page = await place.open(`/deals/${deal.id}`)
    await place.app.people.other.call('PATCH', `/api/v1/deals/${deal.id}`, { amount: 700, title: 'Second' })
    const entry = page.locator('.ev').filter({ hasText: 'First' })
    await entry.getByRole('button', { name: 'More for this entry' }).click()
    await page.getByRole('menuitem', { name: /^Undo/ }).click()
    await page
      .locator('.toast')
      .getByText(/^Taken back: (Amount, Title|Title, Amount) of “/)
      .waitFor()
    assert.equal((await place.app.getRecord(`/deals/${deal.id}`)).title, 'First')
    await page.locator('.toast').getByRole('button', { name: 'Redo' }).click()
    await page
      .locator('.toast')
      .getByText(/^Done again: /)
      .waitFor()
    assert.equal((await place.app.getRecord(`/deals/${deal.id}`)).title, 'Second')
  })

  test('names the record that was merged into it, and takes the two apart', async () => {
    const [kept, merged] = [
      await place.app.newContact({ last_name: 'Moser' }),
      await place.app.newContact({ last_name: 'Mosser' }),
    ]
    await place.app.ok('other', 'POST', '/merges', { object: 'contact', kept_id: kept.id, merged_id: merged.id })
    const page = await place.open(`/contacts/${kept.id}`)
    const entry = page.locator('.ev').filter({ hasText: '“Mosser” was merged into this one' })
    await entry.getByRole('button', { name: 'More for this entry' }).click()
    await page.getByRole('menuitem', { name: 'Undo the merge' }).click()
    await page.locator('.toast').getByText('Taken back: “Mosser” is a record of its own again').waitFor()
    assert.equal((await place.app.getRecord(`/contacts/${merged.id}`)).last_name, 'Mosser')
  })
})

describe('a member who is mentioned in a note', { skip: noBrowser }, () => {
  test('is chosen by typing after “@”, and their bell counts it', async () => {
    const deal = await place.app.newDeal()
    const theirs = await place.open('/contacts', { as: 'viewer', ready: '.bell' })
    const bell = theirs.locator('.bell').first()
    assert.equal(await bell.locator('.count').count(), 0)
    const page = await place.open(`/deals/${deal.id}`)
    const area = page.getByRole('textbox', { name: 'Note' })
    await area.pressSequentially('Ask @A vie')
    await page.getByRole('listbox').getByRole('option', { name: 'A viewer' }).waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('listbox').count(), 0)
    assert.match(await area.inputValue(), /^Ask @.*A viewer/)
    await area.pressSequentially(' about the plant')
    await page.keyboard.press('Control+Enter')
    await page.locator('.ev .note').getByText('A viewer').waitFor()
    await becomes(() => bell.locator('.count').allInnerTexts(), ['1'])
    await bell.click()
    await theirs.locator('.popover').getByText('Rollout').first().waitFor()
  })

  test('is not chosen by Esc, which leaves what was typed', async () => {
    const deal = await place.app.newDeal()
    const page = await place.open(`/deals/${deal.id}`)
    const area = page.getByRole('textbox', { name: 'Note' })
    await area.pressSequentially('@vie')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    assert.equal(await area.inputValue(), '@vie')
    assert.equal(await area.evaluate((element) => element === document.activeElement), true)
  })
})
