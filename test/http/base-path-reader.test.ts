import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noProxies } from '../../src/auth/client.ts'
import { bodies } from '../../src/http/body/bodies.ts'
import { passOn } from '../../src/http/forward.ts'
import { cookiesOf, PASSWORD, type Screens, startScreens } from '../support/screens.ts'
import { startServer, type TestServer } from '../support/server.ts'

// A reader and its primary may be below different paths.

const BASE = '/crm'

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

test('a reader below another path gives its own addresses and cookies with what the primary answers', async () => {
  const { pass, stop } = passOn({ primary: screens.url, bodies: bodies() })
  const reader = await startScreens(server, {
    basePath: '/copy/one',
    reader: { readable: () => undefined, lagMs: () => 0, pass },
  })
  try {
    const { email } = await screens.newMember('member')
    const headers = { origin: new URL(reader.url).origin }
    const signedIn = await reader.send('POST', '/app/login', { email, password: PASSWORD }, headers)
    assert.equal(signedIn.status, 200, signedIn.text)
    const cookies = cookiesOf(signedIn)
    const { value, attributes } = cookies[reader.names.session] as { value: string; attributes: string[] }
    assert.ok(attributes.includes('path=/copy/one'))
    const cookie = `${reader.names.session}=${value}`
    assert.equal((await reader.send('GET', '/app/boot', undefined, { cookie })).status, 200)
    const body = { name: 'by a reader' }
    const spoofed = { cookie, ...headers, 'dealbox-base-path': '/evil/' }
    const made = await reader.send('POST', '/api/v1/tags', body, spoofed)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.headers.get('location'), `/copy/one/api/v1/tags/${made.body.id}`)
  } finally {
    stop()
    await reader.stop()
  }
})

test('only a trusted proxy says below which path a request has arrived', async () => {
  const direct = await startScreens(server, { basePath: BASE, proxies: noProxies })
  try {
    const { email } = await screens.newMember('member')
    for (const [at, said] of [
      [direct, '/evil/'],
      [screens, '/a;domain=x/'],
      [screens, '//evil/'],
    ] as const) {
      const headers = { 'dealbox-base-path': said, 'dealbox-passed-on': '1' }
      const answer = await at.send('POST', '/app/login', { email, password: PASSWORD }, headers)
      assert.equal(answer.status, 200, answer.text)
      const cookies = Object.values(cookiesOf(answer))
      assert.ok(cookies.length > 0)
      for (const { attributes } of cookies) assert.ok(attributes.includes('path=/crm'), String(attributes))
    }
  } finally {
    await direct.stop()
  }
})
