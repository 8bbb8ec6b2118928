import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { type Gallery, startGallery } from './gallery-page.ts'

describe('components in a browser', { skip: noBrowser }, () => {
  let gallery: Gallery
  before(async () => {
    gallery = await startGallery()
  })
  after(() => gallery.close())

  const logOf = (page: Page) => page.evaluate(() => (window as unknown as { log: unknown[] }).log)
  const focusedName = (page: Page) =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent)
  const property = (page: Page, name: string) =>
    page.locator('.props > div', { has: page.getByText(name, { exact: true }) })

  test('axe finds nothing', async () => {
    const page = await gallery.open()
    await assertAccessible(page)
    await page.getByRole('combobox', { name: 'Assignee' }).click()
    await page.getByRole('option', { name: 'Jonas Lindqvist' }).waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Error' }).click()
    await page.getByRole('button', { name: 'Delete for good' }).click()
    await assertAccessible(page)
    await page.close()
  })

  test('the page has its icons, within its content policy', async () => {
    const page = await gallery.open()
    assert.equal(await page.locator('svg.sprite').count(), 1)
    await page.close()
  })

  test('a menu opens by an arrow, goes by arrows and letters, and gives the focus back', async () => {
    const page = await gallery.open()
    const button = page.getByRole('button', { name: 'More', exact: true })
    await button.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    assert.match((await focusedName(page)) ?? '', /^Rename/)
    await page.keyboard.press('ArrowUp')
    assert.match((await focusedName(page)) ?? '', /^Delete/)
    await page.keyboard.press('c')
    assert.match((await focusedName(page)) ?? '', /^Copy link/)
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('menu').count(), 0)
    assert.equal(await button.evaluate((element) => element === document.activeElement), true)
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Pin' }).click({ force: true })
    assert.equal(await page.getByRole('menu').count(), 1, 'what is off does nothing')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    assert.deepEqual(await logOf(page), ['rename'])
    assert.equal(await button.evaluate((element) => element === document.activeElement), true)
    await page.close()
  })

  test('a combobox narrows without accents, picks by Enter, and its last row creates', async () => {
    const page = await gallery.open()
    const input = page.getByRole('combobox', { name: 'Assignee' })
    await input.focus()
    assert.equal(await page.getByRole('listbox').count(), 0, 'the focus alone opens nothing')
    await page.keyboard.type('joao')
    assert.deepEqual(
      await page.locator('.choices').getByRole('option').allInnerTexts(),
      ['João Pedro Vasconcelos'].map((name) => `JV\n${name}`).concat('Create “joao”'),
    )
    await page.keyboard.press('Enter')
    assert.equal(await input.inputValue(), 'João Pedro Vasconcelos')
    assert.equal(await page.getByRole('listbox').count(), 0)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const at = await input.getAttribute('aria-activedescendant')
    assert.match(
      await page.locator(`[id="${at}"]`).innerText(),
      /Jonas/,
      'it goes on from the chosen one, around the end',
    )
    await page.keyboard.press('Escape')
    assert.equal(await input.inputValue(), 'João Pedro Vasconcelos')
    await input.fill('Mira')
    await page.keyboard.press('Enter')
    await input.fill('')
    assert.deepEqual(await logOf(page), [{ pick: 'm-joao' }, { pick: 'new-Mira' }, { pick: null }])
    await page.close()
  })

  test('several are picked one after the other, and Backspace takes the last away', async () => {
    const page = await gallery.open()
    const input = page.getByRole('combobox', { name: 'Watchers' })
    await input.focus()
    await page.keyboard.type('ana')
    await page.keyboard.press('Enter')
    await page.keyboard.type('pri')
    await page.keyboard.press('Enter')
    assert.deepEqual(await page.locator('.picked').allInnerTexts(), ['AK\nAna Kovačević', 'PR\nPriya Raman'])
    await page.keyboard.press('Backspace')
    assert.deepEqual(await page.locator('.picked').allInnerTexts(), ['AK\nAna Kovačević'])
    await page.close()
  })

  test('a dialog takes the focus to the safe way, keeps it, and gives it back on Esc', async () => {
    const page = await gallery.open()
    const button = page.getByRole('button', { name: 'Delete for good' })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog', { name: 'Delete the sequence “After the demo”?' }).waitFor()
    assert.equal(await focusedName(page), 'Keep it')
    await page.keyboard.press('Tab')
    assert.equal(await focusedName(page), 'Delete sequence')
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('alertdialog').count(), 0)
    assert.equal(await focusedName(page), 'Delete for good')
    await button.click()
    await page.getByRole('button', { name: 'Delete sequence' }).last().click()
    assert.deepEqual(await logOf(page), [false, true])
    await page.close()
  })

  test('a toast undoes, leaves by itself unless it is pointed at, and an error stays', async () => {
    const page = await gallery.open()
    await page.clock.install()
    await page.getByRole('button', { name: 'Toast' }).click()
    assert.equal(await page.getByRole('status').filter({ hasText: '3 contacts deleted' }).count(), 1)
    await page.locator('.toast').hover()
    await page.clock.runFor(20_000)
    assert.equal(await page.locator('.toast').count(), 1)
    await page.mouse.move(700, 5)
    await page.clock.runFor(9_000)
    assert.equal(await page.locator('.toast').count(), 1)
    await page.clock.runFor(2_000)
    assert.equal(await page.locator('.toast').count(), 0)
    await page.getByRole('button', { name: 'Toast' }).click()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    assert.deepEqual(await logOf(page), ['undone'])
    await page.getByRole('button', { name: 'Error' }).click()
    await page.clock.runFor(60_000)
    assert.equal(await page.locator('.toast.error').count(), 1)
    await page.locator('.toast').getByRole('button', { name: 'Close' }).click()
    assert.equal(await page.locator('.toast').count(), 0)
    await page.close()
  })

  test('the side panel is reached by F6, closed by Esc, and gives the focus back to the row', async () => {
    const page = await gallery.open()
    await page.locator('#peek').focus()
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'Multi-site rollout' })
    await panel.waitFor()
    assert.equal(await panel.evaluate((element) => element === document.activeElement), true)
    await page.keyboard.press('F6')
    assert.equal(await focusedName(page), 'Peek')
    await page.keyboard.press('F6')
    await page.keyboard.press('Escape')
    assert.equal(await panel.count(), 0)
    assert.equal(await focusedName(page), 'Peek')
    await page.close()
  })

  test('a value is edited in place without anything moving: Enter saves, Esc drops, leaving saves', async () => {
    const page = await gallery.open()
    const row = property(page, 'text')
    const before = await row.boundingBox()
    await row.getByRole('button').focus()
    await page.keyboard.press('Enter')
    assert.deepEqual(await row.boundingBox(), before)
    await page.keyboard.type('Works council')
    await page.keyboard.press('Escape')
    assert.match(await row.innerText(), /Plant board/)
    assert.equal(await focusedName(page), 'Edit text')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Works council')
    await page.keyboard.press('Enter')
    assert.equal(await focusedName(page), 'Edit text')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Board')
    await page.keyboard.press('Tab')
    assert.equal(await focusedName(page), 'Edit long text')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    assert.deepEqual(await logOf(page), [
      { save: 'text', value: 'Works council' },
      { save: 'text', value: 'Board' },
    ])
    await page.close()
  })

  test('what cannot be read stays open with the reason, also when it is left', async () => {
    const page = await gallery.open()
    const row = property(page, 'money')
    await row.getByRole('button').click()
    await page.keyboard.type('48.500,0,')
    await page.keyboard.press('Enter')
    assert.match(await row.getByRole('alert').innerText(), /Write 48500 or 48,500\.00/)
    await page.locator('#peek').focus()
    assert.equal(await row.getByRole('textbox').getAttribute('aria-invalid'), 'true')
    await row.getByRole('textbox').fill('1,250.50')
    assert.equal(await row.getByRole('alert').count(), 0)
    await page.keyboard.press('Enter')
    assert.deepEqual(await logOf(page), [{ save: 'money', value: { amount: 1250.5, currency: 'EUR' } }])
    await page.close()
  })

  test('choices are saved as they are made, and several when they are left', async () => {
    const page = await gallery.open()
    await property(page, 'member').getByRole('button').click()
    await page.keyboard.type('ana')
    await page.keyboard.press('Enter')
    await property(page, 'tags').getByRole('button').first().focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('ref')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await property(page, 'company').getByRole('button').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: 'Grünwald' }).click()
    await property(page, 'boolean').getByRole('button').click()
    await page.keyboard.type('n')
    await page.keyboard.press('Enter')
    assert.deepEqual(await logOf(page), [
      { save: 'member', value: 'm-ana' },
      { save: 'tags', value: ['t-1', 't-3', 't-2'] },
      { save: 'company', value: 'c-2' },
      { save: 'boolean', value: false },
    ])
    await page.close()
  })

  test('an address opens beside its field, and Enter saves it', async () => {
    const page = await gallery.open()
    const row = property(page, 'address')
    await row.getByRole('button', { name: 'Edit address' }).click()
    await page.getByRole('textbox', { name: 'City' }).fill('Potsdam')
    await page.keyboard.press('Enter')
    const [saved] = (await logOf(page)) as { save: string; value: Record<string, unknown> }[]
    assert.equal(saved?.save, 'address')
    assert.equal(saved?.value.city, 'Potsdam')
    assert.match(await row.innerText(), /10827 Potsdam, Germany/)
    await row.getByRole('button', { name: 'Edit address' }).click()
    await page.getByRole('textbox', { name: 'City' }).fill('Bonn')
    await page.keyboard.press('Escape')
    assert.match(await row.innerText(), /Potsdam/)
    await page.close()
  })

  test('the states of a change are told, and a conflict has a button for each side', async () => {
    const page = await gallery.open()
    assert.match(await property(page, 'saving').getByRole('status').innerText(), /Saving…/)
    assert.match(await property(page, 'refused').getByRole('alert').innerText(), /2035 or earlier/)
    assert.equal(await property(page, 'refused').getByRole('textbox').inputValue(), 'Plant boards')
    const clash = property(page, 'conflict')
    assert.match(
      await clash.getByRole('alert').innerText(),
      /Ana set\s+December\s+a minute ago\. You typed\s+both plants\s*\./,
    )
    await clash.getByRole('button', { name: 'Use Ana’s' }).click()
    await property(page, 'long').getByRole('button', { name: 'Compare both texts' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Ana changed this while you were typing' })
    assert.deepEqual(await dialog.locator('ins').allInnerTexts(), [
      '3 December, then group purchasing',
      'both plants in one order',
    ])
    assert.equal(await dialog.locator('.first').count(), 0, 'neither is preselected')
    await dialog.getByRole('button', { name: 'Save mine instead' }).click()
    assert.deepEqual(await logOf(page), ['conflict: theirs', 'long: mine'])
    await page.close()
  })

  test('a form is checked on leaving, and the first wrong field gets the focus', async () => {
    const page = await gallery.open()
    const form = page.locator('form')
    await form.getByRole('textbox', { name: 'Title' }).focus()
    await page.keyboard.press('Tab')
    assert.equal(await form.locator('.help.late').count(), 0, 'an empty field may be passed by')
    await form.getByRole('button', { name: 'Add deal' }).click()
    assert.equal(await form.locator('.help.late').count(), 3)
    assert.equal(
      await form.getByRole('textbox', { name: 'Title' }).evaluate((element) => element === document.activeElement),
      true,
    )
    await page.keyboard.type('Rollout')
    assert.equal(await form.locator('.help.late').count(), 2, 'once it was wrong, each key is checked')
    const amount = form.locator('[data-field=amount]').getByRole('textbox')
    await amount.fill('12x')
    await amount.fill('12,500')
    await form.getByRole('combobox', { name: 'Owner' }).fill('jonas')
    await page.keyboard.press('Enter')
    await form.getByRole('textbox', { name: 'Email 1' }).fill('mira@example.com')
    await page.keyboard.press('Enter')
    assert.deepEqual((await logOf(page)) as unknown[], [
      { submit: null },
      {
        submit: {
          title: 'Rollout',
          amount: { amount: 12500, currency: 'EUR' },
          tier: null,
          owner: 'm-jonas',
          emails: [{ email: 'mira@example.com', label: 'work', is_primary: true }],
        },
      },
    ])
    await page.close()
  })

  test('a cell begins with the letter that was pressed, and Enter, Tab and Esc end it', async () => {
    const page = await gallery.open()
    const cell = page.locator('#cell')
    await cell.focus()
    await page.keyboard.type('42')
    await page.keyboard.press('Enter')
    assert.equal(await cell.innerText(), '42')
    await cell.focus()
    await page.keyboard.press('Enter')
    await page.keyboard.type('x')
    await page.keyboard.press('Enter')
    assert.match(await cell.getByRole('alert').innerText(), /Write a number/)
    await page.keyboard.press('Escape')
    assert.equal(await cell.innerText(), '42')
    assert.deepEqual(await logOf(page), ['enter', 'esc'])
    await page.close()
  })

  test('a list of 5,000 rows mounts those in view, and keys never lose the focus', async () => {
    const page = await gallery.open()
    const list = page.locator('#fixed')
    assert.ok((await list.locator('[data-row]').count()) < 20)
    const row = list.locator('[data-row="0"]')
    assert.deepEqual([await row.getAttribute('aria-setsize'), await row.getAttribute('aria-posinset')], ['5000', '1'])
    await row.getByRole('button').focus()
    for (let step = 0; step < 12; step += 1) {
      await page.keyboard.press('ArrowDown')
      await page.waitForFunction((name) => document.activeElement?.textContent === name, `Row ${step + 1}`)
    }
    await list.evaluate((element) => element.scrollTo(0, 100_000))
    await list.locator('[data-row="2780"]').waitFor()
    assert.equal(await focusedName(page), 'Row 12', 'the row with the focus stays in the page')
    await page.keyboard.press('ArrowDown')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Row 13')
    await page.keyboard.press('End')
    await page.waitForFunction(() => document.activeElement?.textContent === 'Row 4999')
    assert.ok((await list.locator('[data-row]').count()) < 20)
    await page.close()
  })

  test('rows of different heights stand under each other without gaps, wherever one jumps to', async () => {
    const page = await gallery.open()
    const list = page.locator('#measured')
    for (const top of [0, 150_000, 299_000, 20_000]) {
      await list.evaluate((element, to) => element.scrollTo(0, to), top)
      await page.waitForFunction(() => {
        const rows = [...document.querySelectorAll('#measured [data-row]')].map((row) => row.getBoundingClientRect())
        const view = document.querySelector('#measured')?.getBoundingClientRect() as DOMRect
        const isCovered =
          rows.some(({ top }) => top <= view.top + 1) && rows.some(({ bottom }) => bottom >= view.bottom - 6)
        return (
          isCovered &&
          rows.every((row, index) => index === 0 || Math.abs(row.top - (rows[index - 1]?.bottom ?? 0) - 6) < 1)
        )
      })
    }
    await page.close()
  })

  test('a mistake in one part leaves the rest, and it can be shown again', async () => {
    const page = await gallery.open()
    assert.equal(await page.getByRole('heading', { name: 'This part of the page stopped working' }).count(), 1)
    await page.evaluate(() => (window as unknown as { mend: () => void }).mend())
    await page.getByRole('button', { name: 'Show it again' }).click()
    assert.equal(await page.getByText('Mended').count(), 1)
    await page.close()
  })

  test('arrows move through tabs and segments, which have one tab stop', async () => {
    const page = await gallery.open()
    await page.getByRole('radio', { name: 'Board' }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.getByRole('radio', { name: 'Table' }).getAttribute('aria-checked'), 'true')
    await page.keyboard.press('Tab')
    assert.equal(await focusedName(page), 'Note')
    await page.keyboard.press('ArrowLeft')
    assert.match(await page.getByRole('tabpanel').innerText(), /mail/)
    await page.close()
  })

  test('texts 40 % longer push nothing out of the page, also on a phone and in another font', async () => {
    for (const hasFont of [true, false]) {
      for (const width of [390, 1440]) {
        const page = await gallery.open({ language: 'pseudo', width, height: 844, hasFont })
        await page.evaluate(() => document.fonts.ready.then(() => undefined))
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width}`)
        await page.close()
      }
    }
  })

  test('on a phone a menu is a sheet from below, and what is pressed is 44 px high', async () => {
    const page = await gallery.open({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const sheet = await page.locator('.popover').boundingBox()
    assert.deepEqual([sheet?.x, sheet?.width], [0, 390])
    assert.equal(Math.round((sheet?.y ?? 0) + (sheet?.height ?? 0)), 844)
    const item = await page.getByRole('menuitem').first().boundingBox()
    assert.ok((item?.height ?? 0) >= 44)
    await page.close()
  })
})
