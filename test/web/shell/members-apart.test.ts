import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { credentialStore } from '../../../src/auth/credentials.ts'
import { memberSettings } from '../../../src/crm/members/settings.ts'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { PASSWORD } from '../../support/screens.ts'
import { close, type Site, startSite } from './site.ts'

// Two members at one browser: nothing of one goes out, or is shown, as the other's.

const SECRET = 'a thought about the boss'

describe('two members at one browser', { skip: noBrowser }, () => {
  let site: Site
  const { newDeal } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  /** What the browser keeps, all of it. */
  const kept = (page: Page): Promise<string> =>
    page.evaluate(async () => {
      const databases = await indexedDB.databases()
      const rows = databases.map(
        ({ name }) =>
          new Promise((resolve) => {
            const opening = indexedDB.open(name as string)
            opening.onsuccess = () => {
              const all = opening.result.transaction('writes').objectStore('writes').getAll()
              all.onsuccess = () => resolve(all.result)
            }
          }),
      )
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, await Promise.all(rows)])
    })

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: /^Acme/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }

  async function signIn(page: Page, email: string | null): Promise<void> {
    await page.getByLabel('Email').fill(email ?? '')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  }

  /** Opens the title of the deal and types another. */
  async function rename(page: Page, title: string): Promise<void> {
    await page.getByRole('button', { name: 'Edit Title' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(title)
    await page.keyboard.press('Enter')
  }

  const noteOn = (page: Page) => page.getByRole('textbox', { name: 'Note' })

  test('who signs in on another tab gets neither the changes nor the drafts of the other', async () => {
    const deal = await newDeal({ title: 'Harbour' })
    const ben = await site.screens.newMember('member')
    const { member: ana, page } = await site.openAs('member', `/deals/${deal.id}`)
    await noteOn(page).waitFor()
    // Nothing gets through from this tab, until the other member is signed in.
    await page.route(/\/api\/|\/app\//, (route) => route.abort())
    await rename(page, 'Harbour of Ana')
    await noteOn(page).fill(SECRET)

    const other = await page.context().newPage()
    await other.goto(`${site.url}/settings/me`)
    await other.getByRole('heading', { name: 'My preferences' }).waitFor()
    // As when the session has ended, and somebody else comes.
    assert.equal((await site.screens.send('POST', '/app/logout', {}, { cookie: ana.cookie })).status, 204)
    await other.reload()
    await signIn(other, ben.email)
    await page.unroute(/\/api\/|\/app\//)
    const dialog = page.getByRole('alertdialog')
    await dialog.waitFor()

    const asked = other.waitForResponse(/\/app\/drafts\//)
    await other.goto(`${site.url}/deals/${deal.id}`)
    await asked
    await other.getByText('Everything saved').waitFor()
    assert.equal(await noteOn(other).inputValue(), '')
    assert.equal((await site.server.call('GET', `/deals/${deal.id}`)).body.title, 'Harbour')

    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Draft kept').waitFor()
    await page.getByText('Everything saved').waitFor()
    assert.equal(await noteOn(page).inputValue(), SECRET)
    const [change] = site.server.events().filter(({ type }) => type === 'deal.updated')
    assert.deepEqual([change?.object.title, change?.actor], ['Harbour of Ana', ana.id])
    // Now it is the other page whose member has gone.
    await other.getByRole('alertdialog').waitFor()
    await close(page)
  })

  test('signing out sends what waits, and leaves nothing of it in the browser', async () => {
    const deal = await newDeal({ title: 'Bridge' })
    const { member, page } = await site.openAs('member', `/deals/${deal.id}`)
    await page.getByText('Everything saved').waitFor()
    await rename(page, 'Bridge of Ana')
    await noteOn(page).fill(SECRET)
    await signOut(page)
    await page.getByLabel('Email').waitFor()
    assert.equal((await site.server.call('GET', `/deals/${deal.id}`)).body.title, 'Bridge of Ana')
    const again = await site.screens.signedIn({ id: member.id })
    assert.match((await again.call('GET', `/app/drafts/note:deals:${deal.id}`)).text, new RegExp(SECRET))
    const left = await kept(page)
    for (const each of [SECRET, 'Bridge', member.id, deal.id]) assert.ok(!left.includes(each), `${each} in ${left}`)
    await close(page)
  })

  test('signing out names what cannot be sent, asks, and takes it away as well', async () => {
    const deal = await newDeal({ title: 'Tower' })
    const { page } = await site.openAs('member', `/deals/${deal.id}`)
    await noteOn(page).waitFor()
    await page.route(/\/api\/v1\/deals\/|\/app\/drafts\//, (route) => route.abort())
    await rename(page, 'Tower of Ana')
    await noteOn(page).fill(SECRET)
    await signOut(page)
    const question = page.getByRole('alertdialog', { name: 'Sign out and lose this?' })
    await question.getByText('A change is not saved: “Tower of Ana”.').waitFor()
    await question.getByText(`A text that you began: “${SECRET}”.`).waitFor()
    await assertAccessible(page)
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await noteOn(page).inputValue(), SECRET)
    assert.match(await kept(page), new RegExp(SECRET))

    await signOut(page)
    await question.getByRole('button', { name: 'Sign out and lose it' }).click()
    await page.getByLabel('Email').waitFor()
    const left = await kept(page)
    for (const each of [SECRET, 'Tower', deal.id]) assert.ok(!left.includes(each), `${each} in ${left}`)
    assert.equal((await site.server.call('GET', `/deals/${deal.id}`)).body.title, 'Tower')
    await close(page)
  })

  test('what another tab adds while the question stands is asked about, too', async () => {
    const [one, two] = [await newDeal({ title: 'Lock' }), await newDeal({ title: 'Weir' })]
    const { page } = await site.openAs('member', `/deals/${one.id}`)
    await noteOn(page).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${site.url}/deals/${two.id}`)
    await noteOn(other).waitFor()
    for (const each of [page, other]) await each.route(/\/api\/v1\/deals\/|\/app\/drafts\//, (route) => route.abort())
    await rename(page, 'Lock of Ana')
    await signOut(page)
    const question = page.getByRole('alertdialog', { name: 'Sign out and lose this?' })
    await question.waitFor()
    await noteOn(other).fill(SECRET)
    await question.getByRole('button', { name: 'Sign out and lose it' }).click()
    await question.getByText(`A text that you began: “${SECRET}”.`).waitFor()
    await question.getByRole('button', { name: 'Stay' }).click()
    assert.equal(await noteOn(other).inputValue(), SECRET)
    await close(page)
  })

  test('signing out takes the other pages of the member along, and the palette of the next one is empty', async () => {
    const deal = await newDeal({ title: 'Quarry' })
    const ben = await site.screens.newMember('member')
    const { page } = await site.openAs('member', `/deals/${deal.id}`)
    await noteOn(page).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${site.url}/settings/me`)
    await other.getByRole('heading', { name: 'My preferences' }).waitFor()
    await signOut(other)
    await page.getByLabel('Email').waitFor()
    await other.getByLabel('Email').waitFor()
    await signIn(other, ben.email)
    await other.keyboard.press('ControlOrMeta+k')
    await other.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    assert.equal(await other.locator('dialog').getByText('Quarry').count(), 0)
    await close(page)
  })

  test('who signs in over the page of another member gets a page of their own', async () => {
    const deal = await newDeal({ title: 'Mill' })
    const { server } = site
    const { member: ana, page } = await site.openAs('member', `/deals/${deal.id}`)
    await noteOn(page).fill(SECRET)
    await page.getByText('Draft kept').waitFor()
    // The same person in another organisation, by the same email and another password.
    const password = 'a hill in the east'
    const hash = await site.screens.passwords.hash(password)
    const twin = server.store.transaction(() => {
      const { id } = memberSettings(server.store).add(server.b.org, {
        email: ana.email as string,
        name: 'Ana of Beta',
        role: 'member',
      })
      credentialStore(server.store).setPassword(server.b.org, id, hash)
      return id
    })
    await site.screens.send('POST', '/app/logout', {}, { cookie: ana.cookie })
    await page.evaluate(() => dispatchEvent(new Event('online')))
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    const loaded = page.waitForEvent('load')
    await page.keyboard.press('Enter')
    await loaded
    await page.getByRole('heading', { name: 'Nothing lives at this address' }).waitFor()
    assert.equal(await page.evaluate(() => JSON.parse(document.getElementById('boot')?.textContent ?? '').me.id), twin)
    assert.equal(await page.getByText('Mill').count(), 0)
    await close(page)
  })
})
