import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { mailLinks } from '../../src/auth/mail-links.ts'
import { parseBasePath } from '../../src/http/base-path.ts'
import { unsubscribing } from '../../src/sequences/enrollments/unsubscribe.ts'
import { webFiles } from '../../src/site/page/files.ts'
import { screenHandlers, screenRoutes } from '../../src/site/routes.ts'
import { enroll, makeSequence } from '../support/enrolled.ts'
import { cookiesOf, PASSWORD, type Screens, screenParts, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

// Everything below a path: --base-path /crm.

const BASE = '/crm'
const ENCRYPTED = { 'x-forwarded-proto': 'https' }

let server: TestServer
let screens: Screens
before(async () => {
  server = await startServer({ basePath: BASE })
  screens = await startScreens(server, { basePath: BASE })
})
after(async () => {
  await screens.stop()
  await server.stop()
})

/** Sends a path as it is. */
function ask(url: string, path: string, { method = 'GET', headers = {} as Record<string, string> } = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asked = request({ host: hostname, port, path, method, headers, agent: false }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString()
      resolve({ status: answer.statusCode as number, headers: answer.headers, text })
    })
    asked.on('error', reject).end()
  })
}

/** Every method and path of both listeners, with ids. */
function everyRoute(): { at: string; method: string; path: string }[] {
  const all = screenParts(server)
  const api = server.routes.map(({ method, path }) => ({ method, path: `/api/v1${path}` }))
  const own = screenRoutes(all).map(({ method, path }) => ({ method, path: `/app${path}` }))
  const pages = ['/', '/deals', '/setup', '/reference', '/openapi.json', '/reference.css', '/reference.js', '/icon.svg']
  const others = [
    ...pages,
    '/livez',
    '/readyz',
    '/unsubscribe/style.css',
    '/rating/style.css',
    `/assets/${webFiles().script}`,
  ]
  return [
    ...api.map((each) => ({ ...each, at: server.url })),
    ...[...api, ...own, ...screenHandlers(all), ...others.map((path) => ({ method: 'get', path }))].map((each) => ({
      ...each,
      at: screens.url,
    })),
  ].map(({ at, method, path }) => ({
    at,
    method: method.toUpperCase(),
    path: path.replace(/:\w+/g, () => server.store.clock.id()),
  }))
}

describe('--base-path', () => {
  test('is a path of one or more parts; a slash at its end does not matter', () => {
    for (const path of ['/crm', '/a/b.c', '/api', '/~ann/crm_2-x']) assert.equal(parseBasePath(path), path)
    assert.deepEqual(['', '/', '/crm/', undefined].map(parseBasePath), ['', '', '/crm', ''])
  })

  for (const wrong of [
    'crm',
    '//x',
    '/crm//',
    '/a//b',
    '/a/../b',
    '/./a',
    '/a b',
    '/a%20b',
    '/ü',
    '/a?b',
    '/a"b',
    '/a\nb',
  ])
    test(`is not ${JSON.stringify(wrong)}`, () => {
      assert.throws(() => parseBasePath(wrong), /is not a path\. Use a form such as \/crm/)
    })
})

test('every route is below the path, and nowhere else', async () => {
  const { cookie } = await screens.signedIn('owner')
  const routes = everyRoute()
  assert.ok(routes.length > 150, `${routes.length} routes`)
  for (const { at, method, path } of routes) {
    const who =
      at === server.url ? { authorization: `Bearer ${server.a.token}` } : { cookie, origin: new URL(at).origin }
    if (path === '/app/stream' || path === '/app/logout') continue // the one goes on for ever, the other ends the session
    const name = `${method} ${path}`
    const inside = await ask(at, BASE + path, { method, headers: who })
    assert.doesNotMatch(inside.text, /"(no_such_path|outside_base_path)"/, name)
    assert.ok(
      ![301, 302, 307, 308, 401, 500].includes(inside.status) || /password|totp|login|links/.test(path),
      `${name}: ${inside.status}`,
    )
    for (const wrong of [path, `/other${path}`, `/CRM${path}`, `/crm2${path}`, `/%63rm${path}`, `/${BASE}${path}`]) {
      const outside = await ask(at, wrong, { method, headers: who })
      assert.deepEqual(
        [outside.status, JSON.parse(outside.text || '{}').code ?? method],
        [404, 'outside_base_path'],
        wrong,
      )
    }
  }
})

test('the refusal is one sentence for who has to mend the proxy, as every other answer of the server', async () => {
  const { status, headers, text } = await ask(screens.url, '/deals', { headers: { 'dealbox-echo': 'here' } })
  const { detail, code } = JSON.parse(text)
  assert.deepEqual([status, code, headers['dealbox-echo']], [404, 'outside_base_path', 'here'])
  assert.equal(
    detail,
    'This server is below /crm/ and has nothing at this path. If a proxy takes /crm off, let it pass the path on as it is.',
  )
  assert.match(headers['content-type'] as string, /problem/)
  assert.ok(headers['x-request-id'])
})

test('the path without its slash leads to it, for who reads', async () => {
  for (const at of [server.url, screens.url]) {
    for (const method of ['GET', 'HEAD']) {
      for (const query of ['', '?a=%2F&b=//x']) {
        const { status, headers } = await ask(at, BASE + query, { method })
        assert.deepEqual([status, headers.location], [308, `/crm/${query}`])
      }
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
      assert.equal((await ask(at, BASE, { method })).status, 404, method)
  }
})

test('addresses in answers of the API have the path: Link, Location, also of a repeated request', async () => {
  const key = { headers: { 'idempotency-key': 'once' } }
  const made = await server.call('POST', '/tags', { name: 'one' }, key)
  assert.equal(made.headers.get('location'), `/crm/api/v1/tags/${made.body.id}`)
  const again = await server.call('POST', '/tags', { name: 'one' }, key)
  assert.deepEqual(
    [again.headers.get('idempotency-replayed'), again.headers.get('location')],
    ['true', made.headers.get('location')],
  )
  for (const first_name of ['Eva', 'Ida']) await server.call('POST', '/contacts', { first_name })
  for (const path of ['/contacts?limit=1', '/contacts?limit=1', '/webhooks/events?limit=1&after_seq=0']) {
    const page = await server.call('GET', path)
    const link = page.headers.get('link') ?? page.text
    const [, next = ''] = /^<(\/crm\/api\/v1[^>]*)>; rel="next"$/.exec(link) ?? []
    const followed = await ask(server.url, next, { headers: { authorization: `Bearer ${server.a.token}` } })
    assert.deepEqual([followed.status, JSON.parse(followed.text).data?.length], [200, 1], `${path} ${link}`)
  }
})

/** Addresses in a page, a stylesheet or a script, as a browser resolves them. */
const addressesIn = (text: string, at: string): string[] =>
  [
    ...text.matchAll(
      /\s(?:href|src|action)="([^"#][^"]*)"|url\("?([^")]+)"?\)|\b(?:from|import\()\s*"(\.[^"]+|\/[^"]+)"/g,
    ),
  ]
    .map(([, ...found]) => found.find((each) => each !== undefined) as string)
    .filter((found) => !/^(data|mailto|tel|blob):/.test(found))
    .map((found) => new URL(found, at).href)

test('whatever a page names, and what that names, is below the path and there', async () => {
  const { cookie } = await screens.signedIn('owner')
  const seen = new Set(
    ['/', '/deals/1', '/setup', '/reference', `/unsubscribe/${'x'.repeat(64)}`, '/rating/x/good'].map(
      (path) => screens.url + path,
    ),
  )
  for (const url of seen) {
    const got = await fetch(url, { headers: { cookie } })
    assert.ok(got.status === 200 || /\/(?:unsubscribe|rating)\/x/.test(url), `${got.status} ${url}`)
    if (!/html|css|javascript/.test(got.headers.get('content-type') ?? '')) continue
    for (const found of addressesIn(await got.text(), url)) {
      assert.ok(found.startsWith(`${screens.url}/`), `${found} in ${url}`)
      seen.add(found)
    }
  }
  assert.ok(seen.size > 50, `${seen.size} files`)
})

test('the document and the boot name the API with the path', async () => {
  const { body } = await screens.send('GET', '/openapi.json')
  assert.deepEqual(body.servers, [{ url: `${screens.url.replace(/:\d+/, `:${new URL(server.url).port}`)}/api/v1` }])
  assert.match((await screens.send('GET', '/reference')).text, /<code>http:\/\/127\.0\.0\.1:\d+\/crm\/api\/v1<\/code>/)
  const owner = await screens.signedIn('owner')
  assert.match((await owner.call('GET', '/app/boot')).body.api_url, /^http:\/\/127\.0\.0\.1:\d+\/crm$/)
})

test('cookies are for the path alone, by names of their own, with the prefix that such ones may have', async () => {
  const root = await startScreens(server)
  try {
    const { email } = await screens.newMember('member')
    const log = (at: Screens, headers = {}) => at.send('POST', '/app/login', { email, password: PASSWORD }, headers)
    const plain = cookiesOf(await log(screens))
    for (const { attributes } of Object.values(plain)) assert.ok(attributes.includes('path=/crm'), String(attributes))
    assert.deepEqual(Object.keys(plain).sort(), [screens.names.session, screens.names.device].sort())
    const marks = [screens, root].map(({ names }) => names.session.split('-')[1])
    assert.notEqual(marks[0], marks[1])
    const secure = cookiesOf(
      await log(screens, { ...ENCRYPTED, origin: new URL(screens.url).origin.replace('http', 'https') }),
    )
    const name = `__Secure-${screens.names.session}`
    assert.deepEqual(
      secure[name]?.attributes.filter((each) => each !== 'max-age=2592000'),
      ['path=/crm', 'httponly', 'samesite=lax', 'secure'],
    )
    const boot = (cookie: string) => screens.send('GET', '/app/boot', undefined, { cookie })
    assert.equal((await boot(`${screens.names.session}=${plain[screens.names.session]?.value}`)).status, 200)
    // A cookie of the whole host, such as of the same installation at the root, is that of another server.
    const ofRoot = Object.values(cookiesOf(await log(root)))[0]?.value as string
    assert.equal((await boot(`${root.names.session}=${ofRoot}`)).status, 401)
    assert.equal((await boot(`dealbox=${ofRoot}`)).status, 401)
    const left = cookiesOf(
      await screens.send('POST', '/app/logout', undefined, {
        cookie: `${screens.names.session}=${plain[screens.names.session]?.value}`,
      }),
    )
    assert.deepEqual(left[screens.names.session]?.attributes.slice(0, 2), ['max-age=0', 'path=/crm'])
  } finally {
    await root.stop()
  }
})

test('links for others have the path: invitations, and those by which somebody unsubscribes', async () => {
  const admin = await screens.signedIn('admin')
  const made = await admin.call('POST', '/app/invites', { role: 'member' })
  assert.equal(made.body.url.split('#')[0], `${screens.url}/join`)
  const { store, a, deps } = server
  const enrollment = { id: enroll(server, a, makeSequence(server, a).id, {}) }
  const setPublic = store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?')
  for (const url of [
    'https://example.com',
    'https://example.com/',
    'https://example.com/crm',
    'https://example.com/crm/',
  ]) {
    setPublic.run(url, a.org)
    const link = unsubscribing(deps).url(a.org, enrollment) as string
    assert.match(link, /^https:\/\/example\.com\/crm\/unsubscribe\/[\w-]{64}$/, url)
    const page = await ask(screens.url, new URL(link).pathname, { headers: { host: 'example.com' } })
    assert.equal(page.status, 200, page.text)
    const rating = mailLinks(deps).url(a.org, 'rating', enrollment.id) as string
    assert.match(rating, /^https:\/\/example\.com\/crm\/rating\/[\w-]{64}$/, url)
    const gone = await ask(screens.url, `${new URL(rating).pathname}/good`, { headers: { host: 'example.com' } })
    assert.match(gone.text, /This link does not work/)
  }
  setPublic.run('https://example.com/crm', a.org)
  const open = await admin.call('POST', '/app/invites', { role: 'member' })
  assert.equal(
    open.body.url.split('#')[0],
    'https://example.com/crm/join',
    'this machine only is no address for others',
  )
  setPublic.run('https://example.com', a.org)
  const other = await admin.call('POST', '/app/invites', { role: 'member' })
  assert.equal(other.body.url.split('#')[0], `${screens.url}/join`, 'a public address of something else')
  setPublic.run(null, a.org)
})
