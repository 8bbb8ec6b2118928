import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// An email that somebody has: it can be opened, brought together with what was typed, or given twice, wherever it is typed.

let site: Site
const pages: Page[] = []
const { newContact, newCompany, getRecord } = recordsOf(() => site.server)
before(async () => {
  if (!noBrowser) site = await startSite()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

async function open(path: string, options: Parameters<Site['openAs']>[2] = {}): Promise<Page> {
  const { page } = await site.openAs('member', path, options)
  pages.push(page)
  return page
}
const withEmail = async (email: string): Promise<Row[]> => (await getRecord(`/contacts?email=${email}`)).data
const question = (page: Page, name: string, what = 'email') =>
  page.getByRole('alertdialog', { name: `${name} has this ${what} already` })

async function fill(page: Page, name: string, email: string, phone = ''): Promise<void> {
  await page.getByRole('button', { name: 'New contact' }).first().click()
  const form = page.getByRole('dialog', { name: 'New contact' })
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('textbox', { name: 'Email' }).fill(email)
  await form.getByText('Perhaps it is there already').waitFor()
  if (phone) await form.getByRole('textbox', { name: 'Phone' }).fill(phone)
  await form.getByRole('button', { name: 'Add contact' }).click()
}

describe('a new contact with the email of another one', { skip: noBrowser }, () => {
  test('is added to that one, with what it lacks, and Z takes it back', async () => {
    const ana = await newContact({ first_name: 'Ana', last_name: 'Merge', emails: [{ email: 'ana@merge.example' }] })
    const page = await open('/contacts')
    await fill(page, 'Anna Merge', 'ANA@merge.example', '+34 600 123 456')
    const dialog = question(page, 'Ana Merge')
    await dialog.waitFor()
    assert.doesNotMatch(await page.locator('body').innerText(), /allow_duplicate|[0-9a-f]{8}-[0-9a-f]{4}/)
    await dialog.getByRole('button', { name: 'Add to it' }).click()
    await page.getByText('Ana Merge complemented').first().waitFor()
    const after = await getRecord(`/contacts/${ana.id}`)
    assert.deepEqual([after.name, after.phones[0].number], ['Ana Merge', '+34 600 123 456'])
    assert.equal((await getRecord(`/notes?contact_id=${ana.id}`)).data[0].body, 'first_name: Anna')
    assert.equal(await page.getByRole('dialog', { name: 'New contact' }).count(), 0)
    await page.keyboard.press('z')
    await becomes(async () => (await getRecord(`/contacts/${ana.id}`)).phones.length, 0)
    // The form is done with.
    await page.getByRole('button', { name: 'New contact' }).first().click()
    assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), '')
  })

  test('is made all the same, or leads to that one, and the form is kept', async () => {
    await newContact({ first_name: 'Ana', last_name: 'Twice', emails: [{ email: 'ana@twice.example' }] })
    const page = await open('/contacts')
    await fill(page, 'Bea Twice', 'ana@twice.example')
    await question(page, 'Ana Twice').getByRole('button', { name: 'Create all the same' }).click()
    await page.getByText('Bea Twice added').first().waitFor()
    assert.equal((await withEmail('ana@twice.example')).length, 2)
    await fill(page, 'Cid Twice', 'ana@twice.example')
    const dialog = page.getByRole('alertdialog')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog', { name: 'New contact' }).getByText('There is one like this already').waitFor()
    await page.getByRole('button', { name: 'Add contact' }).click()
    await dialog.getByRole('button', { name: 'Open', exact: true }).click()
    await page.waitForURL(/\/contacts\/[0-9a-f-]{36}/)
    await page.goto(`${site.url}/contacts`)
    await page.getByRole('button', { name: 'New contact' }).first().click()
    await becomes(() => page.getByRole('textbox', { name: 'Name' }).inputValue(), 'Cid Twice')
  })

  test('on a phone', async () => {
    await newContact({ first_name: 'Ana', last_name: 'Phone', emails: [{ email: 'ana@phone.example' }] })
    const page = await open('/contacts', { width: 390, height: 800 })
    await fill(page, 'Bea Phone', 'ana@phone.example')
    const dialog = question(page, 'Ana Phone')
    for (const name of ['Open', 'Add to it', 'Create all the same']) {
      const box = await dialog.getByRole('button', { name, exact: true }).boundingBox()
      assert.ok(box && box.height >= 40 && box.x >= 0 && box.x + box.width <= 390, name)
    }
    await dialog.getByRole('button', { name: 'Create all the same' }).click()
    await page.getByText('Bea Phone added').first().waitFor()
  })

  test('is found by its phone while it is typed', async () => {
    await newContact({ first_name: 'Ana', last_name: 'Rings', phones: [{ number: '+49 30 7654321' }] })
    const page = await open('/contacts')
    await page.getByRole('button', { name: 'New contact' }).first().click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Phone' }).fill('0049307654321')
    await page.getByRole('dialog').getByText('same phone').waitFor()
  })

  test('as a company with the domain of another one, is made without it', async () => {
    await newCompany({ name: 'Holder', domains: ['holder.example'] })
    const page = await open('/companies')
    await page.getByRole('button', { name: 'New company' }).first().click()
    const form = page.getByRole('dialog', { name: 'New company' })
    await form.getByRole('textbox', { name: 'Name' }).fill('Second')
    await form.getByRole('textbox', { name: 'Domain' }).fill('holder.example')
    await form.getByText('Perhaps it is there already').waitFor()
    await form.getByRole('button', { name: 'Add company' }).click()
    await question(page, 'Holder', 'domain').getByRole('button', { name: 'Create without the domain' }).click()
    await page.getByText('Second added').first().waitFor()
    assert.deepEqual((await getRecord('/companies?q=Second')).data[0].domains, [])
  })
})

describe('the email of another contact in an editor', { skip: noBrowser }, () => {
  async function edit(page: Page, email: string): Promise<void> {
    await page.getByRole('button', { name: 'Edit Emails' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Email 1' }).fill(email)
    await page.keyboard.press('Enter')
  }

  for (const width of [1440, 390])
    test(`of its page is saved all the same, or both become one, at ${width} px`, async () => {
      const own = `page${width}.example`
      const ana = await newContact({ first_name: 'Ana', last_name: `Page${width}`, emails: [{ email: `ana@${own}` }] })
      const bea = await newContact({ first_name: 'Bea', last_name: 'Page', emails: [{ email: `bea@${own}` }] })
      const page = await open(`/contacts/${bea.id}`, { width, height: 800 })
      if (width < 640) await page.getByRole('tab', { name: 'Details' }).click()
      await edit(page, `ana@${own}`)
      const dialog = question(page, ana.name)
      await dialog.getByRole('button', { name: 'Save all the same' }).click()
      await dialog.waitFor({ state: 'detached' })
      await becomes(async () => (await getRecord(`/contacts/${bea.id}`)).emails[0].email, `ana@${own}`)
      await page.locator('.editing-panel').waitFor({ state: 'detached' })
      assert.equal(await page.getByText('not saved').count(), 0)

      const cy = await newContact({ first_name: 'Cy', last_name: 'Page', emails: [{ email: `cy@${own}` }] })
      await page.goto(`${site.url}/contacts/${cy.id}`)
      if (width < 640) await page.getByRole('tab', { name: 'Details' }).click()
      await edit(page, `ana@${own}`)
      await page.getByRole('alertdialog').getByRole('button', { name: 'Merge' }).click()
      await page.waitForURL(/\/duplicates\?object=contact&pair=/)
      assert.ok(page.url().includes(cy.id))
    })

  test('of a table is offered, too', async () => {
    await newContact({ first_name: 'Ana', last_name: 'Holds', emails: [{ email: 'ana@cells.example' }] })
    const bea = await newContact({ first_name: 'Bea', last_name: 'Cells' })
    const page = await open('/contacts?q=Cells&columns=name,emails')
    const cell = page.locator('[data-row="0"] [data-column="1"]')
    await cell.click()
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Email 1' }).fill('ana@cells.example')
    await page.keyboard.press('Enter')
    await question(page, 'Ana Holds').getByRole('button', { name: 'Save all the same' }).click()
    await becomes(async () => (await getRecord(`/contacts/${bea.id}`)).emails[0]?.email, 'ana@cells.example')
    await becomes(() => cell.locator('.cell-mark').count(), 0)
  })
})
