import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { setMailboxes } from '../../support/mailbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

describe('files in a reply', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let page: Page
  let id: string

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    setMailboxes(server)
    ana = await screens.signedIn('member')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.advance(1000)
    id = (await inbox.opened({ from: { name: 'Ada', email: 'ada@firm.example' }, channel: 'email', subject: 'Order' }))
      .id
  })

  const show = async (options = {}, who = ana): Promise<Page> => {
    page = await openPage(browser, screens, who, `/inbox?c=${id}`, options)
    await reply().waitFor()
    return page
  }
  const reply = () => page.getByLabel('Your reply')
  const chips = () => page.locator('.writing .file :is(a, span.cut > span.cut)').allTextContents()
  const isBox = (...names: string[]) => until(async () => `${await chips()}` === `${names}`)
  /** On the server. */
  const arrived = (count: number) => until(async () => (await page.locator('.writing .file a').count()) === count)
  const attach = (...names: string[]) =>
    page
      .locator('.writing input[type=file]')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(`in ${name}`) })))
  const messages = async (): Promise<Row[]> => (await inbox.get(`/conversations/${id}/messages?sort=created_at`)).data
  const outgoing = async (): Promise<Row | undefined> =>
    (await messages()).find(({ direction }) => direction === 'outbound')
  const named = (message: Row | undefined) => message?.attachments.map(({ name }: Row) => name)
  const bytesOf = async (message: Row) => {
    const { body } = await server.call('GET', `/messages/${message.id}?include=attachments`)
    return body.attachments.map(({ data }: Row) => Buffer.from(data, 'base64').toString())
  }
  const send = () => page.getByRole('button', { name: /^Send Ctrl/ }).click()
  /** Gives the page a file as the browser does. */
  const give = (how: 'drop' | 'paste', name: string, text?: string) =>
    page.evaluate(
      ([how, name, text]) => {
        const data = new DataTransfer()
        data.items.add(new File([`in ${name}`], name as string, { type: 'image/png' }))
        if (text) data.setData('text/plain', text)
        const at = document.querySelector(how === 'drop' ? '.msgs' : '.writing textarea') as HTMLElement
        const given = { bubbles: true, cancelable: true }
        if (how === 'paste') at.dispatchEvent(new ClipboardEvent('paste', { ...given, clipboardData: data }))
        else
          for (const type of ['dragover', 'drop'])
            at.dispatchEvent(new DragEvent(type, { ...given, dataTransfer: data }))
      },
      [how, name, text] as const,
    )

  test('come by button, drop and paste, wait on any screen of the member, and leave as they were shown', async () => {
    await show()
    await attach('list.txt', 'plan.txt')
    await give('drop', 'photo.png')
    await give('paste', 'image.png')
    await give('paste', 'image.png')
    await give('paste', 'table.png', 'a table')
    await isBox('list.txt', 'plan.txt', 'photo.png', 'image.png', 'image-2.png')
    await arrived(5)
    await page.getByRole('button', { name: 'Remove plan.txt' }).click()
    await assertAccessible(page)
    const second = await openPage(browser, screens, ana, `/inbox?c=${id}`)
    const first = page
    page = second
    await isBox('list.txt', 'photo.png', 'image.png', 'image-2.png')
    await page.getByRole('button', { name: 'Remove image.png' }).click()
    await attach('late.txt')
    await second.waitForFunction(() => document.querySelectorAll('.writing .file a').length === 4)
    await second.context().close()
    page = first
    await isBox('list.txt', 'photo.png', 'image-2.png', 'late.txt')
    for (let opening = 0; opening < 2; opening++) {
      await page.reload()
      await isBox('list.txt', 'photo.png', 'image-2.png', 'late.txt')
    }
    await reply().fill('See the files')
    await send()
    await page.locator('.sent-letter').waitFor()
    const sent = (await outgoing()) as Row
    assert.deepEqual(named(sent), ['list.txt', 'photo.png', 'image-2.png', 'late.txt'])
    assert.deepEqual(await bytesOf(sent), ['in list.txt', 'in photo.png', 'in image.png', 'in late.txt'])
  })

  test('come back with an undone reply, each once, by the key z', async () => {
    await show()
    await reply().fill('See the files')
    await attach('one.txt', 'two.txt')
    await arrived(2)
    for (let round = 0; round < 2; round++) {
      await send()
      await page.locator('.sent-letter').waitFor()
      assert.deepEqual(named(await outgoing()), ['one.txt', 'two.txt'])
      await page.locator('.th').focus()
      await page.keyboard.press('z')
      await isBox('one.txt', 'two.txt')
      assert.equal(await reply().inputValue(), 'See the files')
      await until(async () => (await outgoing()) === undefined)
    }
    await page.reload()
    await isBox('one.txt', 'two.txt')
  })

  test('are waited for by Send, which takes the words of that moment', async () => {
    await show()
    let letGo: (() => void) | undefined
    const held = new Promise<void>((go) => {
      letGo = go
    })
    await page.route('**/files', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await held
      return route.continue()
    })
    await reply().fill('See the file')
    await attach('slow.txt')
    await page.getByRole('progressbar', { name: 'Upload of slow.txt' }).waitFor()
    await send()
    await page.getByRole('button', { name: 'Sending…' }).waitFor()
    await reply().fill('See the file, please')
    assert.equal(await outgoing(), undefined)
    letGo?.()
    await page.locator('.sent-letter').waitFor()
    const sent = (await outgoing()) as Row
    assert.deepEqual([sent.body_text, named(sent)], ['See the file, please', ['slow.txt']])
  })

  test('stop Send by their name if they did not arrive, and go once they did', async () => {
    await show()
    await page.route('**/files', (route) => (route.request().method() === 'POST' ? route.abort() : route.continue()))
    await reply().fill('And this')
    await attach('lost.txt')
    await page.locator('.writing .file.is-bad').waitFor()
    await assertAccessible(page)
    await send()
    await page.getByText('Not sent: the file lost.txt was not uploaded.').first().waitFor()
    assert.equal((await messages()).length, 1)
    assert.equal(await reply().inputValue(), 'And this')
    await page.unroute('**/files')
    await page.locator('.writing .file').getByRole('button', { name: 'Try again' }).click()
    await arrived(1)
    await send()
    await page.locator('.sent-letter').waitFor()
    assert.deepEqual(named(await outgoing()), ['lost.txt'])
  })

  test('go with what is discarded, and come back with it; note and reply have their own', async () => {
    await show()
    await reply().fill('Never mind')
    await attach('one.txt')
    await arrived(1)
    await page.getByRole('tab', { name: 'Note' }).click()
    assert.deepEqual(await chips(), [])
    await page.getByRole('tab', { name: 'Reply' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
    await isBox()
    assert.equal(await reply().inputValue(), '')
    await page.getByRole('button', { name: 'Undo' }).click()
    await isBox('one.txt')
    assert.equal(await reply().inputValue(), 'Never mind')
    await page.getByRole('button', { name: 'Discard' }).click()
    await isBox()
    await page.reload()
    await reply().waitFor()
    await until(async () => (await page.locator('.writing .file').count()) === 0)
    const { body } = await ana.call('GET', `/app/drafts/reply:conversations:${id}/files`)
    assert.deepEqual(body.data, [])
  })

  test('of a reply that failed are in its draft, once', async () => {
    await show()
    await reply().fill('See the file')
    await attach('one.txt')
    await arrived(1)
    await send()
    await page.locator('.sent-letter').waitFor()
    const { id: sent } = (await outgoing()) as Row
    server.store.db
      .prepare("UPDATE messages SET status = 'failed', error = 'refused', send_at = NULL WHERE id = ?")
      .run(sent)
    await page.reload()
    for (let round = 0; round < 2; round++) {
      await page.getByRole('button', { name: 'Open as a draft' }).click()
      await isBox('one.txt')
    }
  })

  test('that are too much are named and not taken, in German too', async () => {
    const bea = await screens.signedIn('member')
    await bea.call('PATCH', '/app/preferences', { language: 'de' })
    page = await openPage(browser, screens, bea, `/inbox?c=${id}`)
    await page.getByLabel('Ihre Antwort').or(page.getByLabel('Deine Antwort')).first().waitFor()
    await page.evaluate(() => {
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(36 * 1024 * 1024 + 1)], 'film.mp4'))
      document.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }))
    })
    await page.getByText('film.mp4 wurde nicht angehängt').first().waitFor()
    assert.deepEqual(await chips(), [])
    await attach('liste.txt')
    await arrived(1)
    await assertAccessible(page)
  })

  test('are attached by keyboard alone', async () => {
    await show()
    await page.keyboard.press('r')
    await page.keyboard.type('See this')
    const chooser = page.waitForEvent('filechooser')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await (await chooser).setFiles({ name: 'one.txt', mimeType: 'text/plain', buffer: Buffer.from('1') })
    await arrived(1)
    await reply().focus()
    await page.keyboard.press('Control+Enter')
    await page.locator('.sent-letter').waitFor()
    assert.deepEqual(named(await outgoing()), ['one.txt'])
  })
})
