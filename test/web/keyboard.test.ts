import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { credentialStore } from '../../src/auth/credentials.ts'
import { noBrowser, startChromium } from '../support/chromium.ts'
import { PASSWORD } from '../support/screens.ts'

import { type KitBoard, NOW, startKitBoard } from './deals/kit-board.ts'

// A day's work by keyboard alone, in one browser from the sign-in page to signing out. Each test goes on where the one
// before ended.

const TITLE = 'Pressure test stand'

describe('by keyboard alone', { skip: noBrowser }, () => {
  let server: KitBoard
  let browser: Browser
  let page: Page

  before(async () => {
    server = await startKitBoard()
    const { store, a, members, screens } = server
    const hash = await screens.passwords.hash(PASSWORD)
    store.transaction(() => credentialStore(store).setPassword(a.org, members.AK as string, hash))
    for (const [hours, title] of ['Ring the customs office', 'Order a loan unit'].entries())
      await server.newId('/tasks', {
        title,
        owner_id: members.AK,
        due_at: new Date(NOW + (hours + 1) * 3_600_000).toISOString(),
      })
    browser = await startChromium()
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      timezoneId: 'Europe/Berlin',
    })
    page = await context.newPage()
    page.setDefaultTimeout(240_000)
    await page.clock.setFixedTime(NOW)
    await page.goto(`${server.url}/`)
  })
  after(async () => {
    await browser?.close()
    await server?.stop()
  })

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const saved = () => page.getByText('Everything saved').first().waitFor()
  const read = (id: string) => server.getRecord(`/deals/${id}`)
  /** From anywhere, also from inside a field. */
  async function goTo(place: string): Promise<void> {
    await press('Control+k')
    await page.locator('dialog [role=option]').first().waitFor()
    await page.keyboard.type(`go to ${place}`)
    await page.locator('dialog [role=option][aria-selected=true]', { hasText: `Go to ${place}` }).waitFor()
    await press('Enter')
    await page.locator('dialog [role=option]').first().waitFor({ state: 'detached' })
  }

  /** Goes by the arrow to the cell of a column. */
  async function reach(column: string): Promise<void> {
    const titles = await page.locator('.tbl [role=columnheader]').allInnerTexts()
    const at = titles.findIndex((title) => title.trim() === column)
    assert.ok(at >= 0, `${column} of ${titles}`)
    const inColumn = () =>
      page.evaluate(() => document.activeElement?.closest('[role=gridcell]')?.getAttribute('aria-colindex') ?? null)
    for (let steps = 0; steps < 20 && (await inColumn()) !== `${at + 1}`; steps++) await press('ArrowRight')
    assert.equal(await inColumn(), `${at + 1}`)
  }

  /** Goes to the next card of the board; returns the id of its deal. */
  async function toCard(): Promise<string> {
    await goTo('Deals')
    await page.locator('[data-card]').first().waitFor()
    const focused = () =>
      page.evaluate(() => document.activeElement?.closest('[data-card]')?.getAttribute('data-card') ?? null)
    const before = await focused()
    await press('j')
    for (let tries = 0; tries < 3000; tries++) {
      const now = await focused()
      if (now !== null && now !== before) return now
    }
    return assert.fail('no card has the focus')
  }

  test('one signs in', async () => {
    await page.getByLabel('Email').waitFor()
    await page.keyboard.type('ak@tarn.example')
    await press('Tab')
    if ((await page.evaluate(() => document.activeElement?.getAttribute('type'))) !== 'password') await press('Tab')
    await page.keyboard.type(PASSWORD)
    await press('Enter')
    await page.locator('[data-card]').first().waitFor()
  })

  test('one finds a deal in the palette and opens it', async () => {
    await press('Control+k')
    await page.locator('dialog [role=option]').first().waitFor()
    await page.keyboard.type('pressure test')
    await page.locator('dialog [role=option][aria-selected=true]', { hasText: TITLE }).waitFor()
    await press('Enter')
    await page.waitForURL(`**/deals/${server.deals[TITLE].id}`)
    await page.getByRole('heading', { name: TITLE }).first().waitFor()
  })

  test('one writes a note on the open deal', async () => {
    await page.getByRole('tab', { name: 'Note', exact: true }).waitFor()
    await press('n')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('They want the stand before Easter.')
    await press('Control+Enter')
    await page.locator('main').getByText('They want the stand before Easter.').first().waitFor()
    await saved()
    const { data } = await server.getRecord(`/notes?deal_id=${server.deals[TITLE].id}`)
    assert.ok(data.some(({ body }: { body: string }) => body === 'They want the stand before Easter.'))
  })

  test('one moves a deal to the next stage, and takes it back', async () => {
    const id = await toCard()
    const { stage } = await read(id)
    const becomes = async (isMoved: boolean) => {
      for (let tries = 0; tries < 3000 && ((await read(id)).stage !== stage) !== isMoved; tries++) await saved()
      assert.equal((await read(id)).stage !== stage, isMoved)
    }
    await press('Space', 'ArrowRight', 'Enter')
    await becomes(true)
    await press('Control+z')
    await becomes(false)
  })

  test('one changes an amount in place', async () => {
    const id = await toCard()
    await press('$')
    await page.locator('input:focus').waitFor()
    await press('Control+a')
    await page.keyboard.type('77000')
    await press('Enter')
    await page.locator('[data-card]', { hasText: '77,000' }).waitFor()
    await saved()
    assert.equal(Number((await read(id)).amount), 77_000)
  })

  test('one closes a deal as lost, with its reason', async () => {
    const id = await toCard()
    await press('Shift+L')
    await page.locator('[role=menuitem]:focus', { hasText: 'Too expensive' }).waitFor()
    await press('Enter')
    await page.locator(`[data-card="${id}"]`).waitFor({ state: 'detached' })
    await saved()
    assert.equal((await read(id)).status, 'lost')
  })

  test('one sees only the own deals, and all again', async () => {
    await toCard()
    const shown = async (number: number) => {
      const cards = page.locator('[data-card]')
      for (let tries = 0; tries < 3000 && (await cards.count()) !== number; tries++) await saved()
      assert.equal(await cards.count(), number)
    }
    const all = await page.locator('[data-card]').count()
    await press('m')
    await shown(0)
    await press('m')
    await shown(all)
  })

  test('one does the tasks of the day, and takes one back', async () => {
    await goTo('Tasks')
    await page.getByRole('button', { name: 'New task' }).first().waitFor()
    await page.locator('.tr', { hasText: 'Order a loan unit' }).waitFor()
    for (const [key, title] of [
      ['j', 'Order a loan unit'],
      ['k', 'Ring the customs office'],
    ] as const) {
      await press(key)
      await page.locator('.tr', { has: page.locator('a[aria-current]:focus'), hasText: title }).waitFor()
      await page.locator('.side-panel, .task').getByText(title).first().waitFor()
      await press('e')
      await page.locator('.tr.is-done', { hasText: title }).waitFor()
      await saved()
    }
    await press('z')
    await page.locator('.tr.is-done').nth(1).waitFor({ state: 'detached' })
    await saved()
    const { data } = await server.getRecord(`/tasks?owner_id=${server.members.AK}&status=done`)
    assert.equal(data.length, 1)
  })

  test('one makes a contact', async () => {
    await goTo('Contacts')
    await page.waitForURL('**/contacts')
    await page.getByRole('button', { name: 'New contact' }).first().waitFor()
    await press('c', 'p')
    await page.locator('dialog input:focus').waitFor()
    await page.keyboard.type('Ilona Ványa')
    await press('Enter')
    await page.getByText('Ilona Ványa').first().waitFor()
  })

  test('one edits a cell of the table', async () => {
    await goTo('Companies')
    await page.waitForURL('**/companies')
    await page.locator('.tbl [role=row][data-id]').first().waitFor()
    await press('j')
    await page.locator('.tbl [role=row][data-id] :focus, .tbl [role=row][data-id]:focus').waitFor()
    await reach('Industry')
    const id = await page.evaluate(() => document.activeElement?.closest('[data-id]')?.getAttribute('data-id'))
    await press('Enter')
    await page.locator('.tbl :is(input, textarea):focus').waitFor()
    await press('Control+a')
    await page.keyboard.type('Fine optics')
    await press('Enter')
    await page.locator('.tbl [role=gridcell]', { hasText: 'Fine optics' }).waitFor()
    await saved()
    assert.equal((await server.getRecord(`/companies/${id}`)).industry, 'Fine optics')
    assert.equal(await page.evaluate(() => document.activeElement?.closest('[data-id]')?.getAttribute('data-id')), id)
  })

  test('one saves what is shown as a view', async () => {
    await goTo('Contacts')
    await page.waitForURL('**/contacts')
    await page.locator('.tbl [role=row][data-id]').first().waitFor()
    await press('/')
    await page.locator('input[type=search]:focus').waitFor()
    await page.keyboard.type('Ilona')
    await page.waitForURL(/q=Ilona/)
    await press('Escape', 'v')
    const named = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    for (let steps = 0; steps < 10 && (await named()) !== 'Save as view'; steps++) await press('Tab')
    await press('Enter')
    await page.locator('.save-view input:focus').waitFor()
    await page.keyboard.type('My Ilonas')
    await press('Enter')
    await page.getByText('View My Ilonas saved').first().waitFor()
    await page.waitForURL(/view=/)
  })

  test('one changes the appearance', async () => {
    await press('Escape', 'Control+k')
    await page.locator('dialog [role=option]').first().waitFor()
    await page.keyboard.type('dark app')
    await page.locator('dialog [role=option][aria-selected=true]', { hasText: 'Dark' }).waitFor()
    await press('Enter')
    await page.locator('html[data-theme=dark]').waitFor()
  })

  test('one signs out', async () => {
    await press('Control+k')
    await page.locator('dialog [role=option]').first().waitFor()
    await page.keyboard.type('sign out')
    await page.locator('dialog [role=option][aria-selected=true]', { hasText: 'Sign out' }).waitFor()
    await press('Enter')
    await page.getByLabel('Password').first().waitFor()
    const names = (await page.context().cookies()).map(({ name }) => name)
    assert.deepEqual(
      names.filter((name) => !name.includes('device')),
      [],
    )
  })
})
