import type { Changes } from './changes.ts'

/** Called in a turn of the event loop after one or many commits; told whether another process may have made one. It must not throw. */
export type CommitListener = (byOthers: boolean) => void

export type Committed = {
  /** Answers how to end it. */
  subscribe: (listener: CommitListener) => () => void
}

/** How often commits of other processes are looked for. */
const LOOK_MS = 250

/**
 * Tells whoever waits for something in the store that there may be something new: once a turn at most, in a turn after
 * the commits, so that a commit itself costs nothing more. SQLite tells nobody of another process's commits: one timer
 * looks for all listeners, and there is none without listeners.
 */
export function watchCommits({ byOthers }: Pick<Changes, 'byOthers'>) {
  const listeners = new Set<CommitListener>()
  let turn: NodeJS.Immediate | undefined
  let timer: NodeJS.Timeout | undefined
  let seen: unknown
  let isOthers = false

  function tell(): void {
    const others = isOthers
    turn = undefined
    isOthers = false
    for (const listener of listeners) listener(others)
  }

  function look(): void {
    let version: unknown
    try {
      version = byOthers()
    } catch {
      return // the file cannot be read just now; the next look tells
    }
    if (version === seen) return
    seen = version
    isOthers = true
    turn ??= setImmediate(tell)
  }

  /** To be called after each COMMIT of this process. */
  function noted(): void {
    if (listeners.size > 0) turn ??= setImmediate(tell)
  }

  function subscribe(listener: CommitListener): () => void {
    if (listeners.size === 0) {
      seen = byOthers()
      timer = setInterval(look, LOOK_MS).unref()
    }
    const own: CommitListener = (others) => listener(others) // the same function may listen twice
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
    isOthers = false
    listeners.clear()
  }

  return { noted, stop, committed: { subscribe } satisfies Committed }
}
