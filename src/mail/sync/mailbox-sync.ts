import { mailboxStore } from '../../inbox/mailboxes/mailboxes.ts'
import type { Store } from '../../store/open.ts'
import { mailReader } from '../parse/reader.ts'
import { type ListenerOptions, listenTo } from './mailbox-listener.ts'

export type Receiver = {
  /** Looks at once at which mailboxes there are. Commits by other processes do it by themselves. */
  wake: () => void
  stop: () => Promise<void>
}

export type ReceiverOptions = Omit<ListenerOptions, 'random' | 'read'> & {
  committed: Store['committed']
  random?: () => number
}

type Listener = { version: string; cut: AbortController; end: Promise<void> }

/** Listens to every mailbox that is set up to be listened to, each by itself. Settings that change hold at once. */
export function startReceiver({ committed, random = Math.random, ...options }: ReceiverOptions): Receiver {
  const { active } = mailboxStore(options.deps)
  const reader = mailReader() // one for all, so that their largest mails are not in memory together
  const listeners = new Map<string, Listener>()
  const ending = new Set<Promise<void>>()
  let stopped = false

  /** It must not throw: commits call it. */
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
    for (const [key, listener] of listeners) if (!keys.has(key)) leave(key, listener)
    for (const { org, mailbox } of wanted) {
      const key = `${org} ${mailbox.id}`
      const version = String(mailbox.version)
      const known = listeners.get(key)
      if (known?.version === version) continue
      if (known) leave(key, known)
      const cut = new AbortController()
      const before = known?.end ?? Promise.resolve() // one connection at a time
      const end = before.then(() => listenTo(org, mailbox, { ...options, random, read: reader.read }, cut.signal))
      listeners.set(key, { version, cut, end })
    }
  }

  function leave(key: string, { cut, end }: Listener): void {
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
      for (const [key, listener] of listeners) leave(key, listener)
      await Promise.all([...ending, reader.stop()])
    },
  }
}
