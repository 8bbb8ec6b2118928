import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { providerPost } from '../../../../src/lib/mail/oauth/post-form.ts'
import { ownCertificate } from '../../../support/smtp.ts'
import { trusting } from '../../../support/trust.ts'

async function listening(t: TestContext, answer: RequestListener, isSecure = false): Promise<string> {
  const server = isSecure ? createSecureServer(ownCertificate(), answer) : createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http${isSecure ? 's' : ''}://127.0.0.1:${(server.address() as AddressInfo).port}/token`
}

const bodyOf = async (request: IncomingMessage): Promise<string> => Buffer.concat(await request.toArray()).toString()

test('a form arrives as one, over TLS that is checked', async (t) => {
  const seen: (string | undefined)[] = []
  const url = await listening(
    t,
    async (request, response) => {
      const { 'content-type': type, accept, authorization } = request.headers
      seen.push(request.method, request.url, type, accept, authorization, await bodyOf(request))
      response.writeHead(400).end('{"error":"invalid_grant"}')
    },
    true,
  )
  trusting(t, ownCertificate().cert)
  const post = providerPost()
  assert.deepEqual(await post(url, { a: 'b&c', d: 'é' }, { Authorization: 'Basic x' }), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  const form = 'application/x-www-form-urlencoded'
  assert.deepEqual(seen, ['POST', '/token', form, 'application/json', 'Basic x', 'a=b%26c&d=%C3%A9'])
  trusting(t)
  await assert.rejects(providerPost()(url, {}), {
    message: `The server ${new URL(url).host} has a certificate that is self-signed and not trusted; if it is your own, name its file with --ca.`,
  })
})

test('a redirect is not followed, so that nothing of the form goes elsewhere', async (t) => {
  let others = 0
  const other = await listening(t, (_, response) => {
    others++
    response.end('{}')
  })
  for (const status of [301, 302, 303, 307, 308]) {
    const url = await listening(t, (_, response) => void response.writeHead(status, { Location: other }).end())
    await assert.rejects(providerPost()(url, { refresh_token: 'x' }), {
      message: `The provider at ${new URL(url).host} answered with status ${status} and not in JSON.`,
    })
  }
  assert.equal(others, 0)
})

test('an answer has to be an object in JSON, of a length that tokens have', async (t) => {
  const bodies = ['<html>', '', '[]', 'null', '"text"', '{"a":', `{"a":"${'x'.repeat(65_536)}"}`]
  let body: string
  const url = await listening(t, (_, response) => void response.end(body))
  for (body of bodies)
    await assert.rejects(providerPost()(url, {}), body.length > 1000 ? /an answer that is too long/ : /not in JSON/)
})

test('a provider that does not answer in time, or slowly without an end, is given up', async (t) => {
  const mute = await listening(t, () => undefined)
  const late = /did not respond in time\.$/
  await assert.rejects(providerPost(50)(mute, {}), late)
  const slow = await listening(t, (_, response) => {
    response.write('{"a":"')
    response.on('drain', () => undefined)
  })
  await assert.rejects(providerPost(50)(slow, {}), late)
  const cut = new AbortController()
  const pending = providerPost()(mute, {}, {}, cut.signal)
  cut.abort()
  await assert.rejects(pending, /was aborted\.$/)
  await assert.rejects(
    providerPost()('http://127.0.0.1:1/', {}),
    /^Error: The server 127\.0\.0\.1:1 refused the connection\.$/,
  )
})
