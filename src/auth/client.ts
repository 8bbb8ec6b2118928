import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { usage } from '../config.ts'
import { canonical, network } from '../webhooks/egress/addresses.ts'
import { readNetwork } from '../webhooks/egress/networks.ts'

/** Who sent a request, as the proxies say that are trusted. */
export type Client = {
  /** Canonical; '' if the connection had ended before it was known. */
  address: string
  /** Whether its own connection is encrypted: that to the proxy, if there is one. */
  isEncrypted: boolean
  /** The name by which it calls this server, as in the header Host. */
  host: string | undefined
}

/** The proxies in front of this server, by their canonical addresses. */
export type Proxies = {
  isTrusted: (address: string) => boolean
  /** Called for each request with headers of a proxy that is not trusted. */
  ignore: (address: string) => void
}

type Peer = { address: string; isEncrypted: boolean; isTrusted: boolean; proxies: Proxies }

/** A chain of proxies is followed for so long. */
const MAX_HOPS = 16

const peers = new WeakMap<Socket, Peer>()

/** Trusts nobody. */
export const noProxies: Proxies = { isTrusted: () => false, ignore: () => undefined }

/** Notes the other end of a connection. Call this before its first request. */
export function notePeer(socket: Socket, proxies: Proxies): void {
  const { remoteAddress = '' } = socket
  const address = canonical(remoteAddress)
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  const isTrusted = address !== undefined && proxies.isTrusted(address)
  peers.set(socket, { address: address ?? remoteAddress, isEncrypted, isTrusted, proxies })
}

/**
 * The client of a request. What X-Forwarded-For, -Proto and -Host say counts only from a trusted proxy: of a list, what
 * the nearest proxy has added, and of the addresses the last one that is none of a trusted proxy.
 */
export function clientOf({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): Client {
  const { address, isEncrypted, isTrusted, proxies } = peers.get(socket) ?? UNKNOWN
  const direct = { address, isEncrypted, host: headers.host }
  const [via, proto, host] = FORWARDED.map((name) => headers[name] as string | undefined)
  if (via === undefined && proto === undefined && host === undefined) return direct
  if (!isTrusted) {
    proxies.ignore(address)
    return direct
  }
  return {
    address: via === undefined ? address : origin(via, address, proxies),
    isEncrypted: proto === undefined ? isEncrypted : lastOf(proto).toLowerCase() === 'https',
    host: host === undefined ? headers.host : lastOf(host),
  }
}

const UNKNOWN: Peer = { address: '', isEncrypted: false, isTrusted: false, proxies: noProxies }

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

/**
 * Parses --trust-proxy: addresses and networks separated by commas, or off. `warn` is called for the first request with
 * headers of another proxy. Throws a usage Problem.
 */
export function trustedProxies(text: string, warn: (address: string) => void): Proxies {
  const networks = text === 'off' ? [] : text.split(',').flatMap((entry) => trusted(entry.trim()))
  let isWarned = false

  function ignore(address: string): void {
    if (!isWarned) warn(address)
    isWarned = true
  }

  return { isTrusted: (address) => networks.some((covers) => covers(address)), ignore }
}

function trusted(entry: string): ((address: string) => boolean)[] {
  if (entry === '') return []
  const [start = '', digits = isIP(entry) === 6 ? '128' : '32', ...more] = entry.split('/')
  const found = more.length > 0 ? 'is not a network' : readNetwork(start, digits)
  if (typeof found !== 'string') return [network(`${found.address}/${found.prefix}`)]
  throw usage(
    `"${entry}" in --trust-proxy ${found}. Use addresses and networks such as 10.0.0.5, 172.16.0.0/12, fd00::/8, or off.`,
  )
}
