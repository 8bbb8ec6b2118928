import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Problem } from '../problem.ts'
import { canonical, rangeOf } from './addresses.ts'
import { type Allow, allowsRange, listsPort, type Target } from './allow.ts'

export type Address = { address: string; family: 4 | 6 }
export type Lookup = (host: string) => Promise<Address[]>

export type Guard = {
  /** Returns what is wrong with the URL itself, without a DNS query; undefined if nothing is. */
  refusal: (url: string) => string | undefined
  /**
   * Returns the checked addresses of the URL's host; every address from the resolver has to pass. Rejects with Problem
   * 422 url_not_allowed, or with the resolver's error.
   */
  resolve: (url: string) => Promise<Address[]>
}

type Options = {
  allow: Allow
  /** The ports that this server listens on. */
  ownPorts: () => readonly number[]
  lookup?: Lookup
  /** Returns milliseconds of any clock. */
  now?: () => number
}

type Host = { name: string; port: number }
type Question = { answers: Promise<Address[]>; answeredAt: number | undefined }

const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 }

const CACHE_MS = 10_000
const MAX_CACHED_HOSTS = 1000

/** RFC 6761: localhost names never leave the machine, whatever DNS says. */
const LOCALHOST: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

export function guard({ allow, ownPorts, lookup = systemLookup, now = () => performance.now() }: Options): Guard {
  const ask = cachedLookup(lookup, now)

  function refusal(url: string): string | undefined {
    const host = hostOf(url)
    return typeof host === 'string' ? host : refusalOfHost(host)
  }

  async function resolve(url: string): Promise<Address[]> {
    const host = hostOf(url)
    if (typeof host === 'string') throw notAllowed(host)
    const refused = refusalOfHost(host)
    if (refused !== undefined) throw notAllowed(refused)
    if (isIP(host.name)) return [addressOf(host.name)]
    if (isLocalhost(host.name)) return LOCALHOST.filter(({ address }) => refusalOfAddress(host, address) === undefined)
    const answers = await ask(host.name)
    for (const { address } of answers) {
      const refused = refusalOfAddress(host, address)
      if (refused !== undefined) throw notAllowed(refused)
    }
    return answers.map(({ address }) => addressOf(address))
  }

  function refusalOfHost(host: Host): string | undefined {
    if (isIP(host.name)) return refusalOfAddress(host, host.name)
    if (!isLocalhost(host.name)) return undefined
    // If only one of the two is allowed, the other is not used.
    const refusals = LOCALHOST.map(({ address }) => refusalOfAddress(host, address))
    return refusals.includes(undefined) ? undefined : refusals[0]
  }

  function refusalOfAddress(host: Host, text: string): string | undefined {
    const address = canonical(text)
    if (address === undefined) return `The host ${host.name} has an address that webhooks cannot use.`
    const target = { host: host.name, address, port: host.port }
    const range = rangeOf(address)
    const isOwn = isOwnListener(target)
    const isListed = !range || allowsRange(allow, target, range)
    if (isListed && (!isOwn || listsPort(allow, target))) return undefined
    const which = isIP(host.name) ? `The address ${address}` : `The host ${host.name} has an address that`
    const what = isLocalhost(host.name) ? `The host ${host.name}` : which
    if (range?.kind === 'IPv4-compatible') return `${what} is IPv4-compatible, an obsolete form that is never allowed.`
    const remedy = remedyOf(target, isOwn)
    if (isListed) return `${what} is this server itself on port ${target.port}; ${remedy}`
    return `${what} is ${range.kind}; ${remedy}`
  }

  function isOwnListener({ address, port }: Target): boolean {
    if (!ownPorts().includes(port)) return false
    const kind = rangeOf(address)?.kind
    if (kind === 'loopback' || kind === 'unspecified') return true
    return Object.values(networkInterfaces()).some((each) => each?.some((own) => canonical(own.address) === address))
  }

  /**
   * Names the entry that would allow the target, but not the address that a name resolves to, which not every caller
   * may see.
   */
  function remedyOf(target: Target, isOwn: boolean): string {
    const entries = [target.host, target.address].map((name) => {
      const isIPv6 = name.includes(':')
      return isOwn ? `${isIPv6 ? `[${name}]` : name}:${target.port}` : name
    })
    const range = rangeOf(target.address)
    const byHost =
      !target.host.endsWith('.localhost') &&
      (!range || allowsRange([{ host: target.host, port: undefined }], target, range))
    if (byHost || isIP(target.host) || isLocalhost(target.host))
      return `to allow it, use "dealbox serve --webhook-allow ${byHost ? entries[0] : entries[1]}".`
    return `to allow it, list that address${isOwn ? ' and port' : ''} in "dealbox serve --webhook-allow".`
  }

  return { refusal, resolve }
}

/** Returns the host of the URL, or a sentence about what is wrong with the URL. */
function hostOf(url: string): Host | string {
  const parsed = URL.parse(url)
  if (!parsed) return 'This is not a URL. Use a form such as https://example.com/hooks.'
  const { protocol, username, password, port } = parsed
  if (protocol !== 'http:' && protocol !== 'https:')
    return `Webhooks support only http:// and https://, not ${protocol}`
  if (port === '0') return 'Port 0 cannot be used. Omit the port, or use the one that the receiver listens on.'
  if (username !== '' || password !== '') return 'The URL of a webhook must not contain a user name or a password.'
  const name = hostNameOf(parsed)
  if (name.split('.').includes('')) return `The host "${parsed.hostname}" has an empty part.`
  return { name, port: port === '' ? DEFAULT_PORTS[protocol] : Number(port) }
}

/** Returns the host without the brackets of IPv6 and without the final dot. */
export function hostNameOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '')
}

function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost')
}

function addressOf(text: string): Address {
  const address = canonical(text) as string
  return { address, family: isIP(address) === 4 ? 4 : 6 }
}

function notAllowed(sentence: string): Problem {
  return new Problem(422, 'url_not_allowed', sentence)
}

/**
 * Caches the addresses of a host briefly, and shares one query among concurrent callers. libuv gives getaddrinfo at
 * most half of its four threads, so hanging DNS delays other names but neither files nor anything else.
 */
function cachedLookup(lookup: Lookup, now: () => number): Lookup {
  const questions = new Map<string, Question>()

  function isFresh({ answeredAt }: Question): boolean {
    if (answeredAt === undefined) return true
    const age = now() - answeredAt
    return age >= 0 && age < CACHE_MS
  }

  async function query(host: string, question: Pick<Question, 'answeredAt'>): Promise<Address[]> {
    const answers = await lookup(host)
    if (answers.length === 0) throw Object.assign(new Error(`no address for ${host}`), { code: 'ENOTFOUND' })
    question.answeredAt = now()
    return answers
  }

  return (host) => {
    const cached = questions.get(host)
    if (cached && isFresh(cached)) return cached.answers
    const asked: Pick<Question, 'answeredAt'> = { answeredAt: undefined }
    const question: Question = Object.assign(asked, { answers: query(host, asked) })
    questions.delete(host)
    const [oldest] = questions.keys()
    if (questions.size >= MAX_CACHED_HOSTS && oldest !== undefined) questions.delete(oldest)
    questions.set(host, question)
    question.answers.catch(() => {
      if (questions.get(host) === question) questions.delete(host)
    })
    return question.answers
  }
}

async function systemLookup(host: string): Promise<Address[]> {
  return (await dns.lookup(host, { all: true, verbatim: true })) as Address[]
}
