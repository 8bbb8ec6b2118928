import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

describe('a signature', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let page: Page

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    setMailboxes(server)
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const opened = (channel: string): Promise<Row> =>
    inbox.opened({ from: { name: 'Ada', email: 'ada@firm.example' }, subject: 'About Ada', channel })
  const written = async (id: string): Promise<string[]> =>
    (await inbox.get(`/conversations/${id}/messages?sort=created_at`)).data
      .filter(({ direction }: Row) => direction !== 'inbound')
      .map(({ body_text }: Row) => body_text)
  const reply = () => page.getByRole('textbox', { name: 'Your reply' })
  const fold = () => page.locator('.ic summary', { hasText: 'Signature' })
  const show = async (path: string) => {
    await page?.context().close()
    page = await openPage(browser, screens, ana, path)
  }
  const send = async (id: string, count: number) => {
    await page.keyboard.press('Control+Enter')
    await until(async () => (await written(id)).length === count)
  }

  test('is written in my settings', async () => {
    await show('/settings/me')
    const area = page.getByRole('textbox', { name: 'Signature' })
    await area.fill('Ana Berg\nAcme\n')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Save signature' }).click()
    await page.getByRole('button', { name: 'Save signature' }).waitFor({ state: 'detached' })
    assert.equal((await ana.call('GET', '/app/preferences')).body.signature, 'Ana Berg\nAcme')
  })

  test('stands folded under a reply by mail, and leaves with it once, also after it was taken back', async () => {
    const { id } = await opened('email')
    await show(`/inbox?c=${id}`)
    await reply().fill('Hello Ada')
    await fold().click()
    await page.locator('.ic .said', { hasText: 'Ana Berg' }).waitFor()
    await assertAccessible(page)
    await reply().focus()
    await send(id, 1)
    assert.deepEqual(await written(id), ['Hello Ada\n\n-- \nAna Berg\nAcme'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await reply().inputValue()) === 'Hello Ada')
    await fold().waitFor()
    await until(async () => (await written(id)).length === 0)
    await reply().focus()
    await send(id, 1)
    assert.deepEqual(await written(id), ['Hello Ada\n\n-- \nAna Berg\nAcme'])
  })

  test('is left out of one mail, and of what has one already', async () => {
    const { id } = await opened('email')
    await show(`/inbox?c=${id}`)
    await reply().fill('Hello')
    await page.getByRole('button', { name: 'Without the signature' }).click()
    await page.getByRole('button', { name: 'With the signature' }).waitFor()
    await reply().focus()
    await send(id, 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(async () => (await reply().inputValue()) === 'Hello')
    await page.getByRole('button', { name: 'With the signature' }).waitFor()
    await until(async () => (await written(id)).length === 0)
    await reply().fill('By hand\n\n--\nA.')
    await page.getByRole('button', { name: 'With the signature' }).waitFor({ state: 'detached' })
    await send(id, 1)
    assert.deepEqual(await written(id), ['By hand\n\n--\nA.'])
  })

  test('is in no note, and in no answer that is no mail', async () => {
    const [mail, chat] = [await opened('email'), await opened('chat')]
    await show(`/inbox?c=${chat.id}`)
    await reply().fill('By chat')
    assert.equal(await fold().count(), 0)
    await send(chat.id, 1)
    assert.deepEqual(await written(chat.id), ['By chat'])
    await show(`/inbox?c=${mail.id}`)
    await page.getByRole('tab', { name: 'Note' }).click()
    await page.getByRole('textbox', { name: 'Your note' }).fill('For us')
    assert.equal(await fold().count(), 0)
    await send(mail.id, 1)
    assert.deepEqual(await written(mail.id), ['For us'])
  })
})
