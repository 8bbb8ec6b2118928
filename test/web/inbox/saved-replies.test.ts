import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

describe('saved replies', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let ben: SignedIn
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    ben = await screens.signedIn('member')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    for (const { id } of (await ana.call('GET', '/app/saved-replies')).body.data)
      await ana.call('DELETE', `/app/saved-replies/${id}`)
  })

  const save = async (title: string, text: string, who = ana): Promise<Row> => {
    const answer = await who.call('POST', '/app/saved-replies', { title, text, is_shared: true })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const all = async (): Promise<Row[]> => (await ana.call('GET', '/app/saved-replies')).body.data
  const opened = (): Promise<Row> =>
    inbox.opened({ from: { name: 'Ada Berg', email: 'ada@firm.example' }, subject: 'About Ada' })
  const reply = () => page.getByRole('textbox', { name: 'Your reply' })
  const offers = () => page.getByRole('listbox', { name: 'Saved replies' })
  const text = () => reply().inputValue()
  /** The texts are asked for with the first focus. */
  const show = async (path: string, options = {}): Promise<Page> => {
    page = await openPage(browser, screens, ana, path, options)
    await reply().waitFor()
    const read = page.waitForResponse(/saved-replies$/)
    await reply().focus()
    await read
    return page
  }

  test('are found by title and text after ";", and put in at the cursor, which one undo takes back', async () => {
    const { id } = await opened()
    await save('Thanks', 'Thank you, {{contact.first_name}}.\nWe look into it.')
    await save('Opening hours', 'We are here from 9 to 17.')
    await show(`/inbox?c=${id}`)
    await reply().pressSequentially('Hello! Bye')
    for (let count = 0; count < 3; count++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type(';')
    await offers().waitFor()
    assert.deepEqual(
      await offers()
        .getByRole('option')
        .allInnerTexts()
        .then((all) => all.map((each) => each.split('\n')[0])),
      ['Opening hours', 'Thanks', 'Edit saved replies…'],
    )
    await assertAccessible(page)
    await page.keyboard.type('look')
    await offers().getByRole('option', { name: 'Opening hours' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    const whole = 'Hello! Thank you, Ada.\nWe look into it.Bye'
    assert.equal(await text(), whole)
    await page.keyboard.type(' ')
    await page.keyboard.press('Control+z')
    await page.keyboard.press('Control+z')
    assert.equal(await text(), 'Hello! ;lookBye')
    await offers().waitFor({ state: 'detached' })
    await page.keyboard.press('Control+Shift+z')
    assert.equal(await text(), whole)
  })

  test('take no letter away that was not meant for them', async () => {
    const { id } = await opened()
    await save('Second', 'The second one')
    await show(`/inbox?c=${id}`)
    await reply().pressSequentially('first; second')
    await page.keyboard.press('Enter')
    assert.equal(await text(), 'first; second\n')
    await reply().fill('')
    await reply().pressSequentially('one ;')
    await offers().waitFor()
    await page.keyboard.press('Enter')
    assert.equal(await text(), 'one ;\n')
    await reply().fill('')
    await reply().pressSequentially(';unknown')
    await offers().waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    assert.equal(await text(), ';unknown\n')
    await reply().fill('')
    await reply().pressSequentially(';sec')
    await offers().waitFor()
    await page.keyboard.press('Escape')
    await offers().waitFor({ state: 'detached' })
    await page.keyboard.type('ond')
    await page.keyboard.press('Enter')
    assert.equal(await text(), ';second\n')
    await reply().fill('')
    await reply().pressSequentially('first; second')
    await page.keyboard.press('Tab')
    assert.equal(await text(), 'first; second')
  })

  test('are put in by mouse too, and in a note', async () => {
    const { id } = await opened()
    await save('Thanks', 'Thank you.')
    await show(`/inbox?c=${id}`)
    await reply().pressSequentially('Hi. ')
    await page.getByRole('button', { name: 'Saved reply, ;' }).click()
    await page.getByRole('option', { name: 'Thanks' }).click()
    await until(async () => (await text()) === 'Hi. Thank you.')
    await page.getByRole('tab', { name: 'Note' }).click()
    const note = page.getByRole('textbox', { name: 'Your note' })
    await note.pressSequentially(';tha')
    await offers().getByRole('option', { name: 'Thanks' }).click()
    assert.equal(await note.inputValue(), 'Thank you.')
  })

  test('with a variable that has no value are not sent, and say which', async () => {
    const { id } = await opened()
    await save('Deal', 'About {{deal.title}}.')
    await show(`/inbox?c=${id}`)
    await reply().pressSequentially(';deal')
    await offers().waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await text(), 'About {{deal.title}}.')
    await page.keyboard.press('Control+Enter')
    await page.locator('.toasts', { hasText: 'Not sent: nothing is known for {{deal.title}}' }).waitFor()
    assert.equal((await inbox.get(`/conversations/${id}/messages`)).data.length, 1)
    await page.keyboard.type('your order') // it is marked
    assert.equal(await text(), 'About your order.')
    await page.keyboard.press('Control+Enter')
    await page.locator('.msg', { hasText: 'About your order.' }).waitFor()
  })

  test('are new at once on the screen of a colleague', async () => {
    const { id } = await opened()
    await show(`/inbox?c=${id}`)
    await save('From Ben', 'Written by Ben', ben)
    await reply().pressSequentially(';')
    await offers().getByRole('option', { name: 'From Ben' }).waitFor()
  })

  test('are made, changed and deleted in a dialog, and a deletion is taken back', async () => {
    const { id } = await opened()
    await show(`/inbox?c=${id}`)
    await reply().pressSequentially(';')
    await offers().waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Saved replies' })
    await dialog.getByText('Nothing is saved yet').waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'New saved reply' }).click()
    const form = page.getByRole('dialog', { name: 'New saved reply' })
    await form.getByLabel('Title').fill('Thanks')
    await form.getByLabel('Text').fill('Thank you, {{contact.nickname}}.')
    await form
      .getByRole('button', { name: 'Only me' })
      .or(form.getByRole('radio', { name: 'Only me' }))
      .click()
    await assertAccessible(page)
    await form.getByRole('button', { name: 'Save reply' }).click()
    await form.getByText('One of the variables does not exist').waitFor()
    await form.getByLabel('Text').fill('Thank you, {{contact.first_name}}.')
    await form.getByRole('button', { name: 'Save reply' }).click()
    await form.waitFor({ state: 'detached' })
    await dialog.getByText('Only me').waitFor()
    assert.deepEqual(
      (await all()).map(({ title, is_shared }) => [title, is_shared]),
      [['Thanks', false]],
    )
    await dialog.getByRole('button', { name: 'Change “Thanks”' }).click()
    const change = page.getByRole('dialog', { name: 'Change “Thanks”' })
    await change.getByLabel('Title').fill('Many thanks')
    await change.getByRole('button', { name: 'Save', exact: true }).click()
    await change.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Delete “Many thanks”' }).click()
    await dialog.getByText('“Many thanks” is deleted.').waitFor()
    assert.deepEqual(await all(), [])
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('button', { name: 'Delete “Many thanks”' }).waitFor()
    assert.deepEqual(
      (await all()).map(({ title, text, is_shared }) => [title, text, is_shared]),
      [['Many thanks', 'Thank you, {{contact.first_name}}.', false]],
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('are named in German', async () => {
    await save('Danke', 'Danke, {{deal.title}}')
    const { id } = await opened()
    await ana.call('PATCH', '/app/preferences', { language: 'de' })
    page = await openPage(browser, screens, ana, `/inbox?c=${id}`)
    const area = page.getByRole('textbox', { name: 'Deine Antwort' })
    await area.waitFor()
    await area.pressSequentially(';')
    const offered = page.getByRole('listbox', { name: 'Textbausteine' })
    await offered.getByText('Textbausteine bearbeiten').waitFor()
    await page.keyboard.type('danke')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+Enter')
    await page.locator('.toasts', { hasText: 'Nicht gesendet: Zu {{deal.title}} ist nichts bekannt' }).waitFor()
    await ana.call('PATCH', '/app/preferences', { language: 'en' })
  })
})
