import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { expectComplaint, noBrowser } from '../../support/chromium.ts'
import { type Front, INSTEAD, startFront } from '../../support/front.ts'
import { assertAccessible } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { PASSWORD } from '../../support/screens.ts'
import { until } from '../../support/until.ts'
import { cutOff } from '../cut-off.ts'
import { close, type Site, startSite } from './site.ts'

// What a person sees in a real browser while something between it and the server answers in the server's place.

describe('while something in front of the server answers', { skip: noBrowser }, () => {
  let site: Site
  let front: Front
  /** One page, which most tests go on with. */
  let kept: Page | undefined
  const { newDeal, newContact, getRecord } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
    front = await startFront(site.url)
  })
  afterEach(() => front.use(undefined))
  after(async () => {
    front?.stop()
    await site?.stop()
  })

  // What answers in front of the server is an error to the browser, whatever the page makes of it.
  beforeEach(() => expectComplaint(/Failed to load (?:resource|module script)|gate\.example\.invalid/))

  async function openAs(path: string, options: { theme?: 'dark'; width?: number; language?: string } = {}) {
    const member = await site.screens.signedIn('member')
    if (options.language === 'de-DE') await member.call('PATCH', '/app/preferences', { language: 'de' })
    const page = await site.open(path, member.cookie, { ...options, url: front.url })
    await isLoaded(page)
    return page
  }

  /** All that a person needs to edit is there before anything comes in between. */
  const isLoaded = (page: Page) =>
    page.waitForFunction(() => performance.getEntriesByType('resource').some(({ name }) => /parse-figures/.test(name)))

  /** Goes to an address in the page of the test before, which the server answers itself. */
  async function goTo(path: string): Promise<Page> {
    if (!kept) {
      kept = await openAs(path)
      return kept
    }
    await kept.goto(front.url + path)
    await isLoaded(kept)
    return kept
  }

  const banner = (page: Page) => page.locator('.banner')

  async function editAmount(page: Page, amount: string): Promise<void> {
    await page.locator('[data-property="amount"]').first().click()
    await page.keyboard.type(amount)
    await page.keyboard.press('Enter')
  }

  const isStored = async (id: string, amount: number) => (await getRecord(`/deals/${id}`)).amount === amount

  test('a proxy without its server deletes nothing: the change waits, and is sent once it is back', async () => {
    const { id } = await newDeal({ title: 'Kiln', amount: 1, currency: 'EUR' })
    const page = await goTo(`/deals/${id}`)
    await page.getByText('Kiln').first().waitFor()
    front.use(INSTEAD.noRoute)
    await editAmount(page, '777')
    await page.getByText('Something in front of Dealbox answered 404.').first().waitFor()
    assert.equal(await page.getByText('This deal is deleted').count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Open the page anew' }).count(), 0, 'it would lose the page')
    front.use(undefined)
    await until(() => isStored(id, 777))
    await page.getByText('Everything saved').waitFor()
    assert.equal(await page.getByText('This deal is deleted').count(), 0)
  })

  test('a deletion is not said to be done by a 404 of a proxy', async () => {
    const { id } = await newContact({ first_name: 'Nele', last_name: 'Nachbar' })
    const page = await goTo(`/contacts/${id}`)
    await page.getByText('Nele Nachbar').first().waitFor()
    front.use(INSTEAD.noRoute)
    await page.keyboard.press('Backspace')
    await page.getByText('1 change waits.').first().waitFor()
    assert.equal(await page.getByText(/Nele Nachbar.*deleted/).count(), 0)
    front.use(undefined)
    await until(async () => (await site.server.call('GET', `/contacts/${id}`)).status === 404)
  })

  for (const [name, status] of [
    ['gate', 401],
    ['apiGate', 401],
    ['firewall', 403],
    ['page', 200],
    ['loginPage', 0],
    ['elsewhere', 0],
  ] as const) {
    test(`a gate (${name}) is named, the session goes on, and it goes away by itself`, async () => {
      const { id } = await newDeal({ title: 'Gate', amount: 1, currency: 'EUR' })
      const page = await goTo(`/deals/${id}`)
      await page.getByText('Gate').first().waitFor()
      front.use(INSTEAD[name])
      await editAmount(page, '55')
      await page.getByRole('button', { name: 'Open the page anew' }).waitFor()
      const said = status === 0 ? 'sent the request elsewhere.' : `answered ${status}.`
      await banner(page).getByText(`Something in front of Dealbox ${said}`).waitFor()
      await banner(page).getByText('1 change waits.').waitFor()
      assert.equal(await page.locator('dialog[open]').count(), 0)
      front.use(undefined)
      await until(() => isStored(id, 55))
      await banner(page).waitFor({ state: 'detached' })
    })
  }

  test('the page is opened anew past the gate, and what waits is sent', async () => {
    const { id } = await newDeal({ title: 'Anew', amount: 1, currency: 'EUR' })
    const page = await goTo(`/deals/${id}`)
    await page.getByText('Anew').first().waitFor()
    let isSignedIn = false
    front.use((method, path) => {
      if (method === 'GET' && path === `/deals/${id}`) isSignedIn = true // the gate asks, and is told who comes
      return isSignedIn ? undefined : INSTEAD.gate
    })
    await editAmount(page, '66')
    await page.getByRole('button', { name: 'Open the page anew' }).click()
    await until(() => isStored(id, 66))
    await page.getByText('Everything saved').waitFor()
  })

  test('a change that is refused alone stands over the screen, to be tried again or dropped', async () => {
    const { id } = await newDeal({ title: 'Alone', amount: 1, currency: 'EUR' })
    const page = await goTo(`/deals/${id}`)
    await page.getByText('Alone').first().waitFor()
    front.use((method, _path, body) => (method === 'PATCH' && /77/.test(body) ? INSTEAD.tooLarge : undefined))
    await editAmount(page, '77')
    const stands = banner(page).getByText('A change is not saved: “Alone”.')
    await stands.waitFor()
    await banner(page).getByText('Something in front of Dealbox answered 413.').waitFor()
    await assertAccessible(page)
    await banner(page).getByRole('button', { name: 'Try again' }).click()
    await stands.waitFor({ state: 'detached' })
    await stands.waitFor()
    await banner(page).getByRole('button', { name: 'Discard' }).click()
    await stands.waitFor({ state: 'detached' })
    await page.getByText('Everything saved').waitFor()
    assert.equal((await getRecord(`/deals/${id}`)).amount, 1)
  })

  test('the stream whose own file was kept back at first comes once it is let through', async () => {
    const { id } = await newDeal({ title: 'Before' })
    front.use((_method, path) => (path.includes('stream-worker') ? INSTEAD.gate : undefined))
    const page = await openAs(`/deals/${id}`)
    await page.getByText('Reconnecting').waitFor()
    front.use(undefined)
    await page.getByText('Everything saved').waitFor()
    await site.server.call('PATCH', `/deals/${id}`, { title: 'After' })
    await page.getByText('After').first().waitFor()
    await page.context().close()
  })

  test('signing in with the right password says what answered, and not that the password is wrong', async () => {
    const { email } = await site.screens.newMember('member')
    for (const [language, text, button] of [
      ['en-GB', 'Something in front of Dealbox answered 401', 'Open the page anew'],
      ['de-DE', 'Etwas vor Dealbox hat mit 401 geantwortet', 'Seite neu öffnen'],
    ] as const) {
      const page = await site.open('/', undefined, { url: front.url, language })
      await page.locator('[name=email]').fill(email)
      await page.locator('[name=password]').fill(PASSWORD)
      front.use(INSTEAD.gate)
      await page.keyboard.press('Enter')
      await page.getByText(text).waitFor()
      await page.getByRole('button', { name: button }).waitFor()
      await assertAccessible(page)
      front.use(undefined)
      await page.locator('[name=password]').press('Enter')
      await page.locator('.side').first().waitFor()
      await close(page)
    }
  })

  test('a session that has ended as well is asked for, and the gate is named there', async () => {
    const member = await site.screens.signedIn('member')
    const page = await site.open('/deals', member.cookie, { url: front.url })
    await page.getByText('Everything saved').waitFor()
    await member.call('POST', '/app/logout', {})
    await page.getByText('Your session ended').waitFor()
    front.use(INSTEAD.gate)
    await page.locator('dialog[open] [name=password]').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.locator('dialog[open]').getByText('Something in front of Dealbox answered 401').waitFor()
    await close(page)
  })

  test('nothing is cut off in German, on a phone and in the dark', async () => {
    const { id } = await newDeal({ title: 'Gekürzt', amount: 1, currency: 'EUR' })
    const page = await openAs(`/deals/${id}`, { theme: 'dark', width: 390, language: 'de-DE' })
    await page.getByText('Gekürzt').first().waitFor()
    front.use(INSTEAD.gate)
    await banner(page).getByText('Etwas vor Dealbox hat mit 401 geantwortet.').waitFor()
    await banner(page).getByRole('button', { name: 'Seite neu öffnen' }).waitFor()
    assert.deepEqual(await cutOff(page), [])
    await close(page)
  })
})
