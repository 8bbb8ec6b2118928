import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { becomes } from '../../support/until.ts'
import { edit, type RecordPages, recordPages } from './record-page.ts'

// Words that are typed are words: none of them is a command, and none is lost.

let place: RecordPages
before(async () => {
  if (noBrowser) return
  place = await recordPages()
})
afterEach(async () => {
  await place?.closePages()
})
after(() => place?.stop())

const status = async (id: string) => (await place.app.getRecord(`/deals/${id}`)).status

describe('words on the page of a deal', { skip: noBrowser }, () => {
  test('behind a click on a tab of the composer are its text', async () => {
    const { id } = await place.app.newDeal()
    const page = await place.open(`/deals/${id}`)
    await page.getByRole('tab', { name: 'Task', exact: true }).click()
    await page.keyboard.type('Call back lonely')
    assert.equal(await page.locator('#compose input').first().inputValue(), 'Call back lonely')
    await page.getByRole('tab', { name: 'Note', exact: true }).click()
    await page.keyboard.type('well')
    assert.equal(await page.locator('#compose textarea').inputValue(), 'well')
    assert.equal(await page.getByRole('menu').count(), 0)
    // Arrow keys go along the tabs.
    await page.getByRole('tab', { name: 'Note', exact: true }).focus()
    await page.keyboard.press('ArrowRight')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'compose-task')
  })

  test('close nothing: a bare letter is no command, and a space behind letters picks no row of a menu', async () => {
    const { id } = await place.app.newDeal()
    const page = await place.open(`/deals/${id}`)
    await page.keyboard.press('l')
    await page.keyboard.press('Shift+L')
    const rows = page.getByRole('menu', { name: 'Why was it lost?' }).getByRole('menuitem')
    await rows.first().waitFor()
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('z')
    await page.keyboard.press('Space')
    assert.equal(await page.getByRole('menu').count(), 1)
    assert.equal(await status(id), 'open')
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
  })
})

describe('who looks into another window', { skip: noBrowser }, () => {
  /** What the browser says and does when its window goes behind another one: the page keeps its focused element. */
  const goAway = (page: Page, types: readonly string[]) =>
    page.evaluate((types) => {
      for (const type of types) {
        const event = new FocusEvent(type, { bubbles: type.startsWith('focus') && type !== 'focus' })
        document.activeElement?.dispatchEvent(event)
      }
    }, types)

  test('saves nothing by that, and goes on where they were', async () => {
    const { id } = await place.app.newDeal({ amount: 1000 })
    const page = await place.open(`/deals/${id}`)
    const input = await edit(page, 'amount')
    await input.selectText()
    await page.keyboard.type('12')
    await goAway(page, ['blur', 'focusout'])
    await goAway(page, ['focus', 'focusin'])
    await page.keyboard.type('500')
    assert.equal(await page.locator('[data-property=amount] input:focus').inputValue(), '12500')
    assert.equal((await place.app.getRecord(`/deals/${id}`)).amount, 1000)
    // Within the page it is left as ever.
    await page.getByRole('tab', { name: 'Note', exact: true }).click()
    await becomes(async () => (await place.app.getRecord(`/deals/${id}`)).amount, 12500)
    assert.equal(place.eventsOf(id, 'deal.updated').length, 1)
  })
})

describe('the name of a contact', { skip: noBrowser }, () => {
  test('that is typed is read as those of files and mails are', async () => {
    const { id } = await place.app.newContact({ first_name: 'Ana', last_name: 'Ruiz' })
    const page = await place.open(`/contacts/${id}`)
    const names = async () => {
      const { first_name, last_name } = await place.app.getRecord(`/contacts/${id}`)
      return [first_name, last_name]
    }
    for (const [typed, expected] of [
      ['van der Berg, Ludwig', ['Ludwig', 'van der Berg']],
      ['Dr. Anna von Stein', ['Dr. Anna', 'von Stein']],
      ['Juan Pérez Jr.', ['Juan', 'Pérez Jr.']],
      ['Ana Ruiz (Acme GmbH)', [null, 'Ana Ruiz (Acme GmbH)']],
    ] as const) {
      await page.getByRole('button', { name: 'Edit Name' }).click()
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(typed)
      await page.keyboard.press('Enter')
      await becomes(names, [...expected])
    }
  })
})

describe('a key that an input method takes', { skip: noBrowser }, () => {
  async function composer(page: Page) {
    const cdp = await page.context().newCDPSession(page)
    const press = async (key: string) => {
      for (const type of ['rawKeyDown', 'keyUp'] as const)
        await cdp.send('Input.dispatchKeyEvent', { type, key, code: key, windowsVirtualKeyCode: 229 })
    }
    const compose = (text: string) =>
      cdp.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    const settle = (text: string) => cdp.send('Input.insertText', { text })
    return { press, compose, settle }
  }

  test('neither drops nor ends what is edited', async () => {
    const { id } = await place.app.newContact({ job_title: 'Head' })
    const page = await place.open(`/contacts/${id}`)
    const { press, compose, settle } = await composer(page)
    const input = await edit(page, 'job_title')
    await input.fill('Chief ')
    await compose('とうきょう')
    await press('Escape')
    assert.match(await input.inputValue(), /^Chief /)
    await settle('東京')
    await press('Enter')
    assert.match(await input.inputValue(), /東京$/)
    assert.equal((await place.app.getRecord(`/contacts/${id}`)).job_title, 'Head')
    // The next Enter is the person's.
    await page.keyboard.press('Enter')
    await becomes(async () => /東京/.test((await place.app.getRecord(`/contacts/${id}`)).job_title), true)
  })

  test('runs no command: neither while it composes, whatever the code of the key, nor by that code alone', async () => {
    const { id } = await place.app.newContact()
    const page = await place.open(`/contacts/${id}`)
    const { compose } = await composer(page)
    const input = page.locator('#compose textarea')
    await input.focus()
    await compose('とうきょう')
    // As a browser tells of Ctrl K in the middle of a word, and Safari right behind one.
    const ctrlK = (more: { keyCode: number; isComposing?: boolean }) =>
      input.evaluate((element, more) => {
        const event = new KeyboardEvent('keydown', {
          key: 'k',
          ctrlKey: true,
          bubbles: true,
          cancelable: true,
          ...more,
        })
        return element.dispatchEvent(event)
      }, more)
    for (const more of [{ isComposing: true, keyCode: 75 }, { keyCode: 229 }])
      assert.equal(await ctrlK(more), true, JSON.stringify(more))
    assert.equal(await page.locator('dialog[open]').count(), 0)
    assert.equal(await ctrlK({ keyCode: 75 }), false, 'the person’s own is a command')
    await page.locator('dialog[open]').waitFor()
  })
})
