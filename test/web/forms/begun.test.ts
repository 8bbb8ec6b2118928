import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { recordsOf } from '../../support/records.ts'
import { becomes } from '../../support/until.ts'
import { close, type Site, startSite } from '../shell/site.ts'

// Forms that were begun: nothing that was typed is lost before it is saved, and nothing is cut.

let site: Site
const pages: Page[] = []
const { getRecord } = recordsOf(() => site.server)
before(async () => {
  if (!noBrowser) site = await startSite()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await close(page)
})
after(() => site?.stop())

async function open(path: string, role: 'member' | 'owner' = 'member') {
  const opened = await site.openAs(role, path)
  pages.push(opened.page)
  return opened
}
const contactForm = async (page: Page) => {
  await page.getByRole('button', { name: 'New contact' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
}
const nameIn = (page: Page) => page.locator('dialog').getByRole('textbox', { name: 'Name' }).inputValue()

describe('a form that was begun', { skip: noBrowser }, () => {
  test('is there again after Esc, Cancel, another screen and a reload, until it is saved', async () => {
    const { page } = await open('/contacts')
    await contactForm(page)
    await page.keyboard.type('Mira Okafor')
    await page.keyboard.press('Tab')
    await page.keyboard.type('mira@okafor.example')
    await page.keyboard.press('Escape')
    await page.getByText('Kept as a draft').first().waitFor()
    await contactForm(page)
    await becomes(() => nameIn(page), 'Mira Okafor')
    assert.equal(await page.getByText('You had begun this.').count(), 1)
    await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Companies' }).click()
    await page.getByRole('heading', { name: 'Companies', exact: true }).waitFor()
    await page.goBack()
    await contactForm(page)
    await becomes(() => nameIn(page), 'Mira Okafor')
    // Twice: what is back is no less kept than what was typed.
    for (const _ of [1, 2]) {
      await page.reload()
      await contactForm(page)
      await becomes(() => nameIn(page), 'Mira Okafor')
    }
    const dialog = page.locator('dialog')
    assert.equal(await dialog.getByRole('textbox', { name: 'Email' }).inputValue(), 'mira@okafor.example')
    await dialog.getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Mira Okafor added').first().waitFor()
    await contactForm(page)
    assert.equal(await nameIn(page), '')
    assert.equal((await getRecord('/contacts?email=mira@okafor.example')).data.length, 1)
  })

  test('is thrown away on request, and that can be taken back', async () => {
    const { page } = await open('/lists')
    const form = async () => page.getByRole('button', { name: 'New list' }).first().click()
    await form()
    await page.keyboard.type('Fair in May')
    await page.keyboard.press('Escape')
    await form()
    const name = page.locator('dialog').getByRole('textbox')
    await becomes(() => name.inputValue(), 'Fair in May')
    await page.getByRole('button', { name: 'Start anew' }).click()
    await becomes(() => name.inputValue(), '')
    await page.getByRole('button', { name: 'Undo' }).click()
    await becomes(() => name.inputValue(), 'Fair in May')
  })

  test('is one for each tab that is open, and none takes the other’s', async () => {
    const { page, member } = await open('/contacts')
    const other = await page.context().newPage()
    await other.goto(`${site.url}/contacts`)
    await contactForm(page)
    await page.keyboard.type('Ana One')
    await contactForm(other)
    await other.keyboard.type('Ben Two')
    const kept = async () => {
      const { body } = await member.call('GET', '/app/drafts/form:contacts')
      return Object.values(body.body ?? {})
        .map((each) => (each as { name: string }).name)
        .sort()
        .join(', ')
    }
    await becomes(kept, 'Ana One, Ben Two')
    assert.deepEqual([await nameIn(page), await nameIn(other)], ['Ana One', 'Ben Two'])
    // A tab that is closed leaves its form to the next.
    await other.close()
    await page.keyboard.press('Escape')
    await contactForm(page)
    await becomes(() => nameIn(page), 'Ana One')
    await page.locator('dialog').getByRole('button', { name: 'Add contact' }).click()
    await page.getByText('Ana One added').first().waitFor()
    await contactForm(page)
    await becomes(() => nameIn(page), 'Ben Two')
  })

  test('in a line that makes a task, or a deal on the board, waits there as well', async () => {
    const { page } = await open('/tasks')
    const line = page.locator('.tasks .new input')
    await line.fill('Ring Ana about the frame')
    await page.keyboard.press('Escape')
    await page.goto(`${site.url}/deals`)
    await page.getByRole('button', { name: 'New deal' }).first().click()
    await page.keyboard.type('Rollout in Spain')
    await page.getByRole('textbox', { name: 'Amount' }).fill('1200')
    await page.keyboard.press('Escape')
    await page.locator('.quick').waitFor({ state: 'detached' })
    // What only the server has, and what only the browser has so far.
    await becomes(
      async () => (await page.evaluate(() => Object.keys(localStorage).join())).includes('form:deals'),
      false,
    )
    await page.goto(`${site.url}/tasks`)
    await becomes(() => line.inputValue(), 'Ring Ana about the frame')
    await page.goBack()
    await page.getByRole('button', { name: 'New deal' }).first().click()
    await becomes(() => page.locator('.quick textarea').inputValue(), 'Rollout in Spain')
    assert.equal(await page.getByRole('textbox', { name: 'Amount' }).inputValue(), '1200')
    await page.locator('.quick textarea').press('Enter')
    await page.getByText('Rollout in Spain added').first().waitFor()
    assert.equal(await page.locator('.quick textarea').inputValue(), '')
  })
})

const LONG = `${'Frame contract and open points. '.repeat(12)}THE END`

describe('a text that is too long', { skip: noBrowser }, () => {
  test('stays whole in each form, which says so and saves nothing', async () => {
    const { page } = await open('/tasks')
    const said = /\d+ letters, and 255 fit: take \d+ away/
    const holds = async (field: ReturnType<Page['locator']>) => {
      await field.fill(LONG)
      assert.equal(await field.inputValue(), LONG)
      await page.getByText(said).first().waitFor()
      await field.press('Enter')
      assert.equal(await field.inputValue(), LONG)
    }
    await holds(page.locator('.tasks .new input'))
    await page.goto(`${site.url}/lists`)
    await page.getByRole('button', { name: 'New list' }).first().click()
    await holds(page.locator('dialog').getByRole('textbox'))
    await page.goto(`${site.url}/companies`)
    await page.getByRole('button', { name: 'New company' }).first().click()
    await holds(page.locator('dialog').getByRole('textbox', { name: 'Name' }))
    await page.keyboard.press('Escape')
    await holds(page.getByRole('searchbox', { name: 'Search in this view' }))
    await page.goto(`${site.url}/deals`)
    await page.getByRole('button', { name: 'New deal' }).first().click()
    await holds(page.locator('.quick textarea'))
    const all = await Promise.all(['/tasks', '/lists', '/companies', '/deals'].map((path) => getRecord(path)))
    assert.deepEqual(
      all.map(({ data }) => data.filter((each: object) => JSON.stringify(each).includes('THE END')).length),
      [0, 0, 0, 0],
    )
  })

  test('is said of a field that is edited in place as soon as it is pasted', async () => {
    const { id } = await recordsOf(() => site.server).newDeal({ title: 'Desks' })
    const { page } = await open(`/deals/${id}`)
    await page.getByRole('button', { name: 'Edit Title' }).click()
    await page.getByRole('textbox', { name: 'Title' }).fill(LONG)
    await page.getByText(/take \d+ away/).waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), LONG)
    // A letter of two units counts once, as it does for the server.
    await page.getByRole('textbox', { name: 'Title' }).fill('𝒟'.repeat(255))
    await page.getByText(/take \d+ away/).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await becomes(async () => (await getRecord(`/deals/${id}`)).title, '𝒟'.repeat(255))
  })
})

describe('a note that two tabs write', { skip: noBrowser }, () => {
  test('has both texts in both, and the cursor stays where somebody writes', async () => {
    const { id } = await recordsOf(() => site.server).newDeal({ title: 'Two tabs' })
    const { page, member } = await open(`/deals/${id}`)
    const other = await page.context().newPage()
    await other.goto(`${site.url}/deals/${id}`)
    const text = (of: Page) => of.locator('#compose textarea')
    await text(page).waitFor()
    await text(other).waitFor()
    await text(page).fill('The price is fixed')
    await text(other).fill('Ring on Monday')
    const both = async () => {
      const [one, two] = [await text(page).inputValue(), await text(other).inputValue()]
      return one === two && /The price is fixed/.test(one) && /Ring on Monday/.test(one)
    }
    await becomes(both, true)
    await text(other).press('Home')
    const before = await text(other).evaluate((area: HTMLTextAreaElement) => area.value.slice(0, area.selectionStart))
    await text(page).press('End')
    await page.keyboard.type(' for a year')
    await becomes(async () => /for a year/.test(await text(other).inputValue()), true)
    const after = await text(other).evaluate((area: HTMLTextAreaElement) => area.value.slice(0, area.selectionStart))
    assert.equal(after.split('\n').at(-1), before.split('\n').at(-1))
    const { body } = await member.call('GET', `/app/drafts/note:deals:${id}`)
    assert.match(body.body.text, /The price is fixed[\s\S]*Ring on Monday|Ring on Monday[\s\S]*The price is fixed/)
    await other.close()
  })
})
