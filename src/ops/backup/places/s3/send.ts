import { createReadStream } from 'node:fs'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { pipeline } from 'node:stream'
import { type Proxies, ProxyFailure } from '../../../../lib/net/proxies.ts'
import { openWay, type Way } from '../../../../lib/net/way.ts'
import { type Range, READ_BYTES } from '../../files/digest.ts'

/** What a request carries: text or a few bytes, or a part of a file. */
export type Body = { text: string | Buffer } | { file: string; range: Range }

export type Sending = {
  endpoint: URL
  method: string
  /** Path and query, as signed. */
  path: string
  headers: Record<string, string>
  body?: Body | undefined
  /** How long nothing may move. */
  idle_ms: number
  signal: AbortSignal
  proxies: Proxies
}

/**
 * Sends one request over a connection of its own, and hands the answer to `take`, which reads its body. Rejects with the
 * error of the network or of a file, or with the reason of the signal. The connection is closed at the end.
 */
export async function send<T>(sending: Sending, take: (answer: IncomingMessage) => Promise<T>): Promise<T> {
  const { body, signal } = sending
  const request = await begin(sending)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.on('response', resolve).on('error', reject)
  let idle: Error | undefined
  request.on('timeout', () => request.destroy((idle = limit('DEALBOX_IDLE'))))
  if (body === undefined) request.end()
  else if ('text' in body) request.end(body.text)
  else if (body.range.end === body.range.start) request.end()
  else {
    const { start, end } = body.range
    const source = createReadStream(body.file, { start, end: end - 1, highWaterMark: READ_BYTES })
    // The answer may come before the end, and counts then: a refusal closes the connection.
    pipeline(source, request, (error) => error && reject(error))
  }
  try {
    const answer = await promise
    answer.on('error', () => undefined) // whoever reads it notices
    return await take(answer)
  } catch (error) {
    throw signal.aborted ? signal.reason : (idle ?? error)
  } finally {
    request.destroy()
  }
}

/** Begins a request, directly or through a proxy. */
async function begin(sending: Sending): Promise<http.ClientRequest> {
  const { endpoint, method, path, headers, idle_ms, signal } = sending
  const way = await wayOf(sending)
  const all = { method, timeout: idle_ms, signal }
  if (way)
    return http.request({
      ...{ ...all, path: way.prefix + path, headers: { ...headers, ...way.headers } },
      createConnection: () => way.socket,
    })
  const isTls = endpoint.protocol === 'https:'
  return (isTls ? https : http).request({
    host: endpoint.hostname.replace(/^\[|\]$/g, ''),
    port: endpoint.port === '' ? (isTls ? 443 : 80) : Number(endpoint.port),
    ...{ ...all, path, headers, agent: false },
    ...(isTls && { rejectUnauthorized: true }),
  })
}

/** Undefined without a proxy. */
async function wayOf({ endpoint, idle_ms, signal, proxies }: Sending): Promise<Way | undefined> {
  const proxy = proxies.of(endpoint)
  if (!proxy) return undefined
  const idle = AbortSignal.timeout(idle_ms)
  try {
    return await openWay(proxy, endpoint, { signal: AbortSignal.any([signal, idle]) })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw idle.aborted ? new ProxyFailure(`The proxy of ${proxy.variable} does not respond.`) : error
  }
}

/** Reads an answer as text. Rejects if it is longer, which the answers that are read so never are. */
export async function textOfAnswer(answer: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw limit('DEALBOX_LONG')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** An error for one of our own limits; failures.ts has the sentences. */
export const limit = (code: 'DEALBOX_IDLE' | 'DEALBOX_LATE' | 'DEALBOX_LONG'): Error =>
  Object.assign(new Error(code), { code })
