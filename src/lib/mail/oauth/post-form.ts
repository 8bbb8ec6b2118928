import { type IncomingMessage, type RequestOptions, request as requestPlain } from 'node:http'
import { ownProxies } from '../../net/proxies.ts'
import { openWay, type Way } from '../../net/way.ts'
import { connectionError, sentence } from '../transport/error-messages.ts'

export type Form = Record<string, string>
export type Answer = { status: number; body: Record<string, unknown> }

/** Posts a form to a provider. Rejects with one sentence if there is no answer, or none in JSON. */
export type PostForm = (
  url: string,
  form: Form,
  headers?: Record<string, string>,
  signal?: AbortSignal,
) => Promise<Answer>

/** For everything together: DNS, connecting, TLS and the whole answer. */
const TIMEOUT_MS = 15_000
/** Tokens are a few kilobytes long. */
const MAX_BYTES = 65_536

/**
 * Each form is sent over a connection of its own. A redirect is an error: what the form contains is for this address
 * only.
 */
export function providerPost(timeout_ms = TIMEOUT_MS, proxies = ownProxies()): PostForm {
  return async (url, form, headers = {}, signal) => {
    const { protocol, hostname, port, host } = new URL(url)
    const isPlain = protocol === 'http:'
    const limit = AbortSignal.any([AbortSignal.timeout(timeout_ms), ...(signal ? [signal] : [])])
    const body = new URLSearchParams(form).toString()
    const options = {
      method: 'POST',
      agent: false,
      signal: limit,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
        'User-Agent': 'Dealbox',
        ...headers,
      },
    }
    const { request: requestSecure } = process.getBuiltinModule('node:https') // few servers have a mailbox that needs it
    try {
      const proxy = proxies.of(new URL(url))
      const way = proxy && (await openWay(proxy, new URL(url), { signal: limit }))
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const req = way
          ? requestPlain(over(way, new URL(url), options), resolve)
          : isPlain
            ? requestPlain(url, options, resolve)
            : requestSecure(url, options, resolve)
        req.on('error', reject)
        req.end(body)
      })
      return { status: response.statusCode ?? 0, body: await jsonOf(response, host) }
    } catch (error) {
      if ((error as { isSentence?: true }).isSentence) throw error
      const cause = limit.aborted ? limit.reason : error
      const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (isPlain ? 80 : 443) }
      throw sentence(connectionError(cause, { ...place, tls: 'tls', user: null, password: null }))
    }
  }
}

/** The same request over a connection that is open; without an agent, which would open another one. */
function over(
  way: Way,
  { pathname, search, host }: URL,
  { agent: _, headers, ...options }: RequestOptions,
): RequestOptions {
  return {
    ...{
      ...options,
      path: way.prefix + pathname + search,
      headers: { Host: host, ...(headers as object), ...way.headers },
    },
    createConnection: () => way.socket,
  }
}

async function jsonOf(response: IncomingMessage, host: string): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw sentence(`The provider at ${host} sent an answer that is too long.`)
    chunks.push(chunk)
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>
  } catch {
    // said below
  }
  throw sentence(`The provider at ${host} answered with status ${response.statusCode} and not in JSON.`)
}
