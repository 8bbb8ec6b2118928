import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { type Row, recordsOf } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// People who are pasted: what was read is shown and corrected, then made as one change, which Z takes back.

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
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url })
  return page
}
async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((text) => navigator.clipboard.writeText(text), text)
  await page.keyboard.press('Control+v')
}
const dialogOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Contacts from a text' })
const named = async (name: string): Promise<Row[]> =>
  (await getRecord(`/contacts?q=${encodeURIComponent(name)}`)).data.filter((each: Row) => each.name === name)
const count = (name: string) => async () => (await named(name)).length

const SIGNATURE = `Kind regards

Mara Lind
Head of Purchasing
Fjord Shops AS
Storgata 12, 0155 Oslo, Norway
T: +47 22 12 34 56
mara.lind@fjordshops.example
www.fjordshops.example
Org.nr. 912 345 678 MVA`

describe('people who are pasted', { skip: noBrowser }, () => {
  test('on the contacts screen are shown, corrected and made with their company; Z takes all of it back', async () => {
    const page = await open('/contacts')
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    await paste(page, SIGNATURE)
    const dialog = dialogOf(page)
    const value = (name: string) => dialog.getByRole('textbox', { name }).inputValue()
    await dialog.getByRole('textbox', { name: 'First name' }).waitFor()
    assert.deepEqual(
      await Promise.all(['First name', 'Last name', 'Job title', 'Company', 'Email 1', 'Phone 1'].map(value)),
      ['Mara', 'Lind', 'Head of Purchasing', 'Fjord Shops AS', 'mara.lind@fjordshops.example', '+47 22 12 34 56'],
    )
    assert.equal(await dialog.getByText('New company').count(), 1)
    assert.equal(await dialog.getByText('Org.nr. 912 345 678 MVA').first().isVisible(), true)
    await dialog.getByRole('textbox', { name: 'Last name' }).fill('Lindqvist')
    assert.equal((await named('Mara Lindqvist')).length, 0)
    await dialog.getByRole('button', { name: 'Add contact', exact: true }).click()
    await page.getByText('Mara Lindqvist added').first().waitFor()
    const [mara] = await named('Mara Lindqvist')
    const company = await getRecord(`/companies/${mara.company_id}`)
    assert.deepEqual([company.name, company.domains], ['Fjord Shops AS', ['fjordshops.example']])
    assert.deepEqual([mara.address.city, mara.website], ['Oslo', 'https://www.fjordshops.example'])
    assert.equal(mara.owner_id !== null, true)
    const notes = (await getRecord(`/notes?contact_id=${mara.id}`)).data
    assert.deepEqual(
      notes.map(({ body }: Row) => body),
      ['Org.nr. 912 345 678 MVA'],
    )
    await page.keyboard.press('z')
    await becomes(count('Mara Lindqvist'), 0)
    await becomes(async () => (await getRecord('/companies?q=Fjord')).data.length, 0)
  })

  test('as a vCard are the people that it says', async () => {
    const page = await open('/contacts')
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    await paste(
      page,
      'BEGIN:VCARD\nVERSION:3.0\nN:Card;Vera;;;\nFN:Vera Card\nTEL:0711 4839210\nTITLE:Buyer\nEND:VCARD\n',
    )
    const dialog = dialogOf(page)
    await dialog.getByRole('textbox', { name: 'First name' }).waitFor()
    await dialog.getByRole('button', { name: 'Add contact', exact: true }).click()
    await page.getByText('Vera Card added').first().waitFor()
    const [vera] = await named('Vera Card')
    assert.deepEqual([vera.job_title, vera.phones[0].number], ['Buyer', '0711 4839210'])
  })

  test('in the palette, rows of a spreadsheet are many contacts; who is there is complemented', async () => {
    const company = await newCompany({ name: 'Palette Works', domains: ['palette.example'] })
    const known = await newContact({
      first_name: 'Ida',
      last_name: 'There',
      emails: [{ email: 'ida@palette.example' }],
    })
    const page = await open('/deals')
    await page.locator('h1').first().waitFor()
    await page.keyboard.press('Control+k')
    await page
      .getByRole('combobox', { name: /Search/ })
      .first()
      .waitFor()
    await paste(
      page,
      'Name\tEmail\tPhone\tShoe\nIda There\tida@palette.example\t+34 600 123 456\t38\nCy New\tcy@palette.example\t\t',
    )
    const dialog = dialogOf(page)
    await dialog.getByText('2 people found').waitFor()
    assert.equal((await dialog.getByText('Add to Ida There').count()) > 0, true)
    await dialog.getByRole('button', { name: 'Save 2 contacts' }).click()
    await page.getByText('Cy New added, Ida There complemented').first().waitFor()
    const ida = await getRecord(`/contacts/${known.id}`)
    assert.deepEqual([ida.phones.map(({ number }: Row) => number), ida.company_id], [['+34 600 123 456'], company.id])
    assert.equal((await getRecord(`/notes?contact_id=${known.id}`)).data[0].body, 'Shoe: 38')
    assert.equal((await named('Cy New'))[0].company_id, company.id)
    // Nobody is made twice, also by the same text.
    await page.keyboard.press('Control+k')
    await paste(page, 'Cy New\tcy@palette.example\nCy New\tcy@palette.example')
    await dialog.getByText('2 people found').waitFor()
    await dialog.getByRole('button', { name: 'Add to the contact' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await count('Cy New')(), 1)
  })

  test('in a form and in a cell of the table are no name, and rows behind the last one can become contacts', async () => {
    const page = await open('/contacts')
    await page.getByRole('button', { name: 'New contact' }).first().click()
    await page.getByRole('textbox', { name: 'Name' }).waitFor()
    await paste(page, 'Bo Form <bo@form.example>')
    const dialog = dialogOf(page)
    await dialog.getByRole('textbox', { name: 'First name' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('These contacts were not added').first().waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await dialog.getByRole('textbox', { name: 'Last name' }).fill('Formann')
    await page.keyboard.press('Enter')
    await page.getByText('Bo Formann added').first().waitFor()

    await page.goto(`${site.url}/contacts?q=Formann`)
    const cell = page.locator('[role=row][aria-rowindex="2"] [role=rowheader]')
    await cell.waitFor()
    await cell.focus()
    await paste(page, 'Cy Cell <cy@cell.example>')
    // The list is read anew after the own change, and keeps its rows until the new ones are here.
    const answers = Promise.withResolvers<void>()
    const isOfRows = (url: URL) => url.pathname === '/app/rows/contacts' && url.searchParams.get('limit') !== '1'
    await page.route(isOfRows, async (route) => {
      await answers.promise
      await route.continue()
    })
    const readAnew = page.waitForRequest((request) => isOfRows(new URL(request.url())))
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Cy Cell added').first().waitFor()
    assert.equal(await count('Bo Formann')(), 1)
    await readAnew
    await cell.focus()
    await paste(page, 'Bo Formann\tbo@form.example\nDee Beyond\tdee@beyond.example')
    answers.resolve()
    await page.getByRole('button', { name: 'New contacts' }).click()
    await dialog.getByText('1 person found').waitFor()
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await becomes(count('Dee Beyond'), 1)
  })

  test('can be corrected: what is wrong is said at its field, pieces become fields, and people are left out', async () => {
    const page = await open('/contacts')
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    await paste(page, 'Eva Row\tBuyer of ships\teva@row.example\nFay Row\tfay@row.example')
    const dialog = dialogOf(page)
    await dialog.getByText('2 people found').waitFor()
    await dialog.getByRole('combobox', { name: 'What “Buyer of ships” is' }).selectOption('Job title')
    await dialog.getByRole('textbox', { name: 'Email 1' }).fill('eva at row')
    await dialog.getByRole('button', { name: 'Add 2 contacts' }).click()
    await dialog.getByText('1 person needs a look').waitFor()
    assert.equal(await count('Fay Row')(), 0)
    await dialog.getByRole('textbox', { name: 'Email 1' }).fill('eva@row.example')
    await dialog.getByRole('button', { name: 'Fay Row' }).click()
    await dialog.getByRole('combobox', { name: 'What to do' }).selectOption('Leave out')
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Eva Row added').first().waitFor()
    assert.equal((await named('Eva Row'))[0].job_title, 'Buyer of ships')
    assert.equal(await count('Fay Row')(), 0)
  })

  test('by somebody else meanwhile are offered, not doubled', async () => {
    const page = await open('/contacts')
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    await paste(page, 'Gil Race <gil@race.example>')
    const dialog = dialogOf(page)
    await dialog.getByRole('textbox', { name: 'First name' }).waitFor()
    await newContact({ first_name: 'Gilbert', last_name: 'Race', emails: [{ email: 'gil@race.example' }] })
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await dialog.getByText('Gilbert Race has this email by now.').waitFor()
    await dialog.getByRole('combobox', { name: 'What to do' }).selectOption('Add to Gilbert Race')
    await dialog.getByRole('button', { name: 'Add to the contact' }).click()
    await page.getByText('Gilbert Race complemented').first().waitFor()
    assert.equal(await count('Gil Race')(), 0)
  })

  test('on a phone, from the menu', async () => {
    const page = await open('/contacts', { width: 390, height: 800 })
    await page.getByRole('button', { name: 'More' }).first().click()
    await page.getByRole('menuitem', { name: 'Contacts from a text' }).click()
    const dialog = page.getByRole('dialog', { name: 'Contacts from a text' })
    await dialog.getByRole('textbox', { name: 'Text' }).fill(SIGNATURE)
    await dialog.getByRole('button', { name: 'Read' }).click()
    await dialog.getByRole('textbox', { name: 'First name' }).waitFor()
    const isCut = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    assert.equal(isCut, false)
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Mara Lind added').first().waitFor()
  })

  test('of 500 rows are made as one step', async () => {
    const page = await open('/contacts')
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    const rows = (most: number) =>
      Array.from({ length: most }, (_, n) => `Many${n} Rows\tmany${n}@rows.example`).join('\n')
    const dialog = dialogOf(page)
    await paste(page, rows(501))
    await dialog.getByText('more than 500 people').waitFor()
    await page.keyboard.press('Escape')
    await paste(page, rows(500))
    await dialog.getByText('500 people found').waitFor()
    await dialog.getByRole('button', { name: 'Add 500 contacts' }).click()
    await page.getByText('500 contacts added').first().waitFor()
    assert.equal((await getRecord('/contacts?q=Rows&count=true&limit=1')).total, 500)
    assert.equal((await getRecord('/companies?domain=rows.example')).data.length, 1)
    await page.keyboard.press('z')
    await becomes(async () => (await getRecord('/contacts?q=many&count=true&limit=1')).total, 0)
  })
})
