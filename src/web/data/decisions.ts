import { computed, type ReadonlySignal, type Signal } from '@preact/signals'
import { InFront } from './api.ts'
import { type FieldState, fieldStateOf, type Lane, type Queued, unconfirmed, writeOf } from './lanes.ts'
import type { RecordStore } from './record-store.ts'
import type { Fields, Kind, Rec } from './types.ts'
import { only } from './values.ts'

type Parts = {
  lanes: ReadonlyMap<string, Lane>
  store: RecordStore
  revision: Signal<number>
  patch: (kind: Kind, id: string, fields: Fields) => Promise<Rec | undefined>
  takeParked: (lane: Lane, paths: readonly string[], base: Rec | null | undefined) => Fields
  forget: (lane: Lane, queued: Queued) => void
  resume: (lane: Lane) => void
}

/** What the author of a change sees of it, and decides. */
export function decisions({ lanes, store, revision, patch, takeParked, forget, resume }: Parts) {
  /** Sends my value although the record has another one now, which its author has seen beside it. */
  function useMine(kind: Kind, id: string, path: string): Promise<Rec | undefined> {
    const mine = writeOf(lanes.get(`${kind}/${id}`), path)
    return mine?.parked ? patch(kind, id, only(mine.write.shown, [path])) : Promise.resolve(undefined)
  }

  /** Drops my value of the field: that of the record stands. */
  function useTheirs(kind: Kind, id: string, path: string): void {
    const lane = lanes.get(`${kind}/${id}`)
    if (!lane) return
    takeParked(lane, [path], store.entry(kind, id).base)
    resume(lane)
  }

  /** Sends once more what something in front of the server has refused, under the same key, or drops it. */
  function decideInFront(key: string, isWanted: boolean): void {
    const [lane, found] = unconfirmed(lanes, key) ?? []
    if (!lane || found?.parked?.why !== 'front') return
    const { status } = found.parked
    found.parked = undefined
    found.refusals = 0
    found.failures = 1 // not after a longer wait than at first
    if (!isWanted) {
      forget(lane, found)
      found.ticket.reject(new InFront(status))
    }
    resume(lane)
  }

  function fieldState(kind: Kind, id: string, path: string): ReadonlySignal<FieldState | undefined> {
    const entry = store.entry(kind, id)
    return computed(() => {
      revision.value
      entry.view.value
      return fieldStateOf(lanes.get(`${kind}/${id}`), path, entry.base, entry.authors.get(path))
    })
  }

  /** My changes that the server has not confirmed, those with a refusal or a conflict too. */
  const writes = computed(() => {
    revision.value
    return [...lanes.values()].flatMap(({ queued }) =>
      queued.map(({ write, parked, isWaiting }) => ({ ...write, parked, isWaiting })),
    )
  })

  return { useMine, useTheirs, decideInFront, fieldState, writes }
}
