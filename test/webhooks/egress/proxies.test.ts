import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import type { Environment } from '../../../src/lib/machine/environment.ts'
import { providerPost } from '../../../src/lib/mail/oauth/post-form.ts'
import { parseAllow } from '../../../src/lib/net/allow.ts'
import { type Address, guard } from '../../../src/lib/net/guard.ts'
import { readProxies } from '../../../src/lib/net/proxies.ts'
import { openWay } from '../../../src/lib/net/way.ts'
import { poster } from '../../../src/webhooks/egress/http-post.ts'
import { startForwardProxy } from '../../support/forward-proxy.ts'
import { trusting } from '../../support/trust.ts'
import { makeCertificate } from './certificates.ts'
import { answer, startReceiver } from './receiver.ts'

// Outgoing requests through the proxy of HTTPS_PROXY and HTTP_PROXY.

const PROXY = 'http://proxy.example:3128'
const folder = mkdtempSync(join(tmpdir(), 'dealbox-proxies-'))
after(() => rmSync(folder, { recursive: true }))

const goesThrough = (url: string, noProxy: string): boolean =>
  readProxies({ HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy }).of(new URL(url)) !== undefined

describe('the variables', () => {
  test('of https and http are for the URLs of their scheme, and small letters come first', () => {
    const proxyOf = (env: Environment, url: string) => readProxies(env).of(new URL(url))?.url.href
    const own = { HTTPS_PROXY: PROXY, https_proxy: 'http://small.example:1' }
    assert.equal(proxyOf(own, 'https://a.example/'), 'http://small.example:1/')
    assert.equal(proxyOf(own, 'http://a.example/'), undefined)
    assert.equal(proxyOf({ HTTP_PROXY: PROXY }, 'http://a.example/'), `${PROXY}/`)
    assert.equal(proxyOf({ HTTPS_PROXY: 'proxy.example:3128' }, 'https://a.example/'), `${PROXY}/`)
    assert.equal(proxyOf({ HTTPS_PROXY: '', https_proxy: ' ' }, 'https://a.example/'), undefined)
    assert.deepEqual(readProxies({ HTTPS_PROXY: 'https://ann:secret@p.example' }).shown, {
      HTTPS_PROXY: 'https://p.example',
    })
  })

  test('may have a user name and a password, encoded or not', () => {
    const login = (url: string) => {
      const header = readProxies({ HTTPS_PROXY: url }).of(new URL('https://a.example'))?.authorization ?? ''
      return Buffer.from(header.replace('Basic ', ''), 'base64').toString()
    }
    assert.equal(login('http://ann:P%40ss%23w%C3%B6rd@p.example:1'), 'ann:P@ss#wörd')
    assert.equal(login('http://ann:p@ss@p.example:1'), 'ann:p@ss')
    assert.equal(login('http://ann:a6%6qgx@p.example:1'), 'ann:a6%6qgx')
    assert.equal(login('http://ann@p.example:1'), 'ann:')
    assert.equal(login('http://p.example:1'), '')
  })

  test('that name no proxy are said without their secrets, and nothing goes out in another way', () => {
    for (const [value, fault] of [
      ['socks5://ann:secret@p.example:1', /^HTTPS_PROXY is a proxy of socks5:\/\/, which Dealbox does not use/],
      ['http://ann:secret#1@p.example:1', /^HTTPS_PROXY is not the address of a proxy.*as %40, %23/],
      ['http://ann:sec/ret@p.example:1', /^HTTPS_PROXY is not the address of a proxy/],
      ['http://p.example:99999', /^HTTPS_PROXY is not the address of a proxy/],
    ] as const) {
      const proxies = readProxies({ HTTPS_PROXY: value, NO_PROXY: 'near.example' })
      assert.match(proxies.faults.join(), fault)
      assert.doesNotMatch(proxies.faults.join(), /secret|sec\//)
      assert.throws(() => proxies.of(new URL('https://a.example')), { code: 'DEALBOX_PROXY_REFUSED', message: fault })
      assert.equal(proxies.of(new URL('https://near.example')), undefined)
      assert.equal(proxies.of(new URL('http://a.example')), undefined)
    }
  })

  test('can be in a file, or a credential of systemd, as the options that are secrets', () => {
    const file = join(folder, 'proxy')
    writeFileSync(file, `\uFEFF${PROXY} \r\n`)
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    writeFileSync(join(credentials, 'https-proxy'), 'http://credential.example:1\n')
    chmodSync(file, 0o600)
    const proxyOf = (env: Environment) => readProxies(env).of(new URL('https://a.example'))?.url.href
    assert.equal(proxyOf({ HTTPS_PROXY_FILE: file }), `${PROXY}/`)
    assert.equal(proxyOf({ CREDENTIALS_DIRECTORY: credentials }), 'http://credential.example:1/')
    const both = readProxies({ HTTPS_PROXY_FILE: file, HTTPS_PROXY: PROXY })
    assert.match(both.faults.join(), /^HTTPS_PROXY and HTTPS_PROXY_FILE are both set/)
    assert.throws(() => both.of(new URL('https://a.example')), { code: 'DEALBOX_PROXY_REFUSED' })
  })
})

describe('NO_PROXY', () => {
  test('has names with all below them, ports, addresses, networks and a star', () => {
    for (const [url, noProxy, through] of [
      ['https://a.example', '', true],
      ['https://a.example', '*', false],
      ['https://a.example', 'a.example', false],
      ['https://A.Example.', 'a.EXAMPLE.', false],
      ['https://x.a.example', 'a.example', false],
      ['https://xa.example', 'a.example', true],
      ['https://x.a.example', '.a.example', false],
      ['https://a.example', '.a.example', false],
      ['https://fsn1.storage.example', 'b, *.storage.example', false],
      ['https://fsn1.storage.example', 'b *.storage.example', false],
      ['https://a.example', 'a.example:443', false],
      ['https://a.example:8443', 'a.example:443', true],
      ['http://a.example', 'a.example:443', true],
      ['http://a.example', 'a.example:80', false],
      ['https://müller.example', 'müller.example', false],
      ['https://10.1.2.3', '10.0.0.0/8', false],
      ['https://11.1.2.3', '10.0.0.0/8', true],
      ['https://10.1.2.3', '10.1.2.3', false],
      ['https://10.1.2.3:9000', '10.1.2.3:9000', false],
      ['https://10.1.2.3:9001', '10.1.2.3:9000', true],
      ['https://[fd00::7]', 'fd00::/8', false],
      ['https://[fd00::7]', '[fd00::]/8', false],
      ['https://[fd00::7]', 'fd00:0::7', false],
      ['https://[fd00::7]:1', '[fd00::7]:1', false],
      ['https://[fd00::7]:2', '[fd00::7]:1', true],
      // A name is not looked up, as by others.
      ['https://a.example', '0.0.0.0/0', true],
    ] as const)
      assert.equal(goesThrough(url, noProxy), through, `${url} with "${noProxy}"`)
  })

  test('need not have this machine', () => {
    for (const host of ['localhost', 'x.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])
      assert.equal(goesThrough(`http://${host}:9000`, ''), false, host)
  })

  test('says which entries have no effect', () => {
    const { faults } = readProxies({ HTTPS_PROXY: PROXY, NO_PROXY: 'a.example,10.0.0.0/33,10.0.0.1/8,a/b,:80' })
    assert.equal(faults.length, 4)
    assert.match(faults[0] ?? '', /^"10\.0\.0\.0\/33" in NO_PROXY has no effect/)
    assert.deepEqual(readProxies({ NO_PROXY: '10.0.0.0/33' }).faults, [])
  })
})

const own = makeCertificate(2020, 2090)
const skip = own ? false : 'there is no openssl to make certificates with'
const LOOPBACK: Address[] = [{ address: '127.0.0.1', family: 4 }]
const unknown = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))
const OK = answer('HTTP/1.1 200 OK', 'Content-Length: 2', '', 'ok')

type Given = Parameters<typeof startForwardProxy>[0] & { lookup?: () => Promise<Address[]>; resolve_ms?: number }

/** A sender of webhooks whose machine knows no names, the proxy, and a receiver with TLS and one without. */
async function behindProxy(t: TestContext, { lookup = unknown, resolve_ms = 10_000, ...given }: Given = {}) {
  const [secure, plain] = [await startReceiver(OK, { tls: own as object }), await startReceiver(OK)]
  t.after(secure.stop)
  t.after(plain.stop)
  const hosts = { 'hooks.example:443': secure.port, 'hooks.example:80': plain.port, 'other.example:443': secure.port }
  const proxy = await startForwardProxy({ hosts, ...given })
  t.after(proxy.stop)
  trusting(t, own?.cert as string)
  const url = `http://ann:p%40ss@${proxy.host}`
  const proxies = readProxies({ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: 'near.example' })
  const post = poster(guard({ allow: parseAllow(''), ownPorts: () => [], lookup, now: () => 0 }), {
    ...{ proxies, resolve_ms },
  })
  const send = (to: string, timeout_ms = 300_000) => post({ url: to, headers: { 'x-a': 'b' }, body: '{}', timeout_ms })
  return { proxy, proxies, secure, plain, send }
}

describe('a webhook', { skip }, () => {
  test('reaches by https, through a tunnel, a name that only the proxy knows', async (t) => {
    const { proxy, secure, send } = await behindProxy(t, { login: `Basic ${btoa('ann:p@ss')}` })
    const { status, reply, error } = await send('https://hooks.example/a?b=c')
    assert.deepEqual([status, reply, error], [200, 'ok', null])
    assert.deepEqual(proxy.lines(), ['CONNECT hooks.example:443'])
    assert.match(secure.requests[0] ?? '', /^POST \/a\?b=c HTTP\/1\.1\r\nHost: hooks\.example\r\n/)
    // The proxy learns the host only, and the receiver nothing of the proxy.
    assert.doesNotMatch(secure.requests[0] ?? '', /proxy-/i)
    assert.equal(proxy.asked[0]?.headers['x-a'], undefined)
    assert.equal(await secure.left(), 0)
    assert.equal(await proxy.left(), 0)
  })

  test('reaches by http with the whole URL', async (t) => {
    const { proxy, plain, send } = await behindProxy(t)
    const { status, error } = await send('http://hooks.example/a?b=c')
    assert.deepEqual([status, error], [200, null])
    assert.deepEqual(proxy.lines(), ['POST http://hooks.example/a?b=c'])
    assert.equal(proxy.asked[0]?.headers['proxy-authorization'], `Basic ${btoa('ann:p@ss')}`)
    assert.match(plain.requests[0] ?? '', /^POST \/a\?b=c HTTP\/1\.1\r\nhost: hooks\.example\r\n/i)
  })

  test('checks the certificate of the receiver behind the proxy', async (t) => {
    const { send } = await behindProxy(t)
    assert.equal((await send('https://other.example/')).error, 'The certificate is for another name.')
  })

  test('goes through a proxy that has TLS itself', async (t) => {
    const { proxy, send } = await behindProxy(t, { tls: own as object as never })
    // It is asked without TLS here, which it does not take.
    assert.match((await send('https://hooks.example/')).error ?? '', /^The proxy of HTTPS_PROXY cannot be used: /)
    const proxies = readProxies({ HTTPS_PROXY: `https://${proxy.host}` })
    const target = new URL('https://hooks.example/')
    const open = () => openWay(proxies.of(target) as never, target, { signal: AbortSignal.timeout(300_000) })
    const { socket } = await open()
    socket.destroy()
    assert.deepEqual(proxy.lines(), ['CONNECT hooks.example:443'])
    trusting(t)
    await assert.rejects(open(), {
      message: 'The proxy of HTTPS_PROXY cannot be used: the certificate is self-signed.',
    })
  })

  test('never reaches own addresses: as a literal, and as a name that has one here', async (t) => {
    const { proxy, send } = await behindProxy(t, { lookup: async () => LOOPBACK })
    for (const host of ['10.0.0.5', '127.0.0.1', 'localhost', '[::ffff:169.254.169.254]', 'hooks.example']) {
      const { status, error } = await send(`https://${host}/`)
      assert.equal(status, null)
      assert.match(error ?? '', / is (loopback|private|link-local)/, host)
    }
    assert.deepEqual(proxy.lines(), [])
  })

  test('that NO_PROXY names is looked up and checked here', async (t) => {
    const { proxy, send } = await behindProxy(t)
    assert.equal((await send('https://near.example/')).error, 'The host name does not exist.')
    assert.deepEqual(proxy.lines(), [])
  })

  test('does not wait for a resolver that is silent, since the proxy has its own', async (t) => {
    const silent = new Promise<Address[]>(() => undefined)
    const { send } = await behindProxy(t, { lookup: () => silent, resolve_ms: 20 })
    assert.equal((await send('https://hooks.example/')).status, 200)
  })

  test('says what the proxy says', async (t) => {
    const { proxy, send, secure } = await behindProxy(t)
    const says = async (instead: Parameters<typeof proxy.answer>[0], error: RegExp) => {
      proxy.answer(instead)
      const reply = await send('https://hooks.example/', instead === 'never' ? 100 : undefined)
      assert.equal(reply.status, null)
      assert.match(reply.error ?? '', error)
      assert.doesNotMatch(reply.error ?? '', /p@ss|p%40ss/)
    }
    await says(407, /^The proxy of HTTPS_PROXY does not accept the user name and the password in its URL\.$/)
    await says(403, /^The proxy of HTTPS_PROXY does not allow connections to hooks\.example:443 \(403\)\.$/)
    await says(503, /^The proxy of HTTPS_PROXY does not reach hooks\.example:443 \(503\)\.$/)
    await says('noise', /^The proxy of HTTPS_PROXY cannot be used: the response is not valid HTTP\.$/)
    await says('never', /^There was no response within 0\.1 s\.$/)
    await proxy.stop()
    const refused = await send('https://hooks.example/')
    assert.equal(refused.error, 'The proxy of HTTPS_PROXY cannot be used: the connection was refused.')
    assert.equal(secure.connections(), 0)
  })
})

describe('OAuth', { skip }, () => {
  test('goes through the proxy, and says what that says', async (t) => {
    const { proxy, proxies, secure } = await behindProxy(t)
    const post = providerPost(300_000, proxies)
    await assert.rejects(post('https://hooks.example/token?a=b', { refresh_token: 'x' }), /status 200 and not in JSON/)
    assert.deepEqual(proxy.lines(), ['CONNECT hooks.example:443'])
    assert.match(
      secure.requests[0] ?? '',
      /^POST \/token\?a=b HTTP\/1\.1\r\nHost: hooks\.example\r\n[\s\S]*refresh_token=x$/,
    )
    await assert.rejects(post('http://hooks.example/token', {}), /status 200 and not in JSON/)
    assert.equal(proxy.lines()[1], 'POST http://hooks.example/token')
    proxy.answer(403)
    await assert.rejects(post('https://hooks.example/token', {}), {
      isSentence: true,
      message: 'The proxy of HTTPS_PROXY does not allow connections to hooks.example:443 (403).',
    })
    proxy.answer('never')
    const cut = new AbortController()
    const asked = post('https://hooks.example/token', {}, {}, cut.signal)
    await proxy.came(4)
    cut.abort()
    await assert.rejects(asked, /aborted/)
    assert.equal(await proxy.left(), 0)
  })
})
