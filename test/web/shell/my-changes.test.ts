import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { type RecordPages, recordPages } from '../record/record-page.ts'

// The list of what I did, at the bell and as a page: each step is taken back from there, whenever and wherever I made it.

let place: RecordPages
before(async () => {
  if (!noBrowser) place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

let steps = 0
/** Does something as a page of the member would, on whichever device. Returns the name of its step. */
async function did(method: string, path: string, body?: unknown): Promise<string> {
  const step = `device-${++steps}`
  const headers = { 'Idempotency-Key': `step.${step}.1` }
  const answer = await place.app.people.member.call(method, path, body, headers)
  assert.ok(answer.status < 300, answer.text)
  return step
}
const changed = (deal: Row, fields: object) => did('PATCH', `/api/v1/deals/${deal.id}`, fields)
const dealNow = (deal: Row): Promise<Row> => place.app.getRecord(`/deals/${deal.id}`)

const rowOf = (page: Page, step: string) => page.locator(`[data-step="${step}"]`)
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })
const takeBack = (page: Page, step: string) => rowOf(page, step).getByRole('button', { name: 'Take back' }).click()
const openList = () => place.open('/settings/changes', { ready: '.my-changes li, .my-changes .empty' })

describe('my changes', { skip: noBrowser }, () => {
  test('are at the bell, newest first, and each is taken back and named, also an older one', async () => {
    const deal = await place.app.newDeal({ title: 'Rollout' })
    const first = await changed(deal, { amount: 40 })
    const second = await changed(deal, { stage: place.app.a.stages.demo })
    const page = await place.open('/contacts', { ready: '.bell' })
    await page.locator('.bell').first().click()
    await page.getByRole('tab', { name: 'Notices' }).focus()
    await page.keyboard.press('ArrowRight')
    await rowOf(page, first).waitFor()
    const shown = await page.locator('[data-step]').evaluateAll((all) => all.map((each) => each.dataset.step))
    assert.deepEqual(shown.slice(0, 2), [second, first])
    await takeBack(page, first)
    await toast(page, 'Taken back: Amount of “Rollout”').waitFor()
    await rowOf(page, first).getByText('taken back').waitFor()
    const { amount, stage } = await dealNow(deal)
    assert.deepEqual([amount, stage], [null, place.app.a.stages.demo])
  })

  test('stay current while I go on elsewhere, and have deletions, closings, merges and changes of many', async () => {
    const [deal, lost, gone] = [
      await place.app.newDeal({ title: 'One' }),
      await place.app.newDeal({ title: 'Two' }),
      await place.app.newDeal({ title: 'Three' }),
    ]
    const [kept, merged] = [
      await place.app.newContact({ last_name: 'Kept' }),
      await place.app.newContact({ last_name: 'Merged' }),
    ]
    const page = await openList()
    const edited = await changed(deal, { title: 'Uno' })
    await rowOf(page, edited).getByRole('link', { name: 'Title of “Uno”' }).waitFor()
    const closed = await did('POST', `/api/v1/deals/${lost.id}/close`, { reason_id: place.app.a.reasons.lost })
    const deleted = await did('DELETE', `/app/deals/${gone.id}`)
    const ids = { object: 'contact', kept_id: kept.id, merged_id: merged.id }
    const joined = await did('POST', '/app/merges', ids)
    await rowOf(page, joined).getByText('Merge of “Merged” into “Kept”').waitFor()
    await rowOf(page, closed).getByText('Closing of “Two”').waitFor()
    for (const step of [deleted, joined, closed]) {
      await takeBack(page, step)
      await rowOf(page, step).getByText('taken back').waitFor()
    }
    assert.equal((await dealNow(lost)).status, 'open')
    assert.equal((await dealNow(gone)).title, 'Three')
    assert.equal((await place.app.getRecord(`/contacts/${merged.id}`)).last_name, 'Merged')
  })

  test('are refused where a colleague has changed it since, with who and what; the rest can still be taken back', async () => {
    const deal = await place.app.newDeal({ title: 'Contested' })
    const mine = await changed(deal, { amount: 10 })
    const other = await changed(deal, { expected_close_date: '2027-02-01' })
    const page = await openList()
    await rowOf(page, mine).waitFor()
    await place.app.people.other.call('PATCH', `/api/v1/deals/${deal.id}`, { amount: 99 })
    await takeBack(page, mine)
    await rowOf(page, mine)
      .getByRole('alert')
      .getByText('Not taken back: A member has changed Amount of “Contested” since.')
      .waitFor()
    assert.equal((await dealNow(deal)).amount, 99)
    await takeBack(page, other)
    await rowOf(page, other).getByText('taken back').waitFor()
    assert.equal((await dealNow(deal)).expected_close_date, null)
  })

  test('are one stack for two pages: what one takes back, the other shows, and its Z goes on with the step before', async () => {
    const deal = await place.app.newDeal({ title: 'Shared' })
    const first = await changed(deal, { amount: 1 })
    const second = await changed(deal, { title: 'Shared by two' })
    const [one, two] = [await openList(), await openList()]
    await takeBack(one, second)
    await rowOf(two, second).getByText('taken back').waitFor()
    await two.locator('.main').focus()
    await two.keyboard.press('z')
    await toast(two, 'Taken back: Amount of “Shared”').waitFor()
    await rowOf(one, first).getByText('taken back').waitFor()
    const { title, amount } = await dealNow(deal)
    assert.deepEqual([title, amount], ['Shared', null])
  })

  test('of many records can be taken back as soon as they are done', async () => {
    const deals = [await place.app.newDeal({ title: 'B1' }), await place.app.newDeal({ title: 'B2' })]
    const given = { kind: 'deals', ids: deals.map(({ id }) => id), patch: { amount: 12 } }
    const { id } = await place.app.ok('member', 'POST', '/bulk', given)
    const page = await openList()
    const row = rowOf(page, `bulk-${id}`)
    await row.getByText('On its way…').waitFor()
    const { store, deps } = place.app
    const scheduler = startScheduler({ store, log: silentLog, kinds: bulkKinds(deps), recurring: [], afterJump: [] })
    await row.getByText('Amount of 2 deals').waitFor()
    await row.getByRole('button', { name: 'Take back' }).and(page.locator(':not([aria-busy])')).click()
    await toast(page, 'Taken back: Amount of 2 deals').waitFor()
    await row.getByText('taken back').waitFor()
    assert.equal((await dealNow(deals[0] as Row)).amount, null)
    await scheduler.stop()

    // What is set to what it is already has no event that could tell that it is done.
    const same = { kind: 'deals', ids: deals.map(({ id }) => id), patch: { currency: deals[0]?.currency } }
    const still = rowOf(page, `bulk-${(await place.app.ok('member', 'POST', '/bulk', same)).id}`)
    await page.reload()
    await still.getByText('On its way…').waitFor()
    const second = startScheduler({ store, log: silentLog, kinds: bulkKinds(deps), recurring: [], afterJump: [] })
    await still.getByText('On its way…').waitFor({ state: 'detached' })
    await second.stop()
  })

  test('are there on the 29th day and gone on the 31st; viewers have none', async () => {
    const deal = await place.app.newDeal({ title: 'Old' })
    const [step, late] = [await changed(deal, { amount: 3 }), await changed(deal, { title: 'Older' })]
    await place.app.pass(29 * DAY_MS)
    const page = await openList()
    await takeBack(page, step)
    await rowOf(page, step).getByText('taken back').waitFor()
    assert.equal((await dealNow(deal)).amount, null)
    await place.app.pass(2 * DAY_MS)
    const later = await openList()
    await later.getByText('Nothing changed yet').waitFor()
    assert.equal(await rowOf(later, late).count(), 0)
    const viewers = await place.open('/contacts', { as: 'viewer', ready: '.bell' })
    await viewers.locator('.bell').first().click()
    await viewers.getByRole('heading', { name: 'Notices' }).waitFor()
    assert.equal(await viewers.getByRole('tab').count(), 0)
  })

  test('are read on at the end, however many there are', async () => {
    const deal = await place.app.newDeal({ title: 'Many' })
    const first = await changed(deal, { amount: 1 })
    for (let n = 2; n <= 30; n++) await changed(deal, { amount: n })
    const page = await openList()
    await becomes(() => page.locator('[data-step]').count(), 25)
    await page.getByRole('button', { name: 'Show more' }).click()
    await rowOf(page, first).waitFor()
  })
})
