import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import type { Running } from '../../../src/cli/serve/running.ts'
import { serveFolder } from '../../../src/cli/serve/serve-folder.ts'
import { machineAddresses } from '../../../src/http/listener/hosts.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { cli, cliJson, temporaryFolder } from '../../cli/command-line.ts'
import { MAIN } from '../../support/program.ts'
import { sendRaw } from '../../support/raw.ts'
import { makeCertificate } from '../../webhooks/egress/certificates.ts'

// What stands between clients and the listeners: TLS, proxies, and the names of the server.

const folder = temporaryFolder()
const data = join(folder, 'data')
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
const OPTIONS = { apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', rateLimit: 'off', corsOrigin: '' }
const MORE = { webhookAllow: '', eventRetention: '30d' }
const first = makeCertificate(2020, 2090)
const second = makeCertificate(2020, 2091)
const skip = first ? false : 'there is no openssl to make certificates with'

function write(pair: typeof first): void {
  writeFileSync(cert, pair?.cert ?? '')
  writeFileSync(key, pair?.key ?? '')
}

before(() => write(first))

async function served(options: Partial<Parameters<typeof serveFolder>[0]>, log = silentLog): Promise<Running> {
  return serveFolder({ ...OPTIONS, ...MORE, data, ...options }, log)
}

/** The status of an answer, its cookies, and the year in which the certificate ends. */
async function ask(method: string, url: string, headers: Record<string, string> = {}, body = '') {
  const asked = request(url, { method, headers, agent: false, rejectUnauthorized: false }).end(body)
  const [answer] = await once(asked, 'response')
  const certificate = answer.socket.getPeerCertificate()
  const text = Buffer.concat(await answer.toArray()).toString()
  return {
    status: answer.statusCode,
    cookies: answer.headers['set-cookie'],
    text,
    until: certificate.valid_to.slice(-8, -4),
  }
}

describe('serve with a certificate', { skip }, () => {
  let running: Running
  before(async () => {
    running = await served({ tlsCert: cert, tlsKey: key, host: 'hooks.example' })
  })
  after(() => running.stop())

  test('has https on both listeners, in the link of the setup by its name, and in the document', async () => {
    const { api, screens, setup } = running
    const port = new URL(screens as string).port
    assert.match(api, /^https:\/\/127\.0\.0\.1:\d+$/)
    assert.ok(setup?.startsWith(`https://hooks.example:${port}/setup#`), setup ?? '')
    assert.equal((await ask('GET', `${api}/api/v1/deals`)).status, 401)
    const document = JSON.parse((await ask('GET', `${screens}/openapi.json`)).text)
    assert.equal(document.servers[0].url, `${api}/api/v1`)
  })

  test('gives cookies that browsers send by TLS only', async () => {
    const [, token] = (running.setup as string).split('#')
    const org = { name: 'Acme', currency: 'EUR', timezone: 'UTC' }
    const owner = { name: 'Ana', email: 'ana@acme.example', password: 'a lake in the north' }
    const headers = { origin: running.screens as string, 'content-type': 'application/json' }
    const made = await ask(
      'POST',
      `${running.screens}/app/setup`,
      headers,
      JSON.stringify({ token, org, owner, start: 'empty' }),
    )
    assert.equal(made.status, 201, made.text)
    assert.match(made.cookies?.[0] ?? '', /^__Host-dealbox-[0-9a-f]{10}-\d+=.*; Secure$/)
  })

  test('passes the healthcheck, which takes any certificate of its own machine', async () => {
    const at = ['--screens-listen', new URL(running.screens as string).host]
    assert.equal((await cli(['healthcheck', ...at, '--tls-cert', cert])).code, 0)
    const plain = await cli(['healthcheck', ...at])
    assert.equal(plain.code, 1)
    assert.match(plain.err, /responded with 400\. This port has TLS\. Use an address that begins with https/)
  })

  test('is what links of commands lead to', async () => {
    const at = ['--data', data, '--tls-cert', cert, '--screens-listen', '0.0.0.0:8443', '--host', 'hooks.example,crm']
    const { url } = await cliJson('member', 'invite', 'bo@acme.example', ...at)
    assert.ok(url.startsWith('https://hooks.example:8443/join#'), url)
    const { servers } = await cliJson('openapi', '--tls-cert', cert, '--api-listen', '0.0.0.0:8443')
    assert.equal(servers[0].url, 'https://localhost:8443/api/v1')
  })
})

test('a certificate that cannot be used stops the start, and nothing is made', { skip }, async () => {
  const none = join(folder, 'none')
  for (const [options, message] of [
    [{ tlsCert: cert }, /--tls-cert and --tls-key belong together/],
    [{ tlsKey: key }, /--tls-cert and --tls-key belong together/],
    [{ tlsCert: cert, tlsKey: cert }, /contains no private key/],
    [{ trustProxy: 'proxy' }, /in --trust-proxy is not a network/],
    [{ host: 'http://crm' }, /--host http:\/\/crm is not a host name/],
  ] as const) {
    await assert.rejects(served({ data: none, ...options }), { code: 'usage', message })
    await assert.rejects(served({ data: none, ...options }), { code: 'usage' })
  }
  await assert.rejects(async () => (await import('node:fs/promises')).stat(none), { code: 'ENOENT' })
})

test('SIGHUP reads the certificate again, and there is no warning of clear text', { skip }, async (t) => {
  write(first)
  const listen = ['--api-listen', '127.0.0.1:0', '--screens-listen', '0.0.0.0:0', '--tls-cert', cert, '--tls-key', key]
  const server = spawn(process.execPath, [MAIN, 'serve', '--data', data, '--json', ...listen], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  })
  t.after(() => server.kill('SIGKILL'))
  let out = ''
  const said = async (text: string) => {
    while (!out.includes(text)) out += (await once(server.stdout, 'data'))[0]
  }
  await said('"listening"')
  const api = /"api":"([^"]+)"/.exec(out)?.[1] as string
  assert.equal((await ask('GET', `${api}/x`)).until, '2090')
  write(second)
  server.kill('SIGHUP')
  await said('the TLS certificate was replaced')
  const screensUrl = String(/"screens":"([^"]+)"/.exec(out)?.[1]).replace('0.0.0.0', '127.0.0.1')
  const { checks } = JSON.parse((await ask('GET', `${screensUrl}/readyz`)).text)
  assert.ok(checks.certificate.days > 20_000, JSON.stringify(checks.certificate))
  assert.equal((await ask('GET', `${api}/x`)).until, '2091')
  server.kill('SIGTERM')
  assert.deepEqual(await once(server, 'exit'), [0, null])
  assert.ok(!out.includes('clear text'), out)
})

const status = async (url: string, host: string) =>
  (await sendRaw(url, `GET /api/v1/deals HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status

describe('--host', () => {
  test('limits the names of the API, too, and without it the API has any', async () => {
    const own = ['crm.example', 'CRM.example:443', 'localhost', '127.0.0.1:80', '[::1]', 'api.example']
    const named = await served({ host: 'crm.example', publicUrl: 'https://api.example' })
    for (const host of own) assert.equal(await status(named.api, host), 401, host)
    for (const host of ['evil.example', '10.0.0.1']) assert.equal(await status(named.api, host), 421, host)
    assert.equal(await status(named.screens as string, 'crm.example'), 401)
    assert.equal(await status(named.screens as string, 'evil.example'), 421)
    await named.stop()
    const open = await served({})
    assert.equal(await status(open.api, 'evil.example'), 401)
    assert.equal(await status(open.screens as string, 'evil.example'), 421)
    await open.stop()
  })
})

test('--host takes a name with an umlaut, and a dot at the end of either', async () => {
  const named = await served({ host: 'Kraftwerk-Süd.example., crm.example.' })
  for (const host of [
    'xn--kraftwerk-sd-nlb.example',
    'XN--KRAFTWERK-SD-NLB.example.:443',
    'crm.example',
    'crm.example.',
  ])
    assert.equal(await status(named.api, host), 401, host)
  for (const host of ['crm.example..', 'kraftwerk-s.example']) assert.equal(await status(named.api, host), 421, host)
  await named.stop()
  for (const host of ['a b.example', 'ü ü.example', 'http://ü.example', 'crm.example:443', '.'])
    await assert.rejects(served({ host }), { code: 'usage', message: /^--host .* is not a host name/ }, host)
  const { url } = await cliJson('member', 'invite', 'um@acme.example', '--data', data, '--host', 'Süd.example.')
  assert.ok(url.startsWith('https://xn--sd-xka.example/join#'), url)
})

test('--trust-proxy is loopback by default, the log has the address of the client, and one warning of others', async () => {
  const lines: { level: number; msg: string; address?: string }[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const addresses = async (trustProxy: string | undefined) => {
    lines.length = 0
    const running = await served({ trustProxy }, log)
    const headers = 'Host: x\r\nX-Forwarded-For: 203.0.113.9, 198.51.100.7\r\n'
    for (const url of [running.api, running.api, running.screens as string])
      await sendRaw(url, `GET /livez HTTP/1.1\r\n${headers}\r\n`)
    await running.stop()
    const warned = lines.filter(({ level, msg }) => level === 40 && msg.includes('--trust-proxy'))
    return [
      lines.filter(({ msg }) => msg === 'request').map(({ address }) => address),
      warned.map(({ address }) => address),
    ]
  }
  const client = '198.51.100.7'
  assert.deepEqual(await addresses(undefined), [[client, client, client], []])
  const peer = '127.0.0.1'
  assert.deepEqual(await addresses('off'), [[peer, peer, peer], [peer]])
})

test('--trust-proxy own-networks believes what comes from the networks of this machine, and not this machine', async (t) => {
  const [own] = machineAddresses().filter((address) => !address.includes(':'))
  if (own === undefined) return t.skip('this machine has no address beside loopback')
  const lines: { level: number; msg: string; address?: string }[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const running = await served({ trustProxy: 'own-networks', apiListen: '0.0.0.0:0' }, log)
  const { port } = new URL(running.api)
  for (const at of [own, '127.0.0.1'])
    await sendRaw(`http://${at}:${port}`, 'GET /x HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.7\r\n\r\n')
  await running.stop()
  const requests = lines.filter(({ msg }) => msg === 'request').map(({ address }) => address)
  assert.deepEqual(requests, ['198.51.100.7', '127.0.0.1'])
  const warned = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
  assert.match(
    warned.find((each) => each.includes('trust-proxy')) ?? '',
    /of 127\.0\.0\.1 are ignored: .*--trust-proxy$/,
  )
})
