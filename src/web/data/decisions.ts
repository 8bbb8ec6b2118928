import { computed, type ReadonlySignal, type Signal } from '@preact/signals'
import { InFront, LetGo, NoAnswer } from './api.ts'
import { type FieldState, fieldStateOf, type Lane, type Queued, unconfirmed, writeOf } from './lanes.ts'
import type { RecordStore } from './record-store.ts'
import { isOfStep } from './step-keys.ts'
import type { Fields, Kind, Rec } from './types.ts'
import { joined, only } from './values.ts'

type Parts = {
  lanes: ReadonlyMap<string, Lane>
  store: RecordStore
  revision: Signal<number>
  patch: (kind: Kind, id: string, fields: Fields) => Promise<Rec | undefined>
  takeParked: (lane: Lane, paths: readonly string[], base: Rec | null | undefined) => Fields
  followers: (lane: Lane, queued: Queued, now: Fields) => void
  forget: (lane: Lane, queued: Queued) => void
  resume: (lane: Lane) => void
}

/** What the author of a change sees of it, and decides. */
export function decisions({ lanes, store, revision, patch, takeParked, followers, forget, resume }: Parts) {
  /** Sends my value although the record has another one now, which its author has seen beside it. */
  function useMine(kind: Kind, id: string, ...paths: string[]): Promise<Rec | undefined> {
    const lane = lanes.get(`${kind}/${id}`)
    const mine = paths.flatMap((path) => {
      const found = writeOf(lane, path)
      return found?.parked ? [only(found.write.shown, [path])] : []
    })
    return mine.length > 0 ? patch(kind, id, joined(mine)) : Promise.resolve(undefined)
  }

  /** Drops my value of the field: that of the record stands. */
  function useTheirs(kind: Kind, id: string, path: string): void {
    const lane = lanes.get(`${kind}/${id}`)
    if (!lane) return
    takeParked(lane, [path], store.entry(kind, id).base)
    resume(lane)
  }

  /** Sends once more what may have happened, under the same key, or drops it. */
  function decideStuck(key: string, isWanted: boolean): void {
    const [lane, found] = unconfirmed(lanes, key) ?? []
    const { parked } = found ?? {}
    if (!lane || !found || !parked) return
    found.parked = undefined
    found.isWanted = isWanted
    found.refusals = 0
    found.failures = 1 // not after a longer wait than at first
    if (!isWanted) {
      forget(lane, found)
      found.ticket.reject(parked.why === 'front' ? new InFront(parked.status) : new NoAnswer('No answer came.'))
    }
    resume(lane)
  }

  /** Drops what has not been sent of a step, as if it had not been made. Returns how many writes that were. */
  function withdraw(step: string): number {
    let count = 0
    for (const lane of [...lanes.values()]) {
      for (const queued of [...lane.queued]) {
        const { isSending, write, ticket } = queued
        if (isSending || write.isUnsure || !isOfStep(write.key, step)) continue
        followers(lane, queued, write.seen)
        forget(lane, queued)
        ticket.reject(new LetGo('It was taken back.'))
        count++
      }
      resume(lane)
    }
    return count
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

  return { useMine, useTheirs, decideStuck, withdraw, fieldState, writes }
}
