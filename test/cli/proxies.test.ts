import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Running } from '../../src/cli/serve/running.ts'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { freePort, nginxMain, versionOf } from '../support/proxies.ts'
import { becomes } from '../support/until.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { cliJson, temporaryFolder } from './command-line.ts'

// The proxies of docs/install.md, with the files that it names, in front of a real server.

const root = join(import.meta.dirname, '../..')
const folder = temporaryFolder()
const data = join(folder, 'data')
const CRM = 'crm.example.com'
const API = 'api.crm.example.com'
const lines: { msg: string; route?: string; address?: string }[] = []
const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
let server: Running
let org: Org

before(async () => {
  const store = openStore(data, { create: true })
  org = await makeOrg(store, data, 'Acme')
  store.close()
  const options = { data, apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', rateLimit: 'off', corsOrigin: '' }
  server = await serveFolder({ ...options, webhookAllow: '', eventRetention: '30d', host: `${CRM},${API}` }, log)
})
after(() => server.stop())

const upstream = (text: string): string =>
  text
    .replaceAll('127.0.0.1:8081', new URL(server.screens as string).host)
    .replaceAll('127.0.0.1:8080', new URL(server.api).host)

type Proxy = { port: number; stop: () => Promise<unknown> }

async function startNginx(home: string): Promise<Proxy> {
  const [port, plain] = [await freePort(), await freePort()]
  const sites = upstream(readFileSync(join(root, 'deploy/nginx.conf'), 'utf8'))
    .replaceAll('/etc/letsencrypt/live/crm.example.com/fullchain.pem', join(home, 'cert.pem'))
    .replaceAll('/etc/letsencrypt/live/crm.example.com/privkey.pem', join(home, 'key.pem'))
    .replace(/ *listen \[::\]:.*\n/g, '')
    .replaceAll('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll('listen 80', `listen 127.0.0.1:${plain}`)
  writeFileSync(join(home, 'nginx.conf'), nginxMain(home, sites))
  const args = ['-p', home, '-c', join(home, 'nginx.conf')]
  execFileSync('nginx', [...args, '-t'], { stdio: 'pipe' })
  return started(spawn('nginx', args, { stdio: 'ignore' }), port)
}

async function startCaddy(home: string): Promise<Proxy> {
  const [port, plain] = [await freePort(), await freePort()]
  const global = `{\n\tadmin off\n\thttp_port ${plain}\n\thttps_port ${port}\n\tauto_https disable_redirects\n}\n`
  const sites = upstream(readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')).replace(
    /\{\n\treverse_proxy/g,
    `{\n\tbind 127.0.0.1\n\ttls ${home}/cert.pem ${home}/key.pem\n\treverse_proxy`,
  )
  const file = join(home, 'Caddyfile')
  writeFileSync(file, global + sites)
  const env = { PATH: process.env.PATH, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home }
  execFileSync('caddy', ['validate', '--config', file, '--adapter', 'caddyfile'], { stdio: 'pipe', env })
  const args = ['run', '--config', file, '--adapter', 'caddyfile']
  return started(spawn('caddy', args, { stdio: 'ignore', env }), port)
}

async function started(proxy: ChildProcess, port: number): Promise<Proxy> {
  const ended = once(proxy, 'exit')
  const stop = () => {
    proxy.kill('SIGTERM')
    return ended
  }
  const status = async () => (await ask(port, CRM, 'GET', '/livez').catch(() => undefined))?.status
  await becomes(status, 200).catch(async (error) => {
    await stop()
    throw error
  })
  return { port, stop }
}

async function send(
  port: number,
  name: string,
  method: string,
  path: string,
  headers = {},
  body = '',
): Promise<IncomingMessage> {
  const host = `${name}:${port}`
  const options = { host: '127.0.0.1', port, servername: name, rejectUnauthorized: false, agent: false }
  const asked = request({
    ...options,
    method,
    path,
    headers: { host, ...headers, 'content-length': Buffer.byteLength(body) },
  })
  asked.end(body)
  return (await once(asked, 'response'))[0]
}

async function ask(...given: Parameters<typeof send>) {
  const answer = await send(...given)
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(await answer.toArray()).toString() }
}

const PROXIES = [
  ['nginx', versionOf('nginx', '-v'), startNginx],
  ['caddy', versionOf('caddy', 'version'), startCaddy],
] as const

for (const [name, version, start] of PROXIES) {
  const pair = version === undefined ? undefined : makeCertificate(2020, 2090)
  describe(`behind ${name}`, { skip: pair ? false : `there is no ${name}, or no openssl` }, () => {
    let proxy: Proxy
    let cookie = ''
    let origin = ''
    before(async () => {
      const home = join(folder, name)
      mkdirSync(home)
      writeFileSync(join(home, 'cert.pem'), pair?.cert ?? '')
      writeFileSync(join(home, 'key.pem'), pair?.key ?? '')
      proxy = await start(home)
      origin = `https://${CRM}:${proxy.port}`
    })
    after(() => proxy?.stop())

    test('somebody signs in by a cookie of TLS, with the own address whatever the browser says', async () => {
      const { url } = await cliJson('member', 'reset', 'ana@acme.example', '--data', data)
      const headers = {
        origin,
        'content-type': 'application/json',
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-host': 'evil.example',
      }
      const body = JSON.stringify({ token: url.split('#')[1] })
      const { status, headers: got, text } = await ask(proxy.port, CRM, 'POST', '/app/links/accept', headers, body)
      assert.equal(status, 200, text)
      const cookies = (got['set-cookie'] ?? []).map((each) => each.split(';')[0])
      assert.match(got['set-cookie']?.[0] ?? '', /^__Host-dealbox-[0-9a-f]{10}-\d+=.*; Secure$/)
      cookie = cookies.join('; ')
      const sessions = JSON.parse((await ask(proxy.port, CRM, 'GET', '/app/sessions', { cookie })).text)
      assert.equal(sessions.data[0].address, '127.0.0.1')
      assert.ok(lines.some(({ msg, address }) => msg === 'request' && address === '127.0.0.1'))
    })

    test('events come when they happen', async () => {
      const stream = await send(proxy.port, CRM, 'GET', '/app/stream', { cookie })
      const read = stream.setEncoding('utf8')[Symbol.asyncIterator]()
      let seen = ''
      const until = async (text: string) => {
        while (!seen.includes(text)) seen += (await read.next()).value
      }
      await until('event: hello')
      const made = await ask(
        proxy.port,
        CRM,
        'POST',
        '/api/v1/tags',
        { cookie, origin, 'content-type': 'application/json' },
        `{"name":"by ${name}"}`,
      )
      assert.equal(made.status, 201, made.text)
      await until('tag.created')
      stream.destroy()
    })

    test('the API has its name, takes the largest bodies, and its answers say where it is', async () => {
      const authorization = `Bearer ${org.token}`
      const content = Buffer.alloc(5 * 1_048_576, 'x').toString('base64')
      const files = [1, 2].map((n) => ({ name: `${n}.txt`, content_type: 'text/plain', data: content }))
      const body = JSON.stringify({
        direction: 'inbound',
        channel: 'chat',
        from: { email: 'eva@x.example' },
        body_text: 'x',
        attachments: files,
      })
      const headers = { authorization, 'content-type': 'application/json' }
      const { status, text } = await ask(proxy.port, API, 'POST', '/api/v1/messages', headers, body)
      assert.notEqual(status, 413, text.slice(0, 200))
      assert.equal(status, 201, text.slice(0, 300))
      assert.equal((await ask(proxy.port, API, 'GET', '/api/v1/deals', { authorization })).status, 200)
    })
  })
}
