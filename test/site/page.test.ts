import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { isAppPath } from '../../src/site/page/page.ts'
import { type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../dist/web/manifest.json'), 'utf8'))
const script = `/assets/${manifest.script}`

let server: TestServer
let screens: Screens

before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const bootOf = (text: string) =>
  JSON.parse(/<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(text)?.[1] as string)

describe('the page of the browser app', () => {
  test('is the same at every path of the app, and starts with what it knows before somebody signs in', async () => {
    for (const path of ['/', '/deals', '/contacts/01890000-0000-7000-8000-00000000000a', '/setup', '/no-such-screen']) {
      const { status, headers, text } = await screens.send('GET', path)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
      const { build, version, ...boot } = bootOf(text)
      assert.deepEqual(boot, {
        signed_in: false,
        needs_setup: false,
        language: 'en',
      })
      assert.equal(build, manifest.build)
      assert.match(version, /^\d+\.\d+\.\d+$/)
    }
  })

  test('starts with the data of the member who is signed in, in the language and the theme of their choice', async () => {
    const ana = await screens.signedIn('member')
    const first = (await ana.call('GET', '/deals')).text
    assert.match(first, /^<!doctype html>\n<html lang="en" translate="no">/)
    assert.equal(bootOf(first).me.id, ana.id)
    await ana.call('PATCH', '/app/preferences', { theme: 'dark', language: 'de' })
    assert.match(
      (await ana.call('GET', '/deals')).text,
      /^<!doctype html>\n<html lang="de" translate="no" data-theme="dark">/,
    )
  })

  test('is compressed for browsers that take it, and preloads the screen of its address', async () => {
    const plain = await screens.send('GET', '/contacts')
    const small = await screens.send('GET', '/contacts', undefined, { 'accept-encoding': 'gzip' })
    assert.deepEqual(
      [plain, small].map(({ headers }) => headers.get('content-encoding')),
      [null, 'gzip'],
    )
    assert.equal(small.text, plain.text)
    const [file] = manifest.later['src/web/screens/tasks/tasks.tsx']
    const preloads = async (path: string) => (await screens.send('GET', path)).text.includes(`href="/assets/${file}"`)
    assert.deepEqual(
      [await preloads('/tasks'), await preloads('/tasks/1'), await preloads('/lists')],
      [true, true, false],
    )
  })

  test('stands at no path of another part of the server, or of a file', () => {
    for (const path of ['/', '/deals', '/deals/x', '/apis', '/application', '/livezz']) assert.ok(isAppPath(path), path)
    const others = [
      '/api',
      '/api/v2/deals',
      '/app',
      '/app/x',
      '/assets/a',
      '/reference',
      '/livez',
      '/readyz',
      '/metrics',
      '/openapi',
    ]
    for (const path of [...others, '/unsubscribe/a', '/robots.txt', '/a/b.js', '/a%2fb', '//evil', '/a//b'])
      assert.equal(isAppPath(path), false, path)
  })

  test('asks in the language of the browser', async () => {
    const { text } = await screens.send('GET', '/', undefined, { 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' })
    assert.deepEqual([/<html lang="(.*?)" translate="no">/.exec(text)?.[1], bootOf(text).language], ['de', 'de'])
  })

  test('shows no text of a record as markup', async () => {
    const evil = '</script><img src=x onerror=alert(1)><!--<script>'
    await server.call('POST', '/tags', { name: evil })
    const ana = await screens.signedIn('viewer')
    const { text } = await ana.call('GET', '/')
    assert.ok(bootOf(text).tags.some(({ name }: { name: string }) => name === evil))
    assert.doesNotMatch(text, /<img|<!--/)
    assert.equal(text.split('<script').length, 3)
  })

  test('loads its files early and nothing else, and keeps no copy anywhere', async () => {
    const { text, headers } = await screens.send('GET', '/')
    const icon = readFileSync(join(import.meta.dirname, '../../src/web/icon.svg'), 'utf8')
    for (const [, target] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (target === `data:image/svg+xml,${encodeURIComponent(icon)}`) continue
      assert.match(`${target}`, /^\/(assets\/|reference$)/)
      assert.equal((await screens.send('GET', `${target}`)).status, 200, `${target}`)
    }
    assert.ok(text.includes(`<script type="module" src="${script}"></script>`))
    assert.ok(text.includes(`<link rel="stylesheet" href="/assets/${manifest.style}">`))
    for (const name of manifest.preload) assert.ok(text.includes(`<link rel="modulepreload" href="/assets/${name}">`))
    // Only the Latin letters: other scripts are loaded when a text has them.
    assert.deepEqual(
      [...text.matchAll(/<link rel="preload" href="([^"]*)" as="font" type="font\/woff2" crossorigin>/g)].map(
        ([, at]) => at,
      ),
      Object.keys(manifest.files)
        .filter((name) => name.startsWith('inter-latin-wght-'))
        .map((name) => `/assets/${name}`),
    )
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=/)
    const policy = headers.get('content-security-policy') ?? ''
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "font-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.split('; ').includes(rule), rule)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    assert.deepEqual([headers.get('cache-control'), headers.get('vary')], ['no-store', 'Accept-Encoding, Cookie'])
  })

  test('takes no write', async () => {
    const { status, headers } = await screens.send('POST', '/deals', {})
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'])
  })
})

describe('a hashed file', () => {
  const get = (headers: Record<string, string>) => fetch(screens.url + script, { headers })

  test('is kept for ever, in the form that the client takes', async () => {
    for (const [accept, coding] of [
      ['gzip, deflate', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
      ['gzip;q=0', null],
    ] as const) {
      const { status, headers } = await get({ 'accept-encoding': accept })
      assert.deepEqual([status, headers.get('content-encoding')], [200, coding], accept)
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('content-type'), 'text/javascript; charset=utf-8')
      assert.equal(headers.get('vary'), 'Accept-Encoding')
    }
  })

  test('of a font is kept for ever too, and sent as it is', async () => {
    const fonts = Object.keys(manifest.files).filter((name) => name.endsWith('.woff2'))
    assert.deepEqual(
      fonts.map((name) => name.replace(/-wght-normal-\w+\.woff2$/, '')),
      [
        'inter-cyrillic-ext',
        'inter-cyrillic',
        'inter-greek-ext',
        'inter-greek',
        'inter-latin-ext',
        'inter-latin',
        'inter-vietnamese',
      ],
    )
    for (const name of fonts) {
      const { status, headers } = await fetch(`${screens.url}/assets/${name}`, {
        headers: { 'accept-encoding': 'gzip, br' },
      })
      assert.deepEqual(
        [status, headers.get('content-encoding'), headers.get('content-type')],
        [200, null, 'font/woff2'],
      )
      assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(headers.get('content-length'), `${manifest.files[name].bytes}`)
    }
  })

  test('may connect to this server, as the worker of the stream does, and nothing else', async () => {
    const { headers } = await get({})
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; connect-src 'self'")
  })

  test('has the same content in each form, and 304 for what is known', async () => {
    const plain = await (await get({ 'accept-encoding': 'identity' })).text()
    assert.equal(Buffer.byteLength(plain), manifest.files[manifest.script].bytes)
    const stored = (form: string) =>
      readFileSync(join(import.meta.dirname, '../../dist/web', `${manifest.script}.${form}`))
    assert.equal(gunzipSync(stored('gz')).toString(), plain)
    assert.equal(brotliDecompressSync(stored('br')).toString(), plain)
    const etag = (await get({ 'accept-encoding': 'gzip' })).headers.get('etag') as string
    const known = (coding: string) => get({ 'accept-encoding': coding, 'if-none-match': etag })
    assert.deepEqual([(await known('gzip')).status, (await known('br')).status], [304, 200])
  })

  test('of another build is 404, and never the page', async () => {
    const { status, body } = await screens.send('GET', '/assets/main-00000000.js')
    assert.deepEqual([status, body.code], [404, 'no_such_path'])
  })
})
