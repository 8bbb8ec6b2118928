import { Agent as PlainAgent, request as plain } from 'node:http'
import { Agent as SecureAgent, request as secure } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getCACertificates } from 'node:tls'
import { Problem, usage } from '../../lib/problem.ts'
import { MOVES } from './protocol.ts'

export type Client = ReturnType<typeof movesClient>

/** A request waits for so long, also if the other server erases or checks something. */
const TIMEOUT_MS = 60_000
/** Every request may be repeated: the other server may have restarted. */
const TRIES = 6
const PAUSE_MS = 250
const MAX_REST_MS = 2000

/** How often a request is sent, and how long each waits. */
export type Patience = { tries?: number; timeoutMs?: number }

export type ClientOptions = { url: string; key: string; ca?: string | undefined; signal?: AbortSignal | undefined }

/** Talks to the server that receives an organisation. */
export function movesClient({ url, key, ca, signal }: ClientOptions) {
  const base = new URL(url)
  const isSecure = base.protocol === 'https:'
  const agent = isSecure
    ? new SecureAgent({
        keepAlive: true,
        maxSockets: 2,
        ...(ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }),
      })
    : new PlainAgent({ keepAlive: true, maxSockets: 2 })

  /** Throws the Problem that the other server answers, or one of 502 if it cannot be reached. */
  async function call<T>(
    name: string,
    body: object,
    { tries = TRIES, timeoutMs = TIMEOUT_MS }: Patience = {},
  ): Promise<T> {
    const text = JSON.stringify(body)
    for (let count = 1; ; count++) {
      signal?.throwIfAborted()
      try {
        return (await once(name, text, timeoutMs)) as T
      } catch (error) {
        const isPassing = error instanceof Problem && (error.status === 502 || error.status === 503)
        if (!isPassing || count >= tries) throw error
        await sleep(Math.min(PAUSE_MS * count, MAX_REST_MS), undefined, signal ? { signal } : {})
      }
    }
  }

  function once(name: string, text: string, timeout: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const send = isSecure ? secure : plain
    const path = `${base.pathname.replace(/\/+$/, '')}${MOVES}${name}`
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const req = send(
      new URL(path, base),
      { method: 'POST', agent, headers, timeout, ...(signal ? { signal } : {}) },
      (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('error', (error) => reject(unreachable(error)))
        res.on('end', () => {
          try {
            resolve(answerOf(res.statusCode ?? 0, Buffer.concat(chunks).toString()))
          } catch (error) {
            reject(error)
          }
        })
      },
    )
    req.on('timeout', () => req.destroy(new Error('it does not answer')))
    req.on('error', (error) => reject(signal?.aborted ? signal.reason : unreachable(error)))
    req.end(text)
    return promise
  }

  const unreachable = (error: Error): Problem =>
    new Problem(
      502,
      'target_unreachable',
      `${base.origin} cannot be reached: ${error.message || (error as NodeJS.ErrnoException).code}.`,
    )

  function answerOf(status: number, text: string): unknown {
    let body: { code?: unknown; detail?: unknown } = {}
    try {
      body = JSON.parse(text)
    } catch {
      throw new Problem(502, 'target_unreachable', `${base.origin} answers ${status}, and not as Dealbox does.`)
    }
    if (status === 200) return body
    if (typeof body.code !== 'string' || status === 404)
      throw new Problem(
        409,
        'no_target',
        `${base.origin} is not the API of a Dealbox server that can receive organisations.`,
      )
    throw new Problem(status, body.code, `The receiving server says: ${body.detail}`)
  }

  return { call, close: () => agent.destroy() }
}

/** Checks --to. What moves has passwords in clear, so it has to be encrypted on its way. Throws a usage Problem. */
export function checkTarget(text: string): string {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username)
    throw usage(`--to ${text} is not the address of an API. Use a form such as https://api.crm.example.com.`)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
  if (url.protocol === 'http:' && !isLocal)
    throw usage(
      `--to ${text} is not encrypted, and passwords of mailboxes move, too. Use https, or a tunnel to 127.0.0.1.`,
    )
  return url.href.replace(/\/$/, '')
}
