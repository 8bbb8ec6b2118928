import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { deskOf } from '../../support/desk.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const EVA = { name: 'Eva Ruiz', email: 'eva@firm.example' }
const PARTS = { name: 'Paula Parts', email: 'paula@supply.example' }
const LIST = Buffer.from('12 boxes')

describe('a message that is passed on', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let desk: ReturnType<typeof deskOf>
  let ana: SignedIn
  let page: Page
  let first: Row

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    desk = deskOf(server)
    ana = await screens.signedIn('member')
    await server.call('POST', '/contacts', { last_name: PARTS.name, emails: [{ email: PARTS.email }] })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.advance(1000)
    first = await desk.arrive({
      ...{ from: EVA, subject: 'Spindle', text: 'Could you check the price?\nThank you' },
      files: [{ name: 'list.txt', content_type: 'text/plain', bytes: LIST, cid: null }] as never,
    })
  })

  const show = async (options = {}, who = ana): Promise<Page> => {
    page = await openPage(browser, screens, who, `/inbox?c=${first.conversation_id}`, options)
    await page.locator('.msg').first().waitFor()
    await page.locator('.writing textarea').waitFor()
    return page
  }
  const words = () => page.getByLabel('Your words above it')
  const reply = () => page.getByLabel('Your reply')
  const chips = () => page.locator('.writing .file a').allTextContents()
  const choose = async (email: string) => {
    const to = page.getByRole('combobox', { name: 'To' })
    await to.fill(email)
    await to.press('Enter')
    await page.locator('.to-lines .picked').first().waitFor()
  }
  const send = () => page.getByRole('button', { name: /^Send Ctrl/ }).click()
  const outgoing = async (): Promise<Row[]> =>
    (await desk.messagesOf(first.conversation_id)).filter(({ direction }) => direction === 'outbound')
  const waits = async () => (await desk.conversation(first.conversation_id)).waiting_since
  const names = (all: Row[]) => all.map(({ email }) => email)
  const pick = async (message: Row, label: string) => {
    await page
      .locator(`[data-message="${message.id}"]`)
      .getByRole('button', { name: 'Actions for this message' })
      .click()
    await page.getByRole('menuitem', { name: label }).click()
  }

  test('goes by f to whom is chosen, with the original below and its files, and the customer waits on', async () => {
    await show()
    const since = await waits()
    await page.keyboard.press('f')
    await page.getByRole('tab', { name: 'Forward' }).waitFor()
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'To'))
    await choose(PARTS.email)
    await words().fill('What does it cost?')
    await page.locator('.writing .file a', { hasText: 'list.txt' }).waitFor()
    await page.getByText('Quoted original').click()
    await page.getByText('> Could you check the price?').waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await page.reload()
    await page.getByRole('tab', { name: 'Forward' }).click()
    assert.equal(await words().inputValue(), 'What does it cost?')
    await page.locator('.writing .file a', { hasText: 'list.txt' }).waitFor()
    assert.deepEqual(await chips(), ['list.txt'])
    await send()
    await page.locator('.sent-letter').waitFor()
    const [sent] = (await outgoing()) as [Row]
    assert.deepEqual([sent.forwards_message_id, names(sent.to), sent.cc], [first.id, [PARTS.email], []])
    assert.match(
      sent.body_text,
      /^What does it cost\?\n\n-+ Forwarded message -+\nFrom: Eva Ruiz <eva@firm\.example>\n/,
    )
    assert.match(sent.body_text, /\n\n> Could you check the price\?\n> Thank you$/)
    assert.deepEqual(
      sent.attachments.map(({ name, size_bytes }: Row) => [name, size_bytes]),
      [['list.txt', LIST.length]],
    )
    assert.equal(desk.out(sent).subject, 'Fwd: Spindle')
    assert.equal(await waits(), since)
  })

  test('can be taken back: whom it goes to, words, original and files are there, each once', async () => {
    await show()
    await pick(first, 'Forward')
    await choose(PARTS.email)
    await words().fill('What does it cost?')
    await page.locator('.writing .file a').waitFor()
    await send()
    await page.locator('.sent-letter').waitFor()
    const [before] = (await outgoing()) as [Row]
    await page.locator('.th').focus()
    await page.keyboard.press('z')
    await words().waitFor()
    await until(async () => (await outgoing()).length === 0)
    await page.locator('.writing .file a').waitFor()
    assert.deepEqual(await chips(), ['list.txt'])
    await send()
    await until(async () => (await outgoing()).length === 1)
    const [again] = (await outgoing()) as [Row]
    assert.deepEqual([again.body_text, again.to, again.attachments.length], [before.body_text, before.to, 1])
  })

  test('leaves what its writer has taken out, and takes nothing from the customer', async () => {
    await show()
    await reply().fill('For the customer')
    await pick(first, 'Forward')
    await page.getByRole('button', { name: 'Remove list.txt' }).click()
    await page.getByRole('button', { name: 'Leave it out' }).click()
    await choose('new@supply.example')
    await words().fill('Only this')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('tab', { name: 'Forward' }).waitFor({ state: 'detached' })
    assert.equal(await reply().inputValue(), 'For the customer')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('tab', { name: 'Forward' }).click()
    assert.equal(await words().inputValue(), 'Only this')
    await send()
    await page.locator('.sent-letter').waitFor()
    const [sent] = (await outgoing()) as [Row]
    assert.deepEqual([sent.body_text, sent.attachments, names(sent.to)], ['Only this', [], ['new@supply.example']])
    const { body } = await server.call('GET', `/messages/${first.id}?include=attachments`)
    assert.equal(Buffer.from(body.attachments[0].data, 'base64').toString(), '12 boxes')
    assert.equal(await reply().inputValue(), 'For the customer')
  })

  test('is answered: it opens, says why, and each Reply goes to one side only', async () => {
    const sent = await desk.reply(first.conversation_id, { to: [PARTS], forwards_message_id: first.id })
    const since = await waits()
    await desk.patch(first.conversation_id, { status: 'snoozed', snoozed_until: desk.inMs(86_400_000) })
    server.advance(10_000)
    const answer = await desk.arrive({ from: PARTS, inReplyTo: [sent.external_id], text: '80 EUR' })
    assert.equal(await waits(), since)
    await show()
    await page.locator('.told', { hasText: 'Opened again: Paula Parts answered what we asked' }).waitFor()
    await page.locator('.msg', { hasText: 'not the customer' }).waitFor()
    await page.locator('.to-line', { hasText: 'to Eva Ruiz, sent from' }).waitFor()
    await pick(answer, 'Reply to this one only')
    await page.locator('.to-line', { hasText: 'to Paula Parts, sent from' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Your answer to them alone').fill('Please order')
    await send()
    await page.locator('.sent-letter').waitFor()
    const mine = (await outgoing()).at(-1) as Row
    assert.deepEqual([names(mine.to), mine.cc, mine.in_reply_to], [[PARTS.email], [], answer.external_id])
    assert.equal(await waits(), since)
    await pick(first, 'Reply')
    await reply().fill('We have ordered it')
    await send()
    await until(async () => (await outgoing()).length === 3)
    const theirs = (await outgoing()).at(-1) as Row
    assert.deepEqual([names(theirs.to), theirs.cc], [[EVA.email], []])
  })

  test('waits for the first one to be sent or dropped, in German too', async () => {
    const second = await desk.arrive({ from: EVA, inReplyTo: [first.external_id], text: 'And this?' })
    const bea = await screens.signedIn('member')
    await bea.call('PATCH', '/app/preferences', { language: 'de' })
    await show({}, bea)
    const act = async (message: Row) => {
      await page
        .locator(`[data-message="${message.id}"]`)
        .getByRole('button', { name: 'Aktionen für diese Nachricht' })
        .click()
      await page.getByRole('menuitem', { name: 'Weiterleiten' }).click()
    }
    await act(first)
    await page.getByLabel('Text darüber').fill('Zum Ersten')
    await act(second)
    await page.getByText('Diese zuerst senden oder verwerfen.').first().waitFor()
    assert.equal(await page.getByLabel('Text darüber').inputValue(), 'Zum Ersten')
    await assertAccessible(page)
  })
})
