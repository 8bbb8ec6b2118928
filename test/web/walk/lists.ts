import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { becomes } from '../../support/until.ts'
import type { Day, Hand, Step } from './hand.ts'

// Work in lists: tasks, contacts and companies.

const [FIRST, SECOND] = ['Order a loan unit', 'Ring the customs office']

const taskRow = (page: Page, title: string) => page.locator('.tr', { hasText: title })

/** Goes by the arrow to the cell of a column. */
async function reach({ page }: Day, column: string, press: Hand['press']): Promise<void> {
  const at = await columnAt(page, column)
  const inColumn = () =>
    page.evaluate(() => document.activeElement?.closest('[role=gridcell]')?.getAttribute('aria-colindex') ?? null)
  for (let steps = 0; steps < 20 && (await inColumn()) !== `${at + 1}`; steps++) await press('ArrowRight')
  assert.equal(await inColumn(), `${at + 1}`)
}

async function columnAt(page: Page, column: string): Promise<number> {
  const titles = await page.locator('.tbl [role=columnheader]').allInnerTexts()
  const at = titles.findIndex((title) => title.trim() === column)
  assert.ok(at >= 0, `${column} of ${titles}`)
  return at
}

const idInFocus = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest('[data-id]')?.getAttribute('data-id') ?? null)

export const LISTS: readonly Step[] = [
  {
    does: 'does the tasks of the day',
    async keyboard({ page }, { press, goByKeys, saved }) {
      await goByKeys('Tasks')
      await taskRow(page, FIRST).waitFor()
      for (const [key, title] of [
        ['j', FIRST],
        ['k', SECOND],
      ] as const) {
        await press(key)
        await page.locator('.tr', { has: page.locator('a[aria-current]:focus'), hasText: title }).waitFor()
        await page.locator('.side-panel, .task').getByText(title).first().waitFor()
        await press('e')
        await page.locator('.tr.is-done', { hasText: title }).waitFor()
        await saved()
      }
    },
    async mouse({ page }, { goByMouse, saved }) {
      await goByMouse('Tasks')
      for (const title of [FIRST, SECOND]) {
        await taskRow(page, title).getByRole('link', { name: title }).click()
        await page.locator('.side-panel, .task').getByText(title).first().waitFor()
        await taskRow(page, title).locator('.ck').click()
        await page.locator('.tr.is-done', { hasText: title }).waitFor()
        await saved()
      }
    },
    ends: ({ page }) => page.locator('.tr.is-done').nth(1).waitFor(),
  },
  {
    does: 'takes one of them back',
    keyboard: (_, { press }) => press('z'),
    mouse: ({ page }) => page.locator('.toast').getByRole('button', { name: 'Undo' }).click(),
    async ends({ page, server, who }, { saved }) {
      await page.locator('.tr.is-done').nth(1).waitFor({ state: 'detached' })
      await saved()
      const { data } = await server.getRecord(`/tasks?owner_id=${server.members[who.key]}&status=done`)
      assert.deepEqual(
        data.map(({ title }: { title: string }) => title),
        [FIRST],
      )
    },
  },
  {
    does: 'makes a contact',
    async keyboard({ page, who }, { type, press, goByKeys }) {
      await goByKeys('Contacts')
      await page.getByRole('button', { name: 'New contact' }).first().waitFor()
      await press('c', 'p')
      await page.locator('dialog input:focus').waitFor()
      await type(who.contact)
      await press('Enter')
    },
    async mouse({ page, who }, { write, click, goByMouse }) {
      await goByMouse('Contacts')
      await click(/^New contact/)
      const dialog = page.getByRole('dialog')
      await write(dialog.getByRole('textbox', { name: 'Name' }), who.contact)
      await dialog.getByRole('button', { name: 'Add contact' }).click()
    },
    async ends({ page, server, who }) {
      await page.getByText(`${who.contact} added`).first().waitFor()
      const { data } = await server.getRecord(`/contacts?q=${encodeURIComponent(who.contact)}`)
      assert.deepEqual(
        data.map(({ name }: { name: string }) => name),
        [who.contact],
      )
    },
  },
  {
    does: 'edits a cell of the table',
    async keyboard(day, { type, press, goByKeys }) {
      const { page } = day
      await goByKeys('Companies')
      await page.locator('.tbl [role=row][data-id]').first().waitFor()
      await press('j')
      await page.locator('.tbl [role=row][data-id] :focus, .tbl [role=row][data-id]:focus').waitFor()
      await reach(day, 'Industry', press)
      day.id = (await idInFocus(page)) as string
      await press('Enter')
      await page.locator('.tbl :is(input, textarea):focus').waitFor()
      await press('Control+a')
      await type(day.who.industry)
      await press('Enter')
    },
    async mouse(day, { write, goByMouse }) {
      const { page } = day
      await goByMouse('Companies')
      const row = page.locator('.tbl [role=row][data-id]').first()
      await row.waitFor()
      day.id = (await row.getAttribute('data-id')) as string
      const cell = row.locator(`[aria-colindex="${(await columnAt(page, 'Industry')) + 1}"]`)
      await cell.dblclick()
      await write(page.locator('.tbl :is(input, textarea):focus'), day.who.industry)
      await row.locator('[data-column="1"]').click() // a press elsewhere saves
    },
    async ends({ page, server, who, id }, { saved }) {
      await page.locator('.tbl [role=gridcell]', { hasText: who.industry }).waitFor()
      await saved()
      await becomes(async () => (await server.getRecord(`/companies/${id}`)).industry, who.industry)
      await becomes(() => idInFocus(page), id)
    },
  },
  {
    does: 'saves what is shown as a view',
    async keyboard({ page, who }, { type, press, goByKeys }) {
      await goByKeys('Contacts')
      await page.locator('.tbl [role=row][data-id]').first().waitFor()
      await press('/')
      await page.locator('input[type=search]:focus').waitFor()
      await type(who.contact)
      await page.waitForURL(({ searchParams }) => searchParams.get('q') === who.contact)
      await press('Escape')
      // Both come when the page has time.
      await page.locator('.views .tabs a').first().waitFor()
      await page.getByRole('button', { name: 'Save as view' }).first().waitFor()
      await press('v')
      const named = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
      for (let steps = 0; steps < 10 && (await named()) !== 'Save as view'; steps++) await press('Tab')
      await press('Enter')
      await page.locator('.save-view input:focus').waitFor()
      await type(`Only ${who.contact}`)
      await press('Enter')
    },
    async mouse({ page, who }, { type, write, click, goByMouse }) {
      await goByMouse('Contacts')
      await write(page.locator('input[type=search]').first(), who.contact)
      await page.waitForURL(({ searchParams }) => searchParams.get('q') === who.contact)
      await click('Save as view')
      await page.locator('.save-view input:focus').waitFor()
      await type(`Only ${who.contact}`)
      await page.locator('.save-view').getByRole('button', { name: 'Save' }).click()
    },
    async ends({ page, who }) {
      await page.getByText(`View Only ${who.contact} saved`).first().waitFor()
      await page.waitForURL(/view=/)
    },
  },
]
