import { type Logins, mailLogins } from '../inbox/mailboxes/access-tokens.ts'
import { mailboxStore } from '../inbox/mailboxes/mailboxes.ts'
import { mailReader } from '../lib/mail/parse/reader.ts'
import type { Store } from '../store/open.ts'
import { type ListenerOptions, listenTo } from './mailbox-listener.ts'

export type Receiver = {
  /** Checks now which mailboxes are active. Not needed after commits by other processes. */
  wake: () => void
  stop: () => Promise<void>
}

export type ReceiverOptions = Omit<ListenerOptions, 'random' | 'read' | 'logins'> & {
  committed: Store['committed']
  random?: () => number
  logins?: Logins
}

type Listener = { version: string; cut: AbortController; end: Promise<void> }

/** Starts one listener for each mailbox with IMAP settings. Changed settings take effect at once. */
export function startReceiver({ committed, random = Math.random, logins, ...rest }: ReceiverOptions): Receiver {
  const options = { ...rest, random, logins: logins ?? mailLogins(rest) }
  const { active } = mailboxStore(options.deps)
  const reader = mailReader({ maxFileBytes: options.maxFileBytes }) // shared, so that large mails of several mailboxes are not in memory at once
  const listeners = new Map<string, Listener>()
  const ending = new Set<Promise<void>>()
  let stopped = false

  /** Called on commits, so it must not throw. */
  function look(): void {
    if (stopped) return
    try {
      listenToActive()
    } catch (error) {
      if (!options.health.note(error)) options.log.error({ err: error }, 'failed')
    }
  }

  function listenToActive(): void {
    const wanted = active().filter(({ mailbox }) => mailbox.imap !== null)
    const keys = new Set(wanted.map(({ org, mailbox }) => `${org} ${mailbox.id}`))
    for (const [key, listener] of listeners) if (!keys.has(key)) stopListening(key, listener)
    for (const { org, mailbox } of wanted) {
      const key = `${org} ${mailbox.id}`
      const version = String(mailbox.version)
      const current = listeners.get(key)
      if (current?.version === version) continue
      if (current) stopListening(key, current)
      const cut = new AbortController()
      const before = current?.end ?? Promise.resolve() // one connection at a time
      const end = before.then(() => listenTo(org, mailbox, { ...options, read: reader.read }, cut.signal))
      listeners.set(key, { version, cut, end })
    }
  }

  function stopListening(key: string, { cut, end }: Listener): void {
    cut.abort()
    listeners.delete(key)
    ending.add(end)
    end.finally(() => ending.delete(end))
  }

  const unsubscribe = committed.subscribe((byOthers) => {
    if (byOthers) look()
  })
  look()

  return {
    wake: look,
    stop: async () => {
      stopped = true
      unsubscribe()
      for (const [key, listener] of listeners) stopListening(key, listener)
      await Promise.all([...ending, reader.stop()])
    },
  }
}
