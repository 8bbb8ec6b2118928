import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical, type Kind, network, rangeOf } from '../../../src/lib/net/addresses.ts'
import { guard } from '../../../src/lib/net/guard.ts'

/** As the host of a URL stands, and what it is; null is public. */
const HOSTS: readonly [string, Kind | null][] = [
  ['0.0.0.0', 'unspecified'],
  ['0', 'unspecified'],
  ['0.1.2.3', 'unspecified'],
  ['0.255.255.255', 'unspecified'],
  ['1.0.0.0', null],
  ['1.1.1.1', null],
  ['8.8.8.8', null],
  ['9.255.255.255', null],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['10.1', 'private'],
  ['0xa000001', 'private'],
  ['11.0.0.0', null],
  ['100.63.255.255', null],
  ['100.64.0.0', 'shared'],
  ['100.127.255.255', 'shared'],
  ['100.100.100.200', 'a metadata server'],
  ['100.128.0.0', null],
  ['126.255.255.255', null],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['127.1', 'loopback'],
  ['127.0.0.1.', 'loopback'],
  ['0x7f.1', 'loopback'],
  ['0X7F.0.0.1', 'loopback'],
  ['0x7f000001', 'loopback'],
  ['2130706433', 'loopback'],
  ['0177.0.0.1', 'loopback'],
  ['017700000001', 'loopback'],
  ['１２７.０.０.１', 'loopback'],
  ['127。0。0。1', 'loopback'],
  ['①②⑦.⓪.⓪.①', 'loopback'],
  ['%31%32%37.0.0.1', 'loopback'],
  ['128.0.0.0', null],
  ['168.63.129.15', null],
  ['168.63.129.16', 'a metadata server'],
  ['168.63.129.17', null],
  ['169.253.255.255', null],
  ['169.254.0.0', 'link-local'],
  ['169.254.169.254', 'link-local'],
  ['169.254.255.255', 'link-local'],
  ['2852039166', 'link-local'],
  ['0xa9.0xfe.0xa9.0xfe', 'link-local'],
  ['0251.0376.0251.0376', 'link-local'],
  ['169.255.0.0', null],
  ['172.15.255.255', null],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.0', null],
  ['192.0.0.0', 'reserved'],
  ['192.0.0.192', 'a metadata server'],
  ['192.0.0.255', 'reserved'],
  ['192.0.1.0', null],
  ['192.0.2.1', 'reserved for documentation'],
  ['192.31.196.1', 'reserved'],
  ['192.52.193.1', 'reserved'],
  ['192.88.99.1', 'a tunnel'],
  ['192.88.100.0', null],
  ['192.167.255.255', null],
  ['192.168.0.0', 'private'],
  ['192.168.255.255', 'private'],
  ['0300.0250.1.1', 'private'],
  ['192.169.0.0', null],
  ['192.175.48.1', 'reserved'],
  ['198.17.255.255', null],
  ['198.18.0.0', 'reserved for benchmarks'],
  ['198.19.255.255', 'reserved for benchmarks'],
  ['198.20.0.0', null],
  ['198.51.100.7', 'reserved for documentation'],
  ['203.0.113.255', 'reserved for documentation'],
  ['203.0.114.0', null],
  ['223.255.255.255', null],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['4294967295', 'reserved'],
  ['[::]', 'unspecified'],
  ['[::1]', 'loopback'],
  ['[0:0:0:0:0:0:0:1]', 'loopback'],
  ['[::0001]', 'loopback'],
  ['[::2]', 'IPv4-compatible'],
  ['[::127.0.0.1]', 'IPv4-compatible'],
  ['[::8.8.8.8]', 'IPv4-compatible'],
  ['[::ffff:127.0.0.1]', 'loopback'],
  ['[::FFFF:7F00:1]', 'loopback'],
  ['[0:0:0:0:0:ffff:7f00:0001]', 'loopback'],
  ['[::ffff:0.0.0.0]', 'unspecified'],
  ['[::ffff:10.0.0.1]', 'private'],
  ['[::ffff:169.254.169.254]', 'link-local'],
  ['[::ffff:168.63.129.16]', 'a metadata server'],
  ['[::ffff:8.8.8.8]', null],
  ['[::ffff:0:8.8.8.8]', 'reserved'],
  ['[64:ff9b::]', 'unspecified'],
  ['[64:ff9b::1]', 'unspecified'],
  ['[64:ff9b::127.0.0.1]', 'loopback'],
  ['[64:ff9b::10.0.0.1]', 'private'],
  ['[64:ff9b::a00:0]', 'private'],
  ['[64:ff9b::169.254.169.254]', 'link-local'],
  ['[64:ff9b::8.8.8.8]', null],
  ['[64:ff9b:1::8.8.8.8]', 'private'],
  ['[64:ff9b:2::8.8.8.8]', 'reserved'],
  ['[100::1]', 'reserved'],
  ['[100:0:0:1::1]', 'reserved'],
  ['[1fff::1]', 'reserved'],
  ['[2000::1]', null],
  ['[2001::1]', 'a tunnel'],
  ['[2001:0:a00:1::ffff]', 'a tunnel'],
  ['[2001:2::1]', 'a tunnel'],
  ['[2001:10::1]', 'a tunnel'],
  ['[2001:1ff:ffff::1]', 'a tunnel'],
  ['[2001:200::1]', null],
  ['[2001:4860:4860::8888]', null],
  ['[2001:db7::1]', null],
  ['[2001:db8::1]', 'reserved for documentation'],
  ['[2001:db8:ffff:ffff::1]', 'reserved for documentation'],
  ['[2001:db9::1]', null],
  ['[2002:7f00:1::]', 'a tunnel'],
  ['[2002:808:808::1]', 'a tunnel'],
  ['[2003::1]', null],
  ['[2606:4700:4700::1111]', null],
  ['[2620:4f:8000::1]', 'reserved'],
  ['[3ffe::1]', null],
  ['[3fff::1]', 'reserved for documentation'],
  ['[3fff:fff::1]', 'reserved for documentation'],
  ['[3fff:1000::1]', null],
  ['[4000::1]', 'reserved'],
  ['[5f00::1]', 'reserved'],
  ['[fc00::1]', 'private'],
  ['[fd00:ec2::254]', 'a metadata server'],
  ['[fd20:ce::254]', 'a metadata server'],
  ['[fdff:ffff::1]', 'private'],
  ['[fe00::1]', 'reserved'],
  ['[fe80::1]', 'link-local'],
  ['[febf::1]', 'link-local'],
  ['[fec0::1]', 'private'],
  ['[ff02::1]', 'multicast'],
  ['[ffff:ffff::1]', 'multicast'],
]

const strict = guard({ allow: [], ownPorts: () => [], lookup: () => assert.fail('nobody is asked about an address') })

for (const [host, kind] of HOSTS)
  test(`http://${host}/ is ${kind ?? 'public'}`, async () => {
    const url = `http://${host}/`
    const name = new URL(url).hostname.replace(/^\[|\]$/g, '')
    assert.equal(rangeOf(canonical(name) as string)?.kind ?? null, kind)
    if (kind === null) {
      assert.equal(strict.refusal(url), undefined)
      const [answer, ...rest] = await strict.resolve(url)
      assert.deepEqual([answer?.address, rest], [canonical(name), []])
      return
    }
    assert.match(strict.refusal(url) ?? '', new RegExp(`^The address [0-9a-f.:]+ is ${kind}[;,] .+\\.$`))
    await assert.rejects(strict.resolve(url), { status: 422, code: 'url_not_allowed', message: strict.refusal(url) })
  })

test('an address has one way to be written, and an IPv4-mapped one is IPv4', () => {
  assert.equal(canonical('1.2.3.4'), '1.2.3.4')
  assert.equal(canonical('2001:0DB8:0:0::0001'), '2001:db8::1')
  assert.equal(canonical('0:0:0:0:0:ffff:10.1.2.3'), '10.1.2.3')
  assert.equal(canonical('::ffff:a01:203'), '10.1.2.3')
})

test('neither a zone nor a name is an address', () => {
  for (const text of ['fe80::1%eth0', '::1%lo', '2606:4700::1%1', 'localhost', '', '1.2.3', '01.2.3.4', '[::1]'])
    assert.equal(canonical(text), undefined, text)
})

test('a network holds no address of the other family', () => {
  assert.equal(network('::/0')('10.0.0.1'), false)
  assert.equal(network('::/0')('fd00::1'), true)
  assert.equal(network('0.0.0.0/0')('fd00::1'), false)
  assert.equal(network('0.0.0.0/0')('10.0.0.1'), true)
  assert.equal(network('10.0.0.0/32')('10.0.0.1'), false)
})
