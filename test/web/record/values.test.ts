import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { noBrowser } from '../../support/chromium.ts'
import type { Row } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { edit, property, type RecordPages, recordPages } from './record-page.ts'

// The values of records, edited where they are read.

const OPTIONS = [
  { value: 'gold', label: 'Gold', color: '#c4a000' },
  { value: 'silver', label: 'Silver', color: '#888888' },
]

let place: RecordPages
let contact: Row
let company: Row
let tag: Row

before(async () => {
  if (noBrowser) return
  place = await recordPages()
  const { newRecord, newCompany } = place.app
  const types = ['text', 'number', 'boolean', 'date', 'select', 'multi_select', 'url', 'email', 'phone', 'member']
  for (const type of types) {
    const options = type.endsWith('select') ? { options: OPTIONS } : {}
    await newRecord('/custom-fields', { object: 'contact', key: `a_${type}`, label: `A ${type}`, type, ...options })
  }
  company = await newCompany({ name: 'Grünwald' })
  tag = await newRecord('/tags', { name: 'Reference' })
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

describe('a value on the page of a record', { skip: noBrowser }, () => {
  type Case = { key: string; typed: string; saved: () => unknown; refused?: string }
  const custom: Case[] = [
    { key: 'a_text', typed: 'Plant board', saved: () => 'Plant board' },
    { key: 'a_number', typed: '1,250.5', saved: () => 1250.5, refused: '12x' },
    { key: 'a_boolean', typed: 'yes', saved: () => true },
    { key: 'a_date', typed: '2030-03-04', saved: () => '2030-03-04' },
    { key: 'a_select', typed: 'Silver', saved: () => 'silver' },
    { key: 'a_multi_select', typed: 'Gold', saved: () => ['gold'] },
    { key: 'a_url', typed: 'https://example.com/a', saved: () => 'https://example.com/a', refused: 'no address' },
    { key: 'a_email', typed: 'mira@example.com', saved: () => 'mira@example.com', refused: 'mira at home' },
    { key: 'a_phone', typed: '+49 30 901820', saved: () => '+49 30 901820', refused: 'call me' },
    { key: 'a_member', typed: 'A viewer', saved: () => place.app.ids.viewer },
  ]
  test('is the day that is meant where only two digits of its year are typed, and shown as it is stored', async () => {
    const { id } = await place.app.newContact({ custom_fields: { a_date: '0026-05-04' } })
    const page = await place.open(`/contacts/${id}`)
    await property(page, 'a_date').getByText('4 May 26', { exact: true }).waitFor()
    await edit(page, 'a_date')
    await page.keyboard.type('05/04/31')
    await page.keyboard.press('Enter')
    await becomes(async () => (await place.app.getRecord(`/contacts/${id}`)).custom_fields.a_date, '2031-05-04')
  })

  test('is a link only where it is an address of the web: what an earlier version let in could be a script', async () => {
    const { id } = await place.app.newContact({ website: 'https://example.com/ana' })
    const page = await place.open(`/contacts/${id}`)
    assert.equal(await property(page, 'website').locator('a').getAttribute('href'), 'https://example.com/ana')
    const { db } = place.app.store
    db.prepare('UPDATE contacts SET website = ? WHERE id = ?').run('javascript:document.title=1', id)
    await page.reload()
    await property(page, 'website').getByText('javascript:document.title=1').waitFor()
    assert.equal(await property(page, 'website').locator('a').count(), 0)
  })

  for (const { key, typed, saved, refused } of custom) {
    test(`of the type ${key.slice(2)} is saved by Enter${refused ? ', and what cannot be read stays' : ''}`, async () => {
      contact = await place.app.newContact()
      const page = await place.open(`/contacts/${contact.id}`)
      const input = await edit(page, key)
      if (refused !== undefined) {
        await input.fill(refused)
        await page.keyboard.press('Enter')
        await property(page, key).getByRole('alert').waitFor()
        assert.equal(await input.inputValue(), refused)
      }
      await input.fill(typed)
      await page.keyboard.press('Enter')
      // The second one ends the choice of several.
      if (key === 'a_multi_select') await page.keyboard.press('Enter')
      const read = async () => (await place.app.getRecord(`/contacts/${contact.id}`)).custom_fields[key]
      await becomes(read, saved())
      assert.equal(place.eventsOf(contact.id, 'contact.updated').length, 1)
    })
  }

  test('of an amount is saved with its currency, in one change', async () => {
    const deal = await place.app.newDeal({ amount: 100, currency: 'EUR' })
    const page = await place.open(`/deals/${deal.id}`)
    await edit(page, 'amount')
    const currency = property(page, 'amount').getByRole('combobox', { name: 'Currency' })
    await currency.fill('CHF')
    await page.getByRole('option', { name: 'CHF' }).first().click()
    await property(page, 'amount').getByRole('textbox', { name: 'Amount' }).fill('48,500.25')
    await page.keyboard.press('Enter')
    const read = async () => {
      const { amount, currency } = await place.app.getRecord(`/deals/${deal.id}`)
      return { amount, currency }
    }
    await becomes(read, { amount: 48500.25, currency: 'CHF' })
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 1)
    assert.match(await page.locator('.head .amt').innerText(), /CHF.*48,500|48,500.*CHF/)
  })

  test('of tags and of a company is chosen by typing', async () => {
    const deal = await place.app.newDeal()
    const page = await place.open(`/deals/${deal.id}`)
    await (await edit(page, 'tag_ids')).fill('ref')
    await page.getByRole('option', { name: 'Reference' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await becomes(async () => (await place.app.getRecord(`/deals/${deal.id}`)).tag_ids, [tag.id])
    await (await edit(page, 'company_id')).fill('Grün')
    await page.getByRole('option', { name: 'Grünwald' }).click()
    await becomes(async () => (await place.app.getRecord(`/deals/${deal.id}`)).company_id, company.id)
    await property(page, 'company_id').getByText('Grünwald').waitFor()
  })

  test('that the server refuses stays as it was typed, with the reason, and nothing is written', async () => {
    const taken = await place.app.newContact({ external_id: 'A-1' })
    const other = await place.app.newContact({ external_id: 'A-2' })
    const page = await place.open(`/contacts/${other.id}`)
    await (await edit(page, 'external_id')).fill('A-1')
    await page.keyboard.press('Enter')
    await property(page, 'external_id').getByRole('alert').waitFor()
    assert.equal(await property(page, 'external_id').locator('input').inputValue(), 'A-1')
    assert.equal((await place.app.getRecord(`/contacts/${other.id}`)).external_id, 'A-2')
    assert.deepEqual(place.eventsOf(other.id, 'contact.updated'), [])
    await property(page, 'external_id').locator('input').fill('A-3')
    await page.keyboard.press('Enter')
    await becomes(async () => (await place.app.getRecord(`/contacts/${other.id}`)).external_id, 'A-3')
    assert.equal((await place.app.getRecord(`/contacts/${taken.id}`)).external_id, 'A-1')
  })
})

describe('two members who set one value', { skip: noBrowser }, () => {
  /** A member types over what the owner sets meanwhile. */
  async function clash(mine: string, theirs: number) {
    const deal = await place.app.newDeal({ amount: 100, currency: 'EUR' })
    const page = await place.open(`/deals/${deal.id}`)
    await (await edit(page, 'amount')).fill(mine)
    await place.app.people.owner.call('PATCH', `/api/v1/deals/${deal.id}`, { amount: theirs })
    await page.locator('.head .amt').getByText(theirs.toLocaleString('en')).waitFor()
    await page.keyboard.press('Enter')
    await property(page, 'amount').locator('.clash').waitFor()
    const amount = async () => (await place.app.getRecord(`/deals/${deal.id}`)).amount
    return { page, deal, amount, box: property(page, 'amount') }
  }

  test('see both, and nothing is written before one of them decides', async () => {
    const { box, deal, amount } = await clash('15000', 12000)
    assert.match(await box.locator('.clash').innerText(), /Ana set[\s\S]*12,000[\s\S]*You typed[\s\S]*15,000/)
    assert.equal(await amount(), 12000)
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 1)
  })

  test('are not told that everything is saved, and keep what was typed over a reload', async () => {
    const { page, box } = await clash('15000', 12000)
    await page.getByText('1 change waits').waitFor()
    assert.equal(await page.getByText('Everything saved').count(), 0)
    await page.reload()
    await box.locator('.clash').waitFor()
    assert.match(await box.locator('.clash').innerText(), /12,000[\s\S]*15,000/)
    // Who it was is known from the event alone, which this page has not heard.
    await box.getByRole('button', { name: 'Use the other one' }).click()
    await page.getByText('Everything saved').waitFor()
  })

  test('an amount and its currency write nothing that neither of them meant', async () => {
    const deal = await place.app.newDeal({ amount: 100, currency: 'EUR' })
    const page = await place.open(`/deals/${deal.id}`)
    await (await edit(page, 'amount')).fill('15000')
    await place.app.people.owner.call('PATCH', `/api/v1/deals/${deal.id}`, { currency: 'JPY' })
    await page.locator('.head .amt').getByText('JPY').waitFor()
    await page.keyboard.press('Enter')
    const box = property(page, 'amount')
    await box.locator('.clash').waitFor()
    assert.match(await box.locator('.clash').innerText(), /Ana set\s+JPY\s*100[\s\S]*EUR\s*15,000/)
    const money = async () => {
      const { amount, currency } = await place.app.getRecord(`/deals/${deal.id}`)
      return [amount, currency]
    }
    assert.deepEqual(await money(), [100, 'JPY'])
    await box.getByRole('button', { name: 'Use mine' }).click()
    await becomes(money, [15000, 'EUR'])
    // One change: nobody hears of 15,000 yen.
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 2)
  })

  test('the title see both', async () => {
    const deal = await place.app.newDeal({ title: 'Harbour' })
    const page = await place.open(`/deals/${deal.id}`)
    await page.getByRole('button', { name: 'Edit Title' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Harbour of mine')
    await place.app.people.owner.call('PATCH', `/api/v1/deals/${deal.id}`, { title: 'Harbour of Ana' })
    await page.getByRole('heading', { name: 'Harbour of Ana' }).waitFor()
    await page.keyboard.press('Enter')
    const clash = page.locator('.head .clash')
    await clash.waitFor()
    assert.equal((await place.app.getRecord(`/deals/${deal.id}`)).title, 'Harbour of Ana')
    await clash.getByRole('button', { name: 'Use mine' }).click()
    await becomes(async () => (await place.app.getRecord(`/deals/${deal.id}`)).title, 'Harbour of mine')
  })

  test('keep the other value by “Use Ana’s”, without a further write', async () => {
    const { box, deal, amount } = await clash('15000', 12000)
    await box.getByRole('button', { name: 'Use Ana’s' }).click()
    await box.locator('.clash').waitFor({ state: 'detached' })
    assert.match(await box.innerText(), /12,000/)
    assert.equal(await amount(), 12000)
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 1)
  })

  test('write their own by “Use mine”', async () => {
    const { box, deal, amount } = await clash('15000', 12000)
    await box.getByRole('button', { name: 'Use mine' }).click()
    await becomes(amount, 15000)
    await box.locator('.clash').waitFor({ state: 'detached' })
    assert.equal(place.eventsOf(deal.id, 'deal.updated').length, 2)
  })
})

describe('a deal that is closed', { skip: noBrowser }, () => {
  test('as lost says why, and the toast opens it again where it was', async () => {
    const deal = await place.app.newDeal()
    const page = await place.open(`/deals/${deal.id}`)
    await page.keyboard.press('Shift+L')
    const reason = page.getByRole('menu', { name: 'Why was it lost?' }).getByRole('menuitem').first()
    const name = (await reason.innerText()).trim()
    await reason.click()
    await page.locator('.steps .ended').getByText(`Lost, ${name}`).waitFor()
    const read = async () => {
      const { status, stage, close_reason_id } = await place.app.getRecord(`/deals/${deal.id}`)
      return { status, isSame: stage === deal.stage, hasReason: close_reason_id !== null }
    }
    await becomes(read, { status: 'lost', isSame: false, hasReason: true })
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await becomes(read, { status: 'open', isSame: true, hasReason: false })
    await page.getByRole('button', { name: 'Close as won' }).waitFor()
  })

  test('is not closed by Esc at the question why', async () => {
    const deal = await place.app.newDeal()
    const page = await place.open(`/deals/${deal.id}`)
    await page.keyboard.press('w')
    await page.getByRole('menu', { name: 'Why was it won?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    assert.equal((await place.app.getRecord(`/deals/${deal.id}`)).status, 'open')
  })
})
