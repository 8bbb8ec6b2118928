import type { Changes } from './sqlite/changes.ts'

/**
 * Called in a turn of the event loop after one or more commits; `byOthers` is true if another process may have made
 * one. It must not throw.
 */
export type CommitListener = (byOthers: boolean) => void

export type Committed = {
  /** Returns a function that unsubscribes. */
  subscribe: (listener: CommitListener) => () => void
}

/** How often commits of other processes are polled. */
const POLL_MS = 250

/**
 * Notifies listeners of commits: at most once a turn of the event loop, in a turn after the commits, so that commits do
 * not get slower. SQLite does not report commits of other processes: one timer polls for all listeners, if there are
 * any.
 */
export function watchCommits({ byOthers }: Pick<Changes, 'byOthers'>, pollMs = POLL_MS) {
  const listeners = new Set<CommitListener>()
  let turn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined
  let seen: unknown
  let byOther = false

  function notify(): void {
    const others = byOther
    turn = undefined
    byOther = false
    for (const listener of listeners) listener(others)
  }

  function poll(): void {
    let version: unknown
    try {
      version = byOthers()
    } catch {
      return // the file cannot be read now; the next poll reports it
    }
    if (version === seen) return
    seen = version
    byOther = true
    turn ??= setImmediate(notify)
  }

  /** Call this after each COMMIT of this process. */
  function noted(): void {
    if (listeners.size > 0) turn ??= setImmediate(notify)
  }

  function subscribe(listener: CommitListener): () => void {
    if (listeners.size === 0) {
      seen = byOthers()
      timer = setInterval(poll, pollMs).unref()
    }
    const own: CommitListener = (others) => listener(others) // the same function may subscribe twice
    listeners.add(own)
    return () => {
      listeners.delete(own)
      if (listeners.size === 0) stop()
    }
  }

  function stop(): void {
    clearInterval(timer)
    clearImmediate(turn)
    turn = undefined
    byOther = false
    listeners.clear()
  }

  return { noted, stop, committed: { subscribe } satisfies Committed }
}
