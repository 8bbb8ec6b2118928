import { isIP } from 'node:net'
import { usage } from '../problem.ts'
import { canonical, type Kind, network, type Range, rangeOf } from './addresses.ts'
import { readNetwork } from './networks.ts'

/** One entry of --webhook-allow: a host or a network (a single address included), with a port or for all ports. */
type Entry = { port: number | undefined } & (
  | { host: string; covers?: never; prefix?: never }
  | { host?: never; covers: (address: string) => boolean; prefix: number }
)

/** The entries of --webhook-allow. */
export type Allow = readonly Entry[]

/** `host` is that of the URL, in lower case and without the final dot; `address` is canonical. */
export type Target = { host: string; address: string; port: number }

/** Too dangerous to allow by a host name, which anybody's DNS can point there, or as part of a wider network. */
const EXPLICIT_ONLY: ReadonlySet<Kind> = new Set(['loopback', 'link-local', 'unspecified', 'a metadata server'])

const HOST = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** Parses `hooks.lan, 10.0.0.5:8080, [::1]:8080, fd00::/8`; '' is an empty list. Throws a usage Problem. */
export function parseAllow(text: string): Allow {
  if (text.trim() === '') return []
  return text.split(',').map((entry) => parseEntry(entry.trim()))
}

/** Whether a target that is not public is allowed, by its address or by its host. */
export function allowsRange(allow: Allow, { host, address, port }: Target, { kind, prefix }: Range): boolean {
  const isExplicit = EXPLICIT_ONLY.has(kind)
  if (kind === 'IPv4-compatible') return false
  return allow.some((entry) => {
    if (entry.port !== undefined && entry.port !== port) return false
    if (entry.host === undefined) return entry.covers(address) && (!isExplicit || entry.prefix >= prefix)
    return entry.host === host && (!isExplicit || (host === 'localhost' && kind === 'loopback'))
  })
}

/** Whether the target is listed with its exact port. */
export function listsPort(allow: Allow, { host, address, port }: Target): boolean {
  return allow.some((entry) => entry.port === port && (entry.host === host || entry.covers?.(address) === true))
}

function parseEntry(entry: string): Entry {
  const [, network, prefix] = /^([^/]*)\/(.*)$/.exec(entry) ?? []
  if (network !== undefined && prefix !== undefined) return parseNetwork(entry, network, prefix)
  // Without brackets, all colons belong to the address: ::1 has no port.
  if (isIP(entry) === 6) return single(entry, entry, undefined)
  const [, ipv6, other, digits] = /^(?:\[(.*)\]|([^:[\]]*))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) throw malformed(entry, 'has an invalid port')
  if (ipv6 !== undefined && isIP(ipv6) === 6) return single(entry, ipv6, port)
  if (other !== undefined && isIP(other) === 4) return single(entry, other, port)
  if (other) return { host: parseHost(entry, other), port }
  throw malformed(entry, 'is not a host, address or network')
}

function parseNetwork(entry: string, start: string, digits: string): Entry {
  const found = readNetwork(start, digits)
  if (typeof found === 'string') throw malformed(entry, found)
  return ranged(entry, found.address, found.prefix, undefined)
}

function single(entry: string, text: string, port: number | undefined): Entry {
  const address = canonical(text)
  if (address === undefined) throw malformed(entry, 'has a zone, which webhooks do not support')
  return ranged(entry, address, isIP(address) === 4 ? 32 : 128, port)
}

function ranged(entry: string, address: string, prefix: number, port: number | undefined): Entry {
  const range = rangeOf(address)
  if (range?.kind === 'IPv4-compatible' && prefix >= range.prefix)
    throw malformed(entry, 'is IPv4-compatible, which is never allowed; list the IPv4 address')
  return { covers: network(`${address}/${prefix}`), prefix, port }
}

function parseHost(entry: string, text: string): string {
  // Characters with which a URL would end the host, or read part of it as a user name.
  if (/[@?#%\\\s]/.test(text)) throw malformed(entry, 'is not a host, address or network')
  const host = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '') ?? ''
  if (isIP(host)) throw malformed(entry, `is another form of an address; write ${host}`)
  if (!HOST.test(host)) throw malformed(entry, 'is not a host, address or network')
  if (host.endsWith('.localhost')) throw malformed(entry, 'is loopback; list localhost, 127.0.0.1 or [::1]')
  return host
}

function malformed(entry: string, what: string): Error {
  return usage(
    `"${entry}" in --webhook-allow ${what}. Use hosts, addresses and networks such as hooks.lan, 10.0.0.5:8080, [::1]:8080, 10.0.0.0/8.`,
  )
}
