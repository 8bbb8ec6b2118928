import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { before, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pino from 'pino'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { serveOptions } from '../../src/cli/serve/serve-options.ts'
import { parseListen } from '../../src/command/config/options.ts'
import { dropInText } from '../../src/ops/install/unit.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { MAIN } from '../support/program.ts'
import { startNginx, versionOf } from '../support/proxies.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { cli, cliJson, temporaryFolder } from './command-line.ts'

// Listeners on Unix sockets, and what stands in front of them.

const folder = temporaryFolder()
const data = join(folder, 'data')
let org: Org
let sockets = 0
const run = promisify(execFile)

before(async () => {
  const store = openStore(data, { create: true })
  org = await makeOrg(store, data, 'Acme')
  store.close()
})

const newSocket = (): string => join(folder, `s${++sockets}`)

/** Starts the server in this process, with the lines of its log. */
async function served(t: TestContext, options: Partial<Parameters<typeof serveFolder>[0]> = {}) {
  const lines: { level: number; msg: string; address?: string; route?: string }[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const [api, screens] = [newSocket(), newSocket()]
  const running = await serveFolder(
    {
      ...{ data, apiListen: `unix:${api}`, screensListen: `unix:${screens}`, rateLimit: 'off', corsOrigin: '' },
      ...{ webhookAllow: '', eventRetention: '30d', ...options },
    },
    log,
  )
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= running.stop())
  t.after(stop)
  return { running, stop, api, screens, lines }
}

async function ask(socketPath: string, path: string, headers: Record<string, string> = {}) {
  const asked = request({ socketPath, path, agent: false, headers: { host: 'localhost', ...headers } }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() }
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

test('what is no path of a socket is refused in a sentence', () => {
  assert.deepEqual(parseListen('unix:/run/dealbox/api.sock'), { path: '/run/dealbox/api.sock' })
  for (const [text, message] of [
    ['unix:', /needs the path of a socket/],
    ['unix:/run/', /needs the path of a socket/],
    ['unix:@dealbox', /abstract socket/],
    [`unix:/${'x'.repeat(103)}`, /too long for a Unix socket: its path can have 103 bytes/],
    ['unix/run/x', /is not a valid address to listen on.*unix:\/run\/dealbox\/api\.sock/],
  ] as const)
    assert.throws(() => parseListen(text), { code: 'usage', message }, text)
})

describe('a server on Unix sockets', () => {
  test('answers there, lets its group in, and leaves nothing behind', async (t) => {
    const { running, stop, api, screens } = await served(t)
    assert.deepEqual([running.api, running.screens], [`unix:${api}`, `unix:${screens}`])
    assert.equal((await ask(api, '/api/v1/deals', { authorization: `Bearer ${org.token}` })).status, 200)
    assert.deepEqual([modeOf(api), modeOf(screens)], ['660', '660'])
    const { servers } = JSON.parse((await ask(screens, '/openapi.json')).text)
    assert.deepEqual(servers, [{ url: 'http://localhost/api/v1' }])
    await stop()
    assert.deepEqual([existsSync(api), existsSync(screens)], [false, false])
  })

  test('has its mode also where the umask would let everybody in', async (t) => {
    const umask = process.umask(0)
    t.after(() => process.umask(umask))
    const { api } = await served(t)
    assert.equal(modeOf(api), '660')
    assert.equal(process.umask(), 0)
  })

  test('shows programs of this machine how it is, and nobody behind a proxy', async (t) => {
    const { screens } = await served(t)
    const { stdout } = await run('curl', ['-s', '--unix-socket', screens, 'http://localhost/readyz'])
    assert.equal(JSON.parse(stdout).checks.database.status, 'pass')
    assert.equal((await ask(screens, '/metrics')).status, 200)
    assert.equal((await ask(screens, '/metrics', { 'x-forwarded-for': '203.0.113.9' })).status, 403)
    assert.equal((await cli(['healthcheck', '--screens-listen', `unix:${screens}`])).code, 0)
    const none = await cli(['healthcheck', '--screens-listen', `unix:${folder}/none`])
    assert.deepEqual([none.code, none.err], [1, `No server responds at unix:${folder}/none.\n`])
  })

  test('believes whoever the mode of the file lets in, also beside named proxies, unless nobody is believed', async (t) => {
    const client = { 'x-forwarded-for': '198.51.100.7' }
    for (const [trustProxy, expected, monitorFrom] of [
      [undefined, '198.51.100.7', undefined],
      ['192.0.2.1', '198.51.100.7', undefined],
      ['off', '127.0.0.1', '127.0.0.1'],
    ] as const) {
      const { stop, api, screens, lines } = await served(t, { trustProxy, monitorFrom })
      await ask(api, '/api/v1/deals', client)
      assert.deepEqual(
        lines.filter(({ msg }) => msg === 'request').map(({ address }) => address),
        [expected],
        `${trustProxy}`,
      )
      // Whom a proxy that is not believed stands for is not known.
      assert.equal((await ask(screens, '/metrics', client)).status, 403, `${trustProxy}`)
      await stop()
    }
  })

  test('has no TLS there, and prints no warning of clear text', async (t) => {
    const pair = makeCertificate(2020, 2090)
    if (!pair) return t.skip('there is no openssl')
    const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
    writeFileSync(tlsCert, pair.cert)
    writeFileSync(tlsKey, pair.key)
    const { running, screens } = await served(t, { apiListen: '127.0.0.1:0', tlsCert, tlsKey })
    assert.match(running.api, /^https:/)
    assert.equal((await ask(screens, '/livez')).status, 200)
    assert.equal((await cli(['healthcheck', '--screens-listen', `unix:${screens}`, '--tls-cert', tlsCert])).code, 0)
  })
})

/** Starts the server as a process of its own. */
async function spawned(t: TestContext, dataDir: string, api: string, screens = 'off') {
  const args = ['serve', '--data', dataDir, '--api-listen', `unix:${api}`, '--screens-listen', screens]
  const server = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  t.after(() => server.kill('SIGKILL'))
  const said = { text: '', errors: '' }
  server.stdout.on('data', (chunk) => {
    said.text += chunk
  })
  server.stderr.on('data', (chunk) => {
    said.errors += chunk
  })
  const ended = once(server, 'exit').then(() => undefined)
  const ready = (async () => {
    while (!said.text.includes('screens  ')) await once(server.stdout, 'data')
  })()
  await Promise.race([ready, ended])
  return { server, said }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null

describe('the socket of an earlier server', () => {
  test('that was killed is replaced; one that somebody answers at, and a file, are left alone', async (t) => {
    const api = newSocket()
    const first = await spawned(t, data, api)
    assert.ok(isRunning(first.server), first.said.errors)
    assert.equal(first.said.text, `api      unix:${api}\nscreens  off\n`)
    assert.equal(first.said.errors, '')
    const other = join(folder, 'other')
    openStore(other, { create: true }).close()
    const second = await spawned(t, other, api)
    assert.equal(second.server.exitCode, 1)
    assert.equal(second.said.errors, `Cannot listen on unix:${api}: another program listens there.\n`)
    assert.equal((await ask(api, '/api/v1/deals')).status, 401)
    first.server.kill('SIGKILL')
    await once(first.server, 'exit')
    assert.ok(existsSync(api))
    const third = await spawned(t, data, api)
    assert.ok(isRunning(third.server), third.said.errors)
    assert.equal((await ask(api, '/api/v1/deals')).status, 401)
    third.server.kill('SIGTERM')
    await once(third.server, 'exit')
    assert.equal(existsSync(api), false)
  })

  test('is not taken for what is no socket, and its folder has to be there', async (t) => {
    const file = newSocket()
    writeFileSync(file, 'a text')
    const refused = (path: string, why: string) =>
      assert.rejects(served(t, { apiListen: `unix:${path}` }), {
        code: 'cannot_listen',
        message: `Cannot listen on unix:${path}: ${why}.`,
      })
    await refused(file, 'a file is there that is no socket')
    assert.ok(existsSync(file))
    await refused(join(folder, 'none', 's'), `there is no folder ${join(folder, 'none')}`)
    if (process.getuid?.() === 0) return
    const closed = join(folder, 'closed')
    mkdirSync(closed)
    chmodSync(closed, 0o555)
    await refused(join(closed, 's'), `this user may not make files in ${closed}`)
  })

  test('that is busy is not replaced', async (t) => {
    const path = newSocket()
    const held = createServer().listen({ path, backlog: 1 })
    await once(held, 'listening')
    t.after(() => held.close())
    const { ino, ctimeNs } = statSync(path, { bigint: true })
    await assert.rejects(served(t, { apiListen: `unix:${path}` }), /another program listens there/)
    const after = statSync(path, { bigint: true })
    assert.deepEqual([after.ino, after.ctimeNs], [ino, ctimeNs], 'it was moved for a moment')
  })
})

test('links to a socket have the name of the proxy, or say what to do', async (t) => {
  const empty = join(folder, 'empty')
  const screens = newSocket()
  const { said } = await spawned(t, empty, newSocket(), `unix:${screens}`)
  while (!said.text.includes('Browsers cannot open a Unix socket')) await new Promise((seen) => setImmediate(seen))
  assert.match(said.text, /^setup {4}http:\/\/localhost\/setup#/m)
  const at = ['--data', data, '--screens-listen', `unix:${screens}`]
  const invite = await cli(['member', 'invite', 'bo@acme.example', ...at])
  assert.match(invite.out, /^http:\/\/localhost\//)
  assert.match(invite.err, /Browsers cannot open a Unix socket: put the address of your proxy/)
  const { url } = await cliJson('member', 'invite', 'cy@acme.example', ...at, '--host', 'crm.example.com')
  assert.match(url, /^https:\/\/crm\.example\.com\/join#/)
})

test('the service makes the folder of its sockets, or may write to it', () => {
  const OFF = { apiListen: '127.0.0.1:8080', screensListen: 'off' }
  const unit = (values: Record<string, string>) =>
    dropInText({ user: 'dealbox', options: serveOptions, values: { ...OFF, ...values } })
  const both = unit({ apiListen: 'unix:/run/dealbox/api.sock', screensListen: 'unix:/run/dealbox/screens.sock' })
  assert.equal(both.match(/^RuntimeDirectory=dealbox\nRuntimeDirectoryMode=0750$/gm)?.length, 1, both)
  assert.match(both, /^Environment="DEALBOX_API_LISTEN=unix:\/run\/dealbox\/api\.sock"$/m)
  assert.match(unit({ apiListen: 'unix:/srv/web/api.sock' }), /^ReadWritePaths=-\/srv\/web$/m)
  assert.throws(() => unit({ apiListen: 'unix:api.sock' }), { code: 'usage', message: /needs a full path/ })
  assert.doesNotMatch(unit({ apiListen: '127.0.0.1:8080' }), /RuntimeDirectory/)
})

test('nginx reaches it by proxy_pass to the socket', {
  skip: versionOf('nginx', '-v') === undefined && 'there is no nginx',
}, async (t) => {
  const web = join(folder, 'web')
  mkdirSync(web)
  if (process.getuid?.() === 0) {
    // Then nginx answers as nobody: a folder that hands its group down gives it the socket.
    chmodSync(folder, 0o711)
    chownSync(web, 0, 65_534)
    chmodSync(web, 0o2750)
  }
  const screens = join(web, 's')
  const { lines } = await served(t, { host: 'crm.example.com', screensListen: `unix:${screens}` })
  const proxy = await startNginx(join(folder, 'nginx'), `http://unix:${screens}`)
  t.after(proxy.stop)
  const { hostname, port } = new URL(proxy.url)
  const asked = async (path: string, host: string) => {
    const sent = request({ hostname, port, path, agent: false, headers: { host, 'x-forwarded-for': '203.0.113.9' } })
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    return { status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() }
  }
  const page = await asked('/', 'crm.example.com')
  assert.equal(page.status, 200)
  assert.match(page.text, /<html/)
  assert.equal((await asked('/', 'evil.example')).status, 421)
  assert.deepEqual(JSON.parse((await asked('/readyz', 'crm.example.com')).text), { status: 'ready' })
  // What the browser invents is replaced by nginx with its address.
  assert.ok(lines.filter(({ msg }) => msg === 'request').every(({ address }) => address === '127.0.0.1'))
})
