import type { Socket } from 'node:net'
import { failureOf } from '../../lib/net/failures.ts'
import type { Address, Guard } from '../../lib/net/guard.ts'
import { DIRECT, type OutgoingProxy, type Proxies } from '../../lib/net/proxies.ts'
import { Problem } from '../../lib/problem.ts'
import { type ConnectOptions, connector } from './connection.ts'
import { type Answer, exchange } from './exchange.ts'
import { replyReader } from './reply.ts'

export type Attempt = {
  url: string
  headers: Record<string, string>
  body: string
  /** Limit for everything together: DNS, connecting, TLS, sending, and the whole reply. */
  timeout_ms?: number
}

export type Reply = {
  /** With an error, status and reply are what had arrived by then. */
  status: number | null
  duration_ms: number
  /** The first 2 KiB, as text. */
  reply: string | null
  /** The header unchanged. */
  retry_after: string | null
  /** A sentence; null only if the attempt succeeded: a 2xx whose body was complete or reached 64 KiB. */
  error: string | null
}

const TIMEOUT_MS = 15_000

/** How long a resolver may take of an attempt through a proxy, which resolves the name itself. */
const RESOLVE_MS = 3000

type Options = ConnectOptions & { proxies?: Proxies; resolve_ms?: number }

/**
 * Sends one POST over a separate connection, to checked addresses only, or through a proxy. Redirects are failures. Never
 * rejects; a signal ends it as if its time were over.
 */
export function poster(
  guard: Guard,
  options: Options = {},
): (attempt: Attempt, signal?: AbortSignal) => Promise<Reply> {
  const { proxies = DIRECT, resolve_ms = RESOLVE_MS } = options
  const open = connector(options)

  /** With a proxy, this machine may know no names of others: what it does know is refused as ever. */
  async function resolve(url: string, proxy: OutgoingProxy | undefined): Promise<Address[]> {
    const resolved = guard.resolve(url)
    if (!proxy) return resolved
    const known = resolved.catch((error): Address[] => {
      if (error instanceof Problem) throw error
      return []
    })
    const late = Promise.withResolvers<Address[]>()
    const timer = setTimeout(late.resolve, resolve_ms, [])
    return Promise.race([known, late.promise]).finally(() => clearTimeout(timer))
  }

  return async ({ url, headers, body, timeout_ms = TIMEOUT_MS }, signal) => {
    const startedAt = performance.now()
    const answer: Answer = { head: undefined, body: replyReader() }
    const sockets: Socket[] = []
    const late = Promise.withResolvers<'late'>()
    const timer = setTimeout(late.resolve, timeout_ms, 'late')
    const abort = () => late.resolve('late')
    signal?.addEventListener('abort', abort)
    let isOver = false

    function hold(socket: Socket): void {
      socket.on('error', () => undefined) // whoever awaits the socket handles it
      sockets.push(socket)
    }
    async function send(): Promise<undefined> {
      const target = URL.parse(url)
      const proxy = target ? proxies.of(target) : undefined
      const addresses = await resolve(url, proxy)
      if (isOver || !target) return
      await exchange(await open({ url: target, addresses, proxy }, hold), { url: target, headers, body }, answer)
    }
    function replyWith(error: string | null): Reply {
      return {
        status: answer.head?.statusCode ?? null,
        duration_ms: Math.round(performance.now() - startedAt),
        reply: answer.head ? answer.body.text() : null,
        retry_after: answer.head?.headers['retry-after'] ?? null,
        error,
      }
    }

    try {
      const end = await Promise.race([send(), late.promise])
      return replyWith(end === 'late' ? lateness(answer, timeout_ms) : checked(answer))
    } catch (error) {
      return replyWith(failureOf(error))
    } finally {
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      for (const socket of sockets) socket.destroy()
    }
  }
}

function checked({ head }: Answer): string | null {
  const status = head?.statusCode ?? 0
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400) return 'The receiver answered with a redirect, which is not followed.'
  return `The receiver answered ${status}.`
}

function lateness({ head }: Answer, timeout_ms: number): string {
  return `${head ? 'The response was not complete' : 'There was no response'} within ${timeout_ms / 1000} s.`
}
