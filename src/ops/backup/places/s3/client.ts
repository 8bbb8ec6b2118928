import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { ownProxies, type Proxies } from '../../../../lib/net/proxies.ts'
import { Problem } from '../../../../lib/problem.ts'
import { MIB } from '../../../../lib/size.ts'
import { MINUTE_MS, SECOND_MS } from '../../../../lib/time.ts'
import type { Account } from './account.ts'
import { Failed, type Naming, noAnswer, OF_BACKUPS, refusal } from './failures.ts'
import { type Body, limit, send, textOfAnswer } from './send.ts'
import { pathOf, queryText, SHA256_OF_NOTHING, signed } from './sign.ts'
import { all, parseXml } from './xml.ts'

export type ClientOptions = {
  now?: () => number
  /** Before further attempts: as many follow the first one. */
  pauses_ms?: readonly number[]
  wait?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** How long nothing may move on a connection. */
  idle_ms?: number
  naming?: Naming
  proxies?: Proxies
}

/** A request about an object, or about the bucket if the key is empty. */
export type Ask = {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  key: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Body & { bytes: number; sha256: string }
  /** Expected bytes of the answer, for its time limit. */
  expected?: number
  signal?: AbortSignal | undefined
}

export type Client = ReturnType<typeof s3Client>

const PAUSES_MS = [SECOND_MS, 4 * SECOND_MS, 15 * SECOND_MS]
/** Slower connections than 64 KiB per second are given up. */
const MS_PER_MIB = 16 * SECOND_MS
/** A page of 1,000 objects, whose names have up to 1,024 bytes each. */
const MAX_TEXT_BYTES = 4 * MIB

/** Sends signed requests, and repeats those that may succeed the next time. */
export function s3Client(account: Account, options: ClientOptions = {}) {
  const { now = Date.now, pauses_ms = PAUSES_MS, wait = waitFor, idle_ms = MINUTE_MS } = options
  const { naming = OF_BACKUPS, proxies = ownProxies() } = options
  const { endpoint, bucket, keys, region } = account
  const name = [endpoint.host, bucket, ...account.prefix.split('/')].filter((part) => part !== '').join('/')
  const named = { name, naming }

  /**
   * Returns what `take` makes of the first answer that is a success; `take` may be called for several attempts. Rejects
   * with Failed, with the error of a file on this machine, or with the reason of the signal.
   */
  async function ask<T>(request: Ask, take: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      request.signal?.throwIfAborted()
      try {
        return await askOnce(request, take)
      } catch (error) {
        const ms = pauses_ms[attempt]
        if (!(error instanceof Failed) || !error.isPassing || ms === undefined) throw error
        await wait(ms, request.signal).catch(() => undefined) // aborted: the next round throws its reason
      }
    }
  }

  async function askOnce<T>(request: Ask, take: (answer: IncomingMessage) => Promise<T>): Promise<T> {
    const { method, key, query = {}, body, expected = 0 } = request
    const path = pathOf(bucket, key)
    const own = body ? { 'content-length': String(body.bytes) } : {}
    const headers = signed(
      {
        ...{ method, path, query },
        headers: { host: endpoint.host, ...own, ...request.headers },
        sha256: body?.sha256 ?? SHA256_OF_NOTHING,
      },
      keys,
      region,
      now(),
    )
    const limit_ms = 2 * MINUTE_MS + (((body?.bytes ?? 0) + expected) / MIB) * MS_PER_MIB
    const late = AbortSignal.timeout(Math.ceil(limit_ms))
    const signal = request.signal ? AbortSignal.any([request.signal, late]) : late
    const search = queryText(query)
    const sending = {
      endpoint,
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers,
      body,
      idle_ms,
      proxies,
    }
    try {
      return await send({ ...sending, signal }, async (answer) => {
        const status = answer.statusCode as number
        if (status >= 200 && status < 300) return await take(answer)
        throw await refusal(named, status, answer.headers, await textOfAnswer(answer, MAX_TEXT_BYTES))
      })
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      if (error instanceof Failed || error instanceof Problem) throw error
      throw noAnswer(name, late.aborted ? limit('DEALBOX_LATE') : error)
    }
  }

  /** The same for short answers. */
  const askText = (request: Ask): Promise<string> => ask(request, (answer) => textOfAnswer(answer, MAX_TEXT_BYTES))

  /**
   * Sends and reads XML. S3 may answer an error with 200, once it has begun to answer.
   */
  const askXml = ({ text, ...request }: Omit<Ask, 'body'> & { text: string }): Promise<string> => {
    const body = { text, bytes: Buffer.byteLength(text), sha256: hash('sha256', text) }
    return ask({ ...request, body }, async (answer) => {
      const xml = await textOfAnswer(answer, MAX_TEXT_BYTES)
      if (all(await parseXml(xml), 'Error').length > 0) throw await refusal(named, 500, answer.headers, xml)
      return xml
    })
  }

  return { name, ask, askText, askXml, now }
}

const waitFor = (ms: number, signal: AbortSignal | undefined) => pause(ms, undefined, { ...(signal && { signal }) })
