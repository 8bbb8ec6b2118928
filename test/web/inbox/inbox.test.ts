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

describe('the inbox', { skip: noBrowser, concurrency: false }, () => {
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
    ben = await screens.signedIn('admin')
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    const { body } = await ana.call('GET', '/app/rows/conversations?view=open&limit=100')
    for (const { id } of body.data) await inbox.patch(id, { status: 'closed' })
    server.advance(1000)
  })

  const opened = (name: string, given: Record<string, unknown> = {}): Promise<Row> =>
    inbox.opened({ from: { name, email: `${name.toLowerCase()}@firm.example` }, subject: `About ${name}`, ...given })
  const show = async (path = '/inbox', member = ana, options = {}): Promise<Page> => {
    page = await openPage(browser, screens, member, path, options)
    return page
  }
  const names = () => page.locator('.cv .name').allTextContents()
  const here = () => page.locator('.ih .title').innerText()
  const row = (name: string) => page.locator('.cv', { hasText: name })
  const reply = () => page.getByLabel('Your reply')
  const settled = () => page.getByText('Everything saved').first().waitFor({ state: 'attached' })
  const messages = async (id: string): Promise<Row[]> =>
    (await inbox.get(`/conversations/${id}/messages?sort=created_at`)).data
  const read = (id: string) => inbox.conversation(id)
  /** The colleague answers, or the customer writes. */
  const says = (id: string, direction: string, body_text: string) =>
    ben.call('POST', '/api/v1/messages', { conversation_id: id, direction, body_text })

  test('is gone through by keyboard: j, e and the way back', async () => {
    const [one, two, three] = [await opened('Ada'), await opened('Bea'), await opened('Cem')]
    await show()
    await row('Cem').waitFor()
    assert.deepEqual(await names(), ['Ada', 'Bea', 'Cem'])
    await page.locator('.msg').waitFor()
    assert.equal(await here(), 'About Ada')
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'About Bea' }).waitFor()
    await page.keyboard.press('e')
    await page.getByRole('heading', { name: 'About Cem' }).waitFor()
    await row('Bea').waitFor({ state: 'detached' })
    await settled()
    assert.deepEqual([(await read(one.id)).status, (await read(two.id)).status], ['open', 'closed'])
    await page.keyboard.press('Control+z')
    await row('Bea').waitFor()
    await settled()
    assert.equal((await read(two.id)).status, 'open')
    await page.keyboard.press('k')
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'About Ada' }).waitFor()
    await page.keyboard.press('m')
    await page.locator('.iv a', { hasText: 'Mine' }).locator('.n', { hasText: '1' }).waitFor()
    await settled()
    assert.equal((await read(one.id)).owner_id, ana.id)
    assert.equal((await read(three.id)).owner_id, null)
    await page.locator('.told', { hasText: 'took it' }).waitFor()
    await assertAccessible(page)
  })

  test('takes what is typed after r without a pause as text, and Enter never sends', async () => {
    const { id } = await opened('Ada')
    await show(`/inbox?c=${id}`)
    await page.locator('.cv').waitFor()
    await page.keyboard.type('rThanks, e j')
    await page.keyboard.press('Enter')
    await until(async () => (await reply().inputValue()) === 'Thanks, e j\n')
    assert.equal((await messages(id)).length, 1)
    assert.equal((await read(id)).status, 'open')
    await page.keyboard.press('Control+Enter')
    await page.locator('.msg', { hasText: 'Thanks, e j' }).waitFor()
    assert.deepEqual(
      (await messages(id)).map(({ direction, body_text }) => [direction, body_text]),
      [
        ['inbound', 'Hello'],
        ['outbound', 'Thanks, e j'],
      ],
    )
    assert.equal(await reply().inputValue(), '')
  })

  test('keeps a reply over leaving, and note and reply apart; the box stays a note after a note', async () => {
    const [{ id }, other] = [await opened('Ada'), await opened('Bea')]
    await show(`/inbox?c=${id}`)
    await reply().fill('For the customer')
    await page.getByRole('tab', { name: 'Note' }).click()
    await page.getByLabel('Your note').fill('For us')
    await page.keyboard.press('Control+Enter')
    await page.locator('.msg.is-note', { hasText: 'For us' }).waitFor()
    assert.equal(await page.getByLabel('Your note').inputValue(), '')
    await says(id, 'inbound', 'One more thing')
    await page.locator('.msg', { hasText: 'One more thing' }).waitFor()
    await row('Bea').locator('a').click()
    await page.getByRole('heading', { name: 'About Bea' }).waitFor()
    await row('Ada').locator('a').click()
    await page.getByRole('heading', { name: 'About Ada' }).waitFor()
    await page.getByLabel('Your note').waitFor()
    await page.getByRole('tab', { name: 'Reply' }).click()
    assert.equal(await reply().inputValue(), 'For the customer')
    await page.reload()
    await until(
      async () =>
        (await reply()
          .inputValue()
          .catch(() => '')) === 'For the customer',
    )
    assert.deepEqual(
      (await messages(id)).map(({ direction }) => direction),
      ['inbound', 'note', 'inbound'],
    )
    assert.equal((await messages(other.id)).length, 1)
  })

  test('lists what one has begun to write, and no longer once it is gone', async () => {
    const [ada] = [await opened('Ada'), await opened('Bea')]
    await show(`/inbox?c=${ada.id}`, await screens.signedIn('member'))
    const mine = page.getByRole('navigation', { name: 'Views of the inbox' }).getByRole('link', { name: /^My drafts/ })
    await page.locator('.msg').waitFor()
    await page.keyboard.press('r')
    await reply().fill('Begun')
    await until(async () => (await mine.innerText()).endsWith('1'))
    await mine.click()
    await row('Bea').waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['Ada'])
    await reply().fill('')
    await row('Ada').waitFor({ state: 'detached' })
    await page.getByText('Nothing begun').waitFor()
  })

  test('stops the second of two replies, shows the first, and sends only what somebody insists on', async () => {
    const { id } = await opened('Ada')
    await show(`/inbox?c=${id}`)
    await reply().fill('From Ana')
    await says(id, 'outbound', 'From Ben')
    await page.locator('.msg', { hasText: 'From Ben' }).waitFor()
    await reply().press('Control+Enter')
    const stop = page.locator('.stop')
    await stop.getByText('From Ben').waitFor()
    await stop.getByText('“From Ana”').waitFor()
    assert.equal((await messages(id)).length, 2)
    await assertAccessible(page)
    await stop.getByRole('button', { name: 'Go on with mine' }).click()
    assert.equal(await reply().inputValue(), 'From Ana')
    // Once more, by the customer.
    await says(id, 'inbound', 'Solved, thanks')
    await page.locator('.msg', { hasText: 'Solved' }).waitFor()
    await reply().press('Control+Enter')
    await stop.getByText('Solved, thanks').waitFor()
    assert.equal((await messages(id)).length, 3)
    await stop.getByRole('button', { name: 'Send all the same' }).click()
    await page.locator('.msg', { hasText: 'From Ana' }).waitFor()
    assert.deepEqual(
      (await messages(id)).map(({ body_text }) => body_text),
      ['Hello', 'From Ben', 'Solved, thanks', 'From Ana'],
    )
  })

  test('discards a stopped reply, and says who is writing before one begins', async () => {
    const { id } = await opened('Ada')
    const other = await openPage(browser, screens, ben, `/inbox?c=${id}`)
    await other.getByLabel('Your reply').fill('I am on it')
    await show(`/inbox?c=${id}`)
    await page.getByText(`is writing here`).waitFor()
    await page.getByLabel('Your note').waitFor()
    await page.getByRole('tab', { name: 'Reply' }).click()
    await reply().fill('Me too')
    await other.getByLabel('Your reply').press('Control+Enter')
    await page.locator('.msg', { hasText: 'I am on it' }).waitFor()
    await reply().press('Control+Enter')
    await page.getByRole('button', { name: 'Discard mine' }).click()
    await until(async () => (await reply().inputValue()) === '')
    assert.equal((await messages(id)).length, 2)
    await other.context().close()
  })

  test('takes a reply back for ten seconds, also after the page was opened anew, and sends later if asked to', async () => {
    setMailboxes(server)
    const { id } = await opened('Ada', { channel: 'email' })
    await show(`/inbox?c=${id}`)
    await reply().fill('Too early')
    await reply().press('Control+Enter')
    const letter = page.locator('.sent-letter')
    await letter.getByText('Too early').waitFor()
    const [, held] = await messages(id)
    assert.deepEqual([held?.status, (await read(id)).waiting_since !== null], ['queued', true])
    await assertAccessible(page)
    await page.reload()
    await letter.getByText('Too early').waitFor()
    await page.keyboard.press('z')
    await reply().waitFor()
    await until(async () => (await reply().inputValue()) === 'Too early')
    await until(async () => (await messages(id)).length === 1)
    await page.getByRole('button', { name: 'Send later' }).click()
    await page.getByRole('menuitem', { name: 'Monday morning' }).last().click()
    await letter.getByText(/^Leaves /).waitFor()
    // The key of the moment is not that of a letter that waits: here it is the snooze.
    await page.locator('.th').focus()
    await page.keyboard.press('z')
    await page.getByRole('menu', { name: 'Snooze' }).waitFor()
    await page.keyboard.press('Escape')
    const [, later] = await messages(id)
    assert.equal(await page.locator('.msg').count(), 1)
    assert.equal(new Date(later?.send_at).getUTCDay(), 1)
    const { send_unless_reply } = server.store.db
      .prepare('SELECT send_unless_reply FROM message_headers WHERE message_id = ?')
      .get(later?.id) as Row
    assert.equal(send_unless_reply, 1)
    await letter.getByRole('button', { name: 'Undo' }).click()
    await until(
      async () =>
        (await reply()
          .inputValue()
          .catch(() => '')) === 'Too early',
    )
    assert.equal((await messages(id)).length, 1)
  })

  test('keeps who was chosen, and the box in which somebody is about to write', async () => {
    setMailboxes(server)
    const { id } = await opened('Ada', { channel: 'email' })
    const other = await openPage(browser, screens, ben, `/inbox?c=${id}`)
    await other.getByLabel('Your reply').fill('I am on it')
    await show(`/inbox?c=${id}`)
    // It has begun as a note, and stays one for who is in it.
    await page.getByLabel('Your note').click()
    await other.getByLabel('Your reply').fill('')
    await page.getByText('is writing here').waitFor({ state: 'detached' })
    await page.keyboard.type('e')
    assert.equal(await page.getByLabel('Your note').inputValue(), 'e')
    assert.equal((await read(id)).status, 'open')
    await other.context().close()
    await page.getByRole('tab', { name: 'Reply' }).click()
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('combobox', { name: 'Bcc' }).fill('boss@firm.example')
    await page.getByRole('combobox', { name: 'Bcc' }).press('Enter')
    await page.locator('.to-lines .picked', { hasText: 'boss@firm.example' }).waitFor()
    await reply().fill('First')
    await reply().fill('')
    await reply().fill('Second')
    await reply().press('Control+Enter')
    await page.locator('.sent-letter').waitFor()
    const [, held] = await messages(id)
    assert.deepEqual(held?.bcc, [{ email: 'boss@firm.example', name: null }])
    assert.equal(held?.to[0].email, 'ada@firm.example')
  })

  test('follows what comes in, and moves nothing under the pointer', async () => {
    await opened('Ada')
    await show()
    await row('Ada').waitFor()
    await opened('Bea')
    await row('Bea').waitFor()
    await page.locator('.il .ls').hover()
    await opened('Cem')
    const more = page.getByRole('button', { name: /show it|show them/ })
    await more.waitFor()
    assert.deepEqual(await names(), ['Ada', 'Bea'])
    await more.click()
    await row('Cem').waitFor()
    await page.locator('.iv a', { hasText: 'All open' }).locator('.n', { hasText: '3' }).waitFor()
  })

  test('shows a mail in its frame, with pictures from elsewhere held, and its keys go on', async () => {
    const html = `<div style="color:#fff;background:#123"><p>Guten Tag</p><img src="https://track.example/a.png" width="20"></div>${'<p>line</p>'.repeat(60)}<p id="end">The end <a href="${screens.url}/livez">link</a></p>`
    const { id } = await opened('Ada', { body_html: html, body_text: null })
    await opened('Bea')
    const reports: string[] = []
    await show(`/inbox?c=${id}`)
    page.on('request', (request) => request.url().startsWith(screens.url) || reports.push(request.url()))
    page.on('console', (message) => reports.push(message.text()))
    const frame = page.frameLocator('.mail-frame')
    await frame.getByText('Guten Tag').waitFor()
    await frame.getByText('track.example').waitFor()
    // As high as the mail: nothing of it has to be scrolled to inside.
    await until(() =>
      page.locator('.mail-frame').evaluate((frame: HTMLIFrameElement) => {
        const inside = frame.contentDocument?.documentElement
        return inside !== undefined && inside.scrollHeight <= frame.clientHeight + 1 && frame.clientHeight > 600
      }),
    )
    await page.getByRole('button', { name: 'Plain text' }).click()
    await page.locator('.said', { hasText: 'Guten Tag' }).waitFor()
    await page.getByRole('button', { name: 'As it was written' }).click()
    const [popup] = await Promise.all([page.context().waitForEvent('page'), frame.getByRole('link').press('Enter')])
    await popup.waitForURL(/\/livez$/)
    await popup.close()
    await frame.getByText('Guten Tag').click()
    await page.keyboard.press('j')
    await page.getByRole('heading', { name: 'About Bea' }).waitFor()
    assert.deepEqual(
      reports.filter((text) => /^http|Content.Security|Refused/i.test(text)),
      [],
    )
  })

  test('marks as read what stood there, and unread lasts', async () => {
    const [{ id }, other] = [await opened('Ada'), await opened('Bea')]
    await show(`/inbox?c=${other.id}`)
    await until(async () => (await read(other.id)).unread_count === 0)
    assert.equal((await read(id)).unread_count, 1)
    await row('Bea').locator('.dot').waitFor({ state: 'detached' })
    await row('Ada').locator('.dot').waitFor()
    await page.clock.install()
    await page.keyboard.press('u')
    await row('Bea').locator('.dot').waitFor()
    await page.clock.runFor(5000)
    await settled()
    assert.equal((await read(other.id)).unread_count, 1)
    // Until somebody opens it again.
    await row('Ada').locator('a').click()
    await page.getByRole('heading', { name: 'About Ada' }).waitFor()
    await row('Bea').locator('a').click()
    await page.getByRole('heading', { name: 'About Bea' }).waitFor()
    await page.locator('.msg').waitFor()
    await page.clock.runFor(5000)
    await until(async () => (await read(other.id)).unread_count === 0)
  })

  test('finds by words, and says when nothing has them', async () => {
    await opened('Ada', { body_text: 'The spindle housing' })
    await opened('Bea')
    await show()
    await row('Bea').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('spindle')
    await row('Bea').waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['Ada'])
    await page.keyboard.type('xyz')
    await page.getByText('Nothing found').waitFor()
    await page.keyboard.press('Escape')
    await row('Bea').waitFor()
  })

  test('is where a mail of a contact and a notice lead to', async () => {
    const { id, contact_id } = await opened('Dora')
    await ben.call('PATCH', `/api/v1/conversations/${id}`, { owner_id: ana.id })
    await show(`/contacts/${contact_id}`)
    await page.locator('.mail h4 a').click()
    await page.locator('.th .msg').waitFor()
    assert.equal(new URL(page.url()).search, `?c=${id}`)
    await page.goto(new URL('/notices', page.url()).href)
    await page
      .getByRole('link', { name: /About Dora/ })
      .first()
      .click()
    await page
      .getByRole('link', { name: 'Open', exact: true })
      .or(page.getByRole('button', { name: 'Open', exact: true }))
      .click()
    await page.locator('.th .msg').waitFor()
    assert.equal(new URL(page.url()).search, `?c=${id}`)
  })

  test('is one pane on a phone, with the way back', async () => {
    await opened('Ada')
    await show('/inbox', ana, { size: 'phone' })
    await row('Ada').waitFor()
    assert.equal(await page.locator('.th .msg').count(), 0)
    await row('Ada').locator('a').click()
    await page.locator('.msg').waitFor()
    assert.equal(await page.locator('.il').isVisible(), false)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Back to the list' }).click()
    await page.locator('.il').waitFor()
    assert.equal(await page.locator('.th .msg').count(), 0)
  })

  test('lets a viewer read, and offers nothing else', async () => {
    const { id } = await opened('Ada')
    await show(`/inbox?c=${id}`, await screens.signedIn('viewer'))
    await page.locator('.msg').waitFor()
    await page.keyboard.press('e')
    await page.keyboard.press('r')
    assert.equal(await page.locator('.ic').count(), 0)
    assert.equal((await read(id)).status, 'open')
  })
})
