import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { domainToASCII } from 'node:url'
import { clientOf } from '../../auth/client.ts'
import { Problem, usage } from '../../lib/problem.ts'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']
const EVERYWHERE = ['0.0.0.0', '::', '[::]']
const NAME = /^(?:[a-z0-9_](?:[a-z0-9_.-]{0,252})|\[[0-9a-f:.]+\])$/

type Named = Pick<IncomingMessage, 'socket' | 'headers'>

export type HostOptions = {
  /** The address that the listener listens on. */
  listen: string
  /** From --host. */
  added: readonly string[]
  /** The public addresses of organisations that may have a host. */
  publicUrls: (host: string) => readonly string[]
  /** In milliseconds. */
  now?: () => number
}

/** A name of an organisation counts for so long without a look: there may be thousands, and each request has one. */
const KNOWN_MS = 5000
const MAX_KNOWN = 10_000

/**
 * Checks the names by which a request calls this server: the header Host, and X-Forwarded-Host of a trusted proxy. A page
 * of a foreign name that its owner lets point here (DNS rebinding) would count as our own; its name is none that this
 * server knows. Such a page can send the second header, and never hides the first one by it. Throws Problem 421.
 */
export function hostCheck({
  listen,
  added,
  publicUrls,
  now = () => performance.now(),
}: HostOptions): (req: Named) => void {
  const own = bracketed(listen)
  const known = new Set([...LOOPBACK, own, ...added])
  const knownUntil = new Map<string, number>()
  let addresses = new Set<string>()

  function isOfOrg(host: string): boolean {
    if ((knownUntil.get(host) ?? 0) > now()) return true
    knownUntil.delete(host)
    if (!hostsOf(publicUrls(host)).includes(host)) return false
    if (knownUntil.size >= MAX_KNOWN) knownUntil.clear()
    knownUntil.set(host, now() + KNOWN_MS)
    return true
  }

  function isOwnAddress(host: string): boolean {
    if (!EVERYWHERE.includes(listen)) return false
    if (addresses.has(host)) return true
    addresses = new Set(machineAddresses().map(bracketed)) // they change, as when a laptop joins another network
    return addresses.has(host)
  }

  function check(header: string | undefined): void {
    const host = hostOf(header)
    if (host !== undefined && (known.has(host) || isOwnAddress(host) || isOfOrg(host))) return
    throw unknownHost(host)
  }

  return (req) => {
    check(req.headers.host)
    const { host } = clientOf(req)
    if (host !== req.headers.host) check(host)
  }
}

/** The addresses of this machine, except loopback: IPv4 first. */
export function machineAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  return own.sort((one, other) => one.family.localeCompare(other.family)).map(({ address }) => address)
}

/** The host name of a header Host in lower case, without the port and the dot at its end; IPv6 in brackets. */
export function hostOf(header: string | undefined): string | undefined {
  const host = header?.toLowerCase().replace(/\.?(?::\d*)?$/, '')
  return host !== undefined && NAME.test(host) ? host : undefined
}

/** The hosts of URLs. */
export const hostsOf = (urls: readonly string[]): string[] => urls.flatMap((url) => hostOf(new URL(url).host) ?? [])

/** Parses --host: names separated by commas, which may have letters such as ü. Throws a usage Problem. */
export function parseHosts(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : parseName(name.trim().toLowerCase())))
}

/** As browsers send it. Throws a usage Problem. */
function parseName(name: string): string {
  const sent = (/^[\x20-\x7e]*$/.test(name) ? name : domainToASCII(name)).replace(/\.$/, '')
  if (NAME.test(sent)) return sent
  throw usage(`--host ${name} is not a host name. Use a form such as crm.example.com, without http:// and port.`)
}

/**
 * The address for somebody else: the one that the browser shows, if others reach it; else a public one, else one of this
 * machine if it is listened on. Others cannot open what is left, a loopback address. `shown` has the base path, as has what is
 * returned, and a public address without it is one for other paths.
 */
export function addressForOthers(shown: string, listen: string, publicUrls: readonly string[]): string {
  if (!isLoopback(hostOf(new URL(shown).host) ?? '')) return shown
  const basePath = pathOf(shown)
  const open = publicUrls.find((url) => pathOf(url) === basePath)
  if (open !== undefined) return new URL(open).origin + basePath
  const [address] = isEverywhere(listen) ? machineAddresses() : []
  if (address === undefined) return shown
  const { protocol, port } = new URL(shown)
  return `${protocol}//${bracketed(address)}${port === '' ? '' : `:${port}`}${basePath}`
}

const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, '')

/**
 * Where the API is reached by somebody whose browser shows a page at `shown`: a listener of all addresses of this machine
 * has no address of its own, and is reached by the name of the page. Without a final slash.
 */
export function apiUrlFor(apiUrl: string, shown: string | undefined): string {
  const url = new URL(apiUrl)
  if (isEverywhere(url.hostname)) url.hostname = shown === undefined ? 'localhost' : new URL(shown).hostname
  return url.href.replace(/\/$/, '')
}

/** Whether only programs on this machine reach the host of a URL. */
export const isLoopback = (host: string): boolean => LOOPBACK.includes(host) || /^127\.[\d.]+$/.test(host)

export const isEverywhere = (listen: string): boolean => EVERYWHERE.includes(listen)

const bracketed = (address: string): string =>
  address.includes(':') ? `[${address.replace(/^\[|\]$/g, '')}]` : address

const unknownHost = (host: string | undefined): Problem =>
  new Problem(
    421,
    'unknown_host',
    host === undefined
      ? 'Send the header Host with the name of this server.'
      : `This server does not know itself as ${host}. If that is its name, start it with --host ${host}, or make it the host of public_base_url in the settings.`,
    host === undefined ? {} : { more: { host } },
  )
