import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { screensKinds } from '../../../src/site/app/jobs.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { deskOf } from '../../support/desk.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes, until } from '../../support/until.ts'

const EVA = { name: 'Eva Ruiz', email: 'eva@firm.example' }

describe('a new mail', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let desk: ReturnType<typeof deskOf>
  let ana: SignedIn
  let page: Page
  let scheduler: Scheduler

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    desk = deskOf(server)
    const { store, deps } = server
    scheduler = startScheduler({ store, log: silentLog, kinds: screensKinds(deps), recurring: [], afterJump: [] })
  })
  after(async () => {
    await scheduler?.stop()
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.advance(1000)
    ana = await screens.signedIn('member')
  })

  const show = async (path = '/inbox', who = ana, options = {}): Promise<Page> => {
    page = await openPage(browser, screens, who, path, options)
    await page.locator('.il').waitFor()
    return page
  }
  const mail = () => page.getByLabel('Your mail')
  const subject = () => page.getByRole('textbox', { name: 'Subject' })
  const to = () => page.getByRole('combobox', { name: 'To' })
  const choose = async (email: string) => {
    await to().fill(email)
    await to().press('Enter')
    await page.locator('.to-lines .picked', { hasText: email.split('@')[0] as string }).waitFor()
  }
  const letter = () => page.locator('.sent-letter')
  /** The ten seconds pass. */
  const leave = async () => {
    await letter().waitFor()
    server.advance(11_000)
    await scheduler.tick()
  }
  const sentTo = async (email: string): Promise<Row | undefined> => {
    const { data } = await desk.get('/conversations?sort=-created_at&limit=20')
    for (const { id } of data)
      for (const message of await desk.messagesOf(id))
        if (message.direction === 'outbound' && message.to.some((each: Row) => each.email === email)) return message
    return undefined
  }

  test('is written by keyboard, chosen whom from and to, and opens a conversation', async () => {
    await show()
    await page.keyboard.press('c')
    await page.keyboard.press('m')
    await mail().waitFor()
    await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'To'))
    await choose('kim@north.example')
    await page.getByRole('button', { name: /^sent from / }).click()
    await page.getByRole('menuitemradio', { name: 'sales@acme.example' }).click()
    await mail().fill('Good morning')
    await mail().press('Control+Enter')
    await page.getByText('Give it a subject').first().waitFor()
    await subject().fill('Offer')
    await page
      .locator('.writing input[type=file]')
      .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('10 EUR') })
    await page.locator('.writing .file a').waitFor()
    await assertAccessible(page)
    await mail().press('Control+Enter')
    await leave()
    await page.getByRole('heading', { name: 'Offer' }).waitFor()
    const sent = (await sentTo('kim@north.example')) as Row
    const { subject: of, contact_id, waiting_since } = await desk.conversation(sent.conversation_id)
    assert.deepEqual([of, waiting_since, sent.from.email], ['Offer', null, 'sales@acme.example'])
    assert.deepEqual([sent.body_text, sent.attachments[0].name], ['Good morning', 'offer.txt'])
    assert.equal((await desk.get(`/contacts/${contact_id}`)).emails[0].email, 'kim@north.example')
    assert.equal((await ana.call('GET', '/app/inbox/new-mails')).body.data.length, 0)
  })

  test('waits as a draft beside others, over a reload and another member, and can be gone on with', async () => {
    await show()
    await page.getByRole('button', { name: 'New mail' }).click()
    await mail().fill('The first')
    await subject().fill('One')
    await choose('kim@north.example')
    await page.keyboard.press('Escape')
    await page.locator('.th').focus()
    await page.keyboard.press('c')
    await page.keyboard.press('m')
    await until(async () => (await mail().inputValue()) === '')
    await mail().fill('The second')
    await page.getByText('Draft kept').waitFor()
    await page.reload()
    await until(async () => (await mail().inputValue()) === 'The second')
    const menu = page.getByRole('button', { name: 'New mail, or one that was begun' })
    await menu.click()
    await page.getByRole('menuitem', { name: /^No subject/ }).waitFor()
    await assertAccessible(page)
    await page.getByRole('menuitem', { name: /^One/ }).click()
    await until(async () => (await mail().inputValue()) === 'The first')
    assert.equal(await subject().inputValue(), 'One')
    const ben = await screens.signedIn('member')
    assert.deepEqual((await ben.call('GET', '/app/inbox/new-mails')).body.data, [])
    await page.getByRole('button', { name: 'Discard' }).click()
    await mail().waitFor({ state: 'detached' })
    await menu.click()
    await page.getByRole('menuitem', { name: /^One/ }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo' }).click()
    await menu.click()
    await page.getByRole('menuitem', { name: /^One/ }).click()
    await until(async () => (await mail().inputValue()) === 'The first')
  })

  test('takes saved replies, filled in for the first whom it goes to, and none that is not', async () => {
    const first = await desk.arrive({ from: EVA })
    assert.ok(first.conversation_id)
    const save = (title: string, text: string) =>
      ana.call('POST', '/app/saved-replies', { title, text, is_shared: true })
    await save('Hello', 'Hello {{contact.first_name}}, this is {{sender.name}}.')
    await save('Price', 'It costs 10 EUR.')
    await show()
    await page.getByRole('button', { name: 'New mail' }).click()
    await subject().fill('Offer')
    const offers = page.getByRole('listbox', { name: 'Saved replies' })
    await mail().pressSequentially('First; second')
    await mail().press('Enter')
    assert.equal(await mail().inputValue(), 'First; second\n')
    await mail().pressSequentially('And ;pri')
    await offers.getByRole('option', { name: /^Price/ }).waitFor()
    await mail().press('Tab')
    assert.equal(await mail().inputValue(), 'First; second\nAnd It costs 10 EUR.')
    await page.keyboard.press('Control+z')
    assert.equal(await mail().inputValue(), 'First; second\nAnd ;pri')
    // Nobody is known yet: it stays to be seen, and is not sent.
    await mail().fill('')
    await mail().pressSequentially(';hel')
    await offers.getByRole('option', { name: /^Hello/ }).waitFor()
    await mail().press('Enter')
    await until(async () => (await mail().inputValue()).startsWith('Hello {{contact.first_name}}, this is '))
    await choose(EVA.email)
    await mail().press('Control+Enter')
    await page.locator('.toasts', { hasText: 'Not sent: nothing is known for {{contact.first_name}}' }).waitFor()
    assert.equal(await sentTo(EVA.email), undefined)
    await mail().fill('')
    const filled = page.waitForResponse(/saved-replies\?email=/)
    await mail().pressSequentially(';hel')
    await filled
    await offers.getByRole('option', { name: /Hello Eva/ }).waitFor()
    await assertAccessible(page)
    await mail().press('Enter')
    await until(async () => (await mail().inputValue()).startsWith('Hello Eva, this is '))
    await page.getByRole('button', { name: 'Saved reply, ;' }).click()
    await page.getByRole('option', { name: /^Price/ }).click()
    await until(async () => (await mail().inputValue()).endsWith('It costs 10 EUR.'))
    await mail().press('Control+Enter')
    await leave()
    await page.getByRole('heading', { name: 'Offer' }).waitFor()
    assert.match(((await sentTo(EVA.email)) as Row).body_text, /^Hello Eva, this is .*It costs 10 EUR\.$/)
  })

  test('takes no place of a reply: that one leaves by the address that was chosen, and is undone with it', async () => {
    const first = await desk.arrive({ from: EVA })
    await show(`/inbox?c=${first.conversation_id}`)
    await page.getByRole('button', { name: 'Change' }).click()
    await page.getByRole('button', { name: 'sent from support@acme.example' }).click()
    await page.getByRole('menuitemradio', { name: 'sales@acme.example' }).click()
    await page.getByLabel('Your reply').fill('Hello')
    for (let round = 0; round < 2; round++) {
      await page.getByLabel('Your reply').press('Control+Enter')
      await page.locator('.sent-letter').waitFor()
      const sent = (await desk.messagesOf(first.conversation_id)).at(-1) as Row
      assert.deepEqual([sent.from.email, sent.to[0].email], ['sales@acme.example', EVA.email])
      await page.locator('.sent-letter').getByRole('button', { name: 'Undo' }).click()
      await page.getByLabel('Your reply').waitFor()
      await until(async () => (await desk.messagesOf(first.conversation_id)).length === 1)
    }
  })

  test('can be taken back for ten seconds, also after a reload, and is the draft that it was', async () => {
    await show()
    await page.getByRole('button', { name: 'New mail' }).click()
    await choose('undo@north.example')
    await subject().fill('Second thoughts')
    await mail().fill('The first version')
    await page
      .locator('.writing input[type=file]')
      .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('10 EUR') })
    await page.locator('.writing .file a').waitFor()
    const before = [server.lastSeq(), (await desk.get('/conversations?limit=100')).data.length]
    await mail().press('Control+Enter')
    await letter().getByText('Sending to undo@north.example').waitFor()
    assert.equal(await mail().isVisible(), false)
    await assertAccessible(page)
    await page.reload()
    await letter().waitFor()
    await page.locator('.th').focus()
    await page.keyboard.press('z')
    await until(async () => (await mail().isVisible()) && (await mail().inputValue()) === 'The first version')
    await until(() => page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA'))
    assert.equal(await subject().inputValue(), 'Second thoughts')
    assert.deepEqual(await page.locator('.writing .file a').allTextContents(), ['offer.txt'])
    await mail().press('Control+End')
    await mail().pressSequentially(', mended')
    server.advance(20_000)
    await scheduler.tick()
    // Nothing has left, and nothing was begun.
    assert.deepEqual([server.lastSeq(), (await desk.get('/conversations?limit=100')).data.length], before)
    await mail().press('Control+Enter')
    await letter().getByRole('button', { name: 'Send now' }).click()
    await scheduler.tick()
    await page.getByRole('heading', { name: 'Second thoughts' }).waitFor()
    const { data } = await desk.get('/conversations?limit=100')
    assert.equal(data.length, (before[1] as number) + 1)
    const sent = (await sentTo('undo@north.example')) as Row
    assert.deepEqual([sent.body_text, sent.attachments.length], ['The first version, mended', 1])
    await becomes(
      async () =>
        (await ana.call('GET', '/app/inbox/new-mails')).body.data.filter(
          (each: Row) => each.subject === 'Second thoughts',
        ),
      [],
    )
  })

  test('that has lost what it needs before it leaves says so, and is a draft', async () => {
    await show()
    await page.getByRole('button', { name: 'New mail' }).click()
    await choose('late@north.example')
    await subject().fill('Too late')
    await mail().fill('With a file')
    await page
      .locator('.writing input[type=file]')
      .setInputFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('10 EUR') })
    await page.locator('.writing .file a').waitFor()
    await mail().press('Control+Enter')
    await letter().waitFor()
    server.store.db.prepare('DELETE FROM draft_files').run()
    await leave()
    await page.getByRole('alert').getByText('It was not sent').waitFor()
    assert.equal(await mail().inputValue(), 'With a file')
    assert.equal(await sentTo('late@north.example'), undefined)
  })

  test('takes an address that was typed whole, whether or not it is picked from what is found', async () => {
    await show()
    await page.getByRole('button', { name: 'New mail' }).click()
    await to().fill('typed.whole@north.example')
    await subject().fill('Typed')
    await page.locator('.to-lines .picked', { hasText: 'typed.whole@north.example' }).waitFor()
    await to().fill('not an address')
    await mail().fill('Hello')
    await to().fill('escaped@north.example')
    await to().press('Escape')
    await mail().focus()
    assert.deepEqual(await page.locator('.to-lines .picked .cut').allInnerTexts(), ['typed.whole@north.example'])
  })

  test('fills a phone, in German too, and a viewer is offered none', async () => {
    await ana.call('PATCH', '/app/preferences', { language: 'de' })
    await show('/inbox', ana, { size: 'phone' })
    await page.getByRole('button', { name: 'Neue Mail' }).click()
    await page.getByLabel('Text der Mail').waitFor()
    assert.equal(await page.locator('.il').isVisible(), false)
    await page.getByRole('button', { name: /^Senden/ }).scrollIntoViewIfNeeded()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Zurück zur Liste' }).click()
    await page.locator('.il').waitFor()
    await page.context().close()
    const viewer = await screens.signedIn('viewer')
    await show('/inbox', viewer)
    assert.equal(await page.getByRole('button', { name: 'New mail' }).count(), 0)
    await page.keyboard.press('c')
    await page.keyboard.press('m')
    assert.equal(await mail().count(), 0)
  })
})
