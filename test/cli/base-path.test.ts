import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { applySettings } from '../../src/app/settings/document.ts'
import { placeOf } from '../../src/cli/serve/reader-notices.ts'
import { serveFolder } from '../../src/cli/serve/serve-folder.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStore } from '../../src/store/open.ts'
import { makeOrg, type Org } from '../support/org.ts'
import { PROXIES, type StartedProxy } from '../support/proxies.ts'
import { type Served, serve } from '../support/served.ts'
import { startSmtp } from '../support/smtp.ts'
import { until } from '../support/until.ts'
import { makeCertificate } from '../webhooks/egress/certificates.ts'
import { cli, cliJson, temporaryFolder } from './command-line.ts'

// The whole server below /crm of a name that others share: its commands, and behind the proxies of docs/install.md.

const folder = temporaryFolder()
const data = join(folder, 'data')
/** Its pages call the API. */
const SHOP = 'https://shop.example'
let server: Served
let org: Org

before(async () => {
  const store = openStore(data, { create: true })
  org = await makeOrg(store, data, 'Acme')
  store.close()
  server = await serve(data, org.token, {
    basePath: '/crm/',
    host: 'example.com',
    publicUrl: 'https://example.com/crm',
    corsOrigin: SHOP,
  })
})
after(() => server.stop())

test('addresses of listeners have the path, and the document that of --public-url', async () => {
  for (const url of [server.api, server.screens]) assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/crm$/)
  assert.deepEqual((await server.screen('/openapi.json')).body.servers, [{ url: 'https://example.com/crm/api/v1' }])
})

test('a new server prints a link with the path, also where a proxy has the name', async () => {
  for (const [host, start] of [
    ['', /^http:\/\/127\.0\.0\.1:\d+\/office\/crm\/setup#/],
    ['example.com', /^https:\/\/example\.com\/office\/crm\/setup#/],
  ] as const) {
    const listens = { apiListen: '127.0.0.1:0', screensListen: '127.0.0.1:0', rateLimit: 'off', corsOrigin: '' }
    const options = { ...listens, data: join(folder, `new ${host}`), webhookAllow: '', eventRetention: '30d' }
    const empty = await serveFolder({ ...options, basePath: '/office/crm', host }, silentLog)
    await empty.stop()
    assert.match(empty.setup ?? '', start)
  }
})

test('commands print links with the path, from a flag, the environment or the file', async () => {
  const reset = ['member', 'reset', 'ana@acme.example', '--data', data]
  const invite = ['member', 'invite', 'new@acme.example', '--data', data]
  const { url } = await cliJson(...reset, '--base-path', '/crm')
  assert.equal(url.split('#')[0], 'http://127.0.0.1:8081/crm/sign-in')
  const { out } = await cli([...invite, '--host', 'example.com', '--json'], { DEALBOX_BASE_PATH: '/crm/' })
  assert.equal(JSON.parse(out).url.split('#')[0], 'https://example.com/crm/join')
  const file = join(folder, 'config.json')
  writeFileSync(file, '{"base-path": "/crm"}', { mode: 0o600 })
  const socket = ['--config', file, '--screens-listen', 'unix:/run/screens.sock']
  assert.equal((await cliJson(...reset, ...socket)).url.split('#')[0], 'http://localhost/crm/sign-in')
  const { servers } = await cliJson('openapi', '--base-path', '/crm')
  assert.deepEqual(servers, [{ url: 'http://127.0.0.1:8080/crm/api/v1' }])
})

test('what owners are told leads below the path', () => {
  const store = openStore(join(folder, 'told'), { create: true })
  try {
    const told = { store, host: 'example.com', screensUrl: () => 'http://127.0.0.1:8081/crm' }
    assert.deepEqual(placeOf(told)(), { name: 'example.com', link: 'https://example.com/crm/settings/operation' })
  } finally {
    store.close()
  }
})

test('the healthcheck asks below the path, and finds nothing beside it', async () => {
  const check = ['healthcheck', '--screens-listen', new URL(server.screens).host]
  assert.equal((await cli(check, { DEALBOX_BASE_PATH: '/crm' })).code, 0)
  const { code, err } = await cli(check)
  assert.equal(code, 1)
  assert.match(err, /it responded with 404\. This server is below \/crm\/ and has nothing at this path\./)
})

test('--public-url has to end with the path, and neither is guessed from the other', async () => {
  const document = (...argv: string[]) => cli(['openapi', '--json', ...argv])
  const contrary = await document('--base-path', '/crm', '--public-url', 'https://example.com')
  assert.equal(contrary.code, 2)
  assert.match(contrary.err, /--public-url https:\/\/example\.com contradicts --base-path \/crm: let it end with \/crm/)
  for (const url of ['https://example.com/crm', 'https://example.com/crm/', 'https://example.com/of/ours/crm']) {
    const { out } = await document('--base-path', '/crm', '--public-url', url)
    assert.equal(JSON.parse(out).servers[0].url, `${url.replace(/\/$/, '')}/api/v1`)
  }
  const stripped = await document('--public-url', 'https://example.com/api-of-ours')
  assert.equal(JSON.parse(stripped.out).servers[0].url, 'https://example.com/api-of-ours/api/v1')
  const served = await serve(join(folder, 'none'), '', {
    basePath: '/crm',
    publicUrl: 'https://example.com/wiki',
  }).catch((error) => error.message)
  assert.match(served, /contradicts --base-path/)
})

test('the mails of a sequence have links with the path, although the settings name the host alone', async (t) => {
  const smtp = await startSmtp(t)
  const folderOfMail = join(folder, 'mail')
  const store = openStore(folderOfMail, { create: true })
  const { org: number, token } = await makeOrg(store, folderOfMail, 'Birch')
  const [host, port] = [smtp.server.host, smtp.server.port]
  const mailbox = { key: 'sales', name: 'Sales', address: 'sales@birch.example', is_default: true }
  const step = { type: 'email', delay_s: 0, subject: 'Hello', body: 'Hello' }
  applySettings(store, number, {
    mailboxes: [{ ...mailbox, smtp: { host, port, tls: 'none' } }],
    sequences: [{ key: 'one', name: 'One', status: 'active', stop_on: ['unsubscribe'], steps: [step] }],
  })
  store.db.prepare('UPDATE orgs SET public_base_url = ? WHERE id = ?').run('https://example.com', number)
  store.close()
  const mailing = await serve(folderOfMail, token, { basePath: '/crm' })
  t.after(() => mailing.stop())
  const { body: contact } = await mailing.call('POST', '/contacts', { emails: [{ email: 'eva@firm.example' }] })
  const [sequence] = (await mailing.call('GET', '/sequences')).body.data
  const made = await mailing.call('POST', '/enrollments', { sequence_id: sequence.id, contact_id: contact.id })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  const mail = await until(() => smtp.mails[0]?.source.toString(), 'a mail')
  const unfolded = String(mail).replace(/\r\n[ \t]+/g, ' ')
  assert.match(unfolded, /^List-Unsubscribe: <https:\/\/example\.com\/crm\/unsubscribe\/[\w-]{64}>/im)
})

for (const { name, version, startBelow } of PROXIES) {
  const pair = version === undefined ? undefined : makeCertificate(2020, 2090)
  describe(`behind ${name}`, { skip: pair ? false : `there is no ${name}, or no openssl` }, () => {
    let proxy: StartedProxy
    let cookie = ''

    before(async () => {
      const home = join(folder, name)
      mkdirSync(home)
      const { api, screens } = server
      proxy = await startBelow(home, { api, screens, pair: pair as NonNullable<typeof pair> })
    })
    after(() => proxy?.stop())

    async function send(method: string, path: string, headers = {}, body = ''): Promise<IncomingMessage> {
      const all = { ...headers, 'content-length': Buffer.byteLength(body) }
      const asked = request(`${proxy.url}${path}`, { method, rejectUnauthorized: false, agent: false, headers: all })
      asked.end(body)
      return (await once(asked, 'response'))[0]
    }

    async function ask(...given: Parameters<typeof send>) {
      const answer = await send(...given)
      const text = Buffer.concat(await answer.toArray()).toString()
      return { status: answer.statusCode, headers: answer.headers, text }
    }

    const json = { 'content-type': 'application/json' }

    test('the path leads to the pages, and to no other program', async () => {
      const { status, headers } = await ask('GET', '/crm?a=b')
      assert.deepEqual([status, new URL(headers.location ?? '', proxy.url).href], [308, `${proxy.url}/crm/?a=b`])
      assert.match((await ask('GET', '/crm/')).text, /<title>Dealbox<\/title>/)
      for (const path of ['/', '/crmx', '/assets/x.js', '/api/v1/deals', '/readyz'])
        assert.equal((await ask('GET', path)).headers['dealbox-echo'], undefined, path)
    })

    test('somebody signs in by a link, with a cookie of the path alone', async () => {
      const { url } = await cliJson('member', 'reset', 'ana@acme.example', '--data', data, '--base-path', '/crm')
      const body = JSON.stringify({ token: url.split('#')[1] })
      const headers = { ...json, origin: proxy.url }
      const { status, headers: got, text } = await ask('POST', '/crm/app/links/accept', headers, body)
      assert.equal(status, 200, text)
      assert.match(
        got['set-cookie']?.[0] ?? '',
        /^__Secure-dealbox-[0-9a-f]{10}-\d+=.*; Path=\/crm; HttpOnly; SameSite=Lax; Secure$/,
      )
      cookie = (got['set-cookie'] ?? []).map((each) => each.split(';')[0]).join('; ')
      const sessions = JSON.parse((await ask('GET', '/crm/app/sessions', { cookie })).text)
      assert.equal(sessions.data[0].address, '127.0.0.1')
    })

    test('events come when they happen, and invitations have the address that the browser shows', async () => {
      const stream = await send('GET', '/crm/app/stream', { cookie })
      const read = stream.setEncoding('utf8')[Symbol.asyncIterator]()
      let seen = ''
      const until = async (text: string) => {
        while (!seen.includes(text)) seen += (await read.next()).value
      }
      await until('event: hello')
      const headers = { ...json, cookie, origin: proxy.url }
      const made = await ask('POST', '/crm/api/v1/tags', headers, `{"name":"by ${name}"}`)
      assert.equal(made.status, 201, made.text)
      assert.match(made.headers.location ?? '', /^\/crm\/api\/v1\/tags\//)
      await until('tag.created')
      stream.destroy()
      // An address of this machine is none for others, and --host names one.
      const invited = JSON.parse((await ask('POST', '/crm/app/invites', headers, '{"role":"member"}')).text)
      assert.equal(invited.url.split('#')[0], `${proxy.url}/crm/join`)
    })

    test('programs with a token reach the API at the same path, and so does the question of a browser for them', async () => {
      for (const authorization of [`Bearer ${org.token}`, `bearer ${org.token}`]) {
        const listed = await ask('GET', '/crm/api/v1/members?limit=1', { authorization })
        assert.equal(listed.status, 200, listed.text)
        const [, next = ''] = /^<([^>]+)>/.exec(String(listed.headers.link)) ?? []
        assert.match(next, /^\/crm\/api\/v1\/members\?/)
        assert.equal((await ask('GET', next, { authorization })).status, 200)
      }
      const asked = await ask('OPTIONS', '/crm/api/v1/deals', { origin: SHOP })
      assert.deepEqual([asked.status, asked.headers['access-control-allow-origin']], [204, SHOP])
      assert.equal(JSON.parse((await ask('GET', '/crm/api/v1/deals')).text).code, 'signed_out')
    })

    test('the largest bodies arrive', async () => {
      const content = Buffer.alloc(5 * 1_048_576, 'x').toString('base64')
      const attachments = [1, 2].map((n) => ({ name: `${n}.txt`, content_type: 'text/plain', data: content }))
      const from = { email: 'eva@x.example' }
      const body = JSON.stringify({ direction: 'inbound', channel: 'chat', from, body_text: 'x', attachments })
      const headers = { ...json, authorization: `Bearer ${org.token}` }
      const { status, text } = await ask('POST', '/crm/api/v1/messages', headers, body)
      assert.equal(status, 201, text.slice(0, 300))
    })
  })
}
