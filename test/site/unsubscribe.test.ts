import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Browser } from 'playwright-core'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import { unsubscribing } from '../../src/sequences/enrollments/unsubscribe.ts'
import { screensServer } from '../../src/site/site.ts'
import { expectComplaint, noBrowser, startChromium } from '../support/chromium.ts'
import { enroll, makeSequence } from '../support/enrolled.ts'
import { givenToScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let listener: Listener
let sequence: string
let count = 0
const logged: string[] = []
const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })

before(async () => {
  server = await startServer()
  const { document, routes, store, deps, dataDir } = server
  const parts = {
    document: () => document,
    routes,
    prefix: '/api/v1',
    store,
    deps,
    dataDir,
    stopping: new AbortController().signal,
  }
  const site = screensServer({ ...parts, ...givenToScreens(server), apiUrl: 'http://127.0.0.1:1', log })
  listener = await listen(site.callback(), { host: '127.0.0.1', port: 0 })
  store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?').run(`${listener.url}/`, server.a.org)
  sequence = makeSequence(server, server.a).id
})
after(async () => {
  await listener.stop(1000)
  await server.stop()
})

async function enrolled(given: Record<string, unknown> = { emails: [{ email: `ana${++count}@firm.example` }] }) {
  const { body } = await server.call('POST', '/contacts', given)
  const id = enroll(server, server.a, sequence, { contact_id: body.id })
  const url = unsubscribing(server.deps).url(server.a.org, { id }) as string
  return { id, contact_id: body.id as string, url, token: url.split('/').at(-1) as string }
}

const ONE_CLICK = 'List-Unsubscribe=One-Click'
const form = 'application/x-www-form-urlencoded'
const post = (url: string, body: string = ONE_CLICK, type: string | null = form) =>
  fetch(url, { method: 'POST', body, redirect: 'manual', headers: type ? { 'content-type': type } : {} })

const unsubscribedAt = async (id: string) => (await server.call('GET', `/contacts/${id}`)).body.unsubscribed_at

describe('the page', () => {
  test('asks who is meant, and changes nothing, however often it is looked at', async () => {
    const { url, contact_id } = await enrolled()
    const seq = server.lastSeq()
    for (const method of ['GET', 'HEAD', 'GET']) {
      const response = await fetch(url, { method })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      const text = await response.text()
      if (method === 'HEAD') assert.equal(text, '')
      else {
        assert.match(text, /<strong>Acme<\/strong>/)
        assert.match(text, / at a•••@firm\.example\?</)
        assert.match(text, /<form method="post">.*<button>Unsubscribe<\/button>/)
        assert.ok(!text.includes(`ana${count}`), 'the address is not given away')
      }
    }
    assert.equal(await unsubscribedAt(contact_id), null)
    assert.deepEqual(server.events(seq), [])
  })

  test('escapes what it shows', async () => {
    const { a, store } = server
    const { url } = await enrolled({ emails: [{ email: "'&=x@firm.example" }] })
    const rename = store.db.prepare('UPDATE orgs SET name = ? WHERE id = ?')
    rename.run('<script>"&', a.org)
    const text = await (await fetch(url)).text()
    rename.run('Acme', a.org)
    assert.match(text, /<strong>&lt;script&gt;&quot;&amp;<\/strong>/)
    assert.match(text, / at &#39;•••@firm\.example\?</)
  })

  test('shows no address where the contact has none any more', async () => {
    const { url } = await enrolled({ first_name: 'Ana' })
    assert.match(await (await fetch(url)).text(), /from <strong>Acme<\/strong>\?</)
  })

  test('is for the one who has the link alone: kept by nobody, found by nobody, in no frame, with no cookie', async () => {
    const { url } = await enrolled()
    for (const response of [await fetch(url), await post(url), await fetch(`${url}x`)]) {
      const header = (name: string) => response.headers.get(name)
      assert.match(
        header('content-security-policy') as string,
        /^default-src 'none'; .*form-action 'self'; frame-ancestors 'none'$/,
      )
      assert.equal(header('cache-control'), 'no-store')
      assert.equal(header('x-robots-tag'), 'noindex')
      assert.equal(header('referrer-policy'), 'no-referrer')
      assert.equal(header('x-content-type-options'), 'nosniff')
      assert.equal(header('set-cookie'), null)
      assert.equal(header('location'), null)
    }
  })
})

describe('a POST', () => {
  test('by a mail program, as a form of either kind, unsubscribes', async () => {
    const boundary = '----x'
    const parts = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`
    for (const [body, type] of [
      [ONE_CLICK, form],
      [`a=b&${ONE_CLICK}`, 'Application/X-WWW-Form-Urlencoded; charset=UTF-8'],
      [parts, `multipart/form-data; boundary=${boundary}`],
    ] as const) {
      const { url, contact_id, id } = await enrolled()
      const seq = server.lastSeq()
      const response = await post(url, body, type)
      assert.equal(response.status, 200)
      assert.match(await response.text(), /<h1>You are unsubscribed<\/h1>/)
      assert.equal(await unsubscribedAt(contact_id), new Date(server.now()).toISOString())
      assert.deepEqual(
        server.events(seq).map(({ type }) => type),
        ['contact.updated', 'enrollment.stopped'],
      )
      const status = server.store.db.prepare('SELECT status FROM enrollments WHERE id = ?').pluck().get(id)
      assert.equal(status, 'stopped')
    }
  })

  test('again says the same, and changes nothing', async () => {
    const { url } = await enrolled()
    const first = await (await post(url)).text()
    const seq = server.lastSeq()
    const again = await post(url)
    assert.deepEqual([again.status, await again.text()], [200, first])
    assert.deepEqual(server.events(seq), [])
  })

  test('unsubscribes whatever its body is: many mail programs send none, or another type', async () => {
    for (const [body, type] of [
      ['', null],
      ['', form],
      ['', 'text/plain'],
      [ONE_CLICK, null],
      [ONE_CLICK, 'text/plain'],
      ['list-unsubscribe=one-click', form],
      [ONE_CLICK, 'multipart/form-data'],
      ['{"List-Unsubscribe":"One-Click"}', 'application/json'],
    ] as const) {
      const { url, contact_id } = await enrolled()
      const response = await post(url, body, type)
      assert.equal(response.status, 200, `${type} ${body}`)
      assert.notEqual(await unsubscribedAt(contact_id), null)
    }
    const { url, contact_id } = await enrolled()
    const bare = await raw(`POST ${new URL(url).pathname} HTTP/1.0\r\nHost: x\r\n\r\n`)
    assert.match(bare, /^HTTP\/1\.1 200 /)
    assert.notEqual(await unsubscribedAt(contact_id), null)
  })

  test('to a link with what programs append to it unsubscribes; another letter makes it another link', async () => {
    for (const end of ['.', '>', '%3E', ')', '/', '?utm_source=news', '%20', ',']) {
      const { url, contact_id } = await enrolled()
      assert.equal((await post(url + end)).status, 200, end)
      assert.notEqual(await unsubscribedAt(contact_id), null)
    }
    const { url, contact_id } = await enrolled()
    for (const end of ['x', '-', '_']) assert.equal((await post(url + end)).status, 404, end)
    assert.equal(await unsubscribedAt(contact_id), null)
  })

  test('of more than 8 KiB is 413, whether it says so or not', async () => {
    const { url, contact_id } = await enrolled()
    const body = (bytes: number) => `${ONE_CLICK}&x=${'x'.repeat(bytes - ONE_CLICK.length - 3)}`
    assert.equal((await post(url, body(8193))).status, 413)
    const chunked = await raw(
      `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: x\r\nContent-Type: ${form}\r\nTransfer-Encoding: chunked\r\n\r\n2001\r\n${body(8193)}\r\n0\r\n\r\n`,
    )
    assert.match(chunked, /^HTTP\/1\.1 413 /)
    assert.equal(await unsubscribedAt(contact_id), null)
    assert.equal((await post(url, body(8192))).status, 200)
  })

  test('while the store cannot be written is 503, and is to be tried again', async () => {
    const { url, contact_id } = await enrolled()
    const { db } = server.store
    db.exec("CREATE TRIGGER full BEFORE UPDATE ON contacts BEGIN SELECT raise(ABORT, 'disk'); END")
    const response = await post(url)
    db.exec('DROP TRIGGER full')
    assert.equal(response.status, 503)
    assert.equal(response.headers.get('retry-after'), '60')
    assert.match(await response.text(), /<h1>Something went wrong<\/h1>/)
    assert.equal(await unsubscribedAt(contact_id), null)
  })
})

/** The answer to bytes as they are. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let got = ''
    const socket = connect(Number(new URL(listener.url).port), '127.0.0.1', () => socket.write(text))
    socket.setEncoding('utf8').on('data', (chunk) => {
      got += chunk
    })
    socket.on('close', () => resolve(got)).on('error', reject)
  })

describe('what is not so', () => {
  test('a token that is none is 404 with a page that says what to do, and tells nothing else', async () => {
    const { url, token } = await enrolled()
    const altered = `${token.slice(0, 40)}${token[40] === 'A' ? 'B' : 'A'}${token.slice(41)}`
    const unknown = unsubscribing(server.deps).url(server.a.org, { id: server.store.clock.id() }) as string
    const pages = new Set<string>()
    for (const other of [`${url}x`, url.slice(0, -1), url.replace(token, altered), url.replace(token, ''), unknown])
      for (const method of ['GET', 'POST']) {
        const response = method === 'GET' ? await fetch(other) : await post(other)
        assert.equal(response.status, 404, other)
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
        pages.add(await response.text())
      }
    assert.equal(pages.size, 1)
    assert.match([...pages][0] as string, /Open it from the email again/)
  })

  test('another method is 405', async () => {
    const { url, contact_id } = await enrolled()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(url, { method })
      assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, POST'], method)
    }
    assert.equal(await unsubscribedAt(contact_id), null)
  })
})

test('the log has no token', async () => {
  const { url, token } = await enrolled()
  logged.length = 0
  await fetch(url)
  await post(url)
  await post(`${url}?${token}`, '')
  await fetch(`${url}x`)
  await fetch(url, { method: 'PUT' })
  assert.equal(logged.length, 5)
  for (const line of logged) {
    assert.equal(JSON.parse(line).route, '/unsubscribe/:token')
    assert.ok(!line.includes(token.slice(0, 20)), line)
  }
})

describe('in a browser', { skip: noBrowser }, () => {
  let browser: Browser
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())

  test('the button unsubscribes, below any path, with nothing refused by the policy', async () => {
    const { url, contact_id, token } = await enrolled()
    const page = await browser.newPage()
    const said: string[] = []
    page.on('console', (message) => said.push(message.text()))
    // As a proxy does which has the pages below a path of its own.
    await page.route('**/*', async (route) => {
      const asked = route.request().url()
      if (asked.endsWith('/favicon.ico')) return route.fulfill({ status: 204 })
      if (!asked.includes('/crm/')) return route.abort()
      return route.fulfill({ response: await route.fetch({ url: asked.replace('/crm/', '/') }) })
    })
    await page.goto(url.replace(token, '').replace('/unsubscribe/', `/crm/unsubscribe/${token}`))
    assert.equal(await page.title(), 'Unsubscribe')
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('main')).display"), 'grid')
    await page.getByRole('button', { name: 'Unsubscribe' }).click()
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    assert.notEqual(await unsubscribedAt(contact_id), null)
    assert.deepEqual(said, [])
    await page.unrouteAll({ behavior: 'wait' }) // the style of the last page may still be on its way
    await page.close()
  })

  test('it fits a phone, whatever the names are', async () => {
    expectComplaint(/status of 404/) // a link that is none
    const { a, store } = server
    const email = `a@${'very-'.repeat(11)}long.${'x'.repeat(60)}.example`
    const { url } = await enrolled({ emails: [{ email }] })
    const rename = store.db.prepare('UPDATE orgs SET name = ? WHERE id = ?')
    const page = await browser.newPage({ viewport: { width: 320, height: 560 } })
    for (const [name, address] of [
      ['Acme', url],
      ['W'.repeat(255), url],
      ['Acme', `${url}x`],
    ] as const) {
      rename.run(name, a.org)
      await page.goto(address)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    }
    rename.run('Acme', a.org)
    await page.close()
  })
})
