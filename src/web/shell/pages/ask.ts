import { signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { client } from '../../data/current.ts'

/** One reading for several notices: a bulk of changes comes as many. */
const GATHER_MS = 300

export type Asked<T> = {
  /** The newest answer; undefined before the first one. */
  value: T | undefined
  /** Why the newest reading failed. What was read before stays. */
  error: unknown
  again: () => Promise<void>
  /** What the page knows before the server is asked again. */
  set: (next: T) => void
}

/**
 * What a path under /app answers, for what is no record of the stream: read when it is first shown, again after each notice
 * and each event of the kinds in `after`, and where some were missed. Null asks for nothing.
 */
export function useAsk<T>(path: string | null, after: readonly string[] = []): Asked<T> {
  const asked = useMemo(() => askOf<T>(path), [path])
  useEffect(() => {
    if (path === null) return
    void asked.again()
    return asked.follow(after)
  }, [asked])
  return { value: asked.value.value, error: asked.error.value, again: asked.again, set: asked.set }
}

function askOf<T>(path: string | null) {
  const value = signal<T | undefined>(undefined)
  const error = signal<unknown>(undefined)
  /** An answer that was asked for before a newer one is not taken. */
  let round = 0

  async function again(): Promise<void> {
    if (path === null) return
    round += 1
    const mine = round
    try {
      const found = await client().api.get<T>(path)
      if (mine !== round) return
      value.value = found
      error.value = undefined
    } catch (failure) {
      if (mine === round) error.value = failure
    }
  }

  function follow(after: readonly string[]): () => void {
    const { events, onNotice, refreshers, timers } = client()
    let stopTimer: (() => void) | undefined
    const soon = (): void => {
      stopTimer ??= timers.after(GATHER_MS, () => {
        stopTimer = undefined
        void again()
      })
    }
    const stops = [
      onNotice(({ kind }) => after.includes(kind) && soon()),
      events.onEvent((_, kind) => after.includes(kind) && soon()),
    ]
    refreshers.add(again)
    return () => {
      refreshers.delete(again)
      stopTimer?.()
      for (const stop of stops) stop()
    }
  }

  const set = (next: T): void => {
    round += 1
    value.value = next
  }
  return { value, error, again, set, follow }
}
