import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../support/chromium.ts'
import { PASSWORD, type SignedIn } from '../../support/screens.ts'
import { until } from '../../support/until.ts'
import { type Site, startSite } from '../shell/site.ts'

// A page of the settings with all that a list page has: tabs, rows, a form, what is shown once, a panel, and another page.

describe('API tokens', { skip: noBrowser }, () => {
  let site: Site
  let owner: SignedIn
  before(async () => {
    site = await startSite()
    owner = await site.screens.signedIn('owner')
  })
  after(() => site?.stop())

  const open = (more = '') => site.open(`/settings/tokens${more}`, owner.cookie)
  const rows = (page: Page) => page.locator('.rows tbody a')
  const tab = (page: Page, name: string) => page.getByRole('navigation', { name: 'State' }).getByRole('link', { name })
  const readDeals = async (token: string) =>
    (await fetch(`${site.server.url}/api/v1/deals`, { headers: { authorization: `Bearer ${token}` } })).status
  const list = async () => (await owner.call('GET', '/app/tokens/list')).body.data as { id: string }[]

  /** Makes one by keyboard, and returns it as it is shown. */
  async function make(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'New token' }).first().waitFor()
    await page.keyboard.press('n')
    const form = page.locator('.page-form')
    await form.waitFor()
    await form.getByRole('button', { name: 'All that read' }).click()
    await form.getByLabel('Your password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    return page.getByLabel('Token', { exact: true }).inputValue()
  }

  test('one is made, shown once, and works; another page has it without being loaded again', async () => {
    const [page, other] = [await open(), await open()]
    await other.locator('.rows tbody').or(other.locator('.empty')).waitFor()
    const before = await rows(other).count()
    const token = await make(page)
    assert.equal(await readDeals(token), 200)
    await until(async () => (await rows(other).count()) === before + 1)
    await page.reload()
    await rows(page).first().waitFor()
    assert.equal(await page.getByLabel('Token', { exact: true }).count(), 0)
    await other.context().close()
    await page.context().close()
  })

  test('a wrong password is said at its field, keeps what was chosen, and is no part of the draft', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'New token' }).first().click()
    const form = page.locator('.page-form')
    await form.getByRole('checkbox', { name: 'crm.deals.write' }).check()
    const password = form.getByLabel('Your password')
    await password.fill('not the password at all')
    await form.getByRole('button', { name: 'Make the token' }).click()
    await form.getByRole('alert').filter({ hasText: 'password' }).waitFor()
    assert.equal(await password.getAttribute('aria-invalid'), 'true')
    assert.equal(await form.getByRole('checkbox', { name: 'crm.deals.write' }).isChecked(), true)
    const draft = async () => JSON.stringify((await owner.call('GET', '/app/drafts/form:token')).body ?? null)
    await until(async () => (await draft()).includes('crm.deals.write'))
    const stored = await page.evaluate(() => JSON.stringify({ ...localStorage }))
    for (const text of [await draft(), stored]) assert.doesNotMatch(text, /not the password/)
    await page.context().close()
  })

  test('one without scopes is not sent', async () => {
    const page = await open()
    const before = (await list()).length
    await page.getByRole('button', { name: 'New token' }).first().click()
    await page.locator('.page-form').getByLabel('Your password').fill(PASSWORD)
    for (const box of await page.locator('.page-form').getByRole('checkbox', { checked: true }).all())
      await box.uncheck()
    await page.getByRole('button', { name: 'Make the token' }).click()
    await page.locator('[data-field=scopes]').getByRole('alert').waitFor()
    assert.equal((await list()).length, before)
    await page.context().close()
  })

  test('its panel says what it reads and writes, and revokes it after a question', async () => {
    const page = await open()
    const before = await rows(page).count()
    const token = await make(page)
    await until(async () => (await rows(page).count()) > before) // the newest is first
    await rows(page).first().click()
    const panel = page.getByRole('complementary', { name: 'A owner' })
    await panel.getByText('rest.crm.deals.read', { exact: true }).waitFor()
    assert.equal(await panel.getByText('rest.crm.deals.write', { exact: true }).count(), 0)
    await panel.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Keep it' }).click()
    assert.equal(await readDeals(token), 200)
    await panel.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await until(async () => (await readDeals(token)) === 401)
    await panel.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: 'Close the panel' }).click()
    await tab(page, 'Revoked').click()
    await until(async () => (await rows(page).count()) === 1)
    await page.context().close()
  })

  test('rows are walked by arrows, and the address is the view', async () => {
    const page = await open()
    await make(page)
    await make(page)
    await rows(page).first().focus()
    await page.keyboard.press('ArrowDown')
    const second = await rows(page).nth(1).getAttribute('href')
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('href')), second)
    await page.keyboard.press('Enter')
    await until(async () => page.url().endsWith(second as string))
    await page.context().close()
  })

  test('who is no administrator has no such section, and one who goes there is told so', async () => {
    const member = await site.screens.signedIn('member')
    const page = await site.open('/settings/me', member.cookie)
    const index = page.getByRole('navigation', { name: 'Settings' })
    await index.getByRole('link', { name: 'Sessions' }).waitFor()
    assert.equal(await index.getByRole('link', { name: 'API tokens' }).count(), 0)
    await page.goto(page.url().replace('/settings/me', '/settings/tokens'))
    await page.locator('.empty').waitFor()
    await page.context().close()
  })
})
