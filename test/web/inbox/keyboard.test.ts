import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { bulkKinds } from '../../../src/site/app/bulk/routes.ts'
import { type Scheduler, startScheduler } from '../../../src/store/jobs/scheduler.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { inboxOf } from '../../support/inbox.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import type { Row } from '../../support/records.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

// A morning at the inbox by keys alone: 20 conversations are triaged and 5 answered. axe looks at each state on the way.

describe('the inbox without a mouse', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let inbox: ReturnType<typeof inboxOf>
  let ana: SignedIn
  let ben: SignedIn
  let page: Page
  let scheduler: Scheduler

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now()) // pages go by the clock of the server
    screens = await startScreens(server)
    browser = await startChromium()
    inbox = inboxOf(server)
    ana = await screens.signedIn('member')
    ben = await screens.signedIn('admin')
    scheduler = startScheduler({
      ...{ store: server.store, log: silentLog, kinds: bulkKinds(server.deps) },
      ...{ recurring: [], afterJump: [] },
    })
  })
  after(async () => {
    await browser?.close()
    await scheduler?.stop()
    await screens?.stop()
    await server?.stop()
  })

  const nameOf = (n: number) => `Case ${String(n).padStart(2, '0')}`
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const type = (text: string) => page.keyboard.type(text)
  const here = (n: number) => page.getByRole('heading', { name: nameOf(n), level: 2, exact: true }).waitFor()
  const gone = (n: number) => page.locator('.cv', { hasText: nameOf(n) }).waitFor({ state: 'detached' })
  const said = (text: string) => page.locator('.toast', { hasText: text }).first().waitFor()
  const settled = () => page.getByText('Everything saved').first().waitFor({ state: 'attached' })
  const command = async (words: string) => {
    await press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await type(words)
    await page.locator('dialog [role=option][aria-selected=true]').waitFor()
  }
  const order = async () =>
    (await page.locator('.cv').allInnerTexts()).map((text) => Number(/Case (\d+)/.exec(text)?.[1]))
  /** What was answered stands behind all that wait: from there up to the next of them. */
  const onFrom = async (answered: number, next: number) => {
    await press('Escape')
    await until(async () => (await order()).at(-1) === answered)
    const now = await order()
    for (const n of now.slice(now.indexOf(next), -1).reverse()) {
      await press('k')
      await here(n)
    }
  }
  /** Goes down the menu to the item, and takes it. */
  const pick = async (name: string) => {
    const item = page.getByRole('menuitemradio', { name }).or(page.getByRole('menuitem', { name })).first()
    await item.waitFor()
    const isThere = () =>
      item.evaluate((one) => one === (one.ownerDocument as { activeElement: unknown }).activeElement)
    for (let tries = 0; !(await isThere()); tries++) {
      assert.ok(tries < 12, `${name} is reached by the arrow keys`)
      await press('ArrowDown')
    }
    await press('Enter')
  }

  test('20 conversations are triaged and 5 answered', async () => {
    const all: Row[] = []
    for (let n = 0; n < 25; n++) {
      server.advance(1000)
      const from = { name: `Customer ${n}`, email: `customer${n}@firm.example` }
      all.push(await inbox.opened({ from, subject: nameOf(n) }))
    }
    const read = (n: number) => inbox.conversation((all[n] as Row).id)
    const becomes = (n: number, is: (record: Row) => boolean) => until(async () => is(await read(n)))
    const messages = async (n: number): Promise<Row[]> =>
      (await inbox.get(`/conversations/${(all[n] as Row).id}/messages?sort=created_at`)).data
    const deal = { title: 'Hall', primary_contact_id: (all[15] as Row).contact_id }
    assert.equal((await server.call('POST', '/deals', deal)).status, 201)
    const reply = { title: 'Thanks', text: 'Thank you for writing, {{contact.first_name}}.', is_shared: true }
    assert.equal((await ana.call('POST', '/app/saved-replies', reply)).status, 201)

    page = await openPage(browser, screens, ana, '/inbox')
    await page.evaluate(() => {
      const root = globalThis as unknown as { pointed: number; addEventListener: (...given: unknown[]) => void }
      root.pointed = 0
      for (const kind of ['pointerdown', 'mousedown', 'touchstart', 'wheel', 'pointermove'])
        root.addEventListener(kind, () => root.pointed++, true)
    })
    await here(0)
    await page.locator('.msg').first().waitFor()
    await assertAccessible(page)

    // Four are closed, one after the other.
    for (let n = 0; n < 4; n++) {
      await press('e')
      await here(n + 1)
      await gone(n)
    }
    await said('Closed')
    await assertAccessible(page)

    // Two sleep until tomorrow.
    for (const n of [4, 5]) {
      await press('z')
      await page.getByRole('menuitem', { name: 'Tomorrow' }).waitFor()
      if (n === 4) await assertAccessible(page)
      await pick('Tomorrow')
      await gone(n)
      await press('j')
      await here(n + 1)
    }

    // Two are given away.
    for (const n of [6, 7]) {
      await press('a')
      await page.getByRole('menu').waitFor()
      if (n === 6) await assertAccessible(page)
      await pick('A admin')
      await becomes(n, ({ owner_id }) => owner_id === ben.id)
      await press('j')
      await here(n + 1)
    }

    // Two get a tag, the first of them a new one.
    for (const n of [8, 9]) {
      await press('t')
      await page.getByRole('combobox', { name: 'Add tags' }).waitFor()
      await type('Returns')
      await page
        .getByRole('option', { name: /Returns/ })
        .first()
        .waitFor()
      if (n === 8) await assertAccessible(page)
      await press('Enter')
      await page.locator('.ih .tag', { hasText: 'Returns' }).waitFor()
      await becomes(n, ({ tag_ids }) => tag_ids.length === 1)
      await press('j')
      await here(n + 1)
    }
    await assertAccessible(page)

    // Two are urgent.
    for (const n of [10, 11]) {
      await press('p')
      await page.getByRole('menu').waitFor()
      if (n === 10) await assertAccessible(page)
      await pick('Urgent')
      await becomes(n, ({ priority }) => priority === 'urgent')
      await press('j')
      await here(n + 1)
    }

    // One belongs to the next.
    await command('merge into')
    await assertAccessible(page)
    await press('Enter')
    await page.getByRole('combobox', { name: 'Find the conversation that stays' }).waitFor()
    await type(nameOf(13))
    await page.getByRole('option', { name: nameOf(13) }).waitFor()
    await assertAccessible(page)
    await press('Enter')
    await here(13)
    await page.locator('.told', { hasText: 'was merged into this one' }).waitFor()
    await gone(12)
    await assertAccessible(page)
    await press('j')
    await here(14)

    // Two are spam. One of them asks first.
    await command('mark as spam')
    await press('Enter')
    await gone(14)
    await press('j')
    await here(15)
    await command('mark as spam')
    await press('Enter')
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    await assertAccessible(page)
    const verb = question.getByRole('button', { name: 'Mark as spam' })
    const isOn = () => verb.evaluate((one) => one === (one.ownerDocument as { activeElement: unknown }).activeElement)
    for (let tries = 0; tries < 4 && !(await isOn()); tries++) await press('Tab')
    await press('Enter')
    await gone(15)
    await press('j')
    await here(16)

    // Four are done with at once.
    await press('x')
    for (let n = 17; n < 20; n++) {
      await press('Shift+J')
      await here(n)
    }
    await page.locator('.bulk b', { hasText: '4 selected' }).waitFor()
    await assertAccessible(page)
    await press('t')
    await page.getByRole('combobox', { name: 'Add tags' }).waitFor()
    await type('Returns')
    await page
      .getByRole('option', { name: /Returns/ })
      .first()
      .waitFor()
    await assertAccessible(page)
    await press('Enter')
    await becomes(19, ({ tag_ids }) => tag_ids.length === 1)
    await page.locator('.bulk b', { hasText: '4 selected' }).waitFor()
    await press('e')
    for (let n = 16; n < 20; n++) await gone(n)
    await said('4 conversations closed')
    await press('j')
    await here(20)

    // Five are answered: in a line, by a saved reply, after a note, closing it, and after leaving and coming back.
    const box = (name: string) => page.getByRole('textbox', { name })
    const focused = (name: string) => page.locator('textarea:focus').and(box(name)).waitFor()
    const sent = (text: string) => page.locator('.msg', { hasText: text }).waitFor()
    await press('r')
    await focused('Your reply')
    await type('It leaves today.')
    await assertAccessible(page)
    await press('Control+Enter')
    await sent('It leaves today.')
    await onFrom(20, 21)

    await press('r')
    await focused('Your reply')
    await type(';')
    await page.getByRole('listbox', { name: 'Saved replies' }).waitFor()
    await assertAccessible(page)
    await type('thanks')
    await page.getByRole('option', { name: 'Thanks' }).waitFor()
    await press('Enter')
    await until(async () => (await box('Your reply').inputValue()).startsWith('Thank you for writing'))
    await press('Control+Enter')
    await sent('Thank you for writing, Customer.')
    await onFrom(21, 22)

    await press('n')
    await focused('Your note')
    await type('He has a contract.')
    await assertAccessible(page)
    await press('Control+Enter')
    await page.locator('.msg.is-note', { hasText: 'He has a contract.' }).waitFor()
    await press('Escape', 'r')
    await focused('Your reply')
    await type('We come on Monday.')
    await press('Control+Enter')
    await sent('We come on Monday.')
    await assertAccessible(page)
    await onFrom(22, 23)

    await press('r')
    await focused('Your reply')
    await type('That is all.')
    await press('Control+Shift+Enter')
    await becomes(23, ({ status }) => status === 'closed')
    await press('Escape')
    await gone(23)
    await press('j')
    await here(24)

    await press('r')
    await focused('Your reply')
    await type('I will ask')
    await press('Escape', 'k', 'j')
    await here(24)
    await press('r')
    await focused('Your reply')
    assert.equal(await box('Your reply').inputValue(), 'I will ask')
    await press('Control+End')
    await type(' her.')
    await press('Control+Enter')
    await sent('I will ask her.')
    await press('Escape')
    await settled()
    await assertAccessible(page)

    const records = await Promise.all(all.map((_, n) => read(n)))
    assert.deepEqual(
      records.map(({ status }) => status),
      all.map((_, n) =>
        n === 4 || n === 5 ? 'snoozed' : n < 4 || [12, 14, 15, 16, 17, 18, 19, 23].includes(n) ? 'closed' : 'open',
      ),
    )
    assert.deepEqual((await ana.call('GET', '/app/inbox/spam')).body.senders.map(({ email }: Row) => email).sort(), [
      'customer14@firm.example',
      'customer15@firm.example',
    ])
    const answers = await Promise.all([20, 21, 22, 23, 24].map(messages))
    assert.deepEqual(
      answers.map((thread) => thread.slice(1).map(({ direction, body_text }) => [direction, body_text])),
      [
        [['outbound', 'It leaves today.']],
        [['outbound', 'Thank you for writing, Customer.']],
        [
          ['note', 'He has a contract.'],
          ['outbound', 'We come on Monday.'],
        ],
        [['outbound', 'That is all.']],
        [['outbound', 'I will ask her.']],
      ],
    )
    assert.equal(await page.evaluate(() => (globalThis as unknown as { pointed: number }).pointed), 0, 'no mouse')
  })
})
