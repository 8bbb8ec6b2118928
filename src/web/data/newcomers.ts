import { batch, signal } from '@preact/signals'
import type { Api } from './api.ts'
import type { EventApplier } from './apply-events.ts'
import type { RecordStore } from './record-store.ts'
import { type Query, readRows } from './rows.ts'
import type { Timers } from './timers.ts'
import type { Kind } from './types.ts'

export type ListParts = {
  api: Api
  store: RecordStore
  timers: Timers
  onEvent: EventApplier['onEvent']
  isMine: (key: string) => boolean
  refreshers: Set<() => Promise<void>>
}

type List = {
  isKnown: (id: string) => boolean
  isAtStart: () => boolean
  /** Puts these rows first. */
  place: (ids: readonly string[]) => void
  count: (total: number | undefined) => void
  /** The record was deleted. */
  leave: (id: string) => void
}

/** Changes of others are looked for at most this often. */
const CHECK_MS = 1000

/**
 * New records of a list. Which of them its filters select, and where they stand, only the server can say: after a change,
 * the first page is read again.
 */
export function newcomers(parts: ListParts, kind: Kind, query: Query, list: List) {
  const { store, timers, onEvent, isMine } = parts
  const fresh = signal(0)
  /** The first page as it is now. */
  let newest: readonly string[] = []
  /** Records of mine, to be shown without asking. */
  const own = new Set<string>()
  let stopTimer: (() => void) | undefined
  let isStopped = false

  function checkSoon(): void {
    stopTimer ??= timers.after(CHECK_MS, () => {
      stopTimer = undefined
      void check().catch(() => undefined) // the next event looks again
    })
  }

  async function check(): Promise<void> {
    const found = await readRows(parts, kind, query, { skip: 0 })
    if (isStopped || !list.isAtStart()) return
    batch(() => {
      list.count(found.total)
      newest = found.ids
      const mine = newest.filter((id) => own.has(id) && !list.isKnown(id))
      if (mine.length > 0) list.place(mine)
      fresh.value = newest.filter((id) => !list.isKnown(id)).length
    })
  }

  function showFresh(): void {
    if (fresh.peek() === 0) return
    batch(() => {
      list.place(newest)
      fresh.value = 0
    })
  }

  const stopListening = onEvent(({ type, key, data: { object, changed_fields } }, eventKind) => {
    if (eventKind !== kind || type.endsWith('.deleted') || !list.isAtStart()) return
    // A row that is here changes where it stands; what the list asks for may no longer be so of it, which the total tells.
    if (list.isKnown(object.id) && !changed_fields.some((name) => name in query)) return
    if (type.endsWith('.created') && key !== null && isMine(key)) own.add(object.id)
    checkSoon()
  })
  const stopWatching = store.onChange((change) => {
    if (change.kind === kind && change.after === null) list.leave(change.id)
  })

  function clear(): void {
    newest = []
    own.clear()
    fresh.value = 0
  }

  function stop(): void {
    isStopped = true
    stopTimer?.()
    stopListening()
    stopWatching()
  }

  return { fresh, showFresh, clear, stop }
}
