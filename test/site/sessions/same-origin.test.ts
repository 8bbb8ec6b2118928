import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pino from 'pino'
import { noProxies, type Proxies, trustedProxies } from '../../../src/auth/client.ts'
import { PASSWORD, type Screens, startScreens } from '../../support/screens.ts'
import { startServer, type TestServer } from '../../support/server.ts'

// Writes behind proxies that are not set up as they should be: they are accepted where that is safe, else the refusal and
// the log have the cause. test/site/attacks.test.ts has what other sites try.

const NAME = 'crm.example'
let server: TestServer
let screens: Screens
let distrusting: Screens
let lines: { origin?: string; arrived?: string; msg: string }[] = []
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) })

before(async () => {
  server = await startServer()
  screens = await startScreens(server, { log, hosts: [NAME, 'nas'] })
  distrusting = await startScreens(server, { log, hosts: [NAME], proxies: noProxies })
})
after(async () => {
  await screens.stop()
  await distrusting.stop()
  await server.stop()
})

/** A write as a browser sends it that shows a page at `origin`, and as it arrives behind a proxy. */
async function write(origin: string, host: string, more: Record<string, string> = {}, at = screens) {
  const { status, body } = await at.send('POST', '/app/logout', undefined, { origin, host, ...more })
  return { status, code: body?.code, detail: body?.detail as string | undefined }
}

describe('a write is accepted', () => {
  for (const [name, origin, host, more] of [
    ['by its own address', `http://${NAME}:8000`, `${NAME}:8000`],
    ['if the proxy adds the port that the scheme has anyway', `http://${NAME}`, `${NAME}:80`],
    ['if the proxy ends the TLS and does not say so', `https://${NAME}`, NAME],
    ['the same at another port', `https://${NAME}:8443`, `${NAME}:8443`],
    ['the same with the port of TLS in Host', `https://${NAME}`, `${NAME}:443`],
    ['if a second proxy says http', `https://${NAME}`, NAME, { 'x-forwarded-proto': 'http' }],
    [
      'if the browser says that it is of the same origin',
      `https://${NAME}:8443`,
      NAME,
      { 'sec-fetch-site': 'same-origin' },
    ],
  ] as const)
    test(name, async () => assert.equal((await write(origin, host, more)).status, 204))
})

describe('a write is refused with its cause', () => {
  for (const [name, origin, host, cause, more] of [
    [
      'if the proxy drops the port',
      `http://${NAME}:8000`,
      NAME,
      /shows http:\/\/crm\.example:8000, .* arrived as http:\/\/crm\.example\. .*changes the port: .*Host.*http:\/\/crm\.example:8000 the public_base_url/,
    ],
    ['if it drops the port of TLS', `https://${NAME}:8443`, NAME, /changes the port/],
    ['if it changes the name', `http://${NAME}`, '127.0.0.1:8081', /changes its name: let it pass on the header Host/],
    [
      'if the browser has no TLS, and the proxy says it has',
      `http://${NAME}`,
      NAME,
      /let it set X-Forwarded-Proto/,
      { 'x-forwarded-proto': 'https' },
    ],
    [
      'if a page of this machine with TLS writes to an address without it',
      'https://127.0.0.1:1',
      '127.0.0.1:1',
      /X-Forwarded-Proto/,
    ],
  ] as const)
    test(name, async () => {
      lines = []
      const { status, code, detail } = await write(origin, host, more)
      assert.deepEqual([status, code], [403, 'foreign_origin'])
      assert.match(detail ?? '', cause)
      await write(origin, host, more)
      const [line, ...others] = lines
      assert.deepEqual(others, [], 'the log has it once')
      assert.equal(line?.origin, origin)
      assert.match(line?.msg ?? '', cause)
    })

  test('if the proxy is not trusted, with what to set', async () => {
    const said = { 'x-forwarded-host': NAME, 'x-forwarded-proto': 'https' }
    const { status, detail } = await write(`https://${NAME}`, '127.0.0.1:8081', said, distrusting)
    assert.equal(status, 403)
    assert.match(detail ?? '', /The proxy 127\.0\.0\.1 says so, and is not believed: .*--trust-proxy 127\.0\.0\.1\.$/)
    const other = await write('https://evil.example', '127.0.0.1:8081', said, distrusting)
    assert.doesNotMatch(other.detail ?? '', /trust-proxy/)
  })

  test('and not with one that a stranger has invented without end', async () => {
    lines = []
    for (let n = 0; n < 40; n++) assert.equal((await write(`http://evil-${n}.example`, NAME)).status, 403)
    const long = await write(`http://${'a.'.repeat(200)}example`, NAME)
    assert.doesNotMatch(long.detail ?? '', /The browser shows/)
    assert.ok(lines.length <= 20, `${lines.length} lines`)
  })

  test('but a page of another site gets none', async () => {
    const { status, detail } = await write(`http://${NAME}:1`, NAME, { 'sec-fetch-site': 'same-site' })
    assert.deepEqual([status, /The browser shows/.test(detail ?? '')], [403, false])
  })
})

test('links have the address that the browser shows, whatever a proxy makes of it', async () => {
  const admin = await screens.signedIn('admin')
  const cookie = admin.cookie.replace(/^[^=]+/, 'dealbox') // by the name that counts at every port
  const invite = async (headers: Record<string, string>) =>
    new URL((await admin.call('POST', '/app/invites', { role: 'member' }, { cookie, ...headers })).body.url).origin
  const same = { 'sec-fetch-site': 'same-origin' }
  assert.equal(await invite({ host: NAME, origin: `https://${NAME}:8443`, ...same }), `https://${NAME}:8443`)
  assert.equal(await invite({ host: NAME, origin: `https://${NAME}` }), `https://${NAME}`)
  assert.equal(await invite({ host: NAME, origin: 'https://evil.example', ...same }), `http://${NAME}`)
})

describe('the limits on guesses', () => {
  const guess = async (at: Screens, n: number, more: Record<string, string> = {}) => {
    const headers = { origin: at.url, 'x-forwarded-for': `203.0.${n >> 8}.${n & 255}`, ...more }
    return (await at.send('POST', '/app/login', { email: `guess${n}@x.example`, password: 'not this one' }, headers))
      .status
  }
  const among = (trust: string): Proxies => {
    const { isTrusted, ignore } = trustedProxies(trust, () => undefined)
    return { isTrusted, isOneOfMany: () => true, trustsSockets: false, ignore } // as if this machine were not loopback
  }

  test('hold where a whole network may invent addresses, and keep out nobody who signed in before', async (t) => {
    const shared = await startScreens(server, { proxies: among('127.0.0.0/8') })
    t.after(shared.stop)
    const { email } = await shared.newMember('member')
    const login = (headers: Record<string, string>) =>
      shared.send('POST', '/app/login', { email, password: PASSWORD }, { origin: shared.url, ...headers })
    const device = (await login({})).headers.getSetCookie().find((each) => each.startsWith(`${shared.names.device}=`))
    const seen: number[] = []
    for (let n = 0; n < 201; n++) seen.push(await guess(shared, n))
    assert.deepEqual([seen.filter((status) => status === 401).length, seen.at(-1)], [200, 429])
    const from = { 'x-forwarded-for': '198.51.100.7' }
    assert.equal((await login(from)).status, 429)
    assert.equal((await login({ ...from, cookie: device?.split(';')[0] as string })).status, 200)
    server.advance(300)
    assert.equal(await guess(shared, 300), 401, 'one more each 300 ms')
  })

  test('are those of the client alone where one proxy is trusted', async () => {
    const seen: number[] = []
    for (let n = 0; n < 205; n++) seen.push(await guess(screens, n + 1000))
    assert.ok(seen.every((status) => status === 401))
  })
})
