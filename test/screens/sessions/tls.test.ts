import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { httpClient } from '../../support/client.ts'
import { cookiesOf, PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { ownCertificate } from '../../support/smtp.ts'

// The session cookie on encrypted connections, beside the same server on plain ones.

let server: TestServer
let encrypted: Screens
let plain: Screens

before(async () => {
  server = await startServer()
  plain = await startScreens(server)
  encrypted = await startScreens(server, { listener: listenEncrypted, client: encryptedClient() })
})
after(async () => {
  await encrypted.stop()
  await plain.stop()
  await server.stop()
})

async function listenEncrypted(handler: RequestListener) {
  const listener = createServer(ownCertificate(), handler).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      listener.close(() => resolve())
      listener.closeAllConnections()
    })
  return { url: `https://127.0.0.1:${port}`, stop }
}

function encryptedClient(): ReturnType<typeof httpClient> {
  return {
    send: async (url, { method, headers, body }) => {
      const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
      const asked = request(url, {
        method,
        headers: { ...length, ...headers },
        ca: ownCertificate().cert,
        agent: false,
      })
      asked.end(body)
      const [answer] = await once(asked, 'response')
      const given = new Headers()
      for (let at = 0; at < answer.rawHeaders.length; at += 2)
        given.append(answer.rawHeaders[at], answer.rawHeaders[at + 1])
      return { status: answer.statusCode, headers: given, text: Buffer.concat(await answer.toArray()).toString() }
    },
    stop: () => undefined,
  }
}

test('the cookie of an encrypted connection is "Secure" and has the prefix that only such a cookie may have', async () => {
  const { id, email } = await encrypted.newMember('member')
  const answer = await encrypted.send('POST', '/app/login', { email, password: PASSWORD })
  assert.deepEqual([answer.status, answer.body], [200, { member_id: id }])
  const cookies = cookiesOf(answer)
  assert.equal(cookies.dealbox, undefined)
  const { value, attributes } = cookies['__Host-dealbox'] as { value: string; attributes: string[] }
  assert.deepEqual(attributes, ['max-age=2592000', 'path=/', 'httponly', 'samesite=lax', 'secure'])
  const boot = (cookie: string) => encrypted.send('GET', '/app/boot', undefined, { cookie })
  assert.equal((await boot(`__Host-dealbox=${value}`)).body.me.id, id)
  assert.equal((await boot(`dealbox=${value}`)).body.code, 'signed_out', 'a plain connection may have set this name')
  assert.equal((await plain.send('GET', '/app/boot', undefined, { cookie: `__Host-dealbox=${value}` })).status, 401)
  const left = await encrypted.send('POST', '/app/logout', undefined, { cookie: `__Host-dealbox=${value}` })
  const removed = ['max-age=0', 'path=/', 'httponly', 'samesite=lax', 'secure']
  assert.deepEqual(cookiesOf(left), { '__Host-dealbox': { value: '', attributes: removed } })
})

test('the cookie of a plain connection has neither, since browsers would refuse it', async () => {
  const { email } = await plain.newMember('viewer')
  const cookies = cookiesOf(await plain.send('POST', '/app/login', { email, password: PASSWORD }))
  assert.equal(cookies['__Host-dealbox'], undefined)
  assert.deepEqual(cookies.dealbox?.attributes, ['max-age=2592000', 'path=/', 'httponly', 'samesite=lax'])
})

test('a write on an encrypted connection has to come from the encrypted address', async () => {
  const { email } = await encrypted.newMember('member')
  const from = async (origin: string) =>
    (await encrypted.send('POST', '/app/login', { email, password: PASSWORD }, { origin })).status
  assert.equal(await from(encrypted.url), 200)
  assert.equal(await from(encrypted.url.replace('https:', 'http:')), 403)
})
