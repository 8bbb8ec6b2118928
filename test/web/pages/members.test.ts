import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { PASSWORD, type SignedIn } from '../../support/screens.ts'
import { until } from '../../support/until.ts'
import { type Site, startSite } from '../shell/site.ts'

// A list of the settings on one page, while somebody else changes what it shows.

describe('members on two pages', { skip: noBrowser }, () => {
  let site: Site
  let owner: SignedIn
  let other: SignedIn
  before(async () => {
    site = await startSite()
    owner = await site.screens.signedIn('owner')
    other = await site.screens.signedIn('admin')
  })
  after(() => site?.stop())

  const open = () => site.open('/settings/members', owner.cookie)
  const row = (page: Page, name: string) => page.locator('.rows tbody tr', { hasText: name })
  const invite = async (email: string) => (await other.call('POST', '/app/invites', { email, role: 'viewer' })).body

  test('what another administrator invites and withdraws comes and goes', async () => {
    const page = await open()
    await row(page, 'A owner').first().waitFor()
    const { id } = await invite('mira@people.example')
    await row(page, 'mira@people.example').getByText('Invited').waitFor()
    await other.call('DELETE', `/app/invites/${id}`)
    await row(page, 'mira@people.example').waitFor({ state: 'detached' })
    await page.context().close()
  })

  test('an invitation that is accepted becomes a member', async () => {
    const { url } = await invite('jonas@people.example')
    const page = await open()
    await row(page, 'jonas@people.example').getByText('Invited').waitFor()
    const joined = await site.screens.send('POST', '/app/links/accept', {
      token: url.slice(url.indexOf('#') + 1),
      name: 'Jonas Berg',
      email: 'jonas@people.example',
      password: PASSWORD,
    })
    assert.equal(joined.status, 201, joined.text)
    await row(page, 'Jonas Berg').getByText('Active').waitFor()
    await until(async () => (await row(page, 'jonas@people.example').count()) === 1)
    await page.context().close()
  })

  test('a role is not written over a change that the page has not seen', async () => {
    const member = await site.screens.newMember('member')
    const page = await open()
    await row(page, member.email).first().waitFor()
    // The page hears of nothing any more, as on a line that hangs.
    await page.route('**/app/boot*', () => undefined)
    await other.call('PATCH', `/app/members/${member.id}`, { role: 'viewer' })
    await row(page, member.email)
      .getByRole('button', { name: /^Change the role/ })
      .click()
    await page.getByRole('menuitemradio', { name: 'Admin' }).click()
    await page.locator('.toast', { hasText: 'changed' }).waitFor()
    const { members } = (await owner.call('GET', '/app/boot')).body
    assert.equal(members.find(({ id }: { id: string }) => id === member.id).role, 'viewer')
    await page.context().close()
  })

  test('the way back is refused as well once somebody has changed the member again', async () => {
    const member = await site.screens.newMember('member')
    const page = await open()
    await row(page, member.email).first().waitFor()
    await row(page, member.email)
      .getByRole('button', { name: /^Change the role/ })
      .click()
    await page.getByRole('menuitemradio', { name: 'Admin' }).click()
    const undo = page.locator('.toast').getByRole('button', { name: 'Undo' })
    await undo.waitFor()
    await other.call('PATCH', `/app/members/${member.id}`, { role: 'viewer' })
    await undo.click()
    await page.locator('.toast', { hasText: 'changed' }).waitFor()
    const { members } = (await owner.call('GET', '/app/boot')).body
    assert.equal(members.find(({ id }: { id: string }) => id === member.id).role, 'viewer')
    await page.context().close()
  })

  test('an answer that was asked for before a newer one does not take its place', async () => {
    const page = await open()
    await row(page, 'A owner').first().waitFor()
    let release = () => {}
    const isHeld = new Promise<void>((resolve) => {
      release = resolve
    })
    let asked = 0
    await page.route('**/app/invites', async (route) => {
      asked += 1
      if (asked > 1) return route.continue()
      const response = await route.fetch() // as it is now
      await isHeld
      await route.fulfill({ response })
    })
    await invite('first@people.example')
    await until(() => asked === 1)
    await invite('second@people.example')
    await row(page, 'second@people.example').waitFor()
    const answered = page.waitForResponse('**/app/invites')
    release()
    await answered
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    assert.equal(await row(page, 'second@people.example').count(), 1)
    await page.context().close()
  })
})
