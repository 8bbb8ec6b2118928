import type { Server } from '../serving.ts'
import type { ShortDays } from './clock.ts'
import type { Send } from './http.ts'
import { type Ask, type Given, mixOf } from './mix.ts'
import type { Tally } from './tally.ts'
import type { Visitors } from './visitors.ts'

export const PER_S = 60
const BARE_PER_S = 10

type Paced = {
  server: Server
  /** A bare server beside it. */
  bare: string
  given: Given
  clock: ShortDays
  stopping: AbortController
  browsers: Visitors
  counted: Tally
  send: Send
}

/** Sends the mix at an even pace, whether or not earlier requests are answered. Waits count from when each was due. */
export async function pace({ server, bare, given, clock, stopping, browsers, counted, send }: Paced): Promise<void> {
  const mix = mixOf(given, clock)
  const running = new Set<Promise<void>>()
  const api = { authorization: `Bearer ${server.token}` }
  const started = performance.now()

  const origin = server.screens as string
  const bases = {
    reads: `${server.url}/api/v1`,
    writes: `${server.url}/api/v1`,
    screens: `${origin}/app`,
    bare,
  }

  async function one({ kind, method, path, body, then, isApp }: Ask, at: number): Promise<void> {
    const isScreen = isApp ?? kind === 'screens'
    const url = bases[isScreen ? 'screens' : kind] + path
    const ask = () => send(method, url, isScreen ? { cookie: browsers.cookie(), origin } : api, body)
    try {
      let answer = await ask()
      if (isScreen && answer.status === 401) {
        await browsers.again()
        answer = await ask()
      }
      const ms = performance.now() - at
      if (answer.status >= 400)
        return counted.failed(kind, ms, String(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`)
      counted.answered(kind, ms)
      then?.(JSON.parse(answer.text || 'null'))
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      counted.failed(kind, performance.now() - at, code ?? 'failed', `${method} ${path}: ${message}`)
    }
  }

  async function evenly(perS: number, next: () => Ask): Promise<void> {
    for (let n = 0; !stopping.signal.aborted; n++) {
      const at = started + (n * 1000) / perS
      if (at > performance.now()) await until(at, stopping.signal)
      const asked = one(next(), at).finally(() => running.delete(asked))
      running.add(asked)
    }
  }

  await Promise.all([evenly(PER_S, mix.next), evenly(BARE_PER_S, () => ({ kind: 'bare', method: 'GET', path: '' }))])
  await Promise.all(running)
}

/** Resolves at a time of performance.now(), or when the signal aborts. */
export function until(at: number, signal: AbortSignal): Promise<void> {
  return new Promise((wake) => {
    const timer = setTimeout(done, Math.max(0, at - performance.now()))
    signal.addEventListener('abort', done, { once: true })
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      wake()
    }
  })
}
