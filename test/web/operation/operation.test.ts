import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { silentLog } from '../../../src/lib/log.ts'
import { rfc3339 } from '../../../src/lib/time.ts'
import { type Night, type NightOptions, night } from '../../../src/ops/backup/night.ts'
import { startNightly } from '../../../src/ops/backup/nightly.ts'
import { lastBackup, noteBackup } from '../../../src/ops/backup/state.ts'
import { noMonitoring } from '../../../src/ops/monitoring/metrics.ts'
import { notificationStore } from '../../../src/personal/notifications.ts'
import { workOutcomes } from '../../../src/store/jobs/recurring.ts'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { assertAccessible, openPage } from '../../support/page.ts'
import { type Screens, type SignedIn, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// How the server is, for owners: by mouse and keys, in two tabs, on a phone, in both languages.

let server: TestServer
let site: Screens
let owner: SignedIn
let nightly: ReturnType<typeof startNightly>
let browser: Awaited<ReturnType<typeof startChromium>>
let folder: string
const pages: Page[] = []
/** What the work of a night waits for, or fails with. */
let gate: Promise<unknown> = Promise.resolve()
let failure: string | undefined

before(async () => {
  if (noBrowser) return
  server = await startServer()
  folder = mkdtempSync(join(tmpdir(), 'dealbox-operation-'))
  const { store, dataDir } = server
  nightly = startNightly({
    store: { ...store, clock: { ...store.clock, now: server.now } },
    ...{ log: silentLog, dataDir, at: '03:15', folder, keep: { days: 7, weeks: 0, months: 0 }, timezone: 'UTC' },
    outcome: workOutcomes(store),
    work: async (options: NightOptions): Promise<Night> => {
      await gate
      if (failure) throw new Error(failure)
      return night(options)
    },
  })
  site = await startScreens(server, {
    monitoring: { ...noMonitoring(), backups: () => lastBackup(dataDir) },
    operation: {
      night: nightly,
      at: { time: '03:15', timezone: 'UTC' },
      ways: { mail: 'owners', url: 'on', url_host: 'ntfy.example' },
    },
  })
  owner = await site.signedIn({ id: server.a.owner })
  browser = await startChromium()
})
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close()
})
after(async () => {
  await browser?.close()
  await nightly?.stop()
  await site?.stop()
  await server?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

async function open(as = owner, path = '/settings/operation', options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openPage(browser, site, as, path, options)
  pages.push(page)
  return page
}

const setOther = (state: 'open' | 'moved') =>
  server.store.db
    .prepare('UPDATE orgs SET state = ?, moved_to = ? WHERE id = ?')
    .run(state, state === 'moved' ? 'https://elsewhere.example' : null, server.b.org)

const button = (page: Page, name: string) => page.getByRole('button', { name })
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })

describe('settings, operation', { skip: noBrowser }, () => {
  test('of several organisations has the checks and no buttons', async () => {
    const page = await open()
    await page.locator('.op [data-check=database]').waitFor({ state: 'attached' })
    await page.getByText('A backup is of all organisations of this server.').waitFor()
    assert.equal(await button(page, 'Back up now').count(), 0)
    assert.equal(await page.getByText('ntfy.example').count(), 0)
  })

  test('makes a backup and a drill, says so in each tab, and shows who wanted them', async () => {
    setOther('moved')
    const held = Promise.withResolvers<void>()
    gate = held.promise
    const page = await open()
    await button(page, 'Back up now').click()
    await button(page, 'Making a backup…').waitFor()
    const other = await open()
    await button(other, 'Making a backup…').waitFor()
    assert.equal(await button(other, 'Run the drill').getAttribute('aria-disabled'), 'true')
    held.resolve()
    await toast(page, 'The backup is made and checked').waitFor()
    await button(other, 'Back up now').waitFor()
    assert.equal(await other.locator('.toast').count(), 0, 'who did not press it')
    const runs = page.locator('[data-runs] li')
    await runs.filter({ hasText: 'by Ana' }).filter({ hasText: 'Done' }).first().waitFor()
    await button(page, 'Run the drill').focus()
    await page.keyboard.press('Enter')
    await toast(page, 'The drill passed').waitFor()
    await runs.filter({ hasText: 'Restore drill' }).first().waitFor()
    await page.getByText('2 runs are known.').waitFor()
  })

  test('says why a backup failed, and what needs somebody stands first', async () => {
    failure = 'The disk is full.'
    const page = await open()
    await page.locator('.op .checks').first().waitFor()
    await button(page, 'Back up now').click()
    await toast(page, 'It failed. The disk is full.').waitFor()
    failure = undefined
    const first = page.locator('[data-check]').first()
    assert.equal(await first.getAttribute('data-check'), 'backup')
    await first.getByText('Look into it').waitFor()
    await page.getByText('1 thing needs somebody').waitFor()
    await assertAccessible(page)
  })

  test('is reached by its notice', async () => {
    const { serverIs } = notificationStore(server.deps)
    await server.store.write(() => {
      serverIs(server.a.org, owner.id, {
        id: server.store.installation,
        at: server.now(),
        bad: ['backup', 'disk'],
        well: [],
      })
      return null
    })
    const page = await open(owner, '/tasks')
    await page.locator('.bell').click()
    const notice = page.locator('.popover.notices .one', { hasText: 'The server needs somebody' })
    await notice.getByText('Backups and Disk').waitFor()
    await notice.click()
    await page.waitForURL(/\/settings\/operation$/)
    await page.locator('.op .checks').first().waitFor()
  })

  test('fits a phone, in German and in the dark', async () => {
    await owner.call('PATCH', '/app/preferences', { language: 'de' })
    const at = rfc3339(server.now())
    noteBackup(server.dataDir, { failure: { since: at, at, code: 'disk_full', message: 'full', folder } })
    const page = await open(owner, '/settings/operation', {
      ...{ viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true },
    })
    await button(page, 'Jetzt sichern').waitFor()
    await page.getByText('Bitte ansehen').waitFor()
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    )
    assert.ok(overflow <= 0)
    for (const name of ['Jetzt sichern', 'Probe machen']) {
      const box = await button(page, name).boundingBox()
      assert.ok(box && box.height >= 44, `${name}: ${box?.height}`)
    }
    await assertAccessible(page)
    await owner.call('PATCH', '/app/preferences', { language: 'en' })
  })

  test('is for owners: others do not have it in the index, and are told at its address', async () => {
    const admin = await site.signedIn('admin')
    const page = await open(admin)
    await page.getByRole('heading', { name: 'Owners see how the server is' }).waitFor()
    assert.equal(await page.locator('.sn a[href="/settings/operation"]').count(), 0)
    assert.ok((await page.locator('.sn a').count()) > 3)
  })
})
