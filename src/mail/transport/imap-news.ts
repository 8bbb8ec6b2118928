import { setTimeout as pause } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import type { ImapTimes } from './imap-connection.ts'

type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Waits for what is new in the folder that is open: the server tells where it can, and is asked where it cannot. */
export function newsOf(client: ImapFlow, path: string, times: ImapTimes, inTurn: InTurn) {
  let hasNews = false
  let wake: (() => void) | undefined
  let idling: Promise<boolean> | undefined

  // It may come at any time, also between two lists and the wait for news. Of mails that leave it tells otherwise.
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
    // A command that finds the connection gone knows the reason.
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

  /** The next command ends what was begun here; until then the server goes on to tell. */
  async function listen(ms: number, over: AbortSignal): Promise<void> {
    const time = rest(ms, over)
    while (!over.aborted) {
      const { end } = await inTurn(async () => begin())
      const isOver = await Promise.race([time, end])
      if (isOver === 'time') return
      // It was ended to ask for a sign of life, or by the server; one that refuses to tell is asked.
      if (isOver === false) return ask(ms, over)
    }
  }

  /** Not awaited within the turn, which would not end before it does. */
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

/** Resolves with "time" also where it is cut short. */
async function rest(ms: number, cut: AbortSignal): Promise<'time'> {
  await pause(ms, undefined, { signal: cut }).catch(() => {})
  return 'time'
}
