import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noProxies } from '../../../src/auth/client.ts'
import { cookiesOf, PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// The session cookie behind a proxy with TLS, which says so, beside that of plain connections.

const ENCRYPTED = { 'x-forwarded-proto': 'https' }

let server: TestServer
let screens: Screens

before(async () => {
  server = await startServer()
  screens = await startScreens(server)
})
after(async () => {
  await screens.stop()
  await server.stop()
})

const logIn = (email: unknown, headers = {}) =>
  screens.send('POST', '/app/login', { email, password: PASSWORD }, { origin: screens.url, ...headers })
const own = () => ({ ...ENCRYPTED, origin: screens.url.replace('http:', 'https:') })

test('the cookie of an encrypted connection is "Secure" and has the prefix that only such a cookie may have', async () => {
  const { id, email } = await screens.newMember('member')
  const answer = await logIn(email, own())
  assert.deepEqual([answer.status, answer.body], [200, { member_id: id }])
  const cookies = cookiesOf(answer)
  assert.equal(cookies[screens.names.session], undefined)
  const { value, attributes } = cookies[`__Host-${screens.names.session}`] as { value: string; attributes: string[] }
  assert.deepEqual(attributes, ['max-age=2592000', 'path=/', 'httponly', 'samesite=lax', 'secure'])
  const boot = (cookie: string, headers = {}) => screens.send('GET', '/app/boot', undefined, { cookie, ...headers })
  assert.equal((await boot(`__Host-${screens.names.session}=${value}`, own())).body.me.id, id)
  const byPlainName = await boot(`${screens.names.session}=${value}`, own())
  assert.equal(byPlainName.body.code, 'signed_out', 'a plain connection may have set this name')
  assert.equal((await boot(`__Host-${screens.names.session}=${value}`)).status, 401)
  const left = await screens.send('POST', '/app/logout', undefined, {
    cookie: `__Host-${screens.names.session}=${value}`,
    ...own(),
  })
  const removed = ['max-age=0', 'path=/', 'httponly', 'samesite=lax', 'secure']
  assert.deepEqual(cookiesOf(left), { [`__Host-${screens.names.session}`]: { value: '', attributes: removed } })
})

test('the cookie of a plain connection has neither, since browsers would refuse it', async () => {
  const { email } = await screens.newMember('viewer')
  for (const said of [{}, { 'x-forwarded-proto': 'http' }, { 'x-forwarded-proto': 'https, http' }]) {
    const cookies = cookiesOf(await logIn(email, said))
    assert.equal(cookies[`__Host-${screens.names.session}`], undefined)
    assert.deepEqual(cookies[screens.names.session]?.attributes, [
      'max-age=2592000',
      'path=/',
      'httponly',
      'samesite=lax',
    ])
  }
})

test('a write on an encrypted connection has to come from the encrypted address', async () => {
  const { email } = await screens.newMember('member')
  assert.equal((await logIn(email, own())).status, 200)
  assert.equal((await logIn(email, ENCRYPTED)).status, 403)
})

test('an invitation that is made on an encrypted connection is a link to the encrypted address', async () => {
  const { email } = await screens.newMember('admin')
  const cookies = cookiesOf(await logIn(email, own()))
  const cookie = `__Host-${screens.names.session}=${cookies[`__Host-${screens.names.session}`]?.value}`
  const invited = await screens.send(
    'POST',
    '/app/invites',
    { email: 'mira@acme.example', role: 'member' },
    { ...own(), cookie, 'content-type': 'application/json' },
  )
  assert.equal(invited.status, 201, invited.text)
  assert.ok(invited.body.url.startsWith(own().origin), invited.body.url)
})

test('the address of a browser behind a proxy is that of its session, and of the limit for signing in', async () => {
  const { email } = await screens.newMember('member')
  const from = (address: string, password: string | null = PASSWORD) =>
    screens.send('POST', '/app/login', { email, password }, { origin: screens.url, 'x-forwarded-for': address })
  const cookies = cookiesOf(await from('203.0.113.9, 198.51.100.7'))
  const { body } = await screens.send('GET', '/app/sessions', undefined, {
    cookie: `${screens.names.session}=${cookies[screens.names.session]?.value}`,
  })
  assert.deepEqual(
    body.data.map(({ address }: { address: string }) => address),
    ['198.51.100.7'],
  )
  // The proxy adds the true address, whatever the browser says before it.
  const many: number[] = []
  for (let n = 0; n < 21; n++) many.push((await from(`203.0.113.${n}, 198.51.100.8`, null)).status)
  assert.deepEqual([many.at(-2), many.at(-1)], [422, 429])
  assert.equal((await from('198.51.100.9', null)).status, 422)
})

test('what a proxy says that is not trusted changes nothing', async (t) => {
  const open = await startScreens(server, { proxies: noProxies })
  t.after(open.stop)
  const { email } = await screens.newMember('member')
  const headers = {
    ...ENCRYPTED,
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-host': 'evil.example',
    origin: open.url,
  }
  const answer = await open.send('POST', '/app/login', { email, password: PASSWORD }, headers)
  const dealbox = cookiesOf(answer)[open.names.session]
  assert.deepEqual(dealbox?.attributes, ['max-age=2592000', 'path=/', 'httponly', 'samesite=lax'])
  const { body } = await open.send('GET', '/app/sessions', undefined, {
    cookie: `${open.names.session}=${dealbox?.value}`,
    ...headers,
  })
  assert.equal(body.data[0].address, '127.0.0.1')
})
