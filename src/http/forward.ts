import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Agent as SecureAgent, request as secureRequest } from 'node:https'
import { pipeline } from 'node:stream/promises'
import { BASE_PATH, basePathOf, clientOf, PASSED } from '../auth/client.ts'
import { Problem } from '../lib/problem.ts'
import type { Bodies } from './body/bodies.ts'
import { MAX_PLACES, places } from './listener/places.ts'
import type { Share } from './listener/pool.ts'
import type { Pass } from './reader.ts'

/** Only between two neighbours (RFC 9110, section 7.6.1). */
const OF_CONNECTION = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])
/** Made here for the primary: where the body ends, and who asks. Nothing of that is taken over from a client. */
const MADE_HERE = new Set([
  ...['content-length', 'expect', 'host', 'x-request-id'],
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', BASE_PATH.toLowerCase()],
])

/** A primary that has nothing to say for so long has gone; the largest import takes less. */
const ANSWER_MS = 120_000
/** Idle connections end before the primary ends them. */
const IDLE_MS = 30_000

type Options = {
  /** Where the listener of the primary is, such as https://crm.example.com. */
  primary: string
  bodies: Bodies
  answerMs?: number
}

/** Passes writes on to the primary: the body, as it arrives, within the same limits as on the primary, and its answer. */
export function passOn({ primary, bodies, answerMs = ANSWER_MS }: Options): { pass: Pass; stop: () => void } {
  const base = new URL(primary)
  const isSecure = base.protocol === 'https:'
  const limits = { keepAlive: true, maxSockets: MAX_PLACES, timeout: IDLE_MS }
  const agent = isSecure ? new SecureAgent(limits) : new Agent(limits)
  const { take } = places()

  const pass: Pass = async (req, res, { id, maxBytes, isKnown }) => {
    if (req.headers[PASSED.toLowerCase()] !== undefined) throw roundAbout()
    const giveBack = take({ isKnown, address: clientOf(req).address })
    if (!giveBack) throw unreachable('overloaded', 'Too many writes are on their way to the primary.')
    try {
      return await exchange(req, res, id, maxBytes)
    } finally {
      giveBack()
    }
  }

  async function exchange(req: IncomingMessage, res: ServerResponse, id: string, maxBytes?: number): Promise<number> {
    const target = (isSecure ? secureRequest : request)(base, {
      ...{ agent, method: req.method as string, path: `${base.pathname.replace(/\/$/, '')}${req.url}` },
      headers: [...headersOf(req.rawHeaders, req.headers.connection, MADE_HERE), ...madeHere(req, base, id)],
      timeout: answerMs,
      setHost: false,
    })
    target.on('timeout', () => target.destroy(new Error('it does not answer')))
    // Also after an answer that came early: nothing may follow half a request on its connection.
    res.once('close', () => target.destroy())
    target.on('error', () => undefined) // also after its answer
    const answered = once(target, 'response') as Promise<[IncomingMessage]>
    answered.catch(() => undefined)
    const share = { held: 0 }
    try {
      const body = sendBody(req, res, target, maxBytes, share)
      await Promise.race([body.done.then(() => target.end()), answered])
      const [answer] = await answered
      body.abandon() // a refusal need not wait for the rest
      return await sendBack(answer, res, req)
    } catch (error) {
      target.destroy()
      if (error instanceof Problem) throw error
      if (res.headersSent) res.destroy() // the client notices by the length
      if (res.headersSent || res.destroyed) return res.statusCode
      throw unreachable('primary_unreachable', `The primary does not answer (${reasonOf(error)}). ${MAYBE}`)
    } finally {
      bodies.releaseFile(share)
    }
  }

  function sendBody(
    req: IncomingMessage,
    res: ServerResponse,
    target: ClientRequest,
    maxBytes: number | undefined,
    share: Share,
  ) {
    const take = (chunk: Buffer) => (target.write(chunk) || target.destroyed ? undefined : drained(target))
    return bodies.pass(req, res, maxBytes, share, take)
  }

  async function sendBack(answer: IncomingMessage, res: ServerResponse, req: IncomingMessage): Promise<number> {
    const headers = headersOf(answer.rawHeaders, answer.headers.connection, NONE)
    const canReuse = req.complete || bodies.drain(req)
    for (const name of res.getHeaderNames()) res.removeHeader(name) // they are those of the primary
    res.writeHead(answer.statusCode as number, canReuse ? headers : [...headers, 'Connection', 'close'])
    await pipeline(answer, res)
    return answer.statusCode as number
  }

  return { pass, stop: () => agent.destroy() }
}

const NONE = new Set<string>()

/** Without those of the connection, and those that it names. */
function headersOf(raw: readonly string[], connection: string | undefined, replaced: ReadonlySet<string>): string[] {
  const named = new Set((connection ?? '').toLowerCase().split(/\s*,\s*/))
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as string).toLowerCase()
    if (!OF_CONNECTION.has(name) && !named.has(name) && !replaced.has(name))
      kept.push(raw[at] as string, raw[at + 1] as string)
  }
  return kept
}

/**
 * Who asks, and by which name, as a proxy tells it: the primary believes it if --trust-proxy names this server. The body is
 * always chunked, also none, so that no header and no method decides where it ends: Node would send the body of a DELETE
 * without a length as it is, and its bytes would be the next request.
 */
function madeHere(req: IncomingMessage, base: URL, id: string): string[] {
  const { address, isEncrypted, host } = clientOf(req)
  return [
    ...['Host', base.host, 'Transfer-Encoding', 'chunked', 'X-Request-Id', id, PASSED, '1'],
    ...['X-Forwarded-For', address, 'X-Forwarded-Proto', isEncrypted ? 'https' : 'http'],
    ...[BASE_PATH, `${basePathOf(req)}/`],
    ...(host === undefined ? [] : ['X-Forwarded-Host', host]),
  ]
}

/** Also if the connection ends. */
const drained = (target: ClientRequest): Promise<unknown> =>
  Promise.race([once(target, 'drain'), once(target, 'close')]).catch(() => undefined)

const reasonOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message

const MAYBE = 'It may have written nonetheless: repeat the request with the same Idempotency-Key.'

const unreachable = (code: string, detail: string): Problem =>
  new Problem(503, code, detail, { headers: { 'Retry-After': '5' } })

const roundAbout = (): Problem =>
  new Problem(
    503,
    'not_the_primary',
    'A reader has passed this write on to another reader. Name the primary in --primary.',
  )
