import type { IncomingMessage } from 'node:http'
import { ignoredProxy } from '../../auth/client.ts'
import { isLoopback } from '../../http/listener/hosts.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { arrivedAt } from './cookie.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])
/** The most causes that are logged, and the longest: strangers may invent origins. */
const MAX_LOGGED = 20
const MAX_ORIGIN = 300

type Options = {
  /** The public addresses of this server. */
  others: () => readonly string[]
  log: Log
}

/**
 * Refuses writes that the page of another site has made the browser send. Browsers say where a request comes from: by
 * Sec-Fetch-Site where the connection is encrypted or local, else by Origin. If that looks like a proxy that is not set up
 * for it, the refusal and the log have the cause. Throws Problem 403.
 */
export function originCheck({ others, log }: Options): (req: IncomingMessage) => void {
  const logged = new Set<string>()

  function warn(origin: string, arrived: string, cause: string): void {
    const both = `${origin} ${arrived}`
    if (logged.has(both) || logged.size >= MAX_LOGGED) return
    logged.add(both)
    log.warn({ origin, arrived }, `a write was refused for its origin. ${cause}`)
  }

  return (req) => {
    if (SAFE.has(req.method as string)) return
    const site = req.headers['sec-fetch-site']
    if (site === 'same-origin') return
    const shown = URL.parse(req.headers.origin ?? '')
    const own = URL.parse(arrivedAt(req))
    if (site !== undefined || !shown || !own || shown.origin.length > MAX_ORIGIN) throw foreign()
    if (fits(shown, own) || others().some((other) => URL.parse(other)?.origin === shown.origin)) return
    const cause = causeOf(req, shown, own)
    warn(shown.origin, own.origin, sentenceOf(cause))
    throw foreign(cause)
  }
}

/**
 * Whether a page belongs to the address by which its request arrived. A proxy may end the TLS and not say so: no page with
 * TLS makes a browser write to an address without it, except on its own machine.
 */
const fits = (shown: URL, own: URL): boolean =>
  shown.origin === own.origin || (!isLoopback(own.hostname) && shown.origin === withTls(own))

const withTls = ({ host }: URL): string | undefined => URL.parse(`https://${host}`)?.origin

/** Why a page of this server may seem to be of another: `shown` is its origin in the browser, `arrived` that of the request. */
type Cause = { cause: 'untrusted_proxy' | 'name' | 'scheme' | 'port'; shown: string; arrived: string; proxy?: string }

function causeOf(req: IncomingMessage, shown: URL, own: URL): Cause {
  const seen = { shown: shown.origin, arrived: own.origin }
  const ignored = ignoredProxy(req)
  if (ignored) {
    const { isEncrypted, host } = ignored.client
    const said = URL.parse(`${isEncrypted ? 'https' : 'http'}://${host}`)
    if (said && fits(shown, said)) return { cause: 'untrusted_proxy', ...seen, proxy: ignored.proxy }
  }
  if (shown.hostname !== own.hostname) return { cause: 'name', ...seen }
  if (shown.host === own.host || withTls(own) === shown.origin) return { cause: 'scheme', ...seen }
  return { cause: 'port', ...seen }
}

function sentenceOf({ cause, shown, arrived, proxy }: Cause): string {
  const seen = `The browser shows ${shown}, and the request arrived as ${arrived}.`
  const remedy = `let it pass on the header Host as it is, or make ${shown} the public_base_url in the settings.`
  if (cause === 'untrusted_proxy')
    return `${seen} The proxy ${proxy} says so, and is not believed: if it is yours, start the server with --trust-proxy ${proxy}.`
  if (cause === 'name') return `${seen} If both are this server, a proxy changes its name: ${remedy}`
  if (cause === 'scheme') return `${seen} If there is a proxy, let it set X-Forwarded-Proto to what the browser uses.`
  return `${seen} If there is a proxy, it changes the port: ${remedy}`
}

const foreign = (cause?: Cause): Problem =>
  new Problem(
    403,
    'foreign_origin',
    [
      'This request does not come from a page of this server, and was refused. Programs use the API with a token.',
      cause && sentenceOf(cause),
    ]
      .filter(Boolean)
      .join(' '),
    cause ? { more: cause } : {},
  )
