import { setTimeout as pause } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import type { ImapTimes } from './imap-connection.ts'

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Waits for new mail in the open folder, by IDLE if the server supports it, else by polling. */
export function newsOf(client: ImapFlow, path: string, times: ImapTimes, inTurn: InTurn) {
  let hasNews = false
  let wake: (() => void) | undefined
  let idling: Promise<boolean> | undefined

  // The event may come at any time, also between listing and waiting. Removed mails cause other events.
  client.on('exists', (event: { path: string }) => {
    if (event.path === path) found()
  })

  function found(): void {
    hasNews = true
    wake?.()
  }

  async function news(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const over = new AbortController()
    // A command on the closed connection rejects with the reason.
    const gone = () => void inTurn(async () => {}).catch(reject)
    wake = resolve
    client.once('close', gone)
    signal.addEventListener('abort', () => resolve(), { signal: over.signal })
    if (hasNews || signal.aborted) resolve()
    else if (!client.usable) gone()
    else if (client.capabilities.has('IDLE')) listen(ms, over.signal).then(resolve, reject)
    else ask(ms, over.signal).then(resolve, reject)
    try {
      await promise
      hasNews = false
    } finally {
      wake = undefined
      over.abort()
      client.off('close', gone)
    }
  }

  /** Listens by IDLE. The next command ends it; until then the server sends notifications. */
  async function listen(ms: number, over: AbortSignal): Promise<void> {
    const time = rest(ms, over)
    while (!over.aborted) {
      const { end } = await inTurn(async () => begin())
      const isOver = await Promise.race([time, end])
      if (isOver === 'time') return
      // IDLE ended for a connection test or by the server; if the server refused it, poll instead.
      if (isOver === false) return ask(ms, over)
    }
  }

  /** The result is wrapped: a bare promise would keep the turn from ending before IDLE does. */
  function begin(): { end: Promise<boolean> } {
    idling ??= client
      .idle()
      .then((result) => (result as boolean | undefined) !== false)
      .finally(() => {
        idling = undefined
      })
    return { end: idling }
  }

  async function ask(ms: number, over: AbortSignal): Promise<void> {
    for (let left = ms; left > 0 && !over.aborted; left -= times.poll_ms) {
      await rest(Math.min(left, times.poll_ms), over)
      if (!over.aborted) await inTurn(() => client.noop())
    }
  }

  return { news, found }
}

/** Resolves with "time" also if it is cut short. */
async function rest(ms: number, cut: AbortSignal): Promise<'time'> {
  await pause(ms, undefined, { signal: cut }).catch(() => {})
  return 'time'
}
