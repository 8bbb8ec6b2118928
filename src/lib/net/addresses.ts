import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Why an address is not public; completes "The address is ...". */
export type Kind =
  | 'unspecified'
  | 'loopback'
  | 'link-local'
  | 'a metadata server'
  | 'private'
  | 'shared'
  | 'multicast'
  | 'reserved'
  | 'reserved for documentation'
  | 'reserved for benchmarks'
  | 'a tunnel'
  | 'IPv4-compatible'

/** `prefix` is the prefix length of the network that contains the address. */
export type Range = { kind: Kind; prefix: number }

type Family = 'ipv4' | 'ipv6'

/** The first network that contains an address determines its kind. */
const IPV4: readonly [string, Kind][] = [
  ['168.63.129.16/32', 'a metadata server'],
  ['100.100.100.200/32', 'a metadata server'],
  ['192.0.0.192/32', 'a metadata server'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'reserved for documentation'],
  // AS112 and AMT are answered by the nearest node, which may be in the local network.
  ['192.31.196.0/24', 'reserved'],
  ['192.52.193.0/24', 'reserved'],
  ['192.175.48.0/24', 'reserved'],
  ['192.88.99.0/24', 'a tunnel'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'reserved for benchmarks'],
  ['198.51.100.0/24', 'reserved for documentation'],
  ['203.0.113.0/24', 'reserved for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]

const IPV6: readonly [string, Kind][] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['64:ff9b:1::/48', 'private'],
  ['2001:db8::/32', 'reserved for documentation'],
  ['2001::/23', 'a tunnel'],
  ['2002::/16', 'a tunnel'],
  ['2620:4f:8000::/48', 'reserved'],
  ['3fff::/20', 'reserved for documentation'],
  ['fd00:ec2::254/128', 'a metadata server'],
  ['fd20:ce::254/128', 'a metadata server'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
]

const RANGES = { ipv4: read(IPV4, 'ipv4'), ipv6: read(IPV6, 'ipv6') }
const SPECIAL = {
  ipv4: blockList('ipv4', ...IPV4.map(([network]) => network)),
  ipv6: blockList('ipv6', ...IPV6.map(([network]) => network)),
}
const UNICAST = blockList('ipv6', '2000::/3')
const MAPPED = blockList('ipv6', '::ffff:0:0/96')
const NAT64 = blockList('ipv6', '64:ff9b::/96')

/**
 * Returns the canonical form of an address; an IPv4-mapped one becomes IPv4. Undefined for names and addresses with a
 * zone.
 */
export function canonical(address: string): string | undefined {
  if (isIPv4(address)) return address
  // isIPv6 accepts a zone, such as fe80::1%eth0.
  if (!isIPv6(address) || address.includes('%')) return undefined
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  return MAPPED.check(short, 'ipv6') ? lastFourBytes(short) : short
}

/** Returns the special range of a canonical address; undefined if the address is public. */
export function rangeOf(address: string): Range | undefined {
  const family = isIPv4(address) ? 'ipv4' : 'ipv6'
  if (family === 'ipv6' && NAT64.check(address, family)) {
    const inner = rangeOf(lastFourBytes(address))
    return inner && { kind: inner.kind, prefix: 96 + inner.prefix }
  }
  const isSpecial = SPECIAL[family].check(address, family)
  if (!isSpecial && (family === 'ipv4' || UNICAST.check(address, family))) return undefined
  const range = RANGES[family].find(({ list }) => list.check(address, family))
  return range ?? { kind: 'reserved', prefix: 0 }
}

/**
 * Returns a test for canonical addresses in a network such as 10.0.0.0/8; addresses of the other family never match.
 */
export function network(text: string): (address: string) => boolean {
  const family = text.includes(':') ? 'ipv6' : 'ipv4'
  const list = blockList(family, text)
  // A BlockList treats ::/0 as including all of IPv4.
  return (address) => address.includes(':') === (family === 'ipv6') && list.check(address, family)
}

function blockList(family: Family, ...networks: string[]): BlockList {
  const list = new BlockList()
  for (const each of networks) {
    const [address, prefix] = each.split('/') as [string, string]
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function read(ranges: readonly [string, Kind][], family: Family): (Range & { list: BlockList })[] {
  return ranges.map(([network, kind]) => ({
    kind,
    prefix: Number(network.split('/')[1]),
    list: blockList(family, network),
  }))
}

/** Returns the eight groups of a canonical IPv6 address. */
export function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}

/** Returns the last four bytes of an IPv6 address as an IPv4 address. */
function lastFourBytes(address: string): string {
  return groupsOf(address)
    .slice(-2)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.')
}
