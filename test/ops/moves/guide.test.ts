import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openStore } from '../../../src/store/open.ts'
import { cli, temporaryFolder } from '../../cli/command-line.ts'
import { makeOrg, type Org } from '../../support/org.ts'
import { freePort, nginxMain, versionOf } from '../../support/proxies.ts'
import { type Served, serve } from '../../support/served.ts'
import { until } from '../../support/until.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

// The commands of docs/moving.md in their order, and the proxies that it names, in front of both servers.

const root = join(import.meta.dirname, '../../..')
const folder = temporaryFolder()
const [from, to] = [join(folder, 'old'), join(folder, 'new')]
const HOST = 'acme.crm.example.com'
let a: Org
let source: Served
let target: Served

before(async () => {
  for (const [dataDir, name] of [
    [from, 'Acme'],
    [to, 'Birch'],
  ] as const) {
    const store = openStore(dataDir, { create: true })
    const org = await makeOrg(store, dataDir, name)
    if (dataDir === from) a = org
    store.close()
  }
  const options = { trustProxy: '127.0.0.1', host: '127.0.0.1' }
  source = await serve(from, a.token, options)
  target = await serve(to, a.token, options)
})
after(async () => {
  await Promise.all([source?.stop(), target?.stop()])
})

const guide = readFileSync(join(root, 'docs/moving.md'), 'utf8')
const lines = [...guide.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, text = '']) => text.trim().split('\n'))
let key = ''

/** Runs the commands up to the one that begins so. */
async function runUntil(last: string): Promise<void> {
  for (let line = lines.shift()?.trim(); line !== undefined; line = lines.shift()?.trim()) {
    const [command = '', file] = line.split(' > ')
    if (command.startsWith('cat ')) {
      const parts = command.split(' ').slice(1)
      writeFileSync(
        join(folder, file as string),
        parts.map((part) => readFileSync(join(folder, part), 'utf8')).join(''),
      )
      continue
    }
    const argv = command
      .split(' ')
      .slice(1)
      .map((word) => (word === 'ACME' ? a.id : word.replace('/srv/old', from).replace('/srv/new', to)))
      .map((word) => word.replace('https://api.new.example.com', target.api))
    const { code, out, err } = await cli(argv, { DEALBOX_MOVE_KEY: key })
    assert.equal(code, 0, `${line}: ${err}`)
    if (file) writeFileSync(join(folder, file), out)
    if (argv[1] === 'receive') key = out.trim()
    if (command.startsWith(last)) return
  }
}

const portOf = (url: string): string => new URL(url).port
/** Both servers of the test have the same address, and the map in it the ports of one. */
const ports = (text: string, { api, screens }: Served): string =>
  text
    .replaceAll(':8080', `:${portOf(api)}`)
    .replaceAll(':8081', `:${portOf(screens)}`)
    .replaceAll('8081;', `${portOf(screens)};`)
    .replaceAll('8080;', `${portOf(api)};`)

async function startNginx(home: string, server: Served): Promise<[string, string[], number]> {
  const port = await freePort()
  const sites = ports(readFileSync(join(root, 'deploy/organisations.nginx.conf'), 'utf8'), server)
    .replaceAll('/etc/letsencrypt/live/crm.example.com/fullchain.pem', join(home, 'cert.pem'))
    .replaceAll('/etc/letsencrypt/live/crm.example.com/privkey.pem', join(home, 'key.pem'))
    .replaceAll('/etc/nginx/dealbox.map', join(home, 'dealbox.map'))
    .replace(/ *listen \[::\]:.*\n/g, '')
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
  writeFileSync(join(home, 'nginx.conf'), nginxMain(home, sites))
  return ['nginx', ['-p', home, '-c', join(home, 'nginx.conf')], port]
}

async function startCaddy(home: string, server: Served): Promise<[string, string[], number]> {
  const [port, plain] = [await freePort(), await freePort()]
  const global = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${port}\n\tauto_https disable_redirects\n}\n`
  const sites = ports(readFileSync(join(root, 'deploy/organisations.Caddyfile'), 'utf8'), server)
    .replaceAll('/etc/caddy/dealbox.map', join(home, 'dealbox.map'))
    .replace('*.crm.example.com {\n', `*.crm.example.com {\n\tbind 127.0.0.1\n\ttls ${home}/cert.pem ${home}/key.pem\n`)
  writeFileSync(join(home, 'Caddyfile'), global + sites)
  return ['caddy', ['run', '--config', join(home, 'Caddyfile'), '--adapter', 'caddyfile'], port]
}

async function ask(
  port: number,
  name: string,
  path: string,
  headers = {},
): Promise<{ status: number | undefined; text: string }> {
  const options = { host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, agent: false as const }
  const asked = request({ ...options, path, headers: { host: name, ...headers } }).end()
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode, text: Buffer.concat(await answer.toArray()).toString() }
}

async function through(
  proxy: typeof startNginx,
  map: string,
  server: Served,
  job: (port: number) => Promise<void>,
): Promise<void> {
  const home = temporaryFolder()
  const certificate = makeCertificate(2020, 2040)
  assert.ok(certificate, 'openssl is there where the proxies are')
  writeFileSync(join(home, 'cert.pem'), certificate.cert)
  writeFileSync(join(home, 'key.pem'), certificate.key)
  writeFileSync(join(home, 'dealbox.map'), map)
  const [program, args, port] = await proxy(home, server)
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', env })
  const ended = once(child, 'exit')
  try {
    await until(() => ask(port, HOST, '/livez').catch(() => undefined))
    await job(port)
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

const PROXIES = [
  ['nginx', versionOf('nginx', '-v'), startNginx],
  ['caddy', versionOf('caddy', 'version'), startCaddy],
] as const

test('the commands of docs/moving.md work in their order, up to the map', async () => {
  await runUntil('dealbox org list --map nginx --server 10.0.0.5')
  assert.equal(readFileSync(join(folder, 'old.map'), 'utf8').trim(), `${HOST} 10.0.0.4;`)
  assert.equal(readFileSync(join(folder, 'new.map'), 'utf8').trim(), '')
})

describe('the proxies of docs/moving.md', () => {
  for (const [name, version, start] of PROXIES)
    test(`${name} sends browsers and programs to the server of the map`, {
      skip: version === undefined ? `${name} is not installed` : false,
    }, async () => {
      const { out } = await cli(['org', 'list', '--map', name, '--data', from])
      await through(start, out, source, async (port) => {
        const list = await ask(port, HOST, '/api/v1/deals', { authorization: `bearer ${a.token}` })
        assert.equal(list.status, 200, list.text)
        const page = await ask(port, HOST, '/')
        assert.equal(page.status, 200)
        assert.match(page.text, /<div id="app">/)
        assert.equal((await ask(port, 'other.crm.example.com', '/')).status, 404)
      })
    })
})

test('the rest of the commands move the organisation and erase what is left', async () => {
  await runUntil('dealbox org move')
  const headers = { authorization: `Bearer ${a.token}` }
  assert.equal((await fetch(`${target.api}/api/v1/deals`, { headers })).status, 200)
  const nobody = await fetch(`${source.screens}/deals`, { headers: { 'x-forwarded-host': HOST } })
  assert.equal(nobody.status, 421)
  assert.match(await nobody.text(), /https:\/\/acme\.crm\.example\.com\/deals/)
  await runUntil('dealbox org erase')
  assert.deepEqual(lines, [])
  assert.equal((await fetch(`${source.api}/api/v1/deals`, { headers })).status, 421)
})
