import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { catalog, PREFIX } from '../../src/app/api.ts'
import { resourceDeps } from '../../src/app/deps.ts'
import { applySettings, createOrg } from '../../src/app/settings/document.ts'
import { type Listener, listen } from '../../src/http/listener/server.ts'
import { openApiDocument } from '../../src/http/openapi/openapi.ts'
import { mailboxStore } from '../../src/inbox/mailboxes/mailboxes.ts'
import { silentLog } from '../../src/lib/log.ts'
import { screensServer } from '../../src/site/site.ts'
import { type OpenedStore, openStore } from '../../src/store/open.ts'
import { sendRaw } from '../support/raw.ts'
import { givenToScreens } from '../support/screens.ts'

const TYPES: Record<string, string> = {
  '/reference': 'text/html; charset=utf-8',
  '/openapi.json': 'application/json',
  '/reference.css': 'text/css; charset=utf-8',
  '/reference.js': 'text/javascript; charset=utf-8',
  '/icon.svg': 'image/svg+xml',
  '/unsubscribe/style.css': 'text/css; charset=utf-8',
  '/livez': 'application/json',
  '/readyz': 'application/json',
  '/metrics': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
}
const PATHS = Object.keys(TYPES)

let dataDir: string
let store: OpenedStore
let document: Record<string, unknown>
let listener: Listener
// A signal that a test can take back.
const stopping = Object.assign(new EventTarget(), { aborted: false }) as { aborted: boolean } & AbortSignal

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'dealbox-test-'))
  store = openStore(dataDir, { create: true })
  const deps = resourceDeps(store)
  const routes = catalog(deps)
  document = openApiDocument(routes, PREFIX, '1.2.3')
  const parts = { document: () => document, routes, prefix: PREFIX, store, deps, dataDir }
  const site = screensServer({
    ...parts,
    ...givenToScreens({ ...parts, stopping }),
    apiUrl: 'http://127.0.0.1:1',
    stopping,
    log: silentLog,
  })
  listener = await listen(site.callback(), { host: '127.0.0.1', port: 0 })
})
after(async () => {
  await listener.stop(1000)
  if (store.db.open) store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const get = (path: string, init: RequestInit = {}) => fetch(listener.url + path, init)

test('every answer of the listener carries the echo, a refusal and what has no body too', async () => {
  const asset = Object.keys(JSON.parse(readFileSync('dist/web/manifest.json', 'utf8')).files)[0] as string
  const etag = (await get('/icon.svg')).headers.get('etag') as string
  const asked: [number, string, RequestInit?][] = [
    ...PATHS.map((path): [number, string] => [200, path]),
    [200, `/assets/${asset}`],
    [200, '/deals'],
    [200, '/livez', { method: 'HEAD' }],
    [304, '/icon.svg', { headers: { 'if-none-match': etag } }],
    [400, '/livez#'],
    [401, '/app/boot'],
    [401, '/app/stream'],
    [401, '/api/v1/deals'],
    [404, '/app/nothing'],
    [404, '/api/v1/nothing'],
    [404, '/assets/nothing.js'],
    [404, '/no.such'],
    [405, '/livez', { method: 'PUT' }],
    [422, '/app/login', { method: 'POST', body: '{}' }],
  ]
  for (const [status, path, init] of asked) {
    const own = { 'dealbox-echo': 'asked-now', origin: listener.url, 'content-type': 'application/json' }
    const answer = path.endsWith('#')
      ? await sendRaw(listener.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nDealbox-Echo: asked-now\r\n\r\n`)
      : await get(path, { ...init, headers: { ...own, ...init?.headers } })
    const echo = answer.headers instanceof Headers ? answer.headers.get('dealbox-echo') : answer.headers['dealbox-echo']
    assert.deepEqual([answer.status, echo], [status, 'asked-now'], path)
  }
})

test('every file that the screens read is shipped in the executable', async () => {
  const root = join(import.meta.dirname, '../..')
  const { assets } = await import(join(root, 'build.config.mjs'))
  const shipped = globSync(assets, { cwd: root })
  const sources = globSync('src/site/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const read = sources.flatMap((source) =>
    [...source.matchAll(/asset\('([^']+)'\)/g)].map(([, path]) => path as string),
  )
  assert.equal(read.length, 4)
  for (const path of read) assert.ok(shipped.includes(join(path)), path)
})

describe('every path', () => {
  for (const [path, type] of Object.entries(TYPES)) {
    test(`${path} is answered as ${type}`, async () => {
      const response = await get(path)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), type)
      assert.ok((await response.text()).length > 10)
    })

    test(`${path} answers HEAD as GET without the body`, async () => {
      const plain = { headers: { 'accept-encoding': 'identity' } }
      const [head, full] = [await get(path, { ...plain, method: 'HEAD' }), await get(path, plain)]
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      assert.equal(head.headers.get('content-type'), type)
      const { byteLength } = await full.arrayBuffer()
      // The metrics count the first request.
      if (path !== '/metrics') assert.equal(head.headers.get('content-length'), String(byteLength))
    })

    test(`${path} takes no other method`, async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        const response = await get(path, { method })
        assert.equal(response.status, 405, method)
        assert.equal(response.headers.get('allow'), 'GET, HEAD')
        assert.equal(response.headers.get('content-type'), 'application/problem+json')
      }
    })
  }
})

test('any other path is 404 with a problem', async () => {
  const others = ['/index.html', '/livez/', '/%6civez', '//', '/api/v1', '/api', '/app', '/src/web/reference.css']
  for (const path of [
    ...others,
    '/assets/',
    '/assets/constructor',
    '/assets/manifest.json',
    '/reference.css/..%2f..%2fpackage.json',
    '/unsubscribe',
  ]) {
    const response = await get(path)
    const body = (await response.json()) as { code: string; request_id: string }
    assert.equal(response.status, 404, path)
    assert.equal(body.code, 'no_such_path')
    assert.equal(body.request_id, response.headers.get('x-request-id'))
  }
})

test('the API is there for sessions alone', async () => {
  for (const headers of [{}, { authorization: 'Bearer x' }]) {
    const response = await get('/api/v1/deals', { headers })
    const { code } = (await response.json()) as { code: string }
    assert.deepEqual([response.status, code, response.headers.get('www-authenticate')], [401, 'signed_out', null])
  }
})

test('a target that is too long is 414', async () => {
  const response = await get(`/?${'x'.repeat(9000)}`)
  assert.equal(response.status, 414)
  assert.equal(((await response.json()) as { code: string }).code, 'uri_too_long')
})

test('every answer carries strict security headers, and none says what it runs on', async () => {
  for (const [path, method] of [
    ...PATHS.map((path) => [path, 'GET']),
    ['/no.where', 'GET'],
    ['/reference', 'POST'],
  ] as const) {
    const { headers } = await get(path, { method })
    const policy = Object.fromEntries(
      (headers.get('content-security-policy') ?? '').split('; ').map((rule) => rule.split(/ (.*)/).slice(0, 2)),
    )
    assert.equal(policy['default-src'], "'none'", path)
    assert.equal(policy['frame-ancestors'], "'none'")
    assert.equal(policy['base-uri'], "'none'")
    assert.equal(policy['form-action'], "'none'")
    for (const [name, sources] of Object.entries(policy)) assert.match(sources as string, /^'(none|self)'$/, name)
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-cache')
    assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
    assert.equal(headers.get('access-control-allow-origin'), null)
    assert.equal(headers.get('server'), null)
    assert.equal(headers.get('x-powered-by'), null)
  }
})

test('the request id is taken over, or new', async () => {
  const idOf = async (given?: string) =>
    (await get('/livez', { headers: given ? { 'x-request-id': given } : {} })).headers.get('x-request-id')
  assert.equal(await idOf('probe-7'), 'probe-7')
  assert.match((await idOf('no spaces')) as string, /^[0-9a-f-]{36}$/)
  assert.notEqual(await idOf(), await idOf())
})

test('the document is the one of the catalog', async () => {
  const response = await get('/openapi.json')
  const servers = [{ url: 'http://127.0.0.1:1/api/v1' }]
  assert.deepEqual(await response.json(), JSON.parse(JSON.stringify({ ...document, servers })))
})

describe('the document and its examples are for', () => {
  const parts = () => {
    const deps = resourceDeps(store)
    return {
      document: () => document,
      routes: catalog(deps),
      prefix: PREFIX,
      store,
      deps,
      dataDir,
      stopping: new AbortController().signal,
      log: silentLog,
    }
  }
  /** The server of the document and the first example, as a browser sees them that opens the screens by a name. */
  async function shown(apiUrl: string, host: string) {
    const site = screensServer({ ...parts(), ...givenToScreens(parts()), apiUrl, hosts: ['crm.example'] })
    const other = await listen(site.callback(), { host: '127.0.0.1', port: 0 })
    const read = (path: string) =>
      new Promise<string>((resolve, reject) => {
        request(other.url + path, { headers: { host } }, (answer) => {
          answer
            .setEncoding('utf8')
            .toArray()
            .then((all) => resolve(all.join('')), reject)
        })
          .on('error', reject)
          .end()
      })
    const [file, page] = [JSON.parse(await read('/openapi.json')), await read('/reference')]
    const again = JSON.parse(await read('/openapi.json'))
    await other.stop(1000)
    assert.deepEqual(again, file)
    const [, example] = /curl (?:<[^>]+>)?(?:&quot;)?(http[^<\s&?]+)/.exec(page) ?? []
    return [file.servers, example]
  }

  test('the address of the listener', async () => {
    const url = 'http://10.0.0.7:8080/api/v1'
    assert.deepEqual(await shown('http://10.0.0.7:8080', 'crm.example'), [[{ url }], `${url}/deals`])
  })

  test('the name by which the browser came, where the API listens everywhere', async () => {
    for (const everywhere of ['0.0.0.0', '[::]']) {
      const at = (name: string) => [[{ url: `http://${name}:8080/api/v1` }], `http://${name}:8080/api/v1/deals`]
      assert.deepEqual(await shown(`http://${everywhere}:8080`, 'crm.example:8081'), at('crm.example'))
      assert.deepEqual(await shown(`http://${everywhere}:8080`, 'localhost:8081'), at('localhost'))
    }
  })

  test('the address from --public-url, with its path', async () => {
    const url = 'https://crm.example/dealbox/api/v1'
    assert.deepEqual(await shown('https://crm.example/dealbox', 'localhost'), [[{ url }], `${url}/deals`])
  })
})

describe('what is known already', () => {
  for (const path of [
    '/reference',
    '/openapi.json',
    '/reference.css',
    '/reference.js',
    '/icon.svg',
    '/unsubscribe/style.css',
  ]) {
    test(`${path} is 304 for its ETag and whole for another`, async () => {
      const etag = (await get(path)).headers.get('etag') as string
      const known = await get(path, { headers: { 'if-none-match': `"other", ${etag}` } })
      assert.equal(known.status, 304)
      assert.equal(known.headers.get('etag'), etag)
      assert.equal(await known.text(), '')
      assert.equal((await get(path, { headers: { 'if-none-match': 'W/"other"' } })).status, 200)
    })

    test(`${path} is compressed where that is asked for`, async () => {
      const [small, plain] = await Promise.all(
        ['gzip', 'identity'].map((encoding) => get(path, { headers: { 'accept-encoding': encoding } })),
      )
      assert.equal(small?.headers.get('content-encoding'), 'gzip')
      assert.equal(plain?.headers.get('content-encoding'), null)
      assert.equal(plain?.headers.get('vary'), 'Accept-Encoding')
      assert.equal(await small?.text(), await plain?.text())
    })
  }
})

describe('health', () => {
  const health = async () => {
    const [live, ready] = await Promise.all([get('/livez'), get('/readyz')])
    return {
      live: [live.status, await live.json()],
      ready: [
        ready.status,
        (await ready.json()) as { status: unknown; code?: string; detail?: string; checks?: Record<string, unknown> },
      ] as const,
      headers: ready.headers,
    }
  }

  test('is live and ready', async () => {
    const { live, ready } = await health()
    assert.deepEqual(live, [200, { status: 'ok' }])
    const pass = { status: 'pass' }
    const { disk, log, ...checks } = ready[1].checks as Record<string, Record<string, unknown>>
    const jobs = { ...pass, given_up: 0 }
    const fine = { clock: pass, keys: pass, jobs, recurring: pass, mailboxes: pass, webhooks: pass }
    assert.deepEqual({ ...ready[1], checks }, { status: 'ready', mailboxes: {}, checks: { database: pass, ...fine } })
    assert.ok((disk?.free_bytes as number) > 0)
    assert.equal(log?.status, 'pass')
    assert.equal(log.bytes, statSync(join(dataDir, 'dealbox.db-wal')).size)
  })

  test('says of mailboxes how receiving goes, and nothing that tells which they are', async () => {
    const { org } = createOrg(store, { org: { name: 'Acme', timezone: 'Europe/Berlin', currency: 'EUR' } })
    const smtp = { host: '127.0.0.1', port: 25, tls: 'none' }
    const imap = { ...smtp, port: 143, user: 'x', password_env: 'PATH' }
    const box = (key: string, more = {}) => ({ key, name: key, address: `${key}@acme.example`, smtp, ...more })
    applySettings(store, org, { mailboxes: [box('one'), box('two', { imap }), box('three', { imap })] })
    const [, three] = store.db.prepare('SELECT id FROM mailboxes WHERE imap IS NOT NULL ORDER BY id').pluck().all()
    mailboxStore(resourceDeps(store)).saveState(org, three as string, {
      failing_since: store.clock.now(),
      last_error: 'The login was refused.',
      last_error_at: store.clock.now(),
    })
    const { ready } = await health()
    const detail = 'Receiving mail fails for 1; "dealbox mailbox list" shows the reasons.'
    const mailboxes = { not_set_up: 1, never_connected: 1, failing: 1 }
    const { checks, ...rest } = ready[1]
    assert.deepEqual([ready[0], rest], [200, { status: 'ready', mailboxes }])
    assert.deepEqual(checks?.mailboxes, { status: 'warn', detail })
  })

  test('while the server stops it is live, but not ready, and says why', async () => {
    stopping.aborted = true
    const { live, ready, headers } = await health()
    stopping.aborted = false
    assert.deepEqual(live, [200, { status: 'ok' }])
    assert.equal(ready[0], 503)
    assert.equal(ready[1].code, 'stopping')
    assert.equal(headers.get('content-type'), 'application/problem+json')
    assert.equal(headers.get('retry-after'), '5')
    assert.equal(headers.get('connection'), 'close')
  })

  test('without its database it is live, but not ready, and says why', async () => {
    store.close()
    const { live, ready } = await health()
    assert.deepEqual(live, [200, { status: 'ok' }])
    assert.equal(ready[0], 503)
    assert.equal(ready[1].code, 'database_failed')
    assert.match(ready[1].detail as string, /database does not respond/)
    assert.deepEqual(ready[1].checks, { database: { status: 'fail' } })
  })
})
