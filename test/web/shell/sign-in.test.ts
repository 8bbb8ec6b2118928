import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { linkStore } from '../../../src/auth/links.ts'
import { unsubscribing } from '../../../src/sequences/enrollments/unsubscribe.ts'
import { authenticatorCode } from '../../support/authenticator.ts'
import { noBrowser } from '../../support/chromium.ts'
import { enroll, makeSequence } from '../../support/enrolled.ts'
import { assertAccessible } from '../../support/page.ts'
import { PASSWORD } from '../../support/screens.ts'
import { close, type Site, startSite } from './site.ts'

describe('signing in', { skip: noBrowser }, () => {
  let site: Site
  before(async () => {
    site = await startSite()
  })
  after(() => site.stop())

  const linkOf = (member: string): string => {
    const { store, a } = site.server
    return store.transaction(() => linkStore(store).makeSignIn(a.org, member))
  }

  test('leads to the page that was asked for, and a wrong password keeps what was typed', async () => {
    const { email } = await site.screens.newMember('member')
    const page = await site.open('/settings/me')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Email and password do not go together').waitFor()
    assert.equal(await page.getByLabel('Email').inputValue(), email)
    assert.equal(await page.getByLabel('Password', { exact: true }).inputValue(), 'not the password')

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'My preferences' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/settings/me')
    await close(page)
  })

  test('shows the password when asked, and says what is missing', async () => {
    const page = await site.open('/')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Write your email address').waitFor()
    await page.getByLabel('Email').fill('ana@acme.example')
    await page.getByLabel('Password', { exact: true }).fill('visible')
    await page.getByRole('button', { name: 'Show the password' }).click()
    assert.equal(await page.getByLabel('Password', { exact: true }).getAttribute('type'), 'text')
    await close(page)
  })

  test('says how long to wait after too many attempts', async () => {
    const { email } = await site.screens.newMember('member')
    const page = await site.open('/')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill('wrong again and again')
    const wait = page.getByText(/^Too many attempts\. You can try again in \d+ (s|min)\.$/)
    for (let tries = 0; tries < 8 && (await wait.count()) === 0; tries++) {
      const answered = page.waitForResponse(/\/app\/login$/)
      await page.keyboard.press('Enter')
      await answered
      await page.getByRole('alert').getByText(/./).waitFor()
    }
    await wait.waitFor()
    assert.match(
      (await page.getByRole('button', { name: 'Sign in' }).getAttribute('title')) ?? '',
      /^Too many attempts/,
    )
    await close(page)
    site.server.advance(60 * 60 * 1000)
  })

  test('asks for the code of the second factor, and a wrong one can be mended', async () => {
    const member = await site.screens.signedIn('member')
    const { body } = await member.call('POST', '/app/totp', { password: PASSWORD })
    await member.call('POST', '/app/totp/confirm', { code: authenticatorCode(body.secret, site.server.now()) })
    site.server.advance(60_000)
    const page = await site.open('/')
    await page.getByLabel('Email').fill(member.email as string)
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await assertAccessible(page)
    await page.getByLabel('Code').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is not right').waitFor()
    await page.getByLabel('Code').fill(authenticatorCode(body.secret, site.server.now()))
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await close(page)
  })

  test('by a link takes a button, and the link leaves the address', async () => {
    const token = linkOf(site.server.a.owner)
    const page = await site.open(`/sign-in#${token}`)
    await page.getByText('This link signs you in as ana@acme.example.').waitFor()
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    assert.ok(!page.url().includes(token))
    await page.goBack().catch(() => null)
    assert.ok(!page.url().includes(token), 'nor is it one step back')
    await close(page)
  })

  test('by a link that a scanner of mails has opened before works, and the scanner got nothing', async () => {
    const { id } = await site.screens.newMember('member')
    const token = linkOf(id)
    for (let times = 0; times < 2; times++) {
      const scanner = await site.open(`/sign-in#${token}`)
      await scanner.getByRole('button', { name: 'Sign in' }).waitFor()
      assert.deepEqual(await scanner.context().cookies(), [])
      await close(scanner)
    }
    const page = await site.open(`/sign-in#${token}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await close(page)
  })

  test('by a link asks for the code of the second factor, too', async () => {
    const member = await site.screens.signedIn('member')
    const { body } = await member.call('POST', '/app/totp', { password: PASSWORD })
    const code = () => authenticatorCode(body.secret, site.server.now())
    await member.call('POST', '/app/totp/confirm', { code: code() })
    site.server.advance(60_000)
    const page = await site.open(`/sign-in#${linkOf(member.id)}`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Second step' }).waitFor()
    await page.getByLabel('Code').fill('000000')
    await page.keyboard.press('Enter')
    await page.getByText('This code is not right').waitFor()
    for (let times = 0; times < 5; times++) {
      const answered = page.waitForResponse(/\/app\/links\/accept$/)
      await page.keyboard.press('Enter')
      if ((await answered).status() === 429) break
      await page.getByText('This code is not right').waitFor()
    }
    await page.getByText(/^Too many attempts\. You can try again in \d+ s\.$/).waitFor()
    await close(page)
    site.server.advance(60_000)
  })

  test('by a link that was used or never was says what to do', async () => {
    const token = linkOf(site.server.a.owner)
    await site.screens.send('POST', '/app/links/accept', { token })
    const used = await site.open(`/sign-in#${token}`)
    await used.getByRole('heading', { name: 'This link was used already' }).waitFor()
    await assertAccessible(used)
    await close(used)
    const unknown = await site.open('/join#nothing')
    await unknown.getByRole('heading', { name: 'This link is not known here' }).waitFor()
    await unknown.getByRole('button', { name: 'Go to the sign-in page' }).click()
    await unknown.getByLabel('Email').waitFor()
    await close(unknown)
  })

  test('behind a proxy that drops the port says what to set, also by a link that is right', async () => {
    const { store, a } = site.server
    const token = store.transaction(() => linkStore(store).makeSignIn(a.org, a.owner))
    const proxy = await portDropper(site.url)
    try {
      const byLink = await site.open(`/sign-in#${token}`, undefined, proxy)
      await byLink.getByText(`The browser shows ${proxy.url}, and the request arrived as http://127.0.0.1.`).waitFor()
      await close(byLink)
      const page = await site.open('/', undefined, proxy)
      await page.getByLabel('Email').fill('ana@acme.example')
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(`make ${proxy.url} the public_base_url in the settings`).waitFor()
      await close(page)
    } finally {
      proxy.stop()
    }
  })

  test('by a new link that is pasted over one that leads nowhere, or over none', async () => {
    for (const [path, shown] of [
      ['/sign-in#nothing', 'This link is not known here'],
      ['/sign-in', 'Dealbox'],
    ] as const) {
      const page = await site.open(path)
      await page.getByRole('heading', { name: shown }).waitFor()
      // Only the fragment changes, for which browsers load nothing.
      await page.goto(`${site.url}/sign-in#${linkOf(site.server.a.owner)}`)
      await page.getByText('This link signs you in as ana@acme.example.').waitFor()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await close(page)
    }
  })

  test('and nothing else is done by only opening an address that comes by mail', async (t) => {
    const { server, screens } = site
    const { a, store, deps } = server
    store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?').run(`${site.url}/`, a.org)
    const contact = (await server.call('POST', '/contacts', { emails: [{ email: 'ana@firm.example' }] })).body.id
    const enrollment = enroll(server, a, makeSequence(server, a).id, { contact_id: contact })
    const deal = (await server.call('POST', '/deals', { title: 'Harbour' })).body.id
    const owner = await screens.signedIn('owner')
    const invited = await owner.call('POST', '/app/invites', { role: 'member' })
    const empty = await site.empty()
    t.after(empty.stop)
    const TABLES = 'sign_in_links setup_link sessions credentials members orgs contacts enrollments deals events'.split(
      ' ',
    )
    // The attempts of the tests above are written once a minute.
    const all = [
      ...TABLES.map((each) => `SELECT * FROM ${each}`),
      "SELECT * FROM audit_log WHERE action <> 'session.refused'",
    ]
    const contents = () => [store, empty.store].map(({ db }) => all.map((each) => db.prepare(each).all()))
    for (const [address, shown] of [
      [`${site.url}/sign-in#${linkOf(a.owner)}`, /This link signs you in/],
      [invited.body.url, /The invitation is good until/],
      [`${empty.url}${empty.link}`, /Set up Dealbox/],
      [unsubscribing(deps).url(a.org, { id: enrollment }) as string, /Unsubscribe/],
      [`${site.url}/deals/${deal}`, /Sign in/],
    ] as const) {
      const before = contents()
      const page = await site.open('', undefined, { url: address })
      await page.getByText(shown).first().waitFor()
      await page.evaluate(() => new Promise((done) => setTimeout(done)))
      assert.deepEqual(contents(), before, address)
      assert.deepEqual(await page.context().cookies(), [])
      await page.context().close()
    }
    store.db.prepare('UPDATE orgs SET public_base_url = NULL').run()
  })

  test('out leads back to the sign-in page, and the session is over', async () => {
    const { member, page } = await site.openAs('member', '/settings/me')
    await page.getByRole('button', { name: /^Acme/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email').waitFor()
    assert.equal((await member.call('GET', '/app/sessions')).status, 401)
    await close(page)
  })

  test('again after the session ended keeps the page and what was typed', async () => {
    const { member, page } = await site.openAs('member', '/settings/sign-in')
    await page.getByLabel('New password').fill('words that nobody else has')
    await page.getByLabel('Current password').fill(PASSWORD)
    assert.equal((await site.screens.send('POST', '/app/logout', {}, { cookie: member.cookie })).status, 204)
    await page.getByRole('button', { name: 'Change password' }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.waitFor()
    await assertAccessible(page)
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('New password').inputValue(), 'words that nobody else has')
    assert.equal(await page.getByLabel('Current password').inputValue(), PASSWORD)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Password changed, other sessions ended').first().waitFor()
    await close(page)
  })

  test('is without findings of axe, also on a phone', async () => {
    for (const width of [1440, 390]) {
      const page = await site.open('/', undefined, { width })
      await page.getByLabel('Email').waitFor()
      await assertAccessible(page)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Write your email address').waitFor()
      await assertAccessible(page)
      await close(page)
    }
  })

  test('speaks the language of the browser', async () => {
    const page = await site.open('/', undefined, { language: 'de-DE' })
    await page.getByRole('button', { name: 'Anmelden' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await close(page)
    const dead = await site.open('/join#nothing', undefined, { language: 'de-DE' })
    await dead.getByRole('heading', { name: 'Dieser Link ist hier nicht bekannt' }).waitFor()
    await close(dead)
  })
})

/** As many proxies do without being told otherwise. No Sec-Fetch-Site, which browsers send with TLS and to their own machine. */
async function portDropper(to: string): Promise<{ url: string; stop: () => void }> {
  const proxy = createServer((req, res) => {
    const { 'sec-fetch-site': _, ...headers } = req.headers
    const options = { method: req.method as string, headers: { ...headers, host: '127.0.0.1' } }
    const passed = request(`${to}${req.url}`, options, (answer) => {
      res.writeHead(answer.statusCode as number, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed.on('error', () => res.destroy()))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const stop = () => {
    proxy.close()
    proxy.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, stop }
}
