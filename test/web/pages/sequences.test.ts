import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { DAY, mail, mailbox, office, task } from '../../sequences/enrollment-replay.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { enroll } from '../../support/enrolled.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'

const fair = (more: object = {}) => ({
  ...{ key: 'fair', name: 'After the fair', status: 'active', hours: 'office', mailbox: 'sales' },
  steps: [mail(0, 'Thank you, {{contact.first_name}}'), mail(3 * DAY), task(DAY, 'Call them')],
  ...more,
})

describe('sequences on the screen', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ada: SignedIn
  let id: string
  const people: string[] = []

  before(async () => {
    server = await startServer()
    server.advance(Date.now() - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    ada = await screens.signedIn('admin')
    given(fair())
    id = (await server.call('GET', '/sequences')).body.data[0].id
    for (const name of ['Ana', 'Bo', 'Cy', 'Dee', 'Eli', 'Flo'])
      people.push(await person(name, { emails: [{ email: `${name}@x.example` }] }))
    // One under way, one paused, one at the end, and two who left it.
    enroll(server, server.a, id, { contact_id: people[0] as string, current_step: 1 })
    enroll(server, server.a, id, { contact_id: people[1] as string, status: 'paused', current_step: 1 })
    enroll(server, server.a, id, { contact_id: people[2] as string, status: 'completed', current_step: 3 })
    enroll(server, server.a, id, {
      ...{ contact_id: people[3] as string, status: 'stopped', stop_reason: 'reply', current_step: 1 },
    })
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })

  const given = (...sequences: object[]) =>
    void applySettings(server.store, server.a.org, {
      ...{ hours: [office('Europe/Berlin')], mailboxes: [mailbox({ daily_limit: 40 })], sequences },
    } as never)
  const person = async (first_name: string, more: object): Promise<string> =>
    (await server.call('POST', '/contacts', { first_name, ...more })).body.id
  const stored = (key = 'fair') => showSettings(server.store, server.a.org).sequences.find((each) => each.key === key)
  const statusOf = (contact: string | undefined) =>
    server.store.db
      .prepare('SELECT status FROM enrollments WHERE contact_id = ? ORDER BY id DESC LIMIT 1')
      .pluck()
      .get(contact)
  const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name })

  test('are listed with their state, who is in them and their figures', async () => {
    const page = await openPage(browser, screens, ada, '/sequences')
    const line = page.getByRole('row', { name: /After the fair/ })
    await line.getByText('3 steps, version 1').waitFor()
    await line.getByText('Active').waitFor()
    assert.deepEqual(
      await line
        .locator('td.num')
        .allTextContents()
        .then((all) => all.slice(0, 3)),
      ['2', '1', '1'],
    )
    await page.getByText('1 active, 2 people in them').waitFor()
    await assertAccessible(page)
    await line.getByRole('link').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'After the fair' }).waitFor()
    await page.context().close()
  })

  test('show the way through them, where people left it and who is where: all add up', async () => {
    const page = await openPage(browser, screens, ada, `/sequences/${id}`)
    const way = page.getByRole('region', { name: 'The way through it' })
    await way.getByRole('heading', { name: 'Where the 4 are' }).waitFor()
    assert.deepEqual(await way.locator('.seq-where dd').allTextContents(), ['2', '1', '1'])
    assert.deepEqual(await way.locator('.seq-exits').allTextContents(), ['1 replied'])
    await way.getByText('4 got it').waitFor()
    await way.getByText('1 reached the end').waitFor()
    await row(page, 'Dee').getByText('Stopped: replied').waitFor()
    await page.getByText('not tracked').first().waitFor()
    await page.getByRole('radio', { name: '30 days' }).click()
    await becomes(async () => (await page.locator('.seq-chart g').count()) > 20, true)
    await page.getByLabel('State').selectOption('Stopped')
    await row(page, 'Ana').waitFor({ state: 'hidden' })
    assert.ok(page.url().includes('who=stopped'))
    await assertAccessible(page)
    await page.context().close()
  })

  test('let one person be paused, go on and be stopped', async () => {
    const page = await openPage(browser, screens, ada, `/sequences/${id}`)
    const act = async (name: string, what: string) => {
      await page.getByRole('button', { name: `What to do with ${name}` }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('menuitem', { name: what }).click()
    }
    await act('Ana', 'Pause')
    await becomes(() => statusOf(people[0]), 'paused')
    await row(page, 'Ana').getByText('Paused').waitFor()
    await act('Ana', 'Go on')
    await becomes(() => statusOf(people[0]), 'active')
    await act('Bo', 'Stop')
    await becomes(() => statusOf(people[1]), 'stopped')
    await row(page, 'Bo').getByText('Stopped: by hand').waitFor()
    await page.context().close()
  })

  test('are paused, and started after what is missing and what is due was said', async () => {
    server.store.db.prepare('UPDATE enrollments SET due_at = 1 WHERE contact_id = ?').run(people[0])
    const page = await openPage(browser, screens, ada, `/sequences/${id}`)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await becomes(() => stored()?.status, 'paused')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Start “After the fair”?' })
    await dialog.getByText('Step 1: {{contact.first_name}} may be empty, and has no fallback.').waitFor()
    await dialog.getByText('sends at most 40 mails of sequences a day').waitFor()
    await dialog.getByText(/1 step has come due/).waitFor()
    await assertAccessible(page)
    await dialog.getByRole('button', { name: 'Start it all the same' }).click()
    await becomes(() => stored()?.status, 'active')
    given(fair(), { key: 'empty', name: 'Empty', status: 'draft', steps: [] })
    await page.goto(`${screens.url}/sequences?state=draft`)
    await page.getByRole('link', { name: /Empty/ }).click()
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('It has no steps.').waitFor()
    assert.equal(await page.getByRole('button', { name: /Start it/ }).count(), 0)
    await page.context().close()
  })

  test('take people, after it was said who goes in, who does not and why, and who had it before', async () => {
    await server.call('PATCH', `/contacts/${people[5]}`, { do_not_contact: true })
    const page = await openPage(browser, screens, ada, `/sequences/${id}`)
    await page.getByRole('heading', { name: 'People in it' }).waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'Enroll in “After the fair”' })
    for (const name of ['Cy', 'Eli', 'Flo', 'Ana']) {
      await dialog.getByRole('combobox', { name: 'Contacts' }).fill(name)
      await page.getByRole('option', { name }).first().click()
    }
    await dialog.getByText('In it already').waitFor()
    await dialog.getByText('Not to be contacted').waitFor()
    await dialog.getByRole('button', { name: 'Enroll 1' }).waitFor()
    await dialog.getByText('Also 1 person who had it before').waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Tab')
    await dialog.getByRole('button', { name: 'Enroll 1' }).click()
    await page.getByText('1 person enrolled in “After the fair”').first().waitFor()
    await row(page, 'Eli').waitFor()
    assert.ok(['active', 'scheduled'].includes(statusOf(people[4]) as string))
    assert.equal(statusOf(people[2]), 'completed')
    await page.context().close()
  })

  test('take the chosen contacts of a table, and the open one', async () => {
    const [gus, hal] = [await person('Gus', { emails: [{ email: 'gus@x.example' }] }), await person('Hal', {})]
    const page = await openPage(browser, screens, ada, '/contacts')
    for (const name of ['Gus', 'Hal'])
      await page
        .getByRole('row', { name: new RegExp(name) })
        .locator('.td.box')
        .click()
    await page.getByRole('button', { name: 'Enroll', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Enroll in a sequence' })
    await dialog.getByLabel('Sequence').selectOption('After the fair')
    const named = page.getByRole('dialog', { name: 'Enroll in “After the fair”' })
    await named.getByText('No address').waitFor()
    await assertAccessible(page)
    await named.getByRole('button', { name: 'Enroll 1' }).click()
    await becomes(() => statusOf(gus), 'active')
    await page.goto(`${screens.url}/contacts/${hal}`)
    await page.getByRole('heading', { name: 'Hal' }).first().waitFor()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('Enroll in a seq')
    await page
      .getByRole('option', { name: /Enroll in a sequence/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Enroll in a sequence' }).waitFor()
    await page.context().close()
  })

  test('are read by members, who enroll but do not change them, and only read by viewers', async () => {
    const member = await openPage(browser, screens, await screens.signedIn('member'), `/sequences/${id}`)
    await member.getByRole('button', { name: 'Enroll' }).waitFor()
    assert.equal(await member.getByRole('button', { name: 'Pause', exact: true }).count(), 0)
    assert.equal(await member.getByRole('button', { name: 'More', exact: true }).count(), 0)
    await member.context().close()
    const viewer = await openPage(browser, screens, await screens.signedIn('viewer'), `/sequences/${id}?edit=1`)
    await viewer.getByRole('heading', { name: /Where the/ }).waitFor()
    assert.equal(await viewer.getByRole('button', { name: /Enroll|What to do with/ }).count(), 0)
    await viewer.context().close()
  })

  test('are read in German and on a phone', async () => {
    await ada.call('PATCH', '/app/preferences', { language: 'de' })
    const page = await openPage(browser, screens, ada, `/sequences/${id}`, { size: 'phone' })
    await page.getByRole('heading', { name: 'Der Weg hindurch' }).waitFor()
    await page.getByText('Gestoppt: geantwortet').waitFor()
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    await assertAccessible(page)
    await ada.call('PATCH', '/app/preferences', { language: 'en' })
    await page.context().close()
  })
})
