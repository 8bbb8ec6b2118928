import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../../src/lib/time.ts'
import { noticeEndingTokens } from '../../../src/personal/ending-tokens.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
import { noBrowser } from '../../support/chromium.ts'
import { tokenFor } from '../../support/org.ts'
import { assertAccessible } from '../../support/page.ts'
import { recordsOf } from '../../support/records.ts'
import { PASSWORD } from '../../support/screens.ts'
import { until } from '../../support/until.ts'
import { close, type Site, startSite } from './site.ts'

describe('the frame', { skip: noBrowser }, () => {
  let site: Site
  const { newCompany, newDeal, newContact } = recordsOf(() => site.server)
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search

  test('follows links without loading the page, and gives the focus to the new heading', async () => {
    const { page } = await site.openAs('owner', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.evaluate(() => {
      ;(window as { isSame?: boolean }).isSame = true
    })
    await page.getByRole('link', { name: 'Members' }).click()
    const heading = page.getByRole('heading', { name: 'Members', level: 1 })
    await heading.waitFor()
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    assert.equal(await page.title(), 'Members · Dealbox')
    assert.equal(await page.evaluate(() => (window as { isSame?: boolean }).isSame), true)
    await page.goBack()
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    assert.equal(await page.title(), 'My preferences · Dealbox')
    assert.equal(await page.evaluate(() => (window as { isSame?: boolean }).isSame), true)
    await close(page)
  })

  test('opens a link in a new tab when asked, and says that an address is not there', async () => {
    const { page } = await site.openAs('owner', '/settings/me')
    const [other] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'Members' }).click({ modifiers: ['ControlOrMeta'] }),
    ])
    await other.waitForURL(/\/settings\/members$/)
    assert.equal(pathOf(page), '/settings/me')
    await page.goto(`${site.url}/nothing/here`)
    await page.getByRole('heading', { name: 'Nothing lives at this address' }).waitFor()
    assert.equal(await page.getByText('The record was deleted').count(), 0)
    await assertAccessible(page)
    await close(page)
  })

  test('keeps the state of a screen in its address, and the scroll position with it', async () => {
    const { page } = await site.openAs('owner', '/settings/me', { height: 420 })
    const scroller = page.locator('[data-scroll=settings]')
    await scroller.evaluate((element) => element.scrollTo(0, 120))
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('link', { name: /^Active/ }).click()
    assert.equal(pathOf(page), '/settings/members?state=active')
    await page.goBack()
    assert.equal(pathOf(page), '/settings/members')
    await page.goBack()
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.waitForFunction(() => document.querySelector('[data-scroll=settings]')?.scrollTop === 120)
    await page.reload()
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.waitForFunction(() => document.querySelector('[data-scroll=settings]')?.scrollTop === 120)
    await close(page)
  })

  test('says in the notices which token ends, and when', async () => {
    const { store, dataDir, a, deps, now } = site.server
    const member = await site.screens.signedIn('member')
    const made = await tokenFor(
      store,
      dataDir,
      a.org,
      member.email as string,
      ['rest.crm.tags.read'],
      now() + 13 * DAY_MS,
    )
    store.db.prepare('UPDATE tokens SET created_at = created_at - ? WHERE id = ?').run(77 * DAY_MS, made.id)
    store.transaction(noticeEndingTokens(deps))
    const page = await site.open('/settings/me', member.cookie)
    await page.getByRole('button', { name: 'Notices, 1 new notice' }).click()
    const notice = page.getByRole('listitem').filter({ hasText: 'A token for the API ends' })
    await notice.getByText(`${member.email} (${made.id})`).waitFor()
    assert.equal(await notice.locator('time').getAttribute('datetime'), made.expires_at)
    await close(page)
  })

  test('has a palette that finds records and commands by keyboard alone', async () => {
    const company = await newCompany({ name: 'Grünwald Maschinenbau' })
    await newDeal({ title: 'Spindle monitoring for Grünwald', company_id: company.id })
    await newContact({ first_name: 'Leonie', last_name: 'Grünthal' })
    const { page } = await site.openAs('owner', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    const input = page.getByRole('combobox', { name: 'Search or jump' })
    await input.waitFor()
    await assertAccessible(page)
    await page.keyboard.type('grun')
    await page.getByRole('option', { name: /Leonie Grünthal/ }).waitFor()
    await page.getByRole('option', { name: /^GM Grünwald Maschinenbau|^Grünwald Maschinenbau/ }).waitFor()
    assert.equal(await page.locator('dialog.pal mark').first().textContent(), 'Grün')
    await assertAccessible(page)
    const active = await input.getAttribute('aria-activedescendant')
    assert.equal(await page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true')
    await page.keyboard.press('ArrowDown')
    assert.notEqual(await input.getAttribute('aria-activedescendant'), active)

    await input.fill('go to members')
    await page.getByRole('option', { name: /Go to Members/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    assert.equal(pathOf(page), '/settings/members')

    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor({ state: 'detached' })
    await close(page)
  })

  test('opens, by who types faster than the server answers, what was looked for, and makes nothing of it', async () => {
    const { id } = await newContact({ first_name: 'Ottoline', last_name: 'Fastnet' })
    const { page } = await site.openAs('member', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    const answers: (() => void)[] = []
    await page.route(/\/api\/v1\/contacts\?/, (route) => {
      answers.push(() => void route.continue())
    })
    const type = async (text: string) => {
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
      await page.keyboard.type(text)
      await page.getByRole('option', { name: 'New contact' }).waitFor()
    }
    await type('ottoline')
    await page.keyboard.press('Enter')
    await until(() => answers.length > 0, 'a request')
    await page.locator('dialog.pal').waitFor()
    for (const answer of answers.splice(0)) answer()
    await page.getByRole('heading', { name: 'Ottoline Fastnet' }).waitFor()
    assert.equal(pathOf(page), `/contacts/${id}`)

    // The last letter and Enter in one moment, before the page has asked for it.
    await type('ottolin')
    await until(async () => {
      for (const answer of answers.splice(0)) answer()
      return (await page.locator('dialog.pal [role=status]').textContent()) !== ''
    }, 'an answer')
    await page.getByRole('combobox', { name: 'Search or jump' }).evaluate(async (input: HTMLInputElement) => {
      input.value = 'zebulon'
      input.dispatchEvent(new InputEvent('input', { bubbles: true }))
      const isOld = () => document.querySelector('dialog.pal [role=option]')?.textContent?.includes('Ottoline')
      for (let turns = 0; turns < 1000 && isOld(); turns++) await null
      input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
    })
    await page.locator('dialog.pal').waitFor()
    await page.keyboard.press('Escape')

    // Who moves to the offer means it.
    await type('zenobia')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'New contact' }).and(page.locator('[aria-selected=true]')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New contact' }).waitFor()
    await page.keyboard.press('Escape')
    await close(page)
  })

  test('has a palette in every editor too, which takes what was typed for done', async () => {
    const { id } = await newContact({ first_name: 'Prosper', last_name: 'Quill' })
    const { page } = await site.openAs('member', `/contacts/${id}`)
    await page.getByRole('button', { name: 'Edit First name' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type('Prospero')
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Escape')
    await until(async () => (await site.server.call('GET', `/contacts/${id}`)).body.first_name === 'Prospero', 'a name')
    await close(page)
  })

  test('makes a deal, a contact, a company and a task from anywhere, begun with what the palette was told', async () => {
    const { page } = await site.openAs('member', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    for (const [key, form, field] of [
      ['d', page.locator('.deals'), 'Title'],
      ['p', page.getByRole('dialog', { name: 'New contact' }), 'Name'],
      ['o', page.getByRole('dialog', { name: 'New company' }), 'Name'],
      ['t', page.locator('main'), 'Add a task'],
    ] as const) {
      await page.keyboard.press('c')
      await page.keyboard.press(key)
      const focused = form.getByRole('textbox', { name: field }).and(page.locator(':focus'))
      await focused.waitFor()
      await page.keyboard.press('Escape')
      await focused.waitFor({ state: 'detached' })
      await page.waitForURL((url) => url.search === '')
    }
    const company = (await site.server.call('POST', '/companies', { name: 'Tierney Foods' })).body
    await page.goto(`${site.url}/companies/${company.id}`)
    await page.locator('.record h1').waitFor()
    await page.keyboard.press('c')
    await page.keyboard.press('n')
    await page.getByPlaceholder('Write a note').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('new company Larkspur Mills')
    await page.getByRole('option', { name: 'New company “Larkspur Mills”', selected: true }).waitFor()
    await page.keyboard.press('Enter')
    const form = page.getByRole('dialog', { name: 'New company' })
    await form.waitFor()
    assert.equal(await form.getByRole('textbox', { name: 'Name' }).inputValue(), 'Larkspur Mills')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await page.keyboard.type('Rollout')
    await page.getByRole('option', { name: 'New deal “Rollout”' }).click()
    const title = page.locator('.deals').getByRole('textbox', { name: 'Title' })
    await title.waitFor()
    assert.equal(await title.inputValue(), 'Rollout')
    await close(page)
    const viewer = (await site.openAs('viewer', '/settings/me')).page
    await viewer.getByRole('heading', { name: 'My preferences' }).waitFor()
    await viewer.keyboard.press('ControlOrMeta+k')
    await viewer.getByRole('combobox', { name: 'Search or jump' }).waitFor()
    await viewer.keyboard.type('new deal')
    await viewer.getByText('Nothing fits').waitFor()
    await close(viewer)
  })

  test('lists the keys behind "?", and lets a member switch single ones off and change them', async () => {
    const { member, page } = await site.openAs('owner', '/settings/me')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Go to Deals').waitFor()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Change the keys of “Keyboard shortcuts”' }).click()
    await page.keyboard.press('q')
    await page.getByRole('button', { name: 'Use these' }).click()
    await page.getByRole('button', { name: 'Change the keys of “Keyboard shortcuts”' }).waitFor()
    await page.getByRole('heading', { name: 'My preferences' }).click()
    await page.keyboard.press('q')
    await dialog.waitFor()
    await page.keyboard.press('Escape')

    const saved = page.waitForResponse(/\/app\/preferences$/)
    await page.getByRole('switch', { name: 'On' }).click()
    await saved
    await page.getByRole('heading', { name: 'My preferences' }).click()
    await page.keyboard.press('q')
    assert.equal(await dialog.count(), 0)
    const { body } = await member.call('GET', '/app/preferences')
    assert.deepEqual([body.shortcuts, body.keys], [false, { 'app.keys': 'q' }])
    await close(page)
  })

  test('shows beside buttons the keys that the member chose, or none', async () => {
    const { member, page } = await site.openAs('member', '/livez')
    const buttons: [path: string, name: RegExp, keys: string][] = [
      ['/contacts', /^Filter/, 'Q'],
      ['/contacts', /^New contact/, 'C W'],
      ['/lists', /^New list/, 'Y'],
    ]
    const keyOf = async (path: string, name: RegExp) => {
      if (new URL(page.url()).pathname !== path) await page.goto(site.url + path)
      const button = page.getByRole('button', { name }).first()
      await button.waitFor()
      return button.locator('.k, kbd')
    }
    const keys = { 'contacts.filter': 'q', 'lists.create': 'y', 'app.new-contact': 'c w' }
    assert.equal((await member.call('PATCH', '/app/preferences', { keys })).status, 200)
    for (const [path, name, shown] of buttons)
      await (await keyOf(path, name)).getByText(shown, { exact: true }).waitFor()
    assert.equal((await member.call('PATCH', '/app/preferences', { shortcuts: false })).status, 200)
    await page.goto(`${site.url}/livez`)
    for (const [path, name] of buttons) assert.equal(await (await keyOf(path, name)).count(), 0)
    await close(page)
  })

  test('shows the language and the appearance of the member at once, also after a reload', async () => {
    const { page } = await site.openAs('member', '/settings/me')
    await page.getByRole('radio', { name: 'Dark' }).click()
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    const saved = page.waitForResponse((answer) => answer.request().postData()?.includes('"de"') === true)
    await page.getByRole('radio', { name: 'Deutsch' }).click()
    await page.getByRole('heading', { name: 'Meine Einstellungen' }).waitFor()
    await saved
    await page.reload()
    await page.getByRole('heading', { name: 'Meine Einstellungen' }).waitFor()
    assert.deepEqual(
      [await page.locator('html').getAttribute('data-theme'), await page.locator('html').getAttribute('lang')],
      ['dark', 'de'],
    )
    await close(page)
  })

  test('opens every screen without two commands on one key, and without findings of axe', async () => {
    for (const width of [1440, 390]) {
      const { page } = await site.openAs('owner', '/settings/me', { width })
      for (const path of ['/settings/me', '/settings/sign-in', '/settings/sessions', '/settings/members', '/notices']) {
        await page.goto(site.url + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator('main').and(page.locator('[aria-busy=false]')).waitFor()
        await assertAccessible(page)
      }
      await close(page)
    }
  })

  test('turns on a second factor by a code, and shows the recovery codes once', async () => {
    const { page } = await site.openAs('member', '/settings/sign-in')
    await page.getByRole('button', { name: 'Turn on' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByLabel('Current password').fill('not my password')
    await page.keyboard.press('Enter')
    await dialog.getByText('is not your password').waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Current password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = ((await page.locator('.totp code').textContent()) ?? '').replaceAll(' ', '')
    await page.getByLabel(/six digits/).fill(authenticatorCode(secret, site.server.now()))
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor()
    assert.equal(await page.locator('.recovery li').count(), 10)
    await assertAccessible(page)
    await page.getByRole('button', { name: 'I have kept them' }).click()
    await page.getByText('On. Signing in needs a code').waitFor()
    await close(page)
  })

  test('lets an admin change a role, with a way back', async () => {
    const { id } = await site.screens.newMember('member')
    const { page } = await site.openAs('owner', `/settings/members?member=${id}`)
    await page.getByRole('radio', { name: /^Viewer/ }).check()
    await page.getByText('A member is Viewer now').first().waitFor()
    await assertAccessible(page)
    assert.equal((await site.server.call('GET', `/members/${id}`)).body.role, 'viewer')
    await page.keyboard.press('z')
    await page.getByRole('radio', { name: /^Member/, checked: true }).waitFor()
    assert.equal((await site.server.call('GET', `/members/${id}`)).body.role, 'member')
    await close(page)
  })
})
