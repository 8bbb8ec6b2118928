import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { applySettings, showSettings } from '../../../src/app/settings/document.ts'
import { DAY, mail, mailbox, office, task } from '../../sequences/enrollment-replay.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { enroll } from '../../support/enrolled.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { becomes } from '../../support/until.ts'

describe('the builder of a sequence', { skip: noBrowser, concurrency: false }, () => {
  let server: TestServer
  let screens: Screens
  let browser: Browser
  let ada: SignedIn
  let contact: string
  let page: Page
  let id: string

  before(async () => {
    server = await startServer()
    // A Friday evening: what follows is behind the weekend.
    server.advance(Date.UTC(2027, 2, 19, 18, 13) - server.now())
    screens = await startScreens(server)
    browser = await startChromium()
    ada = await screens.signedIn('admin')
    const given = { first_name: 'Ana', emails: [{ email: 'ana@x.example' }] }
    contact = (await server.call('POST', '/contacts', given)).body.id
  })
  after(async () => {
    await browser?.close()
    await screens?.stop()
    await server?.stop()
  })
  beforeEach(async () => {
    await page?.context().close()
    server.store.db.prepare('DELETE FROM enrollments').run()
    give()
    id = (await server.call('GET', '/sequences')).body.data.find(({ name }: { name: string }) => name === 'Fair').id
    await ada.call('PATCH', '/app/preferences', { language: 'en' })
    page = await openPage(browser, screens, ada, `/sequences/${id}?edit=1`)
    await page.getByRole('form').waitFor()
  })

  const give = (more: object = {}) =>
    void applySettings(server.store, server.a.org, {
      ...{ hours: [office('Europe/Berlin')], mailboxes: [mailbox({ daily_limit: 40 })] },
      sequences: [
        {
          ...{ key: 'fair', name: 'Fair', status: 'active', hours: 'office', mailbox: 'sales', stop_on: ['reply'] },
          steps: [mail(0, 'Hello {{contact.first_name}}'), task(DAY, 'Look', { business_days_only: true })],
          ...more,
        },
      ],
    } as never)
  const stored = () => showSettings(server.store, server.a.org).sequences.find(({ key }) => key === 'fair')
  const steps = () => stored()?.steps.map(({ subject, task_title }) => subject ?? task_title)
  const step = (number: number) => page.locator('[data-step]').nth(number - 1)
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()

  test('is begun for a new one, and takes steps, delays, hours, stop rules and a mailbox', async () => {
    await page.goto(`${screens.url}/sequences`)
    await page.getByRole('heading', { name: 'Sequences' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Name').fill('Winter')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Email', exact: true }).click()
    await page.keyboard.type('3')
    await step(1).getByLabel('After the start').fill('2')
    await step(1).getByLabel('Unit').selectOption('hours')
    await step(1).getByRole('textbox', { name: 'Subject' }).fill('Hello')
    await save()
    await page.getByText('Fill in').or(page.locator('.help.late')).first().waitFor()
    await step(1).getByRole('textbox', { name: 'Text' }).fill('How are you?')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await step(2).getByRole('textbox', { name: 'Title of the task' }).fill('Call')
    await page.getByLabel('Hours in which it acts').selectOption({ label: 'Office (Europe/Berlin)' })
    await page.getByLabel('Mailbox').selectOption({ label: 'Sales (sales@acme.example)' })
    await page.getByLabel('has a deal that is closed').uncheck()
    await assertAccessible(page)
    await save()
    await page.getByRole('heading', { name: 'Where the 0 are' }).waitFor()
    const winter = showSettings(server.store, server.a.org).sequences.find(({ key }) => key === 'winter')
    assert.deepEqual(winter, {
      ...{ key: 'winter', name: 'Winter', description: null, status: 'draft', hours: 'office', mailbox: 'sales' },
      stop_on: ['reply', 'meeting_booked', 'unsubscribe', 'bounce'],
      steps: [
        { type: 'email', delay_s: 7200, business_days_only: true, subject: 'Hello', body: 'How are you?' },
        { type: 'call', delay_s: 3 * DAY, business_days_only: true, task_title: 'Call' },
      ],
    })
  })

  test('moves steps by keys, which keep the focus, and by the mouse, and deletes them with a way back', async () => {
    await page.getByRole('button', { name: 'Move step 2 up' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('It is step 1 of 2 now').waitFor({ state: 'attached' })
    await becomes(() => page.evaluate(() => document.activeElement?.getAttribute('data-move')), 'up')
    assert.equal(await step(1).getByRole('textbox', { name: 'Title of the task' }).inputValue(), 'Look')
    await step(2).locator('.handle').dragTo(step(1))
    await becomes(() => step(2).getByRole('textbox', { name: 'Title of the task' }).count(), 1)
    await page.getByRole('button', { name: 'Delete step 1' }).click()
    await becomes(() => page.locator('[data-step]').count(), 1)
    await page.getByRole('button', { name: 'Undo' }).click()
    await becomes(() => page.locator('[data-step]').count(), 2)
    await page.getByRole('button', { name: 'Move step 1 down' }).click()
    await save()
    // The first mail is a mail still, whatever stands before it.
    await becomes(steps, ['Look', 'Hello {{contact.first_name}}'])
  })

  test('puts variables in by two braces, with what stands in for them', async () => {
    const text = step(1).getByRole('textbox', { name: 'Text' })
    await text.fill('For ')
    await text.press('End')
    await page.keyboard.type('{{')
    await page.getByRole('option', { name: 'company.name', exact: true }).click()
    await page.keyboard.type('your team')
    await becomes(
      () => text.inputValue(),
      'For {{#company.name}}{{company.name}}{{/company.name}}{{^company.name}}your team{{/company.name}}',
    )
    await step(1).getByRole('button', { name: 'Insert a variable: Subject' }).click()
    await page.getByRole('combobox', { name: 'Variable', exact: true }).fill('sender.na')
    await page.keyboard.press('Enter')
    await becomes(
      async () => (await step(1).getByRole('textbox', { name: 'Subject' }).inputValue()).includes('{{sender.name}}'),
      true,
    )
  })

  test('shows the texts and true times for a contact, as they are typed', async () => {
    const seen = page.getByRole('complementary', { name: 'As a real contact gets it' })
    await seen.getByRole('combobox').fill('Ana')
    await page.getByRole('option', { name: 'Ana' }).click()
    await seen.getByRole('heading', { name: 'Hello Ana' }).waitFor()
    const times = () => seen.locator('time').evaluateAll((all) => all.map((each) => each.getAttribute('datetime')))
    // Monday when the office opens, and a business day later.
    await becomes(times, ['2027-03-22T08:00:00.000Z', '2027-03-23T08:00:00.000Z'])
    await step(1).getByRole('textbox', { name: 'Text' }).fill('Of {{company.name}}')
    await seen.getByText('[company.name is empty]').waitFor()
    await seen.getByText('Step 1: {{contact.first_name}}, {{company.name}} may be empty').waitFor()
    await step(1).getByLabel('After the start').fill('2')
    await step(1).getByLabel('Unit').selectOption('days')
    await becomes(async () => (await times())[0], '2027-03-22T08:00:00.000Z')
    await server.call('PATCH', `/contacts/${contact}`, { do_not_contact: true })
    await step(1).getByLabel('After the start').fill('3')
    await seen.getByText('This contact is not to be contacted').waitFor()
    await server.call('PATCH', `/contacts/${contact}`, { do_not_contact: false })
    await assertAccessible(page)
  })

  test('says who keeps the steps as they were before it saves', async () => {
    enroll(server, server.a, id, { contact_id: contact })
    await page.reload()
    await step(1).getByRole('textbox', { name: 'Subject' }).fill('Good day')
    await page.getByText('1 person under way keep the steps of version 1').waitFor()
    await save()
    await becomes(steps, ['Good day', 'Look'])
    await page.getByText('2 steps, version 2').waitFor()
    await page.getByLabel('Version of the steps').selectOption('1')
    await page.getByRole('heading', { name: 'Hello {{contact.first_name}}' }).waitFor()
  })

  test('keeps what was typed where a colleague has changed it, and both can be had', async () => {
    await page.getByLabel('Name').fill('Mine')
    const other = await screens.signedIn('owner')
    await other.call('PATCH', `/app/sequences/${id}`, { name: 'Theirs' })
    await save()
    await page.getByText('Somebody has changed this sequence in the meantime.').waitFor()
    assert.equal(stored()?.name, 'Theirs')
    await page.getByRole('button', { name: 'Save mine in its place' }).click()
    await becomes(() => stored()?.name, 'Mine')
  })

  test('is used in German and on a phone', async () => {
    await ada.call('PATCH', '/app/preferences', { language: 'de' })
    const phone = await openPage(browser, screens, ada, `/sequences/${id}?edit=1`, { size: 'phone' })
    await phone.getByRole('heading', { name: 'Wie ein echter Kontakt sie bekommt' }).waitFor()
    await phone.locator('.seq-seen').first().waitFor()
    assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
    await assertAccessible(phone)
    await phone.context().close()
  })
})
