import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { type Environment, readSecretVariable } from '../machine/environment.ts'
import { canonical, network } from './addresses.ts'
import { readNetwork } from './networks.ts'

// The proxies through which this machine goes out, as the variables say that curl and others follow, too.

export type OutgoingProxy = {
  /** Without user name and password. */
  url: URL
  /** The header Proxy-Authorization. */
  authorization: string | undefined
  /** Where it is set, such as HTTPS_PROXY. */
  variable: string
}

export type Proxies = {
  /** Undefined if the URL is asked directly. Throws ProxyFailure if the proxy is not one. */
  of: (url: URL) => OutgoingProxy | undefined
  /** What is wrong with the variables, as sentences without secrets. */
  faults: readonly string[]
  /** Each variable with the address of its proxy, without secrets. */
  shown: Record<string, string>
}

/** There is no connection for the sake of a proxy. The message is a sentence without secrets. */
export class ProxyFailure extends Error {
  readonly code: 'DEALBOX_PROXY' | 'DEALBOX_PROXY_REFUSED'
  readonly isSentence = true

  /** The second code says that another attempt helps nobody. */
  constructor(sentence: string, isRefused = false) {
    super(sentence)
    this.code = isRefused ? 'DEALBOX_PROXY_REFUSED' : 'DEALBOX_PROXY'
  }
}

/** The variable for the URLs of a scheme, and the name of its systemd credential. */
const VARIABLES = { 'https:': ['HTTPS_PROXY', 'https-proxy'], 'http:': ['HTTP_PROXY', 'http-proxy'] } as const

export const DIRECT: Proxies = { of: () => undefined, faults: [], shown: {} }

let ours: Proxies | undefined

/** Those of this process. */
export function ownProxies(): Proxies {
  ours ??= readProxies(process.env)
  return ours
}

/** Names in small letters count first, as for curl. */
export function readProxies(env: Environment): Proxies {
  const found = new Map<string, OutgoingProxy | string>()
  for (const [scheme, [variable, credential]] of Object.entries(VARIABLES)) {
    const proxy = readProxy(variable, credential, env)
    if (proxy !== undefined) found.set(scheme, proxy)
  }
  const { matches, faults } = readExceptions(env.no_proxy || env.NO_PROXY || '')
  const proxies = [...found.values()]
  return {
    of: (url) => {
      const proxy = found.get(url.protocol)
      if (proxy === undefined || isThisMachine(url) || matches.some((covers) => covers(hostOf(url), portOf(url))))
        return undefined
      if (typeof proxy === 'string') throw new ProxyFailure(proxy, true)
      return proxy
    },
    faults: [...proxies.filter((proxy) => typeof proxy === 'string'), ...(proxies.length === 0 ? [] : faults)],
    shown: Object.fromEntries(
      proxies.flatMap((proxy) => (typeof proxy === 'string' ? [] : [[proxy.variable, proxy.url.origin]])),
    ),
  }
}

/** Returns what is wrong as a sentence, which never repeats the value: that may have a password. */
function readProxy(variable: string, credential: string, env: Environment): OutgoingProxy | string | undefined {
  let text: string | undefined
  try {
    text = (env[variable.toLowerCase()] || readSecretVariable(variable, credential, env)?.value)?.trim()
  } catch (error) {
    return (error as Error).message
  }
  if (!text) return undefined
  const [, scheme = 'http'] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text) ?? []
  if (!/^https?$/i.test(scheme))
    return `${variable} is a proxy of ${scheme}://, which Dealbox does not use: only http:// and https:// are supported.`
  const url = URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url?.pathname !== '/' || url.search !== '' || url.hash !== '')
    return `${variable} is not the address of a proxy. Use a form such as http://proxy.example.com:3128, and write characters such as @, #, / and ? of a user name or password as %40, %23, %2F and %3F.`
  const { username, password } = url
  const login = `${decoded(username)}:${decoded(password)}`
  return {
    url: new URL(url.origin),
    authorization: username === '' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`,
    variable,
  }
}

/** A lone % is one, as in a password that nobody has encoded. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether an entry of NO_PROXY covers a host, without brackets, and a port. */
type Covers = (host: string, port: number) => boolean

/**
 * Parses NO_PROXY: names with everything below them, addresses and networks, each also with a port, and * for all. Entries
 * that are none cover nothing.
 */
function readExceptions(text: string): { matches: Covers[]; faults: string[] } {
  const matches: Covers[] = []
  const faults: string[] = []
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const covers = readException(entry)
    if (covers) matches.push(covers)
    else
      faults.push(
        `"${entry}" in NO_PROXY has no effect. Use names, addresses and networks such as .example.com, 10.0.0.5:8080, 10.0.0.0/8, or *.`,
      )
  }
  return { matches, faults }
}

function readException(entry: string): Covers | undefined {
  if (entry === '*') return () => true
  const [start = '', digits, ...more] = entry.split('/')
  if (digits !== undefined) {
    const found = more.length > 0 ? '' : readNetwork(start.replace(/^\[|\]$/g, ''), digits)
    return typeof found === 'string' ? undefined : overAddresses(network(`${found.address}/${found.prefix}`))
  }
  if (isIP(entry) === 6) return overAddresses((address) => address === canonical(entry))
  const [, ipv6, other = '', port] = /^(?:\[(.*)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const host = ipv6 ?? domainToASCII(other.replace(/^\*?\.|\.$/g, ''))
  if (host === '') return undefined
  const own = canonical(host)
  const covers: Covers = own
    ? overAddresses((address) => address === own)
    : (name) => name === host || name.endsWith(`.${host}`)
  return port === undefined ? covers : (name, at) => at === Number(port) && covers(name, at)
}

const overAddresses =
  (covers: (address: string) => boolean): Covers =>
  (host) => {
    const address = canonical(host)
    return address !== undefined && covers(address)
  }

const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')

export const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)

/** A proxy would take it for its own machine. */
function isThisMachine(url: URL): boolean {
  const host = hostOf(url)
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\.[\d.]+$/.test(host)
}
