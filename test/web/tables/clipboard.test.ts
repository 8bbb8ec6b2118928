import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { type TablePage, tablePage } from './table-page.ts'

// What is copied and pasted in a real browser, with its real clipboard.

let place: TablePage
let firms: [Row, Row]
let tag: Row
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  const named = (city: string) => place.make('/companies', { name: 'Same Ltd', address: { city } })
  firms = [await named('Kiel'), await named('Bonn')]
  tag = await place.make('/tags', { name: 'Key, DACH' })
  await place.make('/custom-fields', { object: 'contact', key: 'seen', label: 'Seen', type: 'datetime' })
  await place.make('/custom-fields', { object: 'contact', key: 'score', label: 'Score', type: 'number' })
})
after(() => place?.stop())

const COLUMNS = ['name', 'emails', 'phones', 'tag_ids', 'company_id', 'custom_fields.seen', 'custom_fields.score']
const get = async (id: string): Promise<Row> => (await place.server.call('GET', `/contacts/${id}`)).body
const email = (text: string, label: string, is_primary = false) => ({ email: text, label, is_primary })
const phone = (number: string, label: string, is_primary = false) => ({ number, label, is_primary })

/** A contact of which the cells show a part only. */
const rich = (last_name: string): Promise<Row> => {
  const own = last_name.toLowerCase().replace(' ', '-')
  return place.make('/contacts', {
    first_name: 'Cli',
    last_name,
    emails: [
      email(`b@${own}.example`, 'work'),
      email(`a@${own}.example`, 'home', true),
      email(`c@${own}.example`, 'other'),
    ],
    phones: [phone('+49 30 1234567', 'home', true), phone('+49 171 222', 'other')],
    tag_ids: [tag.id],
    company_id: firms[1].id,
    custom_fields: { seen: '2026-11-20T08:36:05.123Z', score: 0.0625 },
  })
}

async function opened(q: string) {
  const { page, close } = await place.open(`/contacts?q=${q}&sort=name&columns=${COLUMNS.join(',')}`)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.locator('[data-row="0"]').waitFor()
  const cell = (row: number, column: string) =>
    page.locator(`[data-row="${row}"] [data-column="${COLUMNS.indexOf(column)}"]`)
  return { page, close, cell }
}
const clip = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
const setClip = (page: Page, text: string) => page.evaluate((text) => navigator.clipboard.writeText(text), text)
const toast = async (page: Page, text: string | RegExp) => {
  const found = page.locator('.toast', { hasText: text }).last()
  await found.waitFor()
  return found
}
/** Takes away what was said so far. */
const quiet = (page: Page) =>
  page.evaluate(() => {
    for (const each of document.querySelectorAll('.toast')) each.remove()
  })
const corner = { position: { x: 4, y: 4 } }

describe('cells', { skip: noBrowser }, () => {
  test('that are copied and pasted onto themselves change nothing', async () => {
    const contact = await rich('Self')
    const seq = place.server.lastSeq()
    const { page, close, cell } = await opened('Self')
    for (const column of COLUMNS) {
      await cell(0, column).click(corner)
      await page.keyboard.press('Control+c')
      await page.keyboard.press('Control+v')
      await toast(page, 'Nothing changed: that was there already')
      await quiet(page)
      // As another program gives it back, which has the text alone.
      await setClip(page, await clip(page))
      await page.keyboard.press('Control+v')
      await toast(page, 'Nothing changed: that was there already')
      await quiet(page)
    }
    assert.equal(place.server.lastSeq(), seq)
    assert.deepEqual(await get(contact.id), contact)
    await close()
  })

  test('give their value to another row as it is, and are taken back', async () => {
    const [from, to] = [await rich('Copy A'), await place.make('/contacts', { first_name: 'Cli', last_name: 'Copy B' })]
    const { page, close, cell } = await opened('Copy')
    for (const column of COLUMNS.filter((each) => each !== 'name')) {
      if (column === 'emails') continue // they are somebody's
      await cell(0, column).click(corner)
      await page.keyboard.press('Control+c')
      await cell(1, column).click(corner)
      await page.keyboard.press('Control+v')
      await toast(page, '1 cell changed')
      await quiet(page)
    }
    const now = await get(to.id)
    for (const name of ['phones', 'tag_ids', 'company_id', 'custom_fields'])
      assert.deepEqual(now[name], from[name], name)
    await close()
  })

  test('take one address in place of the one that they show', async () => {
    const contact = await rich('Paste')
    const { page, close, cell } = await opened('Paste')
    await setClip(page, 'new@paste.example')
    await cell(0, 'emails').click(corner)
    await page.keyboard.press('Control+v')
    const done = await toast(page, '1 cell changed')
    const emails = [contact.emails[0], email('new@paste.example', 'home', true), contact.emails[2]]
    assert.deepEqual((await get(contact.id)).emails, emails)
    await done.getByRole('button', { name: 'Undo' }).click()
    await becomes(async () => (await get(contact.id)).emails, contact.emails)
    await close()
  })

  test('are copied as their text, and a part of it that is chosen by mouse as that', async () => {
    const name = 'Text 24" and "so"'
    await place.make('/contacts', { first_name: name })
    const { page, close, cell } = await opened('Text')
    await cell(0, 'name').click(corner)
    await page.keyboard.press('Control+c')
    assert.equal(await clip(page), name)
    await page.evaluate(() => {
      const [text] = [document.querySelector('[data-row="0"] [data-column="0"] .cut')?.firstChild as Text]
      getSelection()?.setBaseAndExtent(text, 5, text, 8)
    })
    await page.keyboard.press('Control+c')
    assert.equal(await clip(page), '24"')
    await close()
  })

  test('of rows that are not loaded are named, and copied once they are; a range over them has no holes', async () => {
    place.seed(230, (n) => ({ first_name: `Row ${n}`, last_name: 'Far' }))
    const { page, close, cell } = await opened('Far')
    await page.locator('[role=columnheader] input[type=checkbox]').first().click({ force: true })
    await page.getByRole('button', { name: /that match/ }).click()
    await cell(0, 'name').click(corner)
    await page.keyboard.press('Control+c')
    await toast(page, '100 of 230 rows copied.')
    assert.equal((await clip(page)).split('\n').length, 101)
    await page.getByRole('button', { name: 'Copy 230 rows' }).click()
    await becomes(async () => (await clip(page)).split('\n').length, 231)
    await close()

    const again = await opened('Far')
    await again.page.locator('[data-row="1"] .box').click()
    await again.page.locator('.tbl').evaluate((box) => {
      box.scrollTop = box.scrollHeight
    })
    const last = again.page.locator('[data-row="229"] .box')
    await last.waitFor()
    await last.click({ modifiers: ['Shift'] })
    await again.page.getByText('229 selected').first().waitFor()
    await again.close()
  })

  test('of chosen rows come back from a spreadsheet without a change', async () => {
    await rich('Sheet A')
    await rich('Sheet B')
    const seq = place.server.lastSeq()
    const { page, close, cell } = await opened('Sheet')
    for (const row of [0, 1]) await page.locator(`[data-row="${row}"] .box`).click()
    await cell(0, 'name').click(corner)
    await page.keyboard.press('Control+c')
    const text = await clip(page)
    assert.equal(text.split('\n').length, 3)
    await page.keyboard.press('Control+v')
    await toast(page, 'Nothing changed: that was there already')
    await quiet(page)
    await setClip(page, text.replaceAll('\n', '\r\n'))
    await page.keyboard.press('Control+v')
    await toast(page, 'Nothing changed: that was there already')
    assert.equal(place.server.lastSeq(), seq)
    await close()
  })
})
