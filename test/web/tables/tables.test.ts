import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { pressTogether } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { becomes, until } from '../../support/until.ts'
import { type Opened, type TablePage, tablePage } from './table-page.ts'

// Tables of contacts, lists and duplicates in a real browser, on a real server.

let place: TablePage
let company: Row
before(async () => {
  if (noBrowser) return
  place = await tablePage()
  company = await place.make('/companies', { name: 'Northwind Ltd' })
  await place.make('/custom-fields', { object: 'contact', key: 'instruments', label: 'Instruments', type: 'number' })
  place.seed(150, (n) => ({
    first_name: 'Ana',
    last_name: `Ruiz ${String(n).padStart(3, '0')}`,
    job_title: n < 64 ? 'Buyer' : null,
    company_id: n % 2 === 0 ? company.id : null,
    custom_fields: { instruments: n },
  }))
})
after(() => place?.stop())

/** Goes on to an address in the one page that most tests share. */
let shared: Opened | undefined
async function goTo(path: string): Promise<Pick<Opened, 'page' | 'requests'>> {
  shared ??= await place.open('/nowhere')
  shared.requests.length = 0
  await shared.page.goto(place.screens.url + path)
  return shared
}

const rowOf = (page: Page, name: string) => page.locator('.tbl [role=row][data-id]', { hasText: name })
const cellOf = (page: Page, name: string, column: string) =>
  rowOf(page, name).locator(`[data-column="${COLUMNS.indexOf(column)}"]`)
const COLUMNS = ['Name', 'Job title', 'Instruments']
const LAYOUT = 'columns=name,job_title,custom_fields.instruments'
const get = async (id: string): Promise<Row> => (await place.server.call('GET', `/contacts/${id}`)).body
const idOf = (page: Page, name: string) => rowOf(page, name).getAttribute('data-id') as Promise<string>

describe('a table', { skip: noBrowser }, () => {
  test('is a grid that says how many rows and columns it has, and its sort', async () => {
    const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await rowOf(page, 'Ruiz 000').waitFor()
    const grid = page.getByRole('grid', { name: 'Contacts' })
    assert.equal(await grid.getAttribute('aria-rowcount'), '151')
    assert.equal(await grid.getAttribute('aria-colcount'), '4')
    assert.equal(await rowOf(page, 'Ruiz 000').getAttribute('aria-rowindex'), '2')
    assert.equal(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'), 'ascending')
  })

  test('sorts by company at its head, contacts of none last', async () => {
    const { page } = await goTo('/contacts?sort=-company_id&columns=name,company_id')
    await rowOf(page, 'Ruiz 148').waitFor()
    const head = page.getByRole('columnheader', { name: 'Company' })
    assert.equal(await head.getAttribute('aria-sort'), 'descending')
    await head.click()
    await page
      .getByRole('menuitemradio', { name: 'Sort, A first' })
      .or(page.getByRole('menuitem', { name: 'Sort, A first' }))
      .click()
    await page.waitForURL(/sort=company_id/)
    await page.locator('.tbl [data-row="0"]', { hasText: 'Ruiz 000' }).waitFor()
    await cellOf(page, 'Ruiz 000', 'Job title').focus()
    await page.keyboard.press('Control+End')
    await page.locator('.tbl [data-row="149"]', { hasText: 'Ruiz 149' }).waitFor()
  })

  test('is asked for before it is shown, and once', async () => {
    const { page, requests, close } = await place.open('/tasks')
    await page.locator('nav a[href="/companies"]').waitFor()
    await page.evaluate(() => {
      const { fetch } = globalThis
      const seen: boolean[] = []
      const watched: typeof fetch = (input, init) => {
        if (String(input).includes('/app/rows/')) seen.push(document.querySelector('.tbl') !== null)
        return fetch(input, init)
      }
      Object.assign(globalThis, { fetch: watched, seen })
    })
    for (const [path, name] of [
      ['/companies', 'Northwind Ltd'],
      ['/contacts', 'Ruiz'],
    ] as const) {
      await page.locator(`nav a[href="${path}"]`).click()
      await page.locator('.tbl [role=rowheader]', { hasText: name }).first().waitFor()
    }
    assert.equal(requests.filter((each) => each.includes('/app/rows/companies')).length, 1)
    const [first] = await page.evaluate(() => (globalThis as unknown as { seen: boolean[] }).seen)
    assert.equal(first, false, 'while the old screen was on the page')
    await close()
  })

  test('edits a cell by keys: Enter begins and saves, Tab saves and goes on, Esc drops', async () => {
    const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await cellOf(page, 'Ruiz 000', 'Job title').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Head of purchasing')
    await page.keyboard.press('Tab')
    await page.keyboard.type('41')
    await page.keyboard.press('Enter')
    const id = await idOf(page, 'Ruiz 000')
    await until(async () => (await get(id)).custom_fields.instruments === 41)
    assert.equal((await get(id)).job_title, 'Head of purchasing')
    await page.keyboard.press('Enter')
    await page.keyboard.type('9')
    await page.keyboard.press('Escape')
    assert.match(await cellOf(page, 'Ruiz 000', 'Instruments').innerText(), /^41\b/)
    assert.equal(
      await cellOf(page, 'Ruiz 000', 'Instruments').evaluate((cell) => cell === document.activeElement),
      true,
    )
    const typed = place.server.events().filter((event) => event.object.id === id && event.type === 'contact.updated')
    assert.equal(typed.length, 2)
  })

  test('keeps a refused value with its reason', async () => {
    const { page } = await goTo(`/contacts?sort=name&columns=name,website`)
    await rowOf(page, 'Ruiz 001').locator('[data-column="1"]').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('not an address')
    await page.keyboard.press('Enter')
    const alert = rowOf(page, 'Ruiz 001').getByRole('alert')
    await alert.waitFor()
    assert.match(await alert.innerText(), /address/)
    assert.equal(await rowOf(page, 'Ruiz 001').locator('input.bare').inputValue(), 'not an address')
  })

  test('shows a value that the server refuses at its cell, and lets it be dropped', async () => {
    const { page } = await goTo(`/contacts?sort=name&columns=name,language`)
    await rowOf(page, 'Ruiz 002').locator('[data-column="1"]').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('no language at all')
    await page.keyboard.press('Enter')
    const mark = rowOf(page, 'Ruiz 002').locator('.cell-mark.late')
    await mark.waitFor()
    assert.match(await mark.innerText(), /no language at all/)
    await mark.getByRole('button').click()
    await page.getByRole('button', { name: 'Drop it' }).click()
    await mark.waitFor({ state: 'detached' })
  })

  test('shows a conflict at the cell, and writes what its author chooses', async () => {
    const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await rowOf(page, 'Ruiz 003').waitFor()
    const id = await idOf(page, 'Ruiz 003')
    await cellOf(page, 'Ruiz 003', 'Job title').click()
    await page.keyboard.press('Enter')
    await page.keyboard.type('Mine')
    // It may arrive before or after the own change: it was not read before typing, either way.
    await place.server.call('PATCH', `/contacts/${id}`, { job_title: 'Theirs' })
    await page.keyboard.press('Enter')
    const mark = rowOf(page, 'Ruiz 003').locator('.cell-mark.warn')
    await mark.waitFor()
    assert.equal((await get(id)).job_title, 'Theirs')
    await mark.getByRole('button').click()
    await page.getByRole('button', { name: 'Use mine' }).click()
    await until(async () => (await get(id)).job_title === 'Mine')
  })

  test('takes a block from a spreadsheet, tells what was refused, and undoes it', async () => {
    const { page, requests } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await cellOf(page, 'Ruiz 010', 'Job title').click()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'Chief\t500\n"Head of\tlabs"\tmany\nClerk\t502\n')
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    })
    const toast = page.locator('.toast', { hasText: '5 cells changed, 1 refused' })
    await toast.waitFor()
    const ids = await Promise.all(['010', '011', '012'].map((n) => idOf(page, `Ruiz ${n}`)))
    const titles = async () =>
      (await Promise.all(ids.map(get))).map(({ job_title, custom_fields }) => [job_title, custom_fields.instruments])
    assert.deepEqual(await titles(), [
      ['Chief', 500],
      ['Head of\tlabs', 11],
      ['Clerk', 502],
    ])
    const sent = requests.filter((each) => each.startsWith('PATCH /api/v1/contacts/'))
    assert.deepEqual(sent.toSorted(), ids.map((id) => `PATCH /api/v1/contacts/${id}`).toSorted(), 'one for each record')
    assert.match(await rowOf(page, 'Ruiz 011').locator('.cell-mark.late').innerText(), /many/)
    await toast.getByRole('button', { name: 'Undo' }).click()
    await becomes(titles, [
      ['Buyer', 10],
      ['Buyer', 11],
      ['Buyer', 12],
    ])
  })

  test('writes the other cells of a record of which the server refuses one', async () => {
    const { page } = await goTo(`/contacts?sort=name&columns=name,language,job_title`)
    await rowOf(page, 'Ruiz 013').locator('[data-column="1"]').click()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.setData('text/plain', 'no language at all\tChief\nde\tClerk\n')
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    })
    await page.locator('.toast', { hasText: '3 cells changed, 1 refused' }).waitFor()
    assert.match(await rowOf(page, 'Ruiz 013').locator('.cell-mark.late').innerText(), /no language at all/)
    const cells = async () =>
      Promise.all(['013', '014'].map(async (n) => get(await idOf(page, `Ruiz ${n}`)))).then((all) =>
        all.map(({ language, job_title }) => [language, job_title]),
      )
    await until(async () => JSON.stringify(await cells()) === '[[null,"Chief"],["de","Clerk"]]')
  })

  test('writes the other cells of a record whose email somebody else has', async () => {
    const { page } = await goTo('/contacts?sort=name&columns=name,emails,job_title')
    const taken = 'ruiz@taken.example'
    await place.server.call('PATCH', `/contacts/${await idOf(page, 'Ruiz 015')}`, { emails: [{ email: taken }] })
    await rowOf(page, 'Ruiz 016').locator('[data-column="1"]').click()
    await page.evaluate((email) => {
      const data = new DataTransfer()
      data.setData('text/plain', `${email}\tChief of all\n`)
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
      )
    }, taken)
    await page.locator('.toast', { hasText: '1 cell changed, 1 refused' }).waitFor()
    await until(async () => (await get(await idOf(page, 'Ruiz 016'))).job_title === 'Chief of all')
    assert.notEqual((await get(await idOf(page, 'Ruiz 016'))).emails[0]?.email, taken)
  })

  test('copies the chosen rows with their heads', async () => {
    const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await rowOf(page, 'Ruiz 020').locator('.box').click()
    await rowOf(page, 'Ruiz 021').locator('.box').click()
    await cellOf(page, 'Ruiz 020', 'Job title').click()
    const text = await page.evaluate(() => {
      const data = new DataTransfer()
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }),
      )
      return data.getData('text/plain')
    })
    assert.equal(text, 'Name\tJob title\tInstruments\nAna Ruiz 020\tBuyer\t20\nAna Ruiz 021\tBuyer\t21')
  })

  test('changes all that match by one job, which is undone at once', async () => {
    const { page, requests } = await goTo(`/contacts?job_title.eq=Buyer&sort=name&${LAYOUT}`)
    await rowOf(page, 'Ruiz 030').waitFor()
    const total = Number(await page.locator('.bar .summary').innerText())
    await page.getByRole('checkbox', { name: 'Select the rows that are loaded' }).click()
    await rowOf(page, 'Ruiz 030').locator('.box').click() // all but one
    await page.getByRole('checkbox', { name: 'Clear the selection' }).click()
    await rowOf(page, 'Ruiz 030').locator('.box').click()
    await page.getByRole('button', { name: `All ${total} that match` }).click()
    await page.locator('.bulk').getByText(`${total} selected`).waitFor()
    await page.locator('.bulk').getByRole('button', { name: 'Owner' }).click()
    const owner = (await place.server.call('GET', '/members')).body.data.find(({ name }: Row) => name === 'Ana')
    await page.keyboard.type(owner.name)
    await page.keyboard.press('Enter')
    const toast = page.locator('.toast', { hasText: `${total} contacts changed` })
    await toast.waitFor()
    const owned = async () =>
      (await place.server.call('GET', `/contacts?owner_id=${owner.id}&count=true&limit=1`)).body.total
    assert.equal(await owned(), total)
    const sent = requests.filter((each) => each.startsWith('POST /app/bulk'))
    assert.equal(sent.length, 1)
    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.toast', { hasText: 'Taken back' }).waitFor()
    assert.equal(await owned(), 0)
  })

  test('keeps sort, filters and columns in the address, and columns in this browser', async () => {
    const { page, close } = await place.open('/contacts')
    await rowOf(page, 'Ruiz').first().waitFor()
    await page.getByRole('columnheader', { name: 'Name' }).click()
    await page.getByRole('menuitem', { name: 'Sort, A first' }).click()
    await page.waitForURL(/sort=name/)
    await until(async () => (await page.locator('[data-row="0"]').innerText()).includes('Ruiz 000'))
    await page.getByRole('columnheader', { name: 'Email' }).click()
    await page.getByRole('menuitem', { name: 'Hide column' }).click()
    await page.waitForURL(/columns=name,company_id,owner_id/)
    await page.getByRole('columnheader', { name: 'Company' }).press('Shift+ArrowRight')
    await page.waitForURL(/columns=name,owner_id,company_id/)
    await page.getByRole('columnheader', { name: 'Company' }).press('Control+Shift+ArrowRight')
    await page.waitForURL(/company_id(:|%3A)198/)
    await page.goto(`${place.screens.url}/contacts`)
    await rowOf(page, 'Ruiz').first().waitFor()
    assert.equal(await page.getByRole('columnheader', { name: 'Email' }).count(), 0)
    await page.getByRole('searchbox', { name: 'Search in this view' }).fill('149')
    await page.waitForURL(/q=149/)
    await until(async () => (await page.locator('.tbl [data-id]').count()) === 1)
    await close()
  })

  test('names the filters when nothing fits, and how many there would be without the last', async () => {
    const { page } = await goTo('/contacts?job_title.eq=Buyer&source.eq=fair')
    await page.getByRole('heading', { name: 'No contact fits' }).waitFor()
    await page.getByText(/Without Source .* there would be \d+\./).waitFor()
    await page.getByRole('button', { name: 'Remove that filter' }).click()
    await rowOf(page, 'Ruiz').first().waitFor()
    assert.doesNotMatch(page.url(), /source/)
  })

  test('says to readers how many rows a search left, and when there are none', async () => {
    const { page } = await goTo('/contacts')
    await rowOf(page, 'Ruiz').first().waitFor()
    const said = (text: string) =>
      page.locator('[role=status]').filter({ hasText: text }).first().waitFor({ state: 'attached' })
    const search = page.getByRole('searchbox', { name: 'Search in this view' })
    await search.fill('149')
    await said('1 contact')
    await search.fill('nobodyofthatname')
    await said('0 contacts')
  })

  test('reaches every column, however wide those are that stay, and however narrow the window', async () => {
    const columns = 'columns=name:300!,company_id:250!,emails:250!,phones,tag_ids'
    for (const width of [720, 1440]) {
      const { page, close } = await place.open(`/contacts?${columns}`, {
        options: { viewport: { width, height: 700 } },
      })
      await rowOf(page, 'Ruiz').first().waitFor()
      const last = page.locator('[data-row="0"] [data-column="4"]')
      await page.locator('.tbl').evaluate((table) => {
        table.scrollLeft = 99_999
      })
      await until(() =>
        last.evaluate((cell) => {
          const box = cell.getBoundingClientRect()
          const there = document.elementFromPoint(Math.min(box.x + 9, innerWidth - 4), box.y + box.height / 2)
          return cell.contains(there)
        }),
      )
      const stays = await page
        .locator('[data-row="0"] [data-column="1"]')
        .evaluate((cell) => getComputedStyle(cell).position)
      assert.equal(stays === 'sticky', width === 1440, `${width} px`)
      await close()
    }
  })

  test('offers what a colleague adds instead of moving the rows', async () => {
    const { page } = await goTo('/contacts?sort=-name')
    await rowOf(page, 'Ruiz 149').waitFor()
    await place.make('/contacts', { first_name: 'Zoe', last_name: 'Adams' })
    await page.locator('.fresh', { hasText: '1 new row' }).waitFor()
    assert.equal(await rowOf(page, 'Zoe Adams').count(), 0)
    await page.locator('.fresh').getByRole('button').click()
    await rowOf(page, 'Zoe Adams').waitFor()
  })

  test('marks a row that no longer matches, whoever has changed it, and keeps it until all is read anew', async () => {
    const note = (page: Page, text: string) => page.locator('.fresh', { hasText: text })
    const ids: string[] = []
    for (const name of ['Leaver One', 'Leaver Two', 'Leaver Three'])
      ids.push((await place.make('/companies', { name, industry: 'Leaving' })).id)
    const { page } = await goTo('/companies?industry.eq=Leaving&sort=name&columns=name,industry')
    await rowOf(page, 'Leaver Two').waitFor()
    await place.server.call('PATCH', `/companies/${ids[0]}`, { industry: 'Gone' })
    await note(page, '1 row no longer matches').waitFor()
    assert.deepEqual(await page.locator('.tr.has-left').getAttribute('data-id'), ids[0])
    // One's own change as well: what is edited does not vanish.
    await rowOf(page, 'Leaver Two').locator('[data-column="1"]').dblclick()
    await page.locator('.tbl input:focus').fill('Gone too')
    await page.keyboard.press('Enter')
    await note(page, '2 rows no longer match').waitFor()
    // A change that has nothing to do with the filter marks nothing, and one that is taken back does so no more.
    await place.server.call('PATCH', `/companies/${ids[2]}`, { name: 'Leaver Four' })
    await place.server.call('PATCH', `/companies/${ids[0]}`, { industry: 'Leaving' })
    await note(page, '1 row no longer matches').waitFor()
    await rowOf(page, 'Leaver Four').waitFor()
    assert.deepEqual(await page.locator('.tr.has-left').getAttribute('data-id'), ids[1])
    await place.make('/companies', { name: 'Leaver Zero', industry: 'Leaving' })
    await note(page, '1 new row · 1 row no longer matches').waitFor()
    await page.locator('.fresh').getByRole('button').click()
    await rowOf(page, 'Leaver Zero').waitFor()
    assert.deepEqual([await rowOf(page, 'Leaver Two').count(), await page.locator('.fresh').count()], [0, 0])
  })

  test('says on a phone on one line what no longer matches, and cuts no search', async () => {
    const { id } = await place.make('/companies', { name: 'Narrow Ltd', industry: 'Narrow' })
    const { page, close } = await place.open('/companies?industry.eq=Narrow&columns=name,industry', {
      options: { viewport: { width: 390, height: 700 } },
    })
    await page.getByText('Narrow Ltd').waitFor()
    await place.server.call('PATCH', `/companies/${id}`, { industry: 'Wide' })
    const fresh = page.locator('.fresh', { hasText: '1 row no longer matches' })
    await fresh.getByRole('button', { name: 'Refresh' }).waitFor()
    const isWhole = (element: Element) =>
      element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight
    assert.ok(await fresh.evaluate(isWhole), 'what is said reaches over its box')
    assert.ok(await page.locator('.filters > .right').evaluate(isWhole), 'the search is cut')
    await close()
  })

  test('marks a row that a search or a tag no longer finds, by what it is found by alone', async () => {
    const left = (page: Page) => page.locator('.tr.has-left')
    const tag = await place.make('/tags', { name: 'Passing' })
    const contact = await place.make('/contacts', { last_name: 'Passerby', tag_ids: [tag.id] })
    const change = (fields: object) => place.server.call('PATCH', `/contacts/${contact.id}`, fields)
    for (const [address, other, own] of [
      [`/contacts?tag_ids.has_any=${tag.id}`, { job_title: 'Engineer' }, { tag_ids: [] }],
      ['/contacts?q=passerby', { job_title: 'Builder' }, { last_name: 'Resident' }],
    ] as const) {
      const { page } = await goTo(`${address}&columns=name,job_title`)
      await rowOf(page, 'Passerby').waitFor()
      await change(other)
      await rowOf(page, other.job_title).waitFor()
      await change(own)
      await left(page).waitFor()
      assert.equal(await left(page).getAttribute('data-id'), contact.id)
      await page.locator('.fresh').getByRole('button').click()
      await left(page).waitFor({ state: 'detached' })
    }
  })

  test('adds a contact, and shows those that it may be already', async () => {
    const { page } = await goTo('/contacts')
    await rowOf(page, 'Ruiz').first().waitFor()
    await pressTogether(page, 'c', 'p')
    const dialog = page.getByRole('dialog', { name: 'New contact' })
    await dialog.getByLabel('Name').fill('ana ruiz 044')
    await dialog.getByText('Perhaps it is there already').waitFor()
    await dialog.getByText('same name').waitFor()
    await dialog.getByLabel('Name').fill('Mira Okafor')
    await dialog.getByLabel('Email').fill('mira@okafor.example')
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.locator('.toast', { hasText: 'Mira Okafor added' }).waitFor()
    await rowOf(page, 'Mira Okafor').waitFor()
  })
})

test('the bar of the selection has all its buttons in view, on a tablet too', { skip: noBrowser }, async () => {
  const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
  await rowOf(page, 'Ruiz 014').locator('.box').click()
  const bar = page.getByRole('toolbar', { name: 'What to do with the selection' })
  for (const width of [1440, 1024, 768, 700]) {
    await page.setViewportSize({ width, height: 900 })
    const found = await bar.evaluate((element) => {
      const box = element.getBoundingClientRect()
      const buttons = [...element.querySelectorAll('button')].map((button) => button.getBoundingClientRect())
      return {
        over: element.scrollWidth - element.clientWidth,
        lines: new Set(buttons.map(({ top }) => Math.round(top))).size,
        isIn: buttons.every(({ left, right }) => left >= box.left && right <= box.right && right <= innerWidth),
      }
    })
    assert.ok(found.over <= 0 && found.isIn, `at ${width}: ${JSON.stringify(found)}`)
    if (width >= 1440) assert.equal(found.lines, 1, `at ${width}`)
  }
})

describe('duplicates', { skip: noBrowser }, () => {
  test('are found, merged field by field, and separated again', async () => {
    const kept = await place.make('/contacts', {
      last_name: 'Tarn',
      job_title: 'Clerk',
      emails: [{ email: 'tarn@a.example' }],
    })
    const merged = await place.make('/contacts', {
      last_name: 'Tarn',
      job_title: 'Chief',
      phones: [{ number: '030 1234567' }],
    })
    const { page } = await goTo('/duplicates?object=contact')
    await page.getByRole('button', { name: 'Compare and merge: Tarn, Tarn' }).click()
    await page.getByRole('radio', { name: 'Use this Job title: Tarn' }).nth(1).check()
    const result = page.locator('.merge-table tr', { hasText: 'Job title' }).locator('.merge-result')
    await until(async () => (await result.innerText()) === 'Chief')
    await page.getByRole('button', { name: 'Merge into Tarn' }).click()
    const toast = page.locator('.toast', { hasText: 'Merged into Tarn' })
    await toast.waitFor()
    const after = await get(kept.id)
    assert.deepEqual([after.job_title, after.emails.length, after.phones.length], ['Chief', 1, 1])
    assert.equal((await place.server.call('GET', `/contacts/${merged.id}`)).status, 404)
    await toast.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.toast', { hasText: 'Taken back: Merge of' }).waitFor()
    assert.equal((await get(merged.id)).job_title, 'Chief')
    assert.equal((await get(kept.id)).job_title, 'Clerk')
  })
})

describe('a merge', { skip: noBrowser }, () => {
  test('leaves what is chosen, also nothing, and keeps the record that has more', async () => {
    const company = await place.make('/companies', { name: 'Officine Parisi' })
    const bare = await place.make('/contacts', { last_name: 'Vermeulen' })
    const full = await place.make('/contacts', {
      last_name: 'Vermeulen',
      job_title: 'Head',
      source: 'fair',
      phones: [{ number: '030 1234567' }],
      company_id: company.id,
    })
    const { page, close } = await place.open(`/duplicates?object=contact&pair=${bare.id},${full.id}`)
    const row = (name: string) => page.locator('.merge-table tr', { has: page.getByRole('rowheader', { name }) })
    const result = (name: string) => row(name).locator('.merge-result')
    const is = (name: string, text: string) => until(async () => (await result(name).innerText()) === text)
    // The fuller one stays, though it is the newer one; the other can be kept in its place.
    await page.locator('.merge-table thead th').nth(1).getByText('stays').waitFor()
    await is('Job title', 'Head')
    await page.getByRole('button', { name: 'Keep the other one' }).click()
    // Chosen is what results: of the merged record, where the kept one has nothing.
    assert.equal(await row('Company').getByRole('radio').nth(1).isChecked(), true)
    await is('Company', 'Officine Parisi')
    assert.equal(await row('Phone').getByRole('radio').count(), 0, 'the phone stays in any case')
    await row('Company').getByRole('radio').nth(0).check()
    await until(async () => !(await result('Company').innerText()).includes('Parisi'))
    await row('Source').getByRole('radio').nth(0).check()
    await is('Source', '—')
    await page.getByRole('button', { name: 'Merge into Vermeulen' }).click()
    await page.locator('.toast', { hasText: 'Merged into Vermeulen' }).waitFor()
    const { job_title, source, company_id, phones } = await get(bare.id)
    assert.deepEqual([job_title, source, company_id, phones.length], ['Head', null, null, 1])
    assert.equal((await place.server.call('GET', `/contacts/${full.id}`)).status, 404)
    await close()
  })
})

describe('Merge… of a record', { skip: noBrowser }, () => {
  test('asks with which one, and opens the two', async () => {
    const kept = await place.make('/contacts', { last_name: 'Quillfeather', first_name: 'Una' })
    const merged = await place.make('/contacts', { last_name: 'Brackenbury', first_name: 'Una' })
    const { page } = await goTo(`/contacts/${kept.id}`)
    await page.getByRole('heading', { name: 'Una Quillfeather' }).first().waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).fill('Merge…')
    await page
      .getByRole('option', { name: /^Merge/ })
      .first()
      .click()
    await page.waitForURL(`**/duplicates?object=contact&with=${kept.id}`)
    await page.getByText('Merge Una Quillfeather with which one?').waitFor()
    await page.getByRole('combobox', { name: 'Search contacts' }).fill('Brackenbury')
    await page.getByRole('option', { name: /Brackenbury/ }).click()
    await page.getByRole('button', { name: 'Merge into Una Quillfeather' }).click()
    await page.locator('.toast', { hasText: 'Merged into Una Quillfeather' }).waitFor()
    assert.equal((await place.server.call('GET', `/contacts/${merged.id}`)).status, 404)
    assert.equal((await get(kept.id)).last_name, 'Quillfeather')
    await page.waitForURL(/duplicates\?object=contact$/)
  })
})

describe('lists', { skip: noBrowser }, () => {
  test('are made of a filter, and shown as a table', async () => {
    const { page } = await goTo('/contacts?job_title.eq=Buyer')
    await rowOf(page, 'Ruiz').first().waitFor()
    await page.getByRole('button', { name: 'Save as list' }).click()
    await page.getByRole('dialog', { name: 'Save as list' }).getByLabel('Name of the list').fill('Buyers')
    await page.keyboard.press('Enter')
    await page.locator('.toast', { hasText: 'List Buyers saved' }).getByRole('button', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'Buyers' }).waitFor()
    await rowOf(page, 'Ruiz').first().waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Lists' }).first().click()
    await page.getByRole('link', { name: 'Buyers' }).waitFor()
  })

  test('take chosen rows in, and give them back', async () => {
    await place.make('/lists', { name: 'By hand', object: 'contact', kind: 'static' })
    const { page } = await goTo(`/contacts?sort=name&${LAYOUT}`)
    await rowOf(page, 'Ruiz 014').locator('.box').click()
    await rowOf(page, 'Ruiz 015').locator('.box').click()
    await page.locator('.bulk').getByRole('button', { name: 'Add to list' }).click()
    await page.keyboard.type('By hand')
    await page.keyboard.press('Enter')
    await page.locator('.toast', { hasText: '2 added to By hand' }).waitFor()
    await page.goto(`${place.screens.url}/lists`)
    await page.getByRole('link', { name: 'By hand' }).click()
    await rowOf(page, 'Ruiz 014').locator('.box').click()
    await page.getByRole('button', { name: 'Take out of list' }).click()
    await until(async () => (await page.locator('.tbl [data-id]').count()) === 1)
  })
})
