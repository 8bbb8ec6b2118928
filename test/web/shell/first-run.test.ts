import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { countRows } from '../../../src/store/schema/tables.ts'
import { noBrowser } from '../../support/chromium.ts'
import { assertAccessible } from '../../support/page.ts'
import { close, type Site, startSite } from './site.ts'

describe('the first run', { skip: noBrowser }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  test('makes the first owner and the organisation in one page, and keeps what was typed when refused', async () => {
    const empty = await site.empty()
    const page = await site.open(empty.link, undefined, { url: empty.url })
    await page.getByLabel('Your name').fill('Ana Kovačević')
    await page.getByLabel('Email').fill('ana@tarn.example')
    await page.getByLabel('Password', { exact: true }).fill('tarninstruments')
    await page.getByLabel('Name of the organisation').fill('Tarn Instruments')
    assert.match(await page.getByRole('combobox', { name: 'Time zone' }).inputValue(), /Europe\/Berlin/)
    assert.match(await page.getByRole('combobox', { name: 'Currency' }).inputValue(), /^EUR/)
    await page.getByText('Empty', { exact: true }).click()
    await page.getByRole('button', { name: 'Set up and sign in' }).click()
    await page.locator('[aria-invalid=true]').waitFor()
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ana Kovačević')

    await page.getByLabel('Password', { exact: true }).fill('a lake in the north')
    await page.getByRole('button', { name: 'Set up and sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
    assert.equal(countRows(empty.store.db, 'members', 1), 1)
    assert.equal(countRows(empty.store.db, 'deals', 1), 0)

    // Whoever searches has tried the search, and after the first ones only the next one stands there.
    const steps = page.locator('.steps-card li')
    assert.equal(await steps.count(), 5)
    await page.keyboard.press('Control+k')
    await page.locator('.steps-card .done', { hasText: 'Try the search' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Language and appearance' }).click()
    await page.getByRole('button', { name: '2 of 5' }).waitFor()
    assert.deepEqual(await steps.allTextContents(), ['Add a deal'])
    await page.getByRole('button', { name: '2 of 5' }).click()
    assert.equal(await steps.count(), 5)
    await close(page)

    const again = await site.open(empty.link, undefined, { url: empty.url })
    await again.getByRole('heading', { name: 'This link was used already' }).waitFor()
    await close(again)
    await empty.stop()
  })

  test('is without findings of axe, also on a phone, and without the link says where to find it', async () => {
    const empty = await site.empty()
    const page = await site.open(empty.link, undefined, { url: empty.url })
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 })
      await page.getByRole('heading', { name: 'Set up Dealbox' }).waitFor()
      await assertAccessible(page)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(empty.url)
    await page.getByRole('heading', { name: 'This Dealbox has no owner yet' }).waitFor()
    await assertAccessible(page)
    await close(page)
    await empty.stop()
  })

  test('waits for sample data that a slow machine takes long to make, and offers to remove them and the first steps', async () => {
    const empty = await site.empty()
    const page = await site.open(empty.link, undefined, { url: empty.url })
    await page.getByLabel('Your name').fill('Ana Kovačević')
    await page.getByLabel('Email').fill('ana@tarn.example')
    await page.getByLabel('Password', { exact: true }).fill('a lake in the north')
    await page.getByLabel('Name of the organisation').fill('Tarn Instruments')
    // What would wait for up to a minute waits for no time at all: as if a second took minutes.
    await page.evaluate(() => {
      const { timeout } = AbortSignal
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms > 60_000 ? ms : 10)
      Object.assign(window, { asUsual: () => Object.assign(AbortSignal, { timeout }) })
    })
    const answer = page.waitForResponse((each) => each.url().endsWith('/app/setup'))
    await page.getByRole('button', { name: 'Set up and sign in' }).click()
    assert.equal((await answer).status(), 201)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.evaluate('void window.asUsual?.()')

    await page.getByRole('button', { name: 'Remove the sample data' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Remove the sample data?' })
    await dialog.getByRole('button', { name: 'Remove sample data' }).click()
    await page.getByRole('button', { name: 'Remove the sample data' }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Hide the first steps' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0)
    await close(page)
    await empty.stop()
  })
})

describe('an invitation', { skip: noBrowser }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  test('is made by an admin and taken up in another browser', async () => {
    const { page } = await site.openAs('admin', '/settings/members')
    await page.getByRole('button', { name: 'Invite member' }).waitFor()
    await page.keyboard.press('n')
    await page.getByLabel('Email').fill('priya@acme.example')
    await page.getByRole('radio', { name: 'Viewer' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.getByLabel('Link', { exact: true }).inputValue()
    assert.match(link, /\/join#[\w-]{43}$/)
    await page.getByText('Colleagues cannot open this link').waitFor()
    await page.getByText(`--screens-listen 0.0.0.0:${new URL(site.url).port}”`).waitFor()
    await page.getByRole('img', { name: 'QR code of the invitation link' }).waitFor()
    await assertAccessible(page)

    const { pathname, hash } = new URL(link)
    const other = await site.open(pathname + hash)
    await other.getByRole('heading', { name: 'Join Acme' }).waitFor()
    assert.equal(await other.getByLabel('Email').inputValue(), 'priya@acme.example')
    assert.equal(await other.getByLabel('Email').getAttribute('readonly'), '')
    await assertAccessible(other)
    await other.getByLabel('Your name').fill('Priya Raman')
    await other.getByLabel('Password', { exact: true }).fill('too short')
    await other.getByRole('button', { name: 'Join' }).click()
    await other.getByText('3 characters more are needed.').waitFor()
    await other.getByLabel('Password', { exact: true }).fill('three rivers and a hill')
    await other.getByRole('button', { name: 'Join' }).click()
    await other.getByRole('navigation', { name: 'Main' }).waitFor()
    await close(other)

    await page.reload()
    await page.getByRole('link', { name: /Priya Raman/ }).waitFor()
    const { body } = await site.server.call('GET', '/members?email=priya@acme.example')
    assert.deepEqual([body.data[0].name, body.data[0].role], ['Priya Raman', 'viewer'])
    await close(page)
  })

  test('can be withdrawn, and its link says so', async () => {
    const { page } = await site.openAs('owner', '/settings/members')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await page.getByRole('button', { name: 'Make the link' }).click()
    const { pathname, hash } = new URL(await page.getByLabel('Link', { exact: true }).inputValue())
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('Invitation withdrawn').first().waitFor()
    const other = await site.open(pathname + hash)
    await other.getByRole('heading', { name: /This link (is not known here|was withdrawn)/ }).waitFor()
    await close(other)
    await close(page)
  })
})
