import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, test } from 'node:test'
import { type Client, clientOf, notePeer, trustedProxies } from '../../src/auth/client.ts'

function clientFrom(
  peer: string | undefined,
  headers: IncomingMessage['headers'],
  trust = '10.0.0.0/8,fd00::/8',
  warned: string[] = [],
): Client {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer })
  notePeer(
    socket,
    trustedProxies(trust, (address) => warned.push(address)),
  )
  return clientOf({ socket, headers: { host: 'dealbox:8081', ...headers } })
}

const via = (list: string, peer = '10.0.0.1') => clientFrom(peer, { 'x-forwarded-for': list }).address

describe('the address of a client', () => {
  for (const [name, list, expected] of [
    ['is the one that the proxy names', '198.51.100.7', '198.51.100.7'],
    ['is the last one that is no proxy of ours', '203.0.113.9, 198.51.100.7, 10.1.1.1', '198.51.100.7'],
    ['is never one that the client has made up', '203.0.113.9,10.0.0.9, 198.51.100.7', '198.51.100.7'],
    ['is the first proxy where all are ours', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['has no port', '198.51.100.7:4711', '198.51.100.7'],
    ['is IPv6, in its canonical form', '2001:DB8:0:0::1', '2001:db8::1'],
    ['is IPv6 with a port', '[2001:db8::1]:4711', '2001:db8::1'],
    ['is IPv4 in IPv6', '::ffff:198.51.100.7', '198.51.100.7'],
    ['is that of the last proxy before what is no address', '198.51.100.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['is that of the proxy where the header is nothing', '', '10.0.0.1'],
    ['is that of the proxy where it names none', '_hidden', '10.0.0.1'],
    ['is found behind so many proxies', `198.51.100.7${', 10.0.0.2'.repeat(15)}`, '198.51.100.7'],
    ['is not looked for behind any number of them', `198.51.100.7${', 10.0.0.2'.repeat(16)}`, '10.0.0.2'],
  ] as const)
    test(name, () => assert.equal(via(list), expected))

  test('is that of the connection where the proxy is not trusted', () => {
    assert.equal(via('198.51.100.7', '192.0.2.1'), '192.0.2.1')
    assert.equal(via('198.51.100.7', '::ffff:192.0.2.1'), '192.0.2.1')
    assert.equal(via('198.51.100.7', '::ffff:10.9.9.9'), '198.51.100.7')
    assert.equal(via('198.51.100.7', 'fe80::1%eth0'), 'fe80::1%eth0')
    assert.equal(clientFrom(undefined, { 'x-forwarded-for': '198.51.100.7' }, '0.0.0.0/0,::/0').address, '')
  })
})

test('what a trusted proxy says of scheme and host counts, and of a list what the nearest one added', () => {
  const said = (headers: IncomingMessage['headers'], peer = '10.0.0.1') => {
    const { isEncrypted, host } = clientFrom(peer, headers)
    return [isEncrypted, host]
  }
  assert.deepEqual(said({}), [false, 'dealbox:8081'])
  assert.deepEqual(said({ 'x-forwarded-proto': 'https' }), [true, 'dealbox:8081'])
  assert.deepEqual(said({ 'x-forwarded-proto': 'HTTPS', 'x-forwarded-host': 'crm.example' }), [true, 'crm.example'])
  assert.deepEqual(said({ 'x-forwarded-proto': 'https, http' }), [false, 'dealbox:8081'])
  assert.deepEqual(said({ 'x-forwarded-proto': 'http,https', 'x-forwarded-host': 'a.example, b.example:8443' }), [
    true,
    'b.example:8443',
  ])
  assert.deepEqual(said({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'x' }, '192.0.2.1'), [
    false,
    'dealbox:8081',
  ])
})

test('headers of a proxy that is not trusted are warned about once, and those of eight proxies at most', () => {
  const warned: string[] = []
  const proxies = trustedProxies('10.0.0.1', (address) => warned.push(address))
  const ask = (peer: string, headers: IncomingMessage['headers']) => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: peer })
    notePeer(socket, proxies)
    clientOf({ socket, headers })
  }
  ask('10.0.0.2', { host: 'x' })
  ask('10.0.0.1', { 'x-forwarded-for': '198.51.100.7' })
  assert.deepEqual(warned, [])
  for (const name of ['x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-for']) ask('10.0.0.2', { [name]: 'x' })
  ask('10.0.0.3', { 'x-forwarded-for': 'x' })
  assert.deepEqual(warned, ['10.0.0.2', '10.0.0.3'])
  for (let n = 3; n < 20; n++) ask(`10.0.0.${n}`, { 'x-forwarded-for': 'x' })
  assert.equal(warned.length, 8)
})

test('who says so is known where a whole network is trusted, since anybody in it may have invented the address', () => {
  const viaOf = (
    peer: string,
    trust: string,
    headers: IncomingMessage['headers'] = { 'x-forwarded-for': '203.0.113.9' },
  ) => clientFrom(peer, headers, trust).via
  assert.equal(viaOf('10.0.0.1', '10.0.0.0/8'), '10.0.0.1')
  assert.equal(viaOf('fd00::1', 'fd00::/8'), 'fd00::1')
  assert.equal(viaOf('10.0.0.1', '10.0.0.0/8,10.0.0.1'), undefined, 'named by itself')
  assert.equal(viaOf('::ffff:10.0.0.1', '::ffff:10.0.0.1/128'), undefined)
  assert.equal(viaOf('127.0.0.1', '127.0.0.0/8'), undefined, 'this machine')
  assert.equal(viaOf('10.0.0.1', '10.0.0.0/8', { 'x-forwarded-proto': 'https' }), undefined)
  assert.equal(viaOf('192.0.2.1', '10.0.0.0/8'), undefined)
})

test('own-networks are those of a container, and not the office', () => {
  const eth0 = [
    { address: '172.18.0.2', cidr: '172.18.0.2/16', internal: false },
    { address: 'fd12::2', cidr: 'fd12::2/64', internal: false },
    { address: 'fe80::2', cidr: 'fe80::2/64', internal: false },
  ]
  const lo = [{ address: '127.0.0.1', cidr: '127.0.0.1/8', internal: true }]
  const proxies = trustedProxies(
    '192.0.2.1,own-networks',
    () => undefined,
    () => ({ eth0, lo }) as never,
  )
  for (const own of ['172.18.0.1', '172.18.255.3', 'fd12::1', '192.0.2.1']) assert.ok(proxies.isTrusted(own), own)
  for (const other of ['172.19.0.1', '192.168.1.20', '10.0.0.1', 'fd13::1', 'fe80::1', '127.0.0.1'])
    assert.equal(proxies.isTrusted(other), false, other)
})

test('--trust-proxy takes addresses and networks, or off', () => {
  const trusts = (text: string, address: string) => trustedProxies(text, () => undefined).isTrusted(address)
  assert.ok(trusts(' 192.0.2.7 , fd00::/8,', 'fd12::1'))
  assert.ok(trusts('::ffff:10.0.0.0/104', '10.1.2.3'))
  assert.equal(trusts('192.0.2.7', '192.0.2.8'), false)
  assert.equal(trusts('::/0', '192.0.2.8'), false)
  for (const none of ['off', '']) assert.equal(trusts(none, '127.0.0.1'), false)
  for (const [wrong, why] of [
    ['proxy.lan', 'is not a network'],
    ['10.0.0.1/8', 'is not the first address of its network'],
    ['10.0.0.0/33', 'needs a prefix length from 0 to 32'],
    ['10.0.0.0/', 'needs a prefix length'],
    ['10.0.0.0/8/8', 'is not a network'],
    ['fe80::1%eth0', 'is not a network'],
    ['off,10.0.0.1', 'is not a network'],
    ['::ffff:10.0.0.0/8', 'mixes IPv4 and IPv6'],
  ] as const)
    assert.throws(() => trusts(wrong, ''), { code: 'usage', message: new RegExp(`in --trust-proxy ${why}`) }, wrong)
})
