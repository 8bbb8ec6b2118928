import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonical, network } from '../lib/net/addresses.ts'
import { readNetwork } from '../lib/net/networks.ts'
import { usage } from '../lib/problem.ts'

/** Who sent a request, as the proxies say that are trusted. */
export type Client = {
  /** Canonical; '' if the connection had ended before it was known. */
  address: string
  /** Whether its own connection is encrypted: that to the proxy, if there is one. */
  isEncrypted: boolean
  /** The name by which it calls this server, as in the header Host. */
  host: string | undefined
  /** Who says so, if that may be anybody in a trusted network: the address may be invented. */
  via?: string
}

/** The proxies in front of this server, by their canonical addresses. */
export type Proxies = {
  isTrusted: (address: string) => boolean
  /** Whether a trusted address is one of many in a network that is trusted as a whole. Loopback is this machine. */
  isOneOfMany: (address: string) => boolean
  /** Whether whoever connects by a Unix socket is trusted: the mode of its file has let it in. */
  trustsSockets: boolean
  /** Called for each request with headers of a proxy that is not trusted. */
  ignore: (address: string) => void
}

type Peer = { address: string; isEncrypted: boolean; isTrusted: boolean; proxies: Proxies; basePath: string }

/** A chain of proxies is followed for so long. */
const MAX_HOPS = 16

const peers = new WeakMap<Socket, Peer>()

/** Trusts nobody. */
export const noProxies: Proxies = {
  isTrusted: () => false,
  isOneOfMany: () => false,
  trustsSockets: false,
  ignore: () => undefined,
}

/** What comes by a Unix socket has no address, and is from this machine. */
const THIS_MACHINE = '127.0.0.1'

/** Notes the other end of a connection. Call this before its first request. */
export function notePeer(socket: Socket, proxies: Proxies, isUnix = false, basePath = ''): void {
  const { remoteAddress = '' } = socket
  const address = isUnix ? THIS_MACHINE : canonical(remoteAddress)
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  const isTrusted = isUnix ? proxies.trustsSockets : address !== undefined && proxies.isTrusted(address)
  peers.set(socket, { address: address ?? remoteAddress, isEncrypted, isTrusted, proxies, basePath })
}

/** The address of the other end of its connection: of a proxy, if there is one. */
export const peerOf = ({ socket }: Pick<IncomingMessage, 'socket'>): string | undefined =>
  peers.get(socket)?.address ?? socket.remoteAddress

type Request = Pick<IncomingMessage, 'socket' | 'headers'>

/** Marks a request that a reader has passed on, so that two readers that name each other do not pass it on for ever. */
export const PASSED = 'Dealbox-Passed-On'
/** With such a request: the path below which the reader is, and a slash. */
export const BASE_PATH = 'Dealbox-Base-Path'

/**
 * The path below which the client has reached this server, such as /crm, or ''. A reader may be below another one than its
 * primary, and says so.
 */
export function basePathOf(req: Request): string {
  const { isTrusted, basePath } = peers.get(req.socket) ?? UNKNOWN
  if (!isTrusted || req.headers[PASSED.toLowerCase()] === undefined) return basePath
  const passed = req.headers[BASE_PATH.toLowerCase()]
  return typeof passed === 'string' && PASSED_BASE.test(passed) ? passed.slice(0, -1) : basePath
}

const PASSED_BASE = /^\/(?:[A-Za-z0-9._~-]+\/)*$/

/**
 * The client of a request. What X-Forwarded-For, -Proto and -Host say counts only from a trusted proxy: of a list, what
 * the nearest proxy has added, and of the addresses the last one that is none of a trusted proxy.
 */
export function clientOf(req: Request): Client {
  const peer = peers.get(req.socket) ?? UNKNOWN
  const { address, isEncrypted, isTrusted, proxies } = peer
  const direct = { address, isEncrypted, host: req.headers.host }
  if (isSilent(req)) return direct
  if (isTrusted) return forwarded(req, peer)
  proxies.ignore(address)
  return direct
}

/** What a proxy says that is not trusted, and its own address; undefined if there is none. */
export function ignoredProxy(req: Request): { proxy: string; client: Client } | undefined {
  const peer = peers.get(req.socket) ?? UNKNOWN
  return peer.isTrusted || isSilent(req) ? undefined : { proxy: peer.address, client: forwarded(req, peer) }
}

const isSilent = ({ headers }: Request): boolean => FORWARDED.every((name) => headers[name] === undefined)

function forwarded({ headers }: Request, { address, isEncrypted, proxies }: Peer): Client {
  const [via, proto, host] = FORWARDED.map((name) => headers[name] as string | undefined)
  return {
    address: via === undefined ? address : origin(via, address, proxies),
    isEncrypted: proto === undefined ? isEncrypted : lastOf(proto).toLowerCase() === 'https',
    host: host === undefined ? headers.host : lastOf(host),
    ...(via !== undefined && proxies.isOneOfMany(address) ? { via: address } : {}),
  }
}

const UNKNOWN: Peer = { address: '', isEncrypted: false, isTrusted: false, proxies: noProxies, basePath: '' }

const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'] as const

const lastOf = (list: string): string => list.slice(list.lastIndexOf(',') + 1).trim()

/** Whoever comes first in the list has written it, and may have invented what stands before the first proxy. */
function origin(list: string, peer: string, { isTrusted }: Proxies): string {
  let address = peer
  for (const hop of list.split(',').slice(-MAX_HOPS).reverse()) {
    const next = canonical(withoutPort(hop.trim()))
    if (next === undefined) break
    address = next
    if (!isTrusted(next)) break
  }
  return address
}

/** Some proxies add the port: 192.0.2.1:4711, [2001:db8::1]:4711. */
function withoutPort(hop: string): string {
  const [, ipv6, ipv4] = /^(?:\[(.*)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? []
  return ipv6 ?? ipv4 ?? hop
}

/** The most proxies that are warned about: strangers may pretend to be one. */
const MAX_WARNED = 8
/** The networks that this machine is in. */
const OWN_NETWORKS = 'own-networks'

/**
 * Parses --trust-proxy: addresses and networks separated by commas, own-networks among them, or off. `warn` is called for
 * the first request with headers of another proxy, for a few of them. Throws a usage Problem.
 */
export function trustedProxies(
  text: string,
  warn: (address: string) => void,
  interfaces: typeof networkInterfaces = networkInterfaces,
): Proxies {
  const networks = text === 'off' ? [] : text.split(',').flatMap((entry) => trusted(entry.trim(), interfaces))
  const warned = new Set<string>()

  function ignore(address: string): void {
    if (warned.has(address) || warned.size >= MAX_WARNED) return
    warned.add(address)
    warn(address)
  }

  return {
    isTrusted: (address) => networks.some(({ covers }) => covers(address)),
    isOneOfMany: (address) =>
      !LOOPBACK.some((covers) => covers(address)) &&
      !networks.some(({ covers, isSingle }) => isSingle && covers(address)) &&
      networks.some(({ covers }) => covers(address)),
    trustsSockets: text !== 'off',
    ignore,
  }
}

const LOOPBACK = [network('127.0.0.0/8'), network('::1/128')]

type Trusted = { covers: (address: string) => boolean; isSingle: boolean }

function trusted(entry: string, interfaces: typeof networkInterfaces): Trusted[] {
  if (entry === '') return []
  if (entry === OWN_NETWORKS) return ownNetworks(interfaces).map((own) => ({ covers: network(own), isSingle: false }))
  const bits = isIP(entry.replace(/\/.*/, '')) === 6 ? '128' : '32'
  const [start = '', digits = bits, ...more] = entry.split('/')
  const found = more.length > 0 ? 'is not a network' : readNetwork(start, digits)
  if (typeof found !== 'string')
    return [{ covers: network(`${found.address}/${found.prefix}`), isSingle: digits === bits }]
  throw usage(
    `"${entry}" in --trust-proxy ${found}. Use addresses and networks such as 10.0.0.5, 172.16.0.0/12, fd00::/8, ${OWN_NETWORKS}, or off.`,
  )
}

/** Those of a container are between it and its proxies; the network of the office reaches it by other addresses. */
function ownNetworks(interfaces: typeof networkInterfaces): string[] {
  const all = Object.values(interfaces()).flatMap((each) => each ?? [])
  return all.flatMap(({ internal, address, cidr }) => (internal || address.startsWith('fe80:') ? [] : (cidr ?? [])))
}
