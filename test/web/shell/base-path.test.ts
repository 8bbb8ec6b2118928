import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { noBrowser, startChromium } from '../../support/chromium.ts'
import { PROXIES, type StartedProxy } from '../../support/proxies.ts'
import { PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

// The browser app below /crm of a name that others share, behind a real nginx with TLS.

const nginx = PROXIES[0]
const pair = noBrowser || nginx.version === undefined ? undefined : makeCertificate(2020, 2090)

describe('the browser app below a path', { skip: pair ? false : 'there is no Chromium, nginx or openssl' }, () => {
  const home = mkdtempSync(join(tmpdir(), 'dealbox-below-'))
  let server: TestServer
  let screens: Screens
  let proxy: StartedProxy
  let browser: Browser
  /** What pages asked for, and what was not there. */
  const asked: string[] = []
  const failed: string[] = []

  before(async () => {
    server = await startServer({ basePath: '/crm' })
    screens = await startScreens(server, { basePath: '/crm' })
    proxy = await nginx.startBelow(home, {
      api: server.url,
      screens: screens.url,
      pair: pair as NonNullable<typeof pair>,
    })
    browser = await startChromium()
  })
  after(async () => {
    await browser?.close()
    await proxy?.stop()
    await screens?.stop()
    await server?.stop()
    rmSync(home, { recursive: true, force: true })
  })

  const newContext = async (): Promise<BrowserContext> => {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', locale: 'en-GB' })
    context.on('request', (request) => asked.push(request.url()))
    context.on('response', (response) => {
      if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`)
    })
    return context
  }
  const pathOf = (page: Page): string => page.url().slice(proxy.url.length)
  const cardOf = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true })

  async function signIn(page: Page, path: string) {
    const member = await screens.newMember('owner')
    await page.goto(`${proxy.url}${path}`)
    await page.getByLabel('Email').fill(member.email)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    return member
  }

  test('is signed in to at a deep link, goes on without a page, comes back, is loaded anew, and left', async () => {
    const { body: deal } = await server.call('POST', '/deals', { title: 'Below a path' })
    const context = await newContext()
    const page = await context.newPage()
    const { id } = await signIn(page, `/crm/deals/${deal.id}`)
    await page.getByRole('heading', { name: 'Below a path' }).waitFor()
    assert.equal(pathOf(page), `/crm/deals/${deal.id}`)

    // A link inside, back and forward.
    const loads = () => asked.filter((url) => new URL(url).pathname.startsWith('/crm/deals')).length
    const before = loads()
    await page.locator('nav a[href="/crm/contacts"]').first().click()
    await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
    assert.equal(pathOf(page), '/crm/contacts')
    await page.goBack()
    await page.getByRole('heading', { name: 'Below a path' }).waitFor()
    assert.equal(pathOf(page), `/crm/deals/${deal.id}`)
    assert.equal(loads(), before, 'the page was loaded anew')

    // Another tab, the home page, a reload.
    for (const url of [`${proxy.url}/crm`, `${proxy.url}/crm/`]) {
      await page.goto(url)
      await cardOf(page, 'Below a path').waitFor()
      assert.equal(pathOf(page), '/crm/deals')
    }
    await page.reload()
    await cardOf(page, 'Below a path').waitFor()

    // What others do comes by the stream, whose worker is below the path as well.
    await server.call('PATCH', `/deals/${deal.id}`, { title: 'Changed by another' })
    await cardOf(page, 'Changed by another').waitFor()
    assert.ok(!asked.some((url) => url.includes('/app/stream')), 'the page had to open it itself, without the worker')

    // What is copied for others, and another tab.
    const command = async (name: string) => {
      await page.locator('[data-card] .figures').first().click({ button: 'right' })
      await page.getByRole('menuitem', { name }).click()
    }
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: proxy.url })
    await command('Copy link')
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    assert.equal(await until(copied, 'a copied text'), `${proxy.url}/crm/deals/${deal.id}`)
    const [tab] = await Promise.all([context.waitForEvent('page'), command('Open in a new tab')])
    await tab.getByRole('heading', { name: 'Changed by another' }).waitFor()
    assert.equal(pathOf(tab), `/crm/deals/${deal.id}`)
    await tab.close()

    // Every link of the app leads below the path.
    const hrefs = await page.evaluate(() =>
      [...document.querySelectorAll('a[href]')].map((a) => (a as HTMLAnchorElement).href),
    )
    const ours = hrefs.filter((href) => href.startsWith('https:'))
    assert.ok(ours.length > 5)
    assert.deepEqual(
      ours.filter((href) => !href.startsWith(`${proxy.url}/crm/`)),
      [],
    )

    // A write of the page itself.
    await page.goto(`${proxy.url}/crm/settings/me`)
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('radio', { name: 'Dark' }).click()
    assert.deepEqual([(await saved).url(), (await saved).status()], [`${proxy.url}/crm/app/preferences`, 200])

    const { names } = await kept(page)
    assert.ok(names.length > 0)
    for (const name of names) assert.match(name, /^dealbox\/crm\/-[0-9a-f]{10}-\d+\//, name)
    const cookies = await context.cookies()
    assert.ok(cookies.length > 0)
    for (const { name, path, secure } of cookies) {
      assert.deepEqual([path, secure], ['/crm', true])
      if (!name.includes('device')) assert.match(name, /^__Secure-/)
    }

    await page.getByRole('button', { name: /^Acme/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    assert.equal(pathOf(page), '/crm/')
    assert.ok(!(await kept(page)).names.some((name) => name.includes(id)))
    await context.close()
  })

  test('asked for nothing outside of the path, and for nothing that is not there', () => {
    assert.ok(asked.length > 40)
    assert.deepEqual(
      [...new Set(asked.filter((url) => !/^(data|blob):/.test(url) && !url.startsWith(`${proxy.url}/crm`)))],
      [],
    )
    // What was on its way when the member left is refused as it should be.
    const after = `401 ${proxy.url}/crm/app/`
    assert.deepEqual(
      failed.filter((each) => !each.includes('favicon') && !each.startsWith(after)),
      [],
    )
  })
})

/** One name for two servers: what is below /crm/ is of the second. */
async function shareName(root: Screens, below: Screens) {
  const front = createServer((req, res) => {
    const { port } = new URL(req.url?.startsWith('/crm/') ? below.url : root.url)
    const passed = request({ port, method: req.method, path: req.url, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode as number, answer.rawHeaders as never)
      answer.pipe(res)
    })
    passed.on('error', () => res.destroy())
    res.on('close', () => passed.destroy())
    req.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    stop: () => {
      front.closeAllConnections()
      return new Promise((closed) => front.close(closed))
    },
  }
}

describe('two servers below one name', { skip: noBrowser }, () => {
  test('keep apart what a browser has of the same member of the same installation', async () => {
    const server = await startServer()
    const [root, below] = [await startScreens(server), await startScreens(server, { basePath: '/crm' })]
    const front = await shareName(root, below)
    const browser = await startChromium()
    try {
      const { id, email } = await root.newMember('owner')
      const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce' })
      const pages = []
      for (const base of ['', '/crm']) {
        const page = await context.newPage()
        await page.goto(`${front.url}${base}/settings/me`)
        await page.getByLabel('Email').fill(email)
        await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await page.getByRole('heading', { name: 'My preferences' }).waitFor()
        pages.push(page)
      }
      const [atRoot, atPath] = pages as [Page, Page]
      const start = (name: string) => name.slice(0, name.indexOf('/', name.includes('/crm/') ? 12 : 0) + 1)
      const ofRoot = start((await kept(atRoot)).names.find((name) => !name.startsWith('dealbox/')) as string)
      const ofPath = start((await kept(atPath)).names.find((name) => name.startsWith('dealbox/crm/-')) as string)
      const drafts = [`${ofRoot}draft/${id}/note`, `${ofPath}draft/${id}/note`, `draft/${id}/earlier`, 'dealbox.recent']
      await atRoot.evaluate((names) => {
        for (const name of names) localStorage.setItem(name, '"mine"')
      }, drafts)
      // Each takes over what is its own alone, whichever is loaded.
      for (const page of [atPath, atPath]) await page.reload()
      await atPath.getByRole('heading', { name: 'My preferences' }).waitFor()
      const left = (await kept(atPath)).names
      for (const name of drafts) assert.ok(left.includes(name), `${name} of ${left}`)
      await atRoot.reload()
      await atRoot.getByRole('heading', { name: 'My preferences' }).waitFor()
      const then = (await kept(atRoot)).names
      assert.ok(then.includes(`${ofRoot}draft/${id}/earlier`), String(then))
      assert.ok(then.includes(`${ofPath}draft/${id}/note`), String(then))
      // Who leaves the one stays in the other, with what is kept there.
      await atPath.evaluate((name) => localStorage.removeItem(name), `${ofPath}draft/${id}/note`)
      await atPath.getByRole('button', { name: /^Acme/ }).click()
      await atPath.getByRole('menuitem', { name: 'Sign out' }).click()
      await atPath.getByLabel('Email').waitFor()
      const after = (await kept(atPath)).names
      assert.deepEqual(
        after.filter((name) => name.startsWith('dealbox/') && name.includes(id)),
        [],
      )
      assert.ok(after.includes(`${ofRoot}draft/${id}/note`), String(after))
      await atRoot.reload()
      await atRoot.getByRole('heading', { name: 'My preferences' }).waitFor()
    } finally {
      await browser.close()
      await front.stop()
      await root.stop()
      await below.stop()
      await server.stop()
    }
  })
})

/** The names of what the browser keeps for the address of a page. */
const kept = (page: Page): Promise<{ names: string[] }> =>
  page.evaluate(async () => ({
    names: [...Object.keys(localStorage), ...(await indexedDB.databases()).map(({ name = '' }) => name)],
  }))
